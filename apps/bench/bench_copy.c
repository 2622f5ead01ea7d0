/* bench_copy.c - the ghost fill that a user writes by hand: a[to[i]] = a[from[i]]. */
#include <bench.h>
#include <bench_device.h>

#include <stdlib.h>

/* Element of component 0 of cell i of a box, from the packed array's first element. */
static int64_t element(const rind_layout *layout, int32_t block, const rind_box *box,
                       const int32_t i[3]) {
  int64_t at = (int64_t)block * layout->block_stride + rind_layout_interior_offset(layout);
  for (int a = 0; a < 3; ++a) {
    const int axis = box->axis[a];
    const int64_t cell = box->origin[axis] + (int64_t)i[a] * box->step[a];
    if (axis < layout->dim) at += cell * layout->cell_stride[axis];
  }
  return at;
}

/* The box that values come from: the first local one of the row, else the block's own first cells.
 */
static rind_term_view local_source(const rind_schedule *schedule, int fill,
                                   const rind_fill_view *view, int num_local) {
  rind_term_view term;
  for (int t = view->num_terms - 1; t >= 0; --t) {
    if (rind_schedule_term(schedule, fill, t, &term) != RIND_OK) break;
    if (term.block < num_local && term.block != view->block) return term;
  }
  return (rind_term_view){view->block, 1.0, {.axis = {0, 1, 2}, .step = {0, 0, 0}}};
}

static void list_values(const rind_schedule *schedule, const rind_layout *layout,
                        bench_copy *copy) {
  const int num_local = rind_forest_num_blocks(rind_schedule_forest(schedule));
  int64_t count = 0;
  for (int f = 0; f < rind_schedule_num_fills(schedule); ++f) {
    rind_fill_view view;
    if (rind_schedule_fill(schedule, f, &view) != RIND_OK) break;
    const rind_term_view term = local_source(schedule, f, &view, num_local);
    for (int c = 0; c < layout->components; ++c)
      for (int32_t k = 0; k < view.extent[2]; ++k)
        for (int32_t j = 0; j < view.extent[1]; ++j)
          for (int32_t i = 0; i < view.extent[0]; ++i) {
            const int32_t at[3] = {i, j, k};
            const int64_t offset = c * layout->component_stride;
            copy->to[count] = (int32_t)(element(layout, view.block, &view.box, at) + offset);
            copy->from[count] = (int32_t)(element(layout, term.block, &term.box, at) + offset);
            ++count;
          }
  }
}

bool bench_copy_create(const rind_schedule *schedule, const rind_layout *layout, bench_copy *copy) {
  *copy = (bench_copy){.type = layout->type};
  rind_schedule_stats stats;
  if (rind_schedule_get_stats(schedule, &stats) != RIND_OK) return false;
  const int num_blocks = rind_forest_num_blocks(rind_schedule_forest(schedule));
  const int64_t elements = (int64_t)layout->block_stride * num_blocks;
  if (elements > INT32_MAX) return false;
  copy->count = stats.ghost_cells * layout->components;
  const size_t lists = (size_t)copy->count * sizeof *copy->to + 1;
  copy->data = calloc((size_t)elements + 1, rind_type_bytes(layout->type));
  copy->to = malloc(lists);
  copy->from = malloc(lists);
  if (!copy->data || !copy->to || !copy->from) {
    bench_copy_destroy(copy);
    return false;
  }
  list_values(schedule, layout, copy);
  return true;
}

bool bench_copy_create_device(const rind_schedule *schedule, rind_field *field, bench_copy *copy) {
  *copy = (bench_copy){0};
  const rind_layout *layout = rind_field_layout(field);
  const int num_local = rind_field_num_blocks(field), num_fills = rind_schedule_num_fills(schedule);
  if (layout->storage != RIND_PACKED || layout->components != 1 || num_local == 0) return false;
  bench_box *box = malloc((size_t)num_fills * sizeof *box + 1);
  if (!box) return false;
  for (int f = 0; f < num_fills; ++f) {
    rind_fill_view view;
    if (rind_schedule_fill(schedule, f, &view) != RIND_OK) break;
    const rind_term_view term = local_source(schedule, f, &view, num_local);
    const int32_t first[3] = {0, 0, 0};
    box[f].to = element(layout, view.block, &view.box, first);
    box[f].from = element(layout, term.block, &term.box, first);
    for (int a = 0; a < 3; ++a) {
      const int axis = term.box.axis[a];
      box[f].extent[a] = view.extent[a];
      box[f].to_stride[a] = a < layout->dim ? view.box.step[a] * layout->cell_stride[a] : 0;
      box[f].from_stride[a] = axis < layout->dim ? term.box.step[a] * layout->cell_stride[axis] : 0;
    }
  }
  const size_t bytes = rind_type_bytes(layout->type);
  char *data =
      (char *)rind_field_pointer(field, 0) - rind_layout_interior_offset(layout) * (ptrdiff_t)bytes;
  copy->there = bench_device_copy_create(data, bytes, box, num_fills);
  free(box);
  return copy->there != NULL;
}

void bench_copy_destroy(bench_copy *copy) {
  bench_device_copy_destroy(copy->there);
  free(copy->data);
  free(copy->to);
  free(copy->from);
  *copy = (bench_copy){0};
}

static void run_double(double *restrict data, const int32_t *restrict to,
                       const int32_t *restrict from, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    data[to[i]] = data[from[i]];
}

static void run_float(float *restrict data, const int32_t *restrict to,
                      const int32_t *restrict from, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    data[to[i]] = data[from[i]];
}

rind_error bench_copy_run(void *what) {
  const bench_copy *copy = what;
  if (copy->there) return bench_device_copy_run(copy->there) == 0 ? RIND_OK : RIND_ERROR_DEVICE;
  if (copy->type == RIND_FLOAT64)
    run_double(copy->data, copy->to, copy->from, copy->count);
  else
    run_float(copy->data, copy->to, copy->from, copy->count);
  return RIND_OK;
}
