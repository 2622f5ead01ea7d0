/* needs.c - reads the clauses of app_option.needs. */
#include "needs.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "!region=path" in its parts; they point into a clause. */
typedef struct term {
  bool negative;
  const char *name, *value; /* value NULL: none */
  size_t name_length, value_length;
} term;

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, size - used, format, list);
  va_end(list);
}

const app_option *app_find_option(const app_usage *usage, const char *name, size_t length) {
  for (int i = 0; i < usage->num_options; ++i)
    if (strlen(usage->options[i].name) == length &&
        strncmp(usage->options[i].name, name, length) == 0)
      return &usage->options[i];
  return NULL;
}

/* The next alternative of a clause; *clause moves behind it and becomes NULL after the last. */
static term next_term(const char **clause) {
  const char *text = *clause;
  const size_t length = strcspn(text, "|");
  *clause = text[length] == '|' ? text + length + 1 : NULL;
  term t = {.negative = text[0] == '!', .name = text + (text[0] == '!')};
  const size_t left = length - t.negative;
  t.name_length = strcspn(t.name, "=|");
  if (t.name_length < left) {
    t.value = t.name + t.name_length + 1;
    t.value_length = left - t.name_length - 1;
  }
  return t;
}

static bool is_ranks(const term *t) {
  return t->name_length == 5 && strncmp(t->name, "ranks", 5) == 0;
}

/* Whether the option's value does anything: the least of a number, where that is 0 or less,
 * switches it off, and so does the word none. */
static bool is_on(const app_option *option) {
  const double least = option->min < 0 ? option->min : 0;
  switch (option->kind) {
  case APP_FLAG:
    return *(const bool *)option->value;
  case APP_INT:
    return *(const int *)option->value > least;
  case APP_INT64:
    return (double)*(const int64_t *)option->value > least;
  case APP_DOUBLE:
    return *(const double *)option->value > least;
  case APP_WORD:
    return strcmp(option->words[*(const int *)option->value], "none") != 0;
  case APP_INT3: {
    const int *v = option->value;
    return v[0] > least || v[1] > least || v[2] > least;
  }
  default:
    return *(const char *const *)option->value != NULL;
  }
}

/* Words and whole numbers; numbers of all axes. */
static bool has_value(const app_option *option, const term *t) {
  const int *v = option->value;
  if (option->kind == APP_WORD)
    return strlen(option->words[*v]) == t->value_length &&
           strncmp(option->words[*v], t->value, t->value_length) == 0;
  const int wanted = atoi(t->value);
  const int axes = option->kind == APP_INT3 ? (option->axes != NULL ? *option->axes : 3) : 1;
  for (int a = 0; a < axes; ++a)
    if (v[a] != wanted) return false;
  return true;
}

static bool holds(const app_usage *usage, const term *t, int ranks) {
  if (is_ranks(t)) return (ranks > 1) != t->negative;
  const app_option *other = app_find_option(usage, t->name, t->name_length);
  if (other == NULL) return false;
  return (t->value != NULL ? has_value(other, t) : is_on(other)) != t->negative;
}

static void append_term(const app_usage *usage, const term *t, char *text, size_t size) {
  const app_option *other = app_find_option(usage, t->name, t->name_length);
  if (is_ranks(t)) {
    append(text, size, t->negative ? "on one rank" : "on more than one rank");
    return;
  }
  append(text, size, "%s --%.*s", t->negative ? "without" : "with", (int)t->name_length, t->name);
  if (t->value != NULL)
    append(text, size, " %.*s", (int)t->value_length, t->value);
  else if (other != NULL && !t->negative && other->kind == APP_WORD)
    append(text, size, " other than none");
  else if (other != NULL && !t->negative && (other->kind == APP_INT || other->kind == APP_INT64))
    append(text, size, " >= %g", (other->min < 0 ? other->min : 0) + 1);
}

/* "with --forest >= 0 or on more than one rank". */
static void append_clause(const app_usage *usage, const char *clause, char *text, size_t size) {
  for (bool first = true; clause != NULL; first = false) {
    const term t = next_term(&clause);
    if (!first) append(text, size, " or ");
    append_term(usage, &t, text, size);
  }
}

/* "fill, adjoint or scaling". */
static void append_commands(const app_usage *usage, unsigned commands, char *text, size_t size) {
  for (int c = 0; usage->commands[c] != NULL; ++c) {
    if ((commands >> c & 1) == 0) continue;
    const bool first = (commands & ((1u << c) - 1)) == 0, last = commands >> c == 1;
    append(text, size, "%s%s", first ? "" : last ? " or " : ", ", usage->commands[c]);
  }
}

void app_needs_text(const app_usage *usage, const app_option *option, char *text, size_t size) {
  text[0] = '\0';
  if (option->commands != 0) {
    unsigned others = 0;
    int num_others = 0, num = 0;
    for (int c = 0; usage->commands[c] != NULL; ++c)
      if (option->commands >> c & 1)
        ++num;
      else
        others |= 1u << c, ++num_others;
    append(text, size, num_others < num ? "; not with " : "; only with ");
    append_commands(usage, num_others < num ? others : option->commands, text, size);
  }
  for (int n = 0; n < APP_NEEDS && option->needs[n] != NULL; ++n) {
    append(text, size, text[0] == '\0' ? "; only " : ", and ");
    append_clause(usage, option->needs[n], text, size);
  }
}

static bool clause_holds(const app_usage *usage, const char *clause, int ranks) {
  while (clause != NULL) {
    const term t = next_term(&clause);
    if (holds(usage, &t, ranks)) return true;
  }
  return false;
}

bool app_needs_met(const app_usage *usage, const app_option *option, int ranks, char *line,
                   size_t size) {
  snprintf(line, size, "--%s works only ", option->name);
  if (option->commands != 0 && (option->commands >> *usage->command & 1) == 0) {
    append(line, size, "with ");
    append_commands(usage, option->commands, line, size);
    append(line, size, ", not %s", usage->commands[*usage->command]);
    return false;
  }
  if (!is_on(option)) return true;
  for (int n = 0; n < APP_NEEDS && option->needs[n] != NULL; ++n)
    if (!clause_holds(usage, option->needs[n], ranks)) {
      append_clause(usage, option->needs[n], line, size);
      return false;
    }
  return true;
}
