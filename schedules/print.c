/* print.c - a schedule as text: a header line, then a line a fill with a line a term below. */
#include <core.h>
#include <preconditions.h>
#include <schedule_data.h>
#include <template.h>

/* The cells of one axis: "8" if there is one, else "[first:end:step]" with the end left out. */
static void print_axis(FILE *file, int64_t first, int step, int extent) {
  if (extent == 1)
    fprintf(file, "%lld", (long long)first);
  else
    fprintf(file, "[%lld:%lld:%d]", (long long)first, (long long)(first + (int64_t)step * extent),
            step);
}

/* A box on its block's own axes, axis 0 first; then, if the loops run along others than the
 * destination's, which axis each loop runs along. */
static void print_box(FILE *file, int dim, const rind_box *box, const int32_t extent[3]) {
  int loop_of[3] = {0, 1, 2};
  bool turned = false;
  for (int a = 0; a < 3; ++a) {
    loop_of[box->axis[a]] = a;
    turned = turned || box->axis[a] != a;
  }
  for (int axis = 0; axis < dim; ++axis) {
    const int a = loop_of[axis];
    fputs(axis == 0 ? "(" : ", ", file);
    print_axis(file, box->origin[axis], box->step[a], extent[a]);
  }
  fputc(')', file);
  for (int a = 0; a < dim && turned; ++a)
    fprintf(file, "%s%d", a == 0 ? " axes " : " ", box->axis[a]);
  fputc('\n', file);
}

static void print_header(const rind_schedule *schedule, FILE *file) {
  static const char *const interpolation[] = {"quadratic", "coarse-only", "injection"};
  const bool all = schedule->rules.regions == RIND_REGIONS_ALL;
  fprintf(file,
          "schedule: dim %d, cells %d, ghosts %d, layers %d, interpolation %s, restriction "
          "average, regions %s, blocks %d, fills %d\n",
          schedule->dim, schedule->cells, schedule->ghosts, schedule->rules.layers,
          interpolation[schedule->rules.interpolation], all ? "all" : "faces", schedule->num_local,
          schedule->num_fills);
}

static rind_error print_fill(const rind_schedule *schedule, int fill, FILE *file) {
  const rind_block *block = rind_forest_get_arrays(schedule->forest)->block;
  rind_fill_view view;
  RIND_TRY(rind_schedule_fill(schedule, fill, &view));
  int o[3];
  rind_region_direction(view.region, o);
  fprintf(file, "%d %s: block %lld region (%d, %d", fill, rind_family_name(view.family),
          (long long)block[view.block].global, o[0], o[1]);
  if (schedule->dim == 3) fprintf(file, ", %d", o[2]);
  fprintf(file, ") box %d ", view.number);
  print_box(file, schedule->dim, &view.box, view.extent);
  for (int t = 0; t < view.num_terms; ++t) {
    rind_term_view term;
    RIND_TRY(rind_schedule_term(schedule, fill, t, &term));
    fprintf(file, "    %+.17g * block %lld ", term.weight, (long long)block[term.block].global);
    print_box(file, schedule->dim, &term.box, view.extent);
  }
  return RIND_OK;
}

rind_error rind_schedule_print(const rind_schedule *schedule, FILE *file) {
  if (!schedule || !file) return RIND_ERROR_INVALID;
  RIND_TRY(rind_schedule_check_fresh(schedule));
  print_header(schedule, file);
  for (int fill = 0; fill < schedule->num_fills; ++fill)
    RIND_TRY(print_fill(schedule, fill, file));
  RIND_REQUIRE(schedule->context, !ferror(file), RIND_ERROR_IO,
               "the schedule could not be written to the file");
  return RIND_OK;
}
