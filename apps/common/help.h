/* help.h - what --help prints. */
#pragma once
#include <stdio.h>

#include "cli.h"

/* Bytes of a line of text, words of an option among them. */
enum { APP_LINE = 512 };

void app_print_help(FILE *file, const app_usage *usage);

/* "a|b|c" into text, which is returned. */
const char *app_join_words(const char *const *words, char text[APP_LINE]);
