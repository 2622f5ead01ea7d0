/* template.h - the rows of one link, made once: the builder's inner half.
 *
 * A template holds the patterns of every link with the same region, relation,
 * position and orientation. All of it is worked out in the destination block's
 * frame, in its own cells; the last step turns boxes into the neighbour's axes.
 */
#pragma once
#include <schedule_data.h>

#include <stdbool.h>

/* What decides a link's rows. */
typedef struct rind_template_key {
  int32_t region;
  int32_t relation;
  int32_t origin[3]; /* of the neighbour, half block sides */
  int32_t axis[3];
  int32_t flip[3];
} rind_template_key;

/* Patterns first .. first + count - 1 of the schedule. */
typedef struct rind_template {
  rind_template_key key;
  int32_t first;
  int32_t count;
} rind_template;

/* Growing arrays of a schedule under construction. */
typedef struct rind_template_set {
  int dim, cells;
  rind_rules rules; /* layers is at least 1 */
  int num_patterns, max_patterns;
  rind_pattern *pattern;
  int num_terms, max_terms;
  rind_pattern_term *term;
  int num_templates, max_templates;
  rind_template *made;
  int num_buckets; /* a power of two */
  int32_t *bucket; /* template of a hash, or -1 */
} rind_template_set;

/* Finds or makes the template of a link. False without memory. The template's
 * address holds until the next call. */
bool rind_template_find(rind_template_set *set, const rind_link *link, const rind_template **found);
void rind_template_set_free(rind_template_set *set);

/* The region's direction o from its number. */
static inline void rind_region_direction(int region, int direction[3]) {
  direction[0] = region % 3 - 1;
  direction[1] = region / 3 % 3 - 1;
  direction[2] = region / 9 - 1;
}

/* A face has one axis that is not 0. */
static inline bool rind_region_is_face(int region) {
  int direction[3];
  rind_region_direction(region, direction);
  return direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2] ==
         1;
}
