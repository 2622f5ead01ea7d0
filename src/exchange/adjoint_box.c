/* adjoint_box.c - finds the box of cells that an adjoint's floats are summed in. */
#include <adjoint_box.h>

/* With more cells along an axis, lines between the faces are not written otherwise. */
enum { MOST_CELLS = 16 };

static bool writes_cells_alone(const rind_schedule *transposed, const rind_row_set *set) {
  for (int p = set->first; p < set->first + set->count; ++p) {
    const rind_pattern *pattern = &transposed->pattern[p];
    for (int a = 0; a < transposed->dim; ++a) {
      const int32_t last = pattern->origin[a] + (pattern->extent[a] - 1) * pattern->step[a];
      if (pattern->origin[a] < 0 || last >= transposed->cells) return false;
    }
  }
  return true;
}

bool rind_adjoint_find_box(const rind_schedule *transposed, const rind_contribution *item,
                           int num_items, const rind_layout *layout, rind_gather_row *box) {
  ptrdiff_t no_offset = 0;
  if (layout->type == RIND_FLOAT64 || layout->cells > MOST_CELLS) return false;
  for (int i = 0; i < num_items; ++i)
    if (!writes_cells_alone(transposed, &transposed->set[item[i].set])) return false;
  *box = (rind_gather_row){.num_lanes = 1, .extent = {1, 1, 1, layout->components}};
  for (int a = 0; a < layout->dim; ++a) {
    box->extent[a] = layout->cells;
    box->to_stride[a] = layout->cell_stride[a];
  }
  box->to_stride[3] = layout->component_stride;
  rind_gather_row_finish(box, &no_offset, true);
  return true;
}
