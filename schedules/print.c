/* print.c - a schedule as text. */
#include <core.h>
#include <schedule_data.h>
#include <template.h>

/* One axis of a box: "8" for a single cell, else "[first:end:step]" with the
 * end left out. */
static void print_axis(FILE *file, int first, int step, int extent) {
  if (extent == 1)
    fprintf(file, "%d", first);
  else
    fprintf(file, "[%d:%d:%d]", first, first + step * extent, step);
}

/* A box on the axes of its own block, axis 0 first. */
static void print_box(FILE *file, int dim, const rind_box *box, const int32_t extent[3]) {
  int loop_of[3] = {0, 1, 2};
  for (int a = 0; a < 3; ++a)
    loop_of[box->axis[a]] = a;
  for (int axis = 0; axis < dim; ++axis) {
    const int a = loop_of[axis];
    if (axis > 0) fputc(' ', file);
    print_axis(file, box->origin[axis], box->step[a], extent[a]);
  }
  bool turned = false;
  for (int a = 0; a < dim; ++a)
    turned = turned || box->axis[a] != a;
  if (turned)
    for (int a = 0; a < dim; ++a)
      fprintf(file, "%s%d", a == 0 ? " axes " : "", box->axis[a]);
}

static void print_header(const rind_schedule *schedule, FILE *file) {
  static const char *const interpolation[] = {"quadratic", "coarse-only", "injection"};
  fprintf(file,
          "schedule: dim %d, cells %d, ghosts %d, layers %d, interpolation %s, "
          "restriction "
          "average, %s, %d phases, %d fills, %d patterns\n",
          schedule->dim, schedule->cells, schedule->ghosts, schedule->rules.layers,
          interpolation[schedule->rules.interpolation],
          schedule->rules.regions == RIND_REGIONS_ALL ? "all regions" : "faces",
          schedule->num_phases, schedule->num_fills, schedule->num_patterns);
}

static rind_error print_fill(const rind_schedule *schedule, int fill, FILE *file) {
  const rind_block *block = rind_forest_get_arrays(schedule->forest)->block;
  rind_fill_view view;
  RIND_TRY(rind_schedule_fill(schedule, fill, &view));
  int o[3];
  rind_region_direction(view.region, o);
  fprintf(file, "fill %d: %s, block %lld, region (%d, %d", fill, rind_family_name(view.family),
          (long long)block[view.block].global, o[0], o[1]);
  if (schedule->dim == 3) fprintf(file, ", %d", o[2]);
  fprintf(file, ") box %d, cells ", view.number);
  print_box(file, schedule->dim, &view.box, view.extent);
  fputc('\n', file);
  for (int t = 0; t < view.num_terms; ++t) {
    rind_term_view term;
    RIND_TRY(rind_schedule_term(schedule, fill, t, &term));
    fprintf(file, "    %+.17g * block %lld, cells ", term.weight,
            (long long)block[term.block].global);
    print_box(file, schedule->dim, &term.box, view.extent);
    fputc('\n', file);
  }
  return RIND_OK;
}

rind_error rind_schedule_print(const rind_schedule *schedule, FILE *file) {
  if (!schedule || !file) return RIND_ERROR_INVALID;
  RIND_TRY(rind_forest_check(schedule->forest));
  RIND_REQUIRE(schedule->context, rind_forest_revision(schedule->forest) == schedule->revision,
               RIND_ERROR_STALE, "the forest has changed since the schedule was made");
  print_header(schedule, file);
  for (int fill = 0; fill < schedule->num_fills; ++fill)
    RIND_TRY(print_fill(schedule, fill, file));
  RIND_REQUIRE(schedule->context, !ferror(file), RIND_ERROR_IO,
               "the schedule could not be written to the file");
  return RIND_OK;
}
