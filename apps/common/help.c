/* help.c - prints a table of options. */
#include "help.h"

#include <stdint.h>
#include <string.h>

#include "needs.h"

enum { WIDTH = 94, INDENT = 30 };

/* Whether an option of axes has two, whatever other options say. */
static bool is_plane(const app_usage *usage, const app_option *option) {
  if (option->kind != APP_INT3 || option->axes == NULL) return false;
  for (int i = 0; i < usage->num_options; ++i)
    if (usage->options[i].value == option->axes) return false;
  return *option->axes == 2;
}

static void print_default(FILE *file, const app_usage *usage, const app_option *option) {
  switch (option->kind) {
  case APP_FLAG:
    break;
  case APP_INT:
    fprintf(file, " [%d]", *(const int *)option->value);
    break;
  case APP_INT64:
    fprintf(file, " [%lld]", (long long)*(const int64_t *)option->value);
    break;
  case APP_DOUBLE:
    fprintf(file, " [%g]", *(const double *)option->value);
    break;
  case APP_STRING:
  case APP_READ:
  case APP_OUTPUT:
  case APP_HDF5:
    if (*(const char *const *)option->value != NULL)
      fprintf(file, " [%s]", *(const char *const *)option->value);
    break;
  case APP_WORD:
    fprintf(file, " [%s]", option->words[*(const int *)option->value]);
    break;
  case APP_INT3: {
    const int *v = option->value;
    fprintf(file, " [%d,%d", v[0], v[1]);
    if (!is_plane(usage, option)) fprintf(file, ",%d", v[2]);
    fputc(']', file);
    break;
  }
  }
}

const char *app_join_words(const char *const *words, char text[APP_LINE]) {
  text[0] = '\0';
  for (int i = 0; words[i] != NULL; ++i) {
    const size_t used = strlen(text);
    snprintf(text + used, APP_LINE - used, "%s%s", i > 0 ? "|" : "", words[i]);
  }
  return text;
}

/* Breaks lines between words; the first begins at INDENT. */
static void print_wrapped(FILE *file, const char *text) {
  int column = INDENT;
  while (*text != '\0') {
    const int length = (int)strcspn(text, " ");
    if (column > INDENT && column + 1 + length > WIDTH) {
      fprintf(file, "\n%*s", INDENT, "");
      column = INDENT;
    }
    column += fprintf(file, "%s%.*s", column > INDENT ? " " : "", length, text);
    text += length;
    text += strspn(text, " ");
  }
}

void app_print_help(FILE *file, const app_usage *usage) {
  static const char *const placeholder[] = {
      [APP_FLAG] = "",       [APP_INT] = "N",    [APP_INT64] = "N",      [APP_DOUBLE] = "X",
      [APP_STRING] = "TEXT", [APP_WORD] = "",    [APP_INT3] = "N[,N,N]", [APP_READ] = "INPUT",
      [APP_OUTPUT] = "FILE", [APP_HDF5] = "FILE"};
  char words[APP_LINE], left[APP_LINE], help[2 * APP_LINE];
  fprintf(file, "usage: %s ", usage->program);
  if (usage->commands != NULL) fprintf(file, "[%s] ", app_join_words(usage->commands, words));
  fprintf(file, "[options]\n%s\n\n", usage->summary);
  for (int i = 0; i < usage->num_options; ++i) {
    const app_option *option = &usage->options[i];
    const char *value = option->kind == APP_WORD  ? app_join_words(option->words, words)
                        : is_plane(usage, option) ? "N[,N]"
                                                  : placeholder[option->kind];
    snprintf(left, sizeof left, "--%s %s", option->name, value);
    fprintf(file, "  %-28s", left);
    if (strlen(left) > 27) fprintf(file, "\n  %-28s", "");
    const int used = snprintf(help, sizeof help, "%s", option->help);
    app_needs_text(usage, option, help + used, sizeof help - (size_t)used);
    print_wrapped(file, help);
    print_default(file, usage, option);
    fputc('\n', file);
  }
  fprintf(file, "  %-28sthis text\n", "--help");
  fprintf(file, "  %-28sthe library's version\n", "--version");
  if (usage->epilogue != NULL) fprintf(file, "\n%s\n", usage->epilogue);
}
