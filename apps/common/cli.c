/* cli.c - parses command lines against a table of options. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "needs.h"
#include "outputs.h"
#include "status.h"

enum { LINE = APP_LINE, MOST_OPTIONS = 64, LONGEST_WORD = 48 };

/* Levenshtein distance of the first LONGEST_WORD characters. */
static int distance(const char *a, const char *b) {
  int row[LONGEST_WORD + 1];
  const int length = (int)strnlen(b, LONGEST_WORD);
  for (int j = 0; j <= length; ++j)
    row[j] = j;
  for (int i = 0; a[i] != '\0' && i < LONGEST_WORD; ++i) {
    int diagonal = row[0];
    row[0] = i + 1;
    for (int j = 0; j < length; ++j) {
      const int replace = diagonal + (a[i] != b[j]);
      const int shorter = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
      diagonal = row[j + 1];
      row[j + 1] = replace < shorter ? replace : shorter;
    }
  }
  return row[length];
}

/* Whether candidate is a likelier reading of word than the best so far. */
static bool is_nearer(const char *word, const char *candidate, int *best) {
  const int found = distance(word, candidate);
  const int limit = strlen(candidate) < 4 ? 1 : (int)(strlen(candidate) + 2) / 3;
  if (found > limit || found >= *best) return false;
  *best = found;
  return true;
}

static bool fail(char line[LINE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(char line[LINE], const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(line, LINE, format, list);
  va_end(list);
  return false;
}

/* "program: message" on stderr, as one line whatever was typed or read. */
static void print_list(const char *program, const char *format, va_list list) {
  char line[1536];
  vsnprintf(line, sizeof line, format, list);
  for (char *c = line; *c != '\0'; ++c)
    if (iscntrl((unsigned char)*c)) *c = '?';
  fprintf(stderr, "%s: %s\n", program, line);
}

static void print_line(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void print_line(const char *program, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_list(program, format, list);
  va_end(list);
}

static void range_text(const app_option *option, char text[64]) {
  if (option->min == 0 && option->max == 0)
    text[0] = '\0';
  else
    snprintf(text, 64, " from %.15g to %.15g", option->min, option->max);
}

static bool in_range(const app_option *option, double value) {
  return (option->min == 0 && option->max == 0) || (value >= option->min && value <= option->max);
}

static bool read_int64(const app_option *option, const char *text, int64_t low, int64_t high,
                       int64_t *value, char line[LINE]) {
  char *end, range[64];
  errno = 0;
  const long long parsed = strtoll(text, &end, 10);
  range_text(option, range);
  if (end == text || *end != '\0' || errno != 0 || parsed < low || parsed > high ||
      !in_range(option, (double)parsed))
    return fail(line, "--%s is %s, should be a whole number%s (%s)", option->name, text, range,
                option->help);
  *value = parsed;
  return true;
}

static bool read_int3(const app_option *option, const char *text, char line[LINE]) {
  int *values = option->value, got[3] = {0}, count = 0, last = 0;
  char copy[64];
  if (strlen(text) >= sizeof copy)
    return fail(line, "--%s is %s, should be up to three whole numbers", option->name, text);
  strcpy(copy, text);
  for (char *item = copy; item != NULL; ++count) {
    char *comma = strchr(item, ',');
    if (comma != NULL) *comma++ = '\0';
    if (count == 3 || item[0] == '\0')
      return fail(line, "--%s is %s, should be up to three whole numbers", option->name, text);
    int64_t value;
    if (!read_int64(option, item, INT_MIN, INT_MAX, &value, line)) return false;
    got[count] = last = (int)value;
    item = comma;
  }
  for (int a = 0; a < 3; ++a)
    values[a] = a < count ? got[a] : last;
  return true;
}

static bool read_word(const app_option *option, const char *text, char line[LINE]) {
  char words[LINE];
  int best = INT_MAX;
  const char *nearest = NULL;
  for (int i = 0; option->words[i] != NULL; ++i) {
    if (strcmp(option->words[i], text) == 0) {
      *(int *)option->value = i;
      return true;
    }
    if (is_nearer(text, option->words[i], &best)) nearest = option->words[i];
  }
  app_join_words(option->words, words);
  if (nearest != NULL)
    return fail(line, "--%s is %s, should be one of %s; did you mean %s?", option->name, text,
                words, nearest);
  return fail(line, "--%s is %s, should be one of %s", option->name, text, words);
}

static bool read_value(const app_option *option, const char *text, char line[LINE]) {
  int64_t whole;
  char *end, range[64];
  if (option->kind != APP_FLAG && text[0] == '\0')
    return fail(line, "--%s is empty (%s)", option->name, option->help);
  switch (option->kind) {
  case APP_FLAG:
    return fail(line, "--%s takes no value%s%s", option->name, text[0] == '\0' ? "" : ", not ",
                text);
  case APP_INT:
    if (!read_int64(option, text, INT_MIN, INT_MAX, &whole, line)) return false;
    *(int *)option->value = (int)whole;
    return true;
  case APP_INT64:
    return read_int64(option, text, INT64_MIN, INT64_MAX, option->value, line);
  case APP_DOUBLE: {
    const double value = strtod(text, &end);
    range_text(option, range);
    if (end == text || *end != '\0' || !isfinite(value) || !in_range(option, value))
      return fail(line, "--%s is %s, should be a number%s (%s)", option->name, text, range,
                  option->help);
    *(double *)option->value = value;
    return true;
  }
  case APP_STRING:
  case APP_READ:
  case APP_OUTPUT:
  case APP_HDF5:
    *(const char **)option->value = text;
    return true;
  case APP_WORD:
    return read_word(option, text, line);
  case APP_INT3:
    return read_int3(option, text, line);
  }
  return false;
}

static bool unknown_option(const app_usage *usage, const char *argument, const char *name,
                           size_t length, char line[LINE]) {
  static const char *const always[] = {"help", "version"};
  char word[LONGEST_WORD + 1];
  const char *nearest = NULL;
  int best = INT_MAX;
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  for (int i = 0; i < usage->num_options; ++i)
    if (is_nearer(word, usage->options[i].name, &best)) nearest = usage->options[i].name;
  for (int i = 0; i < 2; ++i)
    if (is_nearer(word, always[i], &best)) nearest = always[i];
  if (nearest != NULL)
    return fail(line, "there is no option %s; did you mean --%s?", argument, nearest);
  return fail(line, "there is no option %s; --help lists them", argument);
}

/* False with a line about the first mistake. given[i] becomes the text of option i, or "". */
static bool read_options(const app_usage *usage, int argc, char *const *argv,
                         const char *given[MOST_OPTIONS], char line[LINE]) {
  for (int i = 0; i < argc; ++i) {
    const char *argument = argv[i];
    const bool dashed = strncmp(argument, "--", 2) == 0;
    const char *name = dashed ? argument + 2 : argument;
    const size_t length = strcspn(name, "=");
    const app_option *option = dashed ? app_find_option(usage, name, length) : NULL;
    if (option == NULL) return unknown_option(usage, argument, name, length, line);
    const char **text = &given[option - usage->options];
    *text = "";
    if (name[length] == '=') {
      *text = name + length + 1;
    } else if (option->kind == APP_FLAG) {
      *(bool *)option->value = true;
      continue;
    } else if (i + 1 == argc) {
      return fail(line, "--%s needs a value (%s)", option->name, option->help);
    } else {
      *text = argv[++i];
    }
    if (!read_value(option, *text, line)) return false;
  }
  return true;
}

/* Of the options that are given: each does something, and has no more numbers than there are axes.
 */
static bool check_given(const app_usage *usage, const char *const given[MOST_OPTIONS], int ranks,
                        char line[LINE]) {
  for (int i = 0; i < usage->num_options; ++i) {
    const app_option *option = &usage->options[i];
    if (given[i] == NULL) continue;
    if (!app_needs_met(usage, option, ranks, line, LINE)) return false;
    int numbers = 1;
    for (const char *c = given[i]; *c != '\0'; ++c)
      numbers += *c == ',';
    if (option->axes != NULL && numbers > *option->axes && numbers > 1)
      return fail(line, "--%s is %s, should be at most %d numbers, one an axis", option->name,
                  given[i], *option->axes);
  }
  return true;
}

/* False with a line: there is no such command. */
static bool read_command(const app_usage *usage, const char *text, char line[LINE]) {
  char words[LINE];
  for (int c = 0; usage->commands[c] != NULL; ++c)
    if (strcmp(usage->commands[c], text) == 0) {
      *usage->command = c;
      return true;
    }
  return fail(line, "there is no command %s, it should be one of %s",
              text[0] == '\0' ? "without a name" : text, app_join_words(usage->commands, words));
}

static bool read_arguments(const app_usage *usage, int argc, char *const *argv, int ranks,
                           char line[LINE]) {
  const char *given[MOST_OPTIONS] = {NULL};
  const bool has_command = usage->commands != NULL && argc > 1 && argv[1][0] != '-';
  const int first = has_command ? 2 : 1;
  return (!has_command || read_command(usage, argv[1], line)) &&
         read_options(usage, argc - first, argv + first, given, line) &&
         check_given(usage, given, ranks, line);
}

/* Whether one of two spellings is among the arguments. */
static bool has_argument(int argc, char *const *argv, const char *one, const char *other) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], one) == 0 || strcmp(argv[i], other) == 0) return true;
  return false;
}

static bool is_output(const app_option *option) {
  return option->kind == APP_OUTPUT || option->kind == APP_HDF5;
}

/* The path of a file, or NULL. */
static const char *file_of(const app_option *option) {
  const bool is_file = option->kind == APP_READ || is_output(option);
  return is_file ? *(const char *const *)option->value : NULL;
}

/* Whether an output before this one, or an input, has the same file, with a line. */
static bool is_taken(const app_usage *usage, const app_option *option, const char *path) {
  for (int i = 0; i < usage->num_options; ++i) {
    const app_option *other = &usage->options[i];
    const char *taken = file_of(other);
    if (taken == NULL || (is_output(other) && other >= option)) continue;
    const bool same = app_is_same_output(taken, path);
    if (!same && !app_is_part_of_output(taken, path)) continue;
    print_line(usage->program, "--%s is %s, should be another file than that of --%s%s",
               option->name, path, other->name,
               same ? "" : ": until they are complete, .part is added to the names of outputs");
    return true;
  }
  return false;
}

/* Of rank 0: before it takes hours to find out. The status to end with, or APP_OK. */
static int check_outputs(const app_usage *usage) {
  for (int i = 0; i < usage->num_options; ++i) {
    const app_option *option = &usage->options[i];
    const char *path = file_of(option);
    if (path == NULL || !is_output(option)) continue;
    const int reason = app_why_not_written(path, option->kind == APP_HDF5);
    if (reason != 0) {
      print_line(usage->program, "cannot write %s: %s", path,
                 reason == EEXIST ? "its name with .part is taken" : strerror(reason));
      return APP_IO;
    }
    if (is_taken(usage, option, path)) return APP_USAGE;
  }
  return APP_OK;
}

bool app_parse(MPI_Comm comm, const app_usage *usage, int argc, char *const *argv, int *status) {
  char line[LINE];
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  /* Help shows the defaults, before any value is stored. */
  const bool help = has_argument(argc, argv, "--help", "-h");
  const bool version = !help && has_argument(argc, argv, "--version", "--version");
  if (help && rank == 0) app_print_help(stdout, usage);
  if (version && rank == 0) printf("%s %s\n", usage->program, rind_version());
  const bool good = help || version || read_arguments(usage, argc, argv, size, line);
  /* Ranks of one job may have been given different arguments: the first bad one speaks. */
  const int mine = good ? size : rank;
  int first, stop = help || version, any_stop;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  MPI_Allreduce(&stop, &any_stop, 1, MPI_INT, MPI_MAX, comm);
  if (rank == first) print_line(usage->program, "%s", line);
  *status = first < size ? APP_USAGE : APP_OK;
  if (first < size || any_stop) return false;
  *status = rank == 0 ? check_outputs(usage) : APP_OK;
  MPI_Bcast(status, 1, MPI_INT, 0, comm);
  return *status == APP_OK;
}

void app_complain(MPI_Comm comm, const char *program, const char *format, ...) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank != 0) return;
  va_list list;
  va_start(list, format);
  print_list(program, format, list);
  va_end(list);
}
