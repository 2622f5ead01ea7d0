/* broken_schedule.c - copies of schedules, broken in ways that the verifier must name. */
#include "broken_schedule.h"

#include <stdlib.h>
#include <string.h>

static void *duplicate(const void *from, size_t bytes) {
  void *to = malloc(bytes + 1);
  if (!to) exit(1);
  if (bytes > 0) memcpy(to, from, bytes);
  return to;
}

static rind_schedule copy_of(const rind_schedule *from) {
  rind_schedule s = *from;
  s.pattern = duplicate(from->pattern, (size_t)from->num_patterns * sizeof *s.pattern);
  s.term = duplicate(from->term, (size_t)from->num_terms * sizeof *s.term);
  s.fill = duplicate(from->fill, (size_t)from->num_fills * sizeof *s.fill);
  return s;
}

/* The first fill of a family, -1 if there is none. */
static int first_fill(const rind_schedule *schedule, const damage *how) {
  for (int f = 0; f < schedule->num_fills; ++f) {
    const rind_pattern *pattern = &schedule->pattern[schedule->fill[f].pattern];
    if (pattern->family == (int32_t)how->family &&
        (how->region < 0 || pattern->region == how->region))
      return f;
  }
  return -1;
}

rind_pattern *own_pattern(rind_schedule *s, int fill) {
  rind_pattern *larger = realloc(s->pattern, ((size_t)s->num_patterns + 1) * sizeof *s->pattern);
  if (!larger) exit(1);
  s->pattern = larger;
  larger[s->num_patterns] = larger[s->fill[fill].pattern];
  s->fill[fill].pattern = s->num_patterns;
  return &larger[s->num_patterns++];
}

rind_pattern_term *own_terms(rind_schedule *s, int fill) {
  rind_pattern *pattern = own_pattern(s, fill);
  const int count = pattern->num_terms;
  rind_pattern_term *larger = realloc(s->term, (size_t)(s->num_terms + count) * sizeof *s->term);
  if (!larger) exit(1);
  s->term = larger;
  memcpy(larger + s->num_terms, larger + pattern->first_term, (size_t)count * sizeof *larger);
  pattern->first_term = s->num_terms;
  s->num_terms += count;
  return larger + pattern->first_term;
}

void drop(rind_schedule *s, int fill) {
  memmove(s->fill + fill, s->fill + fill + 1, (size_t)(s->num_fills - fill - 1) * sizeof *s->fill);
  --s->num_fills;
  for (int phase = 0; phase <= s->num_phases; ++phase)
    s->first_fill[phase] -= s->first_fill[phase] > fill;
}

rind_error broken_verify(const rind_schedule *schedule, const damage *how, int *fill) {
  rind_schedule broken = copy_of(schedule);
  *fill = first_fill(schedule, how);
  if (rind_context_rank(schedule->context) == 0 && *fill >= 0) how->inflict(&broken, *fill);
  const rind_error error = rind_schedule_verify(&broken);
  free(broken.pattern);
  free(broken.term);
  free(broken.fill);
  return error;
}
