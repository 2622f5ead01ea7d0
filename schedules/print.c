/* print.c - a schedule as text: a header line, a line a phase, a line a fill with a line a term
 * below. */
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
  static const char *const interpolation[] = {"quadratic", "coarse-only", "injection",
                                              "conservative", "user"};
  const rind_rules *rules = &schedule->rules;
  const bool flux = rules->restriction == RIND_RESTRICTION_FLUX_MATCHED;
  fprintf(file,
          "%s: dim %d, cells %d, ghosts %d, layers %d, interpolation %s, restriction %s, "
          "regions %s, blocks %d, fills %d\n",
          schedule->is_adjoint ? "adjoint schedule" : "schedule", schedule->dim, schedule->cells,
          schedule->ghosts, rules->layers, interpolation[rules->interpolation],
          flux ? "flux-matched" : "average", rules->regions == RIND_REGIONS_ALL ? "all" : "faces",
          schedule->num_local, schedule->num_fills);
}

static void print_walls(const rind_schedule *schedule, FILE *file) {
  static const char *const kind[RIND_NUM_WALLS] = {"none",   "even",      "odd",     "constant",
                                                   "linear", "dirichlet", "neumann", "function"};
  const rind_rules *rules = &schedule->rules;
  if (!rind_rules_have_walls(rules)) return;
  for (int c = 0; c < (rules->component_wall ? rules->num_components : 1); ++c) {
    const rind_wall *wall = rules->component_wall ? rules->component_wall[c] : rules->wall;
    fputs("walls", file);
    if (rules->component_wall) fprintf(file, " of component %d", c);
    for (int w = 0; w < 2 * schedule->dim; ++w)
      fprintf(file, "%s %s", w == 0 ? ":" : ",", kind[wall[w]]);
    fputc('\n', file);
  }
}

static void print_phase(const rind_schedule *schedule, int p, FILE *file) {
  static const char *const name[] = {"blocks", "flux", "corners", "walls", "clear"};
  const rind_phase *phase = &schedule->phase[p];
  fprintf(file, "phase %d: %s", p, name[phase->kind]);
  if (phase->axis >= 0) fprintf(file, " of axis %d", phase->axis);
  fprintf(file, ", fills %d\n", schedule->first_fill[p + 1] - schedule->first_fill[p]);
}

static rind_error print_term(const rind_schedule *schedule, int fill, int t,
                             const int32_t extent[3], FILE *file) {
  const rind_block *block = rind_forest_get_arrays(schedule->forest)->block;
  rind_term_view term;
  RIND_TRY(rind_schedule_term(schedule, fill, t, &term));
  fprintf(file, "    %+.17g * ", term.weight);
  if (term.block < 0) {
    const rind_pattern *pattern = &schedule->pattern[schedule->fill[fill].pattern];
    fprintf(file, "value of wall %d\n", pattern->wall);
    return RIND_OK;
  }
  fprintf(file, "block %lld ", (long long)block[term.block].global);
  print_box(file, schedule->dim, &term.box, extent);
  return RIND_OK;
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
  if (view.component >= 0) fprintf(file, "component %d ", view.component);
  print_box(file, schedule->dim, &view.box, view.extent);
  for (int t = 0; t < view.num_terms; ++t)
    RIND_TRY(print_term(schedule, fill, t, view.extent, file));
  return RIND_OK;
}

rind_error rind_schedule_print(const rind_schedule *schedule, FILE *file) {
  if (!schedule) return RIND_ERROR_INVALID;
  RIND_REQUIRE(schedule->context, file, RIND_ERROR_INVALID, "file is NULL");
  RIND_TRY(rind_schedule_check_fresh(schedule));
  print_header(schedule, file);
  print_walls(schedule, file);
  for (int phase = 0; phase < schedule->num_phases; ++phase) {
    print_phase(schedule, phase, file);
    for (int fill = schedule->first_fill[phase]; fill < schedule->first_fill[phase + 1]; ++fill)
      RIND_TRY(print_fill(schedule, fill, file));
  }
  RIND_REQUIRE(schedule->context, !ferror(file), RIND_ERROR_IO,
               "the schedule could not be written to the file");
  return RIND_OK;
}
