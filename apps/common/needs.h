/* needs.h - what an option does nothing without: words for it, and whether it is there. */
#pragma once
#include "cli.h"

/* The option of a name of that length; NULL: there is none. */
const app_option *app_find_option(const app_usage *usage, const char *name, size_t length);

/* ", only with --relax >= 1, and without --device": what follows an option's help. */
void app_needs_text(const app_usage *usage, const app_option *option, char *text, size_t size);

/* Whether an option that was given does something, beside the others and on that many ranks. False
 * with a line about what is missing. */
bool app_needs_met(const app_usage *usage, const app_option *option, int ranks, char *line,
                   size_t size);
