/* template.c - finds templates by link, and grows the arrays that they live in. */
#include <core.h>
#include <rows.h>
#include <template.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static rind_template_key key_of(const rind_link *link) {
  rind_template_key key = {.region = link->region, .relation = link->relation};
  for (int a = 0; a < 3; ++a) {
    key.origin[a] = link->origin[a];
    key.axis[a] = link->axis[a];
    key.flip[a] = link->flip[a];
  }
  return key;
}

static uint32_t hash_of(const rind_template_key *key) {
  uint32_t hash = (uint32_t)key->region * 4u + (uint32_t)(key->relation + 1);
  for (int a = 0; a < 3; ++a)
    hash = hash * 131u + (uint32_t)(key->origin[a] + 4) * 8u + (uint32_t)key->axis[a] * 2u +
           (uint32_t)key->flip[a];
  return hash * 2654435761u >> 7;
}

/* The bucket that holds the key's template, or the empty one where it belongs. */
static int find_bucket(const rind_template_set *set, const rind_template_key *key) {
  const uint32_t mask = (uint32_t)set->num_buckets - 1;
  uint32_t at = hash_of(key) & mask;
  while (set->bucket[at] >= 0 && memcmp(&set->made[set->bucket[at]].key, key, sizeof *key) != 0)
    at = (at + 1) & mask;
  return (int)at;
}

/* Room for one more item in an array of count: doubles *max when it is full. */
static rind_error grow(void **array, int count, int *max, size_t bytes) {
  enum { FIRST = 64 };
  if (count < *max) return RIND_OK;
  if (*max > INT_MAX / 2) return RIND_ERROR_OVERFLOW;
  const int more = *max > 0 ? 2 * *max : FIRST;
  size_t size;
  if (!rind_size_multiply((size_t)more, bytes, &size)) return RIND_ERROR_OVERFLOW;
  void *larger = realloc(*array, size);
  if (!larger) return RIND_ERROR_MEMORY;
  *array = larger;
  *max = more;
  return RIND_OK;
}

/* Buckets for the templates that there is room for, at most half of them in use. */
static rind_error rehash(rind_template_set *set) {
  if (set->num_buckets >= 2 * set->max_templates) return RIND_OK;
  int32_t *bucket = malloc((size_t)set->max_templates * 2 * sizeof *bucket);
  if (!bucket) return RIND_ERROR_MEMORY;
  free(set->bucket);
  set->bucket = bucket;
  set->num_buckets = 2 * set->max_templates;
  for (int b = 0; b < set->num_buckets; ++b)
    bucket[b] = -1;
  for (int t = 0; t < set->num_templates; ++t)
    bucket[find_bucket(set, &set->made[t].key)] = t;
  return RIND_OK;
}

rind_error rind_template_find(rind_template_set *set, const rind_link *link, int32_t *found) {
  void *made = set->made;
  RIND_TRY(grow(&made, set->num_templates, &set->max_templates, sizeof *set->made));
  set->made = made;
  RIND_TRY(rehash(set));
  const rind_template_key key = key_of(link);
  int32_t *bucket = &set->bucket[find_bucket(set, &key)];
  if (*bucket < 0) {
    const int first = set->num_patterns;
    RIND_TRY(rind_rows_make(set, &key, set->num_templates));
    set->made[set->num_templates] = (rind_template){key, first, set->num_patterns - first};
    *bucket = set->num_templates++;
  }
  *found = *bucket;
  return RIND_OK;
}

void rind_template_set_free(rind_template_set *set) {
  free(set->pattern);
  free(set->term);
  free(set->made);
  free(set->bucket);
  *set = (rind_template_set){0};
}

rind_error rind_template_add_pattern(rind_template_set *set, rind_pattern **pattern) {
  void *patterns = set->pattern;
  RIND_TRY(grow(&patterns, set->num_patterns, &set->max_patterns, sizeof *set->pattern));
  set->pattern = patterns;
  *pattern = &set->pattern[set->num_patterns++];
  **pattern = (rind_pattern){.component = -1, .wall = -1, .first_term = set->num_terms};
  return RIND_OK;
}

rind_error rind_template_add_term(rind_template_set *set, const rind_pattern_term *term) {
  void *terms = set->term;
  RIND_TRY(grow(&terms, set->num_terms, &set->max_terms, sizeof *set->term));
  set->term = terms;
  set->term[set->num_terms++] = *term;
  ++set->pattern[set->num_patterns - 1].num_terms;
  return RIND_OK;
}
