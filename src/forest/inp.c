/* inp.c - the sections and lines of an Abaqus .inp text. */
#include <inp.h>
#include <inp_mesh.h>

#include <core.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_CORNERS = 8, SHOWN = 40 };

typedef enum section { OTHER, NODES, ELEMENTS } section;

typedef struct reader {
  const char *at, *end; /* what is left of the text */
  long line;            /* of at, from 1 */
  section section;
  int corners; /* of the elements of the section */
  bool comma;  /* the word before ended with one */
  rind_inp_mesh mesh;
  char *message;
} reader;

static rind_error fail(const reader *r, const char *format, ...) RIND_PRINTF(2, 3);
static rind_error fail(const reader *r, const char *format, ...) {
  const int used = snprintf(r->message, RIND_INP_TEXT, "line %ld: ", r->line);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->message + used, (size_t)(RIND_INP_TEXT - used), format, arguments);
  va_end(arguments);
  return RIND_ERROR_FORMAT;
}

static const char *line_end(const reader *r) {
  const char *end = r->at;
  while (end < r->end && *end != '\n')
    ++end;
  return end;
}

static void next_line(reader *r) {
  const char *end = line_end(r);
  r->at = end < r->end ? end + 1 : end;
  ++r->line;
}

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
    ++at;
  return at;
}

/* Length of the word at at, for messages: printable, not long. */
static int shown(const char *at, const char *end) {
  int length = 0;
  while (at + length < end && length < SHOWN && isprint((unsigned char)at[length]) &&
         at[length] != ',')
    ++length;
  return length;
}

/* True if the keyword of a line is word; options follow after a comma. */
static bool is_keyword(const char *at, const char *end, const char *word) {
  const size_t length = strlen(word);
  if ((size_t)(end - at) < length || strncasecmp(at, word, length) != 0) return false;
  at = skip_blanks(at + length, end);
  return at == end || *at == ',';
}

/* Corners of an element type; 0 if it is none of ours. Suffixes (R, H, ..) do not matter. */
static int corners_of(const char *type, int length) {
  static const struct {
    const char *name;
    int corners;
  } types[] = {{"C2D4", 4}, {"CPS4", 4}, {"CPE4", 4}, {"CAX4", 4},
               {"S4", 4},   {"M3D4", 4}, {"R3D4", 4}, {"C3D8", 8}};
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
    const int size = (int)strlen(types[t].name);
    const bool ends = length == size || (length > size && !isdigit((unsigned char)type[size]));
    if (length >= size && ends && strncasecmp(type, types[t].name, (size_t)size) == 0)
      return types[t].corners;
  }
  return 0;
}

/* The TYPE= option of an *ELEMENT line. */
static rind_error read_type(reader *r, const char *at, const char *end) {
  for (; at < end; ++at) {
    if (*at != ',') continue;
    const char *option = skip_blanks(at + 1, end);
    if ((size_t)(end - option) < 4 || strncasecmp(option, "type", 4) != 0) continue;
    option = skip_blanks(option + 4, end);
    if (option == end || *option != '=') continue;
    option = skip_blanks(option + 1, end);
    int length = shown(option, end);
    while (length > 0 && isspace((unsigned char)option[length - 1]))
      --length;
    r->corners = corners_of(option, length);
    if (r->corners == 0)
      return fail(r,
                  "element type '%.*s': quadrilaterals (C2D4, CPS4, CPE4, CAX4, S4, M3D4) or "
                  "hexahedra (C3D8) it must be",
                  length, option);
    return RIND_OK;
  }
  return fail(r, "*ELEMENT without TYPE=, for example TYPE=C3D8");
}

static rind_error read_keyword(reader *r) {
  const char *at = r->at, *end = line_end(r);
  r->section = OTHER;
  if (is_keyword(at, end, "*NODE")) {
    r->section = NODES;
  } else if (is_keyword(at, end, "*ELEMENT")) {
    r->section = ELEMENTS;
    RIND_TRY(read_type(r, at, end));
  }
  next_line(r);
  return RIND_OK;
}

/* The next comma-separated word of a data line, without blanks. A final comma goes on in the next
 * line if more is true. */
static rind_error next_word(reader *r, bool more, const char **word, const char **word_end) {
  const char *end = line_end(r);
  const char *at = skip_blanks(r->at, end);
  if (at == end && more && r->comma) {
    next_line(r);
    end = line_end(r);
    at = skip_blanks(r->at, end);
    if (at < end && *at == '*')
      return fail(r, "a keyword where the line before promises another number");
  }
  const char *last = at;
  while (last < end && *last != ',')
    ++last;
  r->comma = last < end;
  r->at = r->comma ? last + 1 : end;
  while (last > at && isspace((unsigned char)last[-1]))
    --last;
  if (last == at) return fail(r, "a number is missing");
  *word = at;
  *word_end = last;
  return RIND_OK;
}

static rind_error read_integer(reader *r, bool more, const char *what, int64_t *value) {
  const char *word, *end;
  RIND_TRY(next_word(r, more, &word, &end));
  char *stop;
  errno = 0;
  const long long number = strtoll(word, &stop, 10);
  if (stop != end || errno != 0 || number < 1)
    return fail(r, "%s '%.*s': a positive whole number it must be", what, shown(word, end), word);
  *value = number;
  return RIND_OK;
}

static rind_error read_coordinate(reader *r, double *value) {
  const char *word, *end;
  RIND_TRY(next_word(r, false, &word, &end));
  char *stop;
  const double number = strtod(word, &stop);
  if (stop != end || !isfinite(number))
    return fail(r, "coordinate '%.*s': a finite number it must be", shown(word, end), word);
  *value = number;
  return RIND_OK;
}

static bool line_is_done(const reader *r) {
  return skip_blanks(r->at, line_end(r)) == line_end(r);
}

static rind_error end_line(reader *r, const char *what) {
  const char *rest = skip_blanks(r->at, line_end(r));
  if (rest < line_end(r))
    return fail(r, "'%.*s' after the end of %s", shown(rest, line_end(r)), rest, what);
  next_line(r);
  return RIND_OK;
}

static rind_error read_node(reader *r) {
  rind_inp_node node = {.line = r->line};
  RIND_TRY(read_integer(r, false, "node", &node.id));
  RIND_TRY(read_coordinate(r, &node.at[0]));
  RIND_TRY(read_coordinate(r, &node.at[1]));
  if (!line_is_done(r)) RIND_TRY(read_coordinate(r, &node.at[2]));
  RIND_TRY(end_line(r, "a node"));
  return rind_inp_mesh_add_node(&r->mesh, &node);
}

static rind_error read_element(reader *r) {
  rind_inp_element element = {.line = r->line, .corners = r->corners};
  RIND_TRY(read_integer(r, false, "element", &element.id));
  for (int c = 0; c < r->corners; ++c)
    RIND_TRY(read_integer(r, true, "node", &element.node[c]));
  RIND_TRY(end_line(r, "an element"));
  return rind_inp_mesh_add_element(&r->mesh, &element);
}

static rind_error read_line(reader *r) {
  const char *end = line_end(r);
  const char *at = skip_blanks(r->at, end);
  if (at == end || (end - at >= 2 && at[0] == '*' && at[1] == '*')) {
    next_line(r);
    return RIND_OK;
  }
  r->at = at;
  if (*at == '*') return read_keyword(r);
  if (r->section == NODES) return read_node(r);
  if (r->section == ELEMENTS) return read_element(r);
  next_line(r);
  return RIND_OK;
}

rind_error rind_inp_parse(const char *text, size_t size, rind_inp *inp,
                          char message[RIND_INP_TEXT]) {
  static const char mark[] = "\xef\xbb\xbf"; /* a byte order mark may begin a UTF-8 text */
  reader r = {.at = text, .end = text + size, .line = 1, .message = message};
  if (size >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0) r.at += sizeof mark - 1;
  *inp = (rind_inp){0};
  message[0] = '\0';
  rind_error error = RIND_OK;
  if (memchr(text, '\0', size)) {
    snprintf(message, RIND_INP_TEXT, "it is no text: it holds a byte of value 0");
    error = RIND_ERROR_FORMAT;
  }
  while (error == RIND_OK && r.at < r.end)
    error = read_line(&r);
  if (error == RIND_OK) error = rind_inp_mesh_finish(&r.mesh, inp, message);
  rind_inp_mesh_free(&r.mesh);
  if (error != RIND_OK) rind_inp_free(inp);
  if (error != RIND_OK && message[0] == '\0')
    snprintf(message, RIND_INP_TEXT, "%s", rind_error_text(error));
  return error;
}

void rind_inp_free(rind_inp *inp) {
  free(inp->node);
  free(inp->corner);
  *inp = (rind_inp){0};
}
