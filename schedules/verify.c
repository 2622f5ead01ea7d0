/* verify.c - the invariants of docs/rows.md, checked fill by fill on the
 * expanded view. */
#include <core.h>
#include <rows.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One fill under inspection. */
typedef struct inspection {
  const rind_schedule *schedule;
  const rind_forest_arrays *arrays;
  int fill;
  rind_fill_view view;
} inspection;

/* "fill 3 (copy, block 7, region (1, 0, 0), box 0)" into the line that
 * describes a fault. */
static rind_error fault(const inspection *at, int invariant, const char *what, long long value,
                        long long right) {
  int o[3];
  rind_region_direction(at->view.region, o);
  return rind_context_fail(at->schedule->context, RIND_ERROR_INTERNAL,
                           "fill %d (%s, block %lld, region (%d, %d, %d), box %d) breaks "
                           "invariant %d: %s is %lld, %lld would be right",
                           at->fill, rind_family_name(at->view.family),
                           (long long)at->arrays->block[at->view.block].global, o[0], o[1], o[2],
                           at->view.number, invariant, what, value, right);
}

static int padded_end(const rind_schedule *schedule, int axis) {
  return axis < schedule->dim ? schedule->cells + schedule->ghosts : 1;
}

static int padded_begin(const rind_schedule *schedule, int axis) {
  return axis < schedule->dim ? -schedule->ghosts : 0;
}

/* First and last coordinate of a box on the axis that loop a runs along. */
static void span(const rind_box *box, const int32_t extent[3], int a, int64_t *low, int64_t *high) {
  const int64_t first = box->origin[box->axis[a]];
  const int64_t last = first + (int64_t)box->step[a] * (extent[a] - 1);
  *low = first < last ? first : last;
  *high = first < last ? last : first;
}

/* Invariants 1 and 7: axes are a permutation, steps and extents sane, so that
 * boxes have the extent of the destination box and map one to one. */
static rind_error check_shape(const inspection *at, const rind_box *box, const char *what) {
  unsigned axes = 0;
  for (int a = 0; a < 3; ++a) {
    if (box->axis[a] < 0 || box->axis[a] > 2) return fault(at, 1, what, box->axis[a], a);
    axes |= 1u << box->axis[a];
    if (box->step[a] == 0) return fault(at, 7, "a step", 0, 1);
    if (at->view.extent[a] < 1) return fault(at, 1, "an extent", at->view.extent[a], 1);
  }
  return axes == 7 ? RIND_OK : fault(at, 1, what, axes, 7);
}

/* Invariants 2 and 6: the term's box inside the padded box, and inside the
 * interior. */
static rind_error check_source(const inspection *at, const rind_term_view *term) {
  const rind_schedule *schedule = at->schedule;
  const int num_blocks = at->arrays->num_local + at->arrays->num_remote;
  if (term->block < 0 || term->block >= num_blocks)
    return fault(at, 2, "a source block", term->block, num_blocks - 1);
  RIND_TRY(check_shape(at, &term->box, "the axes of a source box"));
  for (int a = 0; a < 3; ++a) {
    const int axis = term->box.axis[a];
    int64_t low, high;
    span(&term->box, at->view.extent, a, &low, &high);
    if (low < padded_begin(schedule, axis))
      return fault(at, 2, "a source cell", low, padded_begin(schedule, axis));
    if (high >= padded_end(schedule, axis))
      return fault(at, 2, "a source cell", high, padded_end(schedule, axis) - 1);
    const int interior_end = axis < schedule->dim ? schedule->cells : 1;
    if (low < 0) return fault(at, 6, "a source cell, a ghost,", low, 0);
    if (high >= interior_end)
      return fault(at, 6, "a source cell, a ghost,", high, interior_end - 1);
  }
  return RIND_OK;
}

/* Invariants 3 and 5, and the sources. */
static rind_error check_row(const inspection *at) {
  const int width = rind_family_width(at->view.family, at->schedule->dim);
  if (at->view.num_terms != width) return fault(at, 3, "the row width", at->view.num_terms, width);
  double sum = 0.0, size = 0.0;
  for (int t = 0; t < at->view.num_terms; ++t) {
    rind_term_view term;
    RIND_TRY(rind_schedule_term(at->schedule, at->fill, t, &term));
    RIND_TRY(check_source(at, &term));
    sum += term.weight;
    size += fabs(term.weight);
  }
  if (!(fabs(sum - 1.0) <= 4e-16 * at->view.num_terms * size)) {
    char what[64];
    snprintf(what, sizeof what, "the sum of weights (%.17g), rounded,", sum);
    return fault(at, 5, what, isfinite(sum) && fabs(sum) < 1e15 ? llround(sum) : 0, 1);
  }
  return RIND_OK;
}

/* Cells of one padded block and how often fills write them. */
typedef struct writers {
  int64_t side[3];
  unsigned char *count; /* [side[0] * side[1] * side[2]] */
} writers;

static unsigned char *cover_cell(const writers *cover, int begin, int64_t i, int64_t j, int64_t k,
                                 int dim) {
  const int64_t z = dim == 3 ? k - begin : 0;
  return &cover->count[((z * cover->side[1]) + (j - begin)) * cover->side[0] + (i - begin)];
}

/* Marks the destination box; part of invariant 2 (inside the block) and of 4
 * (inside its region). */
static rind_error mark(const inspection *at, const writers *cover) {
  const rind_schedule *schedule = at->schedule;
  const int begin = -schedule->ghosts;
  int o[3];
  rind_region_direction(at->view.region, o);
  RIND_TRY(check_shape(at, &at->view.box, "the axes of the destination box"));
  for (int a = 0; a < 3; ++a) {
    int64_t low, high;
    if (at->view.box.axis[a] != a)
      return fault(at, 1, "a destination axis", at->view.box.axis[a], a);
    span(&at->view.box, at->view.extent, a, &low, &high);
    const int n = a < schedule->dim ? schedule->cells : 1, layers = schedule->rules.layers;
    const int first = o[a] < 0 ? -layers : o[a] > 0 ? n : 0;
    const int last = o[a] < 0 ? -1 : o[a] > 0 ? n + layers - 1 : n - 1;
    if (low < first) return fault(at, 4, "a destination cell", low, first);
    if (high > last) return fault(at, 4, "a destination cell", high, last);
  }
  const rind_box *box = &at->view.box;
  for (int64_t k = 0; k < at->view.extent[2]; ++k)
    for (int64_t j = 0; j < at->view.extent[1]; ++j)
      for (int64_t i = 0; i < at->view.extent[0]; ++i) {
        unsigned char *count = cover_cell(cover, begin, box->origin[0] + i * box->step[0],
                                          box->origin[1] + j * box->step[1],
                                          box->origin[2] + k * box->step[2], schedule->dim);
        if (*count > 0) return fault(at, 4, "the number of writers of a cell", *count + 1, 1);
        ++*count;
      }
  return RIND_OK;
}

static bool behind_wall(uint8_t walls, const int o[3]) {
  for (int a = 0; a < 3; ++a)
    if (o[a] != 0 && (walls >> (2 * a + (o[a] > 0)) & 1)) return true;
  return false;
}

static bool has_link(const rind_forest_arrays *arrays, int block, int region) {
  for (int l = arrays->first_link[block]; l < arrays->first_link[block + 1]; ++l)
    if (arrays->link[l].region == region) return true;
  return false;
}

/* Invariant 4 for one region of one block: every cell of it is covered, or none
 * and behind a wall. */
static rind_error check_region(const rind_schedule *schedule, const rind_forest_arrays *arrays,
                               const writers *cover, int block, int region) {
  int o[3], low[3], high[3];
  rind_region_direction(region, o);
  const bool linked = has_link(arrays, block, region);
  if (!linked && behind_wall(arrays->walls[block], o)) return RIND_OK;
  for (int a = 0; a < 3; ++a) {
    const int n = a < schedule->dim ? schedule->cells : 1, layers = schedule->rules.layers;
    low[a] = o[a] < 0 ? -layers : o[a] > 0 ? n : 0;
    high[a] = o[a] < 0 ? 0 : o[a] > 0 ? n + layers : n;
  }
  RIND_REQUIRE(schedule->context, linked, RIND_ERROR_INTERNAL,
               "block %lld, region (%d, %d, %d) is uncovered: no block or "
               "several lie across this "
               "corner, and no wall",
               (long long)arrays->block[block].global, o[0], o[1], o[2]);
  for (int k = low[2]; k < high[2]; ++k)
    for (int j = low[1]; j < high[1]; ++j)
      for (int i = low[0]; i < high[0]; ++i)
        RIND_REQUIRE(schedule->context,
                     *cover_cell(cover, -schedule->ghosts, i, j, k, schedule->dim) == 1,
                     RIND_ERROR_INTERNAL,
                     "block %lld, region (%d, %d, %d), cell (%d, %d, %d) breaks "
                     "invariant 4: no "
                     "fill writes it",
                     (long long)arrays->block[block].global, o[0], o[1], o[2], i, j, k);
  return RIND_OK;
}

static rind_error check_regions(const rind_schedule *schedule, const rind_forest_arrays *arrays,
                                const writers *cover, int block) {
  for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
    int o[3];
    rind_region_direction(region, o);
    if (region == RIND_REGION_SELF || (schedule->dim == 2 && o[2] != 0)) continue;
    if (schedule->rules.regions == RIND_REGIONS_FACES && !rind_region_is_face(region)) continue;
    RIND_TRY(check_region(schedule, arrays, cover, block, region));
  }
  return RIND_OK;
}

/* All fills, which are sorted by block. */
static rind_error check_fills(const rind_schedule *schedule, const writers *cover) {
  inspection at = {.schedule = schedule, .arrays = rind_forest_get_arrays(schedule->forest)};
  const size_t cells = (size_t)(cover->side[0] * cover->side[1] * cover->side[2]);
  for (int block = 0; block < schedule->num_local; ++block) {
    memset(cover->count, 0, cells);
    for (; at.fill < schedule->num_fills; ++at.fill) {
      RIND_TRY(rind_schedule_fill(schedule, at.fill, &at.view));
      if (at.view.block != block) break;
      RIND_TRY(mark(&at, cover));
      RIND_TRY(check_row(&at));
    }
    RIND_TRY(check_regions(schedule, at.arrays, cover, block));
  }
  RIND_REQUIRE(schedule->context, at.fill == schedule->num_fills, RIND_ERROR_INTERNAL,
               "fill %d is of block %d: fills must be sorted by local block", at.fill,
               at.view.block);
  return RIND_OK;
}

static rind_error verify(const rind_schedule *schedule) {
  RIND_TRY(rind_forest_check(schedule->forest));
  RIND_REQUIRE(schedule->context, rind_forest_revision(schedule->forest) == schedule->revision,
               RIND_ERROR_STALE, "the forest has changed since the schedule was made");
  writers cover = {.side = {1, 1, 1}};
  size_t cells = 1;
  bool fits = true;
  for (int a = 0; a < schedule->dim; ++a) {
    cover.side[a] = schedule->cells + 2 * (int64_t)schedule->ghosts;
    fits = fits && rind_size_multiply(cells, (size_t)cover.side[a], &cells);
  }
  if (fits) cover.count = rind_allocate(cells, 1);
  RIND_REQUIRE(schedule->context, cover.count, RIND_ERROR_MEMORY,
               "no memory to count the writers of (%d + 2*%d)^%d cells", schedule->cells,
               schedule->ghosts, schedule->dim);
  const rind_error error = check_fills(schedule, &cover);
  free(cover.count);
  return error;
}

rind_error rind_schedule_verify(const rind_schedule *schedule) {
  if (!schedule) return RIND_ERROR_INVALID;
  return rind_context_agree(schedule->context, verify(schedule));
}
