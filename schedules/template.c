/* template.c - finds templates by link and grows the arrays they live in. */
#include <core.h>
#include <rows.h>
#include <template.h>

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

/* The bucket that holds the key's template, or the empty one where it belongs.
 */
static int find_bucket(const rind_template_set *set, const rind_template_key *key) {
  const uint32_t mask = (uint32_t)set->num_buckets - 1;
  uint32_t at = hash_of(key) & mask;
  while (set->bucket[at] >= 0 && memcmp(&set->made[set->bucket[at]].key, key, sizeof *key) != 0)
    at = (at + 1) & mask;
  return (int)at;
}

/* Room for one more template, with at most half of the buckets in use. */
static bool grow_templates(rind_template_set *set) {
  if (set->num_templates < set->max_templates) return true;
  const int max = set->max_templates > 0 ? 2 * set->max_templates : 64;
  rind_template *made = realloc(set->made, (size_t)max * sizeof *made);
  if (made) set->made = made;
  int32_t *bucket = malloc((size_t)max * 2 * sizeof *bucket);
  if (!made || !bucket) {
    free(bucket);
    return false;
  }
  free(set->bucket);
  set->bucket = bucket;
  set->num_buckets = 2 * max;
  set->max_templates = max;
  for (int b = 0; b < set->num_buckets; ++b)
    bucket[b] = -1;
  for (int t = 0; t < set->num_templates; ++t)
    bucket[find_bucket(set, &made[t].key)] = t;
  return true;
}

bool rind_template_find(rind_template_set *set, const rind_link *link,
                        const rind_template **found) {
  if (!grow_templates(set)) return false;
  const rind_template_key key = key_of(link);
  const int bucket = find_bucket(set, &key);
  if (set->bucket[bucket] < 0) {
    rind_template made = {.key = key, .first = set->num_patterns};
    if (!rind_rows_make(set, &key, set->num_templates)) return false;
    made.count = set->num_patterns - made.first;
    set->made[set->num_templates] = made;
    set->bucket[bucket] = set->num_templates++;
  }
  *found = &set->made[set->bucket[bucket]];
  return true;
}

void rind_template_set_free(rind_template_set *set) {
  free(set->pattern);
  free(set->term);
  free(set->made);
  free(set->bucket);
  *set = (rind_template_set){0};
}

rind_pattern *rind_template_add_pattern(rind_template_set *set) {
  if (set->num_patterns == set->max_patterns) {
    const int max = set->max_patterns > 0 ? 2 * set->max_patterns : 256;
    rind_pattern *pattern = realloc(set->pattern, (size_t)max * sizeof *pattern);
    if (!pattern) return NULL;
    set->pattern = pattern;
    set->max_patterns = max;
  }
  rind_pattern *pattern = &set->pattern[set->num_patterns++];
  *pattern = (rind_pattern){.first_term = set->num_terms};
  return pattern;
}

bool rind_template_add_term(rind_template_set *set, const rind_pattern_term *term) {
  if (set->num_terms == set->max_terms) {
    const int max = set->max_terms > 0 ? 2 * set->max_terms : 1024;
    rind_pattern_term *terms = realloc(set->term, (size_t)max * sizeof *terms);
    if (!terms) return false;
    set->term = terms;
    set->max_terms = max;
  }
  set->term[set->num_terms++] = *term;
  ++set->pattern[set->num_patterns - 1].num_terms;
  return true;
}
