/* corners.c - fills of irregular corners and edges: regions that no block, or several, lie across.
 *
 * Such a ghost is the mean of the ghosts of the block's own faces that are nearest to it: one for
 * each axis along which the region lies outside, with the other such axes moved to the block's last
 * cell. Every combination of layers is a box. */
#include <core.h>
#include <phases.h>

/* The phase under construction. */
typedef struct corners {
  rind_template_set *set;
  int phase;
  int32_t first[RIND_NUM_REGIONS], count[RIND_NUM_REGIONS]; /* patterns; none yet: count 0 */
} corners;

/* layer: 1, 2, .. outwards along each axis where the direction o is not 0. */
static rind_error make_box(const corners *c, int region, const int o[3], const int layer[3],
                           int number) {
  const int n = c->set->cells, axes = o[0] * o[0] + o[1] * o[1] + o[2] * o[2];
  rind_pattern *pattern;
  RIND_TRY(rind_template_add_pattern(c->set, &pattern));
  pattern->family = (int32_t)(axes == 2 ? RIND_FAMILY_EDGE_MEAN : RIND_FAMILY_CORNER_MEAN);
  pattern->phase = c->phase;
  pattern->region = region;
  pattern->number = number;
  pattern->num_own_first = axes;
  rind_pattern_term term = {.weight = 1.0 / axes, .slot = RIND_SLOT_OWN};
  for (int a = 0; a < 3; ++a) {
    pattern->extent[a] = o[a] == 0 && a < c->set->dim ? n : 1;
    pattern->origin[a] = o[a] < 0 ? -layer[a] : o[a] > 0 ? n - 1 + layer[a] : 0;
    pattern->step[a] = 1;
    for (int slot = 0; slot < RIND_NUM_SLOTS; ++slot) {
      pattern->slot[slot].axis[a] = a;
      pattern->slot[slot].step[a] = 1;
    }
    term.origin[a] = o[a] < 0 ? 0 : o[a] > 0 ? n - 1 : 0;
  }
  const rind_pattern made = *pattern;
  for (int a = 0; a < 3; ++a) {
    if (o[a] == 0) continue;
    rind_pattern_term of_face = term;
    of_face.origin[a] = made.origin[a];
    RIND_TRY(rind_template_add_term(c->set, &of_face));
  }
  return RIND_OK;
}

/* The patterns of a region: the combinations of layers in the order of their cells. */
static rind_error make_boxes(corners *c, int region, const int o[3]) {
  const int layers = c->set->rules.layers;
  int count[3], layer[3], number = 0;
  for (int a = 0; a < 3; ++a)
    count[a] = o[a] == 0 ? 1 : layers;
  c->first[region] = c->set->num_patterns;
  for (int k = 0; k < count[2]; ++k)
    for (int j = 0; j < count[1]; ++j)
      for (int i = 0; i < count[0]; ++i) {
        const int index[3] = {i, j, k};
        for (int a = 0; a < 3; ++a)
          layer[a] = o[a] < 0 ? layers - index[a] : 1 + index[a];
        RIND_TRY(make_box(c, region, o, layer, number++));
      }
  c->count[region] = number;
  return RIND_OK;
}

static rind_error emit_region(corners *c, int block, int region, rind_fill_list *list) {
  int o[3];
  rind_region_direction(region, o);
  if (c->count[region] == 0) RIND_TRY(make_boxes(c, region, o));
  RIND_TRY(rind_fill_list_reserve(list, c->count[region]));
  for (int p = c->first[region]; p < c->first[region] + c->count[region]; ++p)
    list->fill[list->num++] = (rind_schedule_fill_data){p, block, -1};
  return RIND_OK;
}

/* Corners of a block that no link reaches and that touch no wall, a bit a region. */
static uint32_t irregular_regions(const rind_forest_arrays *arrays, int block) {
  uint32_t linked = 0, irregular = 0;
  for (int l = arrays->first_link[block]; l < arrays->first_link[block + 1]; ++l)
    linked |= 1u << arrays->link[l].region;
  for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
    const bool flat = arrays->dim == 2 && region / 9 != 1;
    bool regular = flat || region == RIND_REGION_SELF || rind_region_is_face(region);
    int o[3];
    rind_region_direction(region, o);
    for (int a = 0; a < arrays->dim; ++a)
      regular = regular || (o[a] != 0 && (arrays->walls[block] >> (2 * a + (o[a] > 0)) & 1));
    if (!regular) irregular |= 1u << region;
  }
  return irregular & ~linked;
}

bool rind_corners_any(const rind_forest_arrays *arrays) {
  for (int block = 0; block < arrays->num_local; ++block)
    if (irregular_regions(arrays, block)) return true;
  return false;
}

rind_error rind_corners_emit(const rind_forest_arrays *arrays, rind_template_set *set, int phase,
                             rind_fill_list *list) {
  corners c = {.set = set, .phase = phase};
  for (int block = 0; block < arrays->num_local; ++block) {
    const uint32_t irregular = irregular_regions(arrays, block);
    for (int region = 0; region < RIND_NUM_REGIONS; ++region)
      if (irregular >> region & 1u) RIND_TRY(emit_region(&c, block, region, list));
  }
  return RIND_OK;
}
