/* words.c - what options call types and rules. */
#include "words.h"

#include <stddef.h>

const char *const app_type_words[] = {"f64", "f32", NULL};
const char *const app_interpolation_words[] = {"quadratic", "coarse-only", "injection",
                                               "conservative", NULL};
const char *const app_restriction_words[] = {"average", "flux-matched", NULL};
