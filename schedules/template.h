/* template.h - the rows of one kind of link, made once: the builder's inner half.
 *
 * A template holds the patterns of every link with the same region, relation, position and
 * orientation. */
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
  int num_buckets; /* a power of two, at least twice max_templates */
  int32_t *bucket; /* [num_buckets], index into made[], or -1 */
} rind_template_set;

/* Finds or makes the template of a link: *found is its index in made[]. RIND_ERROR_MEMORY,
 * RIND_ERROR_OVERFLOW for more rows than an int counts; without text. */
rind_error rind_template_find(rind_template_set *set, const rind_link *link, int32_t *found);
void rind_template_set_free(rind_template_set *set);

/* A new pattern at the end of the set, valid until the next; a term at the end of the last pattern.
 * Errors as above. */
rind_error rind_template_add_pattern(rind_template_set *set, rind_pattern **pattern);
rind_error rind_template_add_term(rind_template_set *set, const rind_pattern_term *term);

/* The region's direction o from its number. */
static inline void rind_region_direction(int region, int direction[3]) {
  direction[0] = region % 3 - 1;
  direction[1] = region / 3 % 3 - 1;
  direction[2] = region / 9 - 1;
}

/* A face has one axis that is not 0. */
static inline bool rind_region_is_face(int region) {
  int o[3];
  rind_region_direction(region, o);
  return o[0] * o[0] + o[1] * o[1] + o[2] * o[2] == 1;
}
