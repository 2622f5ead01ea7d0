/* broken_schedule.h - copies of schedules, broken in ways that the verifier must name. */
#pragma once
#include <check.h>
#include <schedule_data.h>

#include <stdbool.h>
#include <string.h>

/* A way to break a schedule; family and region say which fill, words what the text must say. */
typedef struct damage {
  const char *name;
  rind_family family;
  int region; /* -1: any */
  void (*inflict)(rind_schedule *s, int fill);
  const char *words;
  bool names_fill; /* the text begins with the fill's number */
} damage;

/* A pattern of its own for one fill, so that no other changes with it; and terms of its own. */
rind_pattern *own_pattern(rind_schedule *s, int fill);
rind_pattern_term *own_terms(rind_schedule *s, int fill);
/* Drops a fill. */
void drop(rind_schedule *s, int fill);

/* Collective. Verifies a copy whose first fill of the family is broken on rank 0 alone; *fill is
 * its index, -1 if there is none. */
rind_error broken_verify(const rind_schedule *schedule, const damage *how, int *fill);

/* What is broken on rank 0 must come out on all ranks. */
static inline void broken_test(const rind_schedule *schedule, const damage *how) {
  rind_context *context = rind_forest_context(rind_schedule_forest(schedule));
  const bool here = rind_context_rank(context) == 0;
  int first = 0;
  CHECK_ERROR(broken_verify(schedule, how, &first), RIND_ERROR_INTERNAL, context);
  const char *text = rind_last_error(context);
  char fill[32];
  snprintf(fill, sizeof fill, "fill %d ", first);
  CHECK(!here || first >= 0, "no fill of %s", rind_family_name(how->family));
  CHECK(strstr(text, how->words), "%s: \"%s\" is not in: %s", how->name, how->words, text);
  CHECK(!here || !how->names_fill || strstr(text, fill) == text,
        "%s: %sis not where this begins: %s", how->name, fill, text);
  CHECK(strchr(text, '\n') == NULL, "more than a line: %s", text);
}
