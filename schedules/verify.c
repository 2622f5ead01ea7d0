/* verify.c - the invariants of docs/rows.md, checked fill by fill on the expanded view. */
#include <core.h>
#include <cover.h>
#include <preconditions.h>
#include <rows.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* One fill under inspection. */
typedef struct inspection {
  const rind_schedule *schedule;
  const rind_forest_arrays *arrays;
  int fill;
  rind_fill_view view;
} inspection;

/* Where invariants have no number: the fills are sorted and point at what exists. */
enum { STRUCTURE = 0 };

/* Keeps "fill 3 (copy, block 7, region (1, 0, 0), box 0) breaks invariant 5: ...". */
static rind_error fault(const inspection *at, int invariant, const char *format, ...)
    RIND_PRINTF(3, 4);
static rind_error fault(const inspection *at, int invariant, const char *format, ...) {
  char what[320], law[32] = "the canonical order";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  if (invariant != STRUCTURE) snprintf(law, sizeof law, "invariant %d", invariant);
  int o[3];
  rind_region_direction(at->view.region, o);
  return rind_context_fail(at->schedule->context, RIND_ERROR_INTERNAL,
                           "fill %d (%s, block %lld, region (%d, %d, %d), box %d) breaks %s: %s",
                           at->fill, rind_family_name(at->view.family),
                           (long long)at->arrays->block[at->view.block].global, o[0], o[1], o[2],
                           at->view.number, law, what);
}

/* Before a fill's view can be made at all. */
static rind_error check_indices(const rind_schedule *schedule, const rind_forest_arrays *arrays,
                                int fill) {
  const rind_schedule_fill_data *data = &schedule->fill[fill];
  const int num_blocks = arrays->num_local + arrays->num_remote;
  rind_context *context = schedule->context;
  RIND_REQUIRE(context, data->pattern >= 0 && data->pattern < schedule->num_patterns,
               RIND_ERROR_INTERNAL, "fill %d has pattern %d of %d", fill, data->pattern,
               schedule->num_patterns);
  RIND_REQUIRE(context, data->block >= 0 && data->block < arrays->num_local, RIND_ERROR_INTERNAL,
               "fill %d writes block %d: 0 to %d are local", fill, data->block,
               arrays->num_local - 1);
  RIND_REQUIRE(context, data->source >= 0 && data->source < num_blocks, RIND_ERROR_INTERNAL,
               "fill %d breaks invariant 2: it reads block %d of %d", fill, data->source,
               num_blocks);
  const rind_pattern *pattern = &schedule->pattern[data->pattern];
  RIND_REQUIRE(context,
               pattern->first_term >= 0 && pattern->num_terms >= 0 &&
                   pattern->num_terms <= schedule->num_terms - pattern->first_term,
               RIND_ERROR_INTERNAL, "fill %d has terms %d to %lld of %d", fill, pattern->first_term,
               pattern->first_term + (long long)pattern->num_terms - 1, schedule->num_terms);
  for (int t = 0; t < pattern->num_terms; ++t) {
    const int slot = schedule->term[pattern->first_term + t].slot;
    RIND_REQUIRE(context, slot == RIND_SLOT_OWN || slot == RIND_SLOT_SOURCE, RIND_ERROR_INTERNAL,
                 "fill %d has slot %d in term %d: 0 or 1 it must be", fill, slot, t);
  }
  return RIND_OK;
}

/* Fills ascend by block, region and number, and a region is one that exists and is asked for. */
static rind_error check_place(const inspection *at, const rind_fill_view *before) {
  const rind_fill_view *view = &at->view;
  const int region = view->region, flat = at->schedule->dim == 2;
  if (region < 0 || region >= RIND_NUM_REGIONS || region == RIND_REGION_SELF ||
      (flat && region / 9 != 1))
    return fault(at, 4, "region %d is no region of ghosts", region);
  if (!rind_rules_want(&at->schedule->rules, region))
    return fault(at, 4, "region %d is not asked for", region);
  if (!before) return RIND_OK;
  const int block = view->block - before->block, step = region - before->region;
  if (block < 0 || (block == 0 && (step < 0 || (step == 0 && view->number <= before->number))))
    return fault(at, STRUCTURE, "it comes after block %lld, region %d, box %d",
                 (long long)at->arrays->block[before->block].global, before->region,
                 before->number);
  return RIND_OK;
}

/* First and last coordinate of a box on the axis that loop a runs along. */
static void span(const rind_box *box, const int32_t extent[3], int a, int64_t *low, int64_t *high) {
  const int64_t first = box->origin[box->axis[a]];
  const int64_t last = first + (int64_t)box->step[a] * (extent[a] - 1);
  *low = first < last ? first : last;
  *high = first < last ? last : first;
}

/* Invariants 1 and 7: loops and axes match one to one, so a box has the fill's extent; steps. */
static rind_error check_shape(const inspection *at, const rind_box *box, const char *what) {
  unsigned axes = 0;
  for (int a = 0; a < 3; ++a) {
    if (at->view.extent[a] < 1)
      return fault(at, 1, "extent %d along axis %d, at least 1 it must be", at->view.extent[a], a);
    if (box->axis[a] >= 0 && box->axis[a] < 3) axes |= 1u << box->axis[a];
  }
  if (axes != 7)
    return fault(at, 1, "%s runs along axes %d %d %d, a permutation they must be", what,
                 box->axis[0], box->axis[1], box->axis[2]);
  for (int a = 0; a < 3; ++a)
    if (box->step[a] == 0) return fault(at, 7, "%s has step 0 in loop %d", what, a);
  return RIND_OK;
}

/* Invariants 2 and 6: the box inside the padded block, and inside the interior. With 4 (fills write
 * ghosts alone) that keeps all that a phase reads apart from all that it writes. */
static rind_error check_source(const inspection *at, int term, const rind_box *box) {
  const rind_schedule *schedule = at->schedule;
  char what[32];
  snprintf(what, sizeof what, "term %d", term);
  RIND_TRY(check_shape(at, box, what));
  for (int a = 0; a < 3; ++a) {
    const int axis = box->axis[a], used = axis < schedule->dim;
    const int pad = used ? schedule->ghosts : 0, n = used ? schedule->cells : 1;
    int64_t low, high;
    span(box, at->view.extent, a, &low, &high);
    const bool padded = low >= -pad && high < n + pad;
    if (!padded || low < 0 || high >= n)
      return fault(at, padded ? 6 : 2,
                   "%s reads cells %lld to %lld along axis %d, %d to %d are the %s", what,
                   (long long)low, (long long)high, axis, padded ? 0 : -pad,
                   padded ? n - 1 : n + pad - 1, padded ? "interior" : "block with its ghosts");
  }
  return RIND_OK;
}

/* Invariants 3 and 5, and the sources. */
static rind_error check_row(const inspection *at) {
  const int width = rind_family_width(at->view.family, at->schedule->dim);
  if (at->view.num_terms != width)
    return fault(at, 3, "%d terms, %d it must be", at->view.num_terms, width);
  double sum = 0.0, size = 0.0;
  for (int t = 0; t < at->view.num_terms; ++t) {
    rind_term_view term;
    RIND_TRY(rind_schedule_term(at->schedule, at->fill, t, &term));
    RIND_TRY(check_source(at, t, &term.box));
    sum += term.weight;
    size += fabs(term.weight);
  }
  const double rounding = 4e-16 * at->view.num_terms * size;
  if (!(fabs(sum - 1.0) <= rounding))
    return fault(at, 5, "the weights sum to %.17g, 1 it must be", sum);
  return RIND_OK;
}

/* Invariant 4 for one fill: its box lies in its region, on cells that none wrote before. */
static rind_error check_destination(const inspection *at, rind_cover *cover) {
  const rind_box *box = &at->view.box;
  const int32_t *extent = at->view.extent;
  int low[3], high[3], cell[3];
  rind_cover_region(at->schedule, at->view.region, low, high);
  RIND_TRY(check_shape(at, box, "the destination"));
  for (int a = 0; a < 3; ++a) {
    int64_t first, last;
    span(box, extent, a, &first, &last);
    if (first < low[a] || last >= high[a])
      return fault(at, 4, "it writes cells %lld to %lld along axis %d, %d to %d are the region's",
                   (long long)first, (long long)last, a, low[a], high[a] - 1);
  }
  for (int k = 0; k < extent[2]; ++k)
    for (int j = 0; j < extent[1]; ++j)
      for (int i = 0; i < extent[0]; ++i) {
        cell[0] = box->origin[0] + i * box->step[0];
        cell[1] = box->origin[1] + j * box->step[1];
        cell[2] = box->origin[2] + k * box->step[2];
        if (++*rind_cover_count(cover, cell) > 1)
          return fault(at, 4, "cell (%d, %d, %d) is written by a fill before it, too", cell[0],
                       cell[1], cell[2]);
      }
  return RIND_OK;
}

/* The fills of one phase, which are sorted by block. */
static rind_error check_fills(const rind_schedule *schedule, rind_cover *cover) {
  inspection at = {.schedule = schedule, .arrays = rind_forest_get_arrays(schedule->forest)};
  rind_fill_view before;
  int block = 0;
  for (; at.fill < schedule->num_fills; ++at.fill) {
    RIND_TRY(check_indices(schedule, at.arrays, at.fill));
    RIND_TRY(rind_schedule_fill(schedule, at.fill, &at.view));
    RIND_TRY(check_place(&at, at.fill > 0 ? &before : NULL));
    for (; block < at.view.block; ++block)
      RIND_TRY(rind_cover_finish(cover, schedule, block));
    RIND_TRY(check_destination(&at, cover));
    RIND_TRY(check_row(&at));
    before = at.view;
  }
  for (; block < schedule->num_local; ++block)
    RIND_TRY(rind_cover_finish(cover, schedule, block));
  return RIND_OK;
}

static rind_error verify(const rind_schedule *schedule) {
  RIND_TRY(rind_schedule_check_fresh(schedule));
  rind_cover cover;
  RIND_TRY(rind_cover_create(schedule, &cover));
  const rind_error error = check_fills(schedule, &cover);
  rind_cover_destroy(&cover);
  return error;
}

rind_error rind_schedule_verify(const rind_schedule *schedule) {
  if (!schedule) return RIND_ERROR_INVALID;
  return rind_context_agree(schedule->context, verify(schedule));
}
