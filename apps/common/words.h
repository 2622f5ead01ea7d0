/* words.h - the library's choices as words of options, in the order of their enums. */
#pragma once

/* "f64", "f32", NULL: rind_type. */
extern const char *const app_type_words[];
/* rind_interpolation, without a user's: no option can name that. */
extern const char *const app_interpolation_words[];
/* rind_restriction. */
extern const char *const app_restriction_words[];
