/* solver.c - the fields, the exchange between blocks, and the steps. */
#include "solver.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device_step.h"
#include "solver_data.h"

const char *const limiter_words[] = {"none", "albada", NULL};

#define REAL double
#define NAME(x) x##_f64
#include "solver_body.h"
#undef REAL
#undef NAME
#define REAL float
#define NAME(x) x##_f32
#include "solver_body.h"
#undef REAL
#undef NAME

/* The whole block. */
static box_shape shape_of(const advect_solver *s) {
  const rind_layout *layout = rind_field_layout(s->field);
  box_shape shape = {.cells = s->cells, .axis_faces = rates_axis_faces(s->dim, s->cells)};
  for (int a = 0; a < 3; ++a) {
    shape.stride[a] = layout->cell_stride[a];
    shape.high[a] = a < s->dim ? s->cells : 1;
  }
  return shape;
}

static void update_box(const advect_solver *s, const box_shape *shape, int block,
                       const rind_field *from, const rind_field *old, double dt, rind_field *to) {
  const void *cells = rind_field_pointer(from, block);
  const void *before = old != NULL ? rind_field_pointer(old, block) : NULL;
  void *out = rind_field_pointer(to, block);
  const void *rates = s->rates + (size_t)block * s->rate_bytes;
  if (s->type == RIND_FLOAT64)
    update_f64(shape, s->dim, cells, before, rates, dt, s->limited, s->scratch, out);
  else
    update_f32(shape, s->dim, cells, before, rates, dt, s->limited, s->scratch, out);
}

/* The cells whose stencils stay inside the block. False if there are none. */
static bool interior_of(const advect_solver *s, box_shape *shape) {
  for (int a = 0; a < s->dim; ++a) {
    shape->low[a] = GHOSTS;
    shape->high[a] = s->cells - GHOSTS;
  }
  return s->cells > 2 * GHOSTS;
}

static void update_interiors(const advect_solver *s, const rind_field *from, const rind_field *old,
                             double dt, rind_field *to) {
  box_shape shape = shape_of(s);
  if (!interior_of(s, &shape)) return;
  for (int b = 0; b < s->num_blocks; ++b)
    update_box(s, &shape, b, from, old, dt, to);
}

/* All of a block but its interior: slabs at both ends of one axis after the other. */
static void update_rest(const advect_solver *s, int block, const rind_field *from,
                        const rind_field *old, double dt, rind_field *to) {
  box_shape rest = shape_of(s), interior = rest;
  if (!interior_of(s, &interior)) {
    update_box(s, &rest, block, from, old, dt, to);
    return;
  }
  for (int a = s->dim - 1; a >= 0; --a) {
    box_shape slab = rest;
    slab.high[a] = GHOSTS;
    update_box(s, &slab, block, from, old, dt, to);
    slab.low[a] = s->cells - GHOSTS;
    slab.high[a] = s->cells;
    update_box(s, &slab, block, from, old, dt, to);
    rest.low[a] = GHOSTS;
    rest.high[a] = s->cells - GHOSTS;
  }
}

/* to = from + dt L(from), or its mean with old. */
static rind_error stage(advect_solver *s, rind_field *from, const rind_field *old, double dt,
                        rind_field *to) {
  const double begun = MPI_Wtime();
  rind_error error = rind_fill_begin(s->exchange, from);
  const double began = MPI_Wtime();
  if (error == RIND_OK && s->overlaps) update_interiors(s, from, old, dt, to);
  const double waits = MPI_Wtime();
  if (error == RIND_OK) error = rind_fill_end(s->exchange, from);
  const double filled = MPI_Wtime();
  if (error != RIND_OK) return error;
  const box_shape shape = shape_of(s);
  for (int b = 0; b < s->num_blocks; ++b)
    if (s->overlaps)
      update_rest(s, b, from, old, dt, to);
    else
      update_box(s, &shape, b, from, old, dt, to);
  s->seconds.fill += (began - begun) + (filled - waits);
  s->seconds.compute += (waits - began) + (MPI_Wtime() - filled);
  return RIND_OK;
}

rind_error solver_step(advect_solver *s, double t, double dt) {
  const double first = dt * problem_speed(s->problem, t);
  const double second = dt * problem_speed(s->problem, t + dt);
  rind_error error = s->device != NULL ? device_solver_stage(s, 0, first)
                                       : stage(s, s->field, NULL, first, s->stage);
  if (error != RIND_OK) return error;
  return s->device != NULL ? device_solver_stage(s, 1, second)
                           : stage(s, s->stage, s->field, second, s->field);
}

rind_error solver_wait(advect_solver *s) {
  return s->device != NULL ? device_solver_wait(s) : RIND_OK;
}

rind_error solver_fetch(advect_solver *s) {
  return s->device != NULL ? device_solver_fetch(s) : RIND_OK;
}

/* NaN everywhere, ghosts included. */
static void set_nan(const advect_solver *s, rind_field *field) {
  const rind_layout *layout = rind_field_layout(field);
  const size_t bytes = rind_type_bytes(s->type);
  for (int b = 0; b < s->num_blocks; ++b)
    memset((char *)rind_field_pointer(field, b) -
               (ptrdiff_t)bytes * rind_layout_interior_offset(layout),
           0xff, rind_layout_block_elements(layout) * bytes);
}

/* The exact solution at time 0. */
static void set_initial(advect_solver *s) {
  const rind_layout *layout = rind_field_layout(s->field);
  const int depth = s->dim == 3 ? s->cells : 1;
#pragma omp parallel for num_threads(s->threads)
  for (int b = 0; b < s->num_blocks; ++b) {
    void *cells = rind_field_pointer(s->field, b);
    for (int k = 0; k < depth; ++k)
      for (int j = 0; j < s->cells; ++j)
        for (int i = 0; i < s->cells; ++i) {
          double lower[3], side[3];
          solver_cell_box(s, b, i, j, k, lower, side);
          const double value = problem_exact(s->problem, lower, side, 0);
          const ptrdiff_t at =
              i * layout->cell_stride[0] + j * layout->cell_stride[1] + k * layout->cell_stride[2];
          if (s->type == RIND_FLOAT64)
            ((double *)cells)[at] = value;
          else
            ((float *)cells)[at] = (float)value;
        }
  }
}

/* Face velocities, on the host; on the device the largest alone. */
static rind_error set_rates(advect_solver *s, bool on_host) {
  rind_context *context = rind_forest_context(s->forest);
  const size_t faces = (size_t)s->dim * rates_axis_faces(s->dim, s->cells);
  s->rate_bytes = faces * rind_type_bytes(s->type);
  if (on_host) {
    s->rates = malloc((size_t)s->num_blocks * s->rate_bytes + 1);
    s->scratch = malloc(s->rate_bytes);
  }
  if ((on_host && (s->rates == NULL || s->scratch == NULL)) ||
      !rates_set(s->forest, s->problem, s->cells, s->type, s->rates, &s->rate))
    return rind_context_fail(context, RIND_ERROR_MEMORY,
                             "no memory for the face velocities of %d blocks", s->num_blocks);
  return RIND_OK;
}

/* What depends on where the fields are. */
static rind_error create_at(advect_solver *s, const rind_layout *layout, advect_place place) {
  rind_context *context = rind_forest_context(s->forest);
  rind_error error = rind_field_create(s->forest, layout, &s->field);
  if (error == RIND_OK && place == PLACE_HOST)
    error = rind_field_create(s->forest, layout, &s->stage);
  if (error == RIND_OK && place == PLACE_HOST)
    error = rind_exchange_create(s->schedule, rind_field_layout(s->field), NULL, &s->exchange);
  if (error == RIND_OK) error = rind_context_agree(context, set_rates(s, place == PLACE_HOST));
  if (error != RIND_OK) return error;
  MPI_Allreduce(MPI_IN_PLACE, &s->rate, 1, MPI_DOUBLE, MPI_MAX, s->comm);
  set_nan(s, s->field);
  if (s->stage != NULL) set_nan(s, s->stage);
  if (place != PLACE_HOST) error = device_solver_create(s, place == PLACE_FUSED);
  if (error != RIND_OK) return error;
  set_initial(s);
  return s->device != NULL ? device_solver_begin(s) : RIND_OK;
}

rind_error solver_create(MPI_Comm comm, const rind_forest *forest, const advect_problem *problem,
                         int cells, rind_type type, advect_limiter limiter, advect_place place,
                         advect_solver **result) {
  rind_context *context = rind_forest_context(forest);
  advect_solver *s = calloc(1, sizeof *s);
  rind_error error =
      s != NULL ? RIND_OK : rind_context_fail(context, RIND_ERROR_MEMORY, "no memory");
  error = rind_context_agree(context, error);
  if (error != RIND_OK) {
    free(s);
    return error;
  }
  const rind_layout layout = {.cells = cells, .ghosts = GHOSTS, .components = 1, .type = type};
  /* Stencils run along the axes: no corners. */
  const rind_wall same = RIND_WALL_CONSTANT;
  const rind_rules rules = {.regions = RIND_REGIONS_FACES,
                            .wall = {same, same, same, same, same, same}};
  s->forest = forest;
  s->problem = problem;
  s->comm = comm;
  s->dim = rind_forest_dim(forest);
  s->cells = cells;
  s->num_blocks = rind_forest_num_blocks(forest);
  s->type = type;
  s->limited = limiter == LIMITER_ALBADA;
  s->threads = rind_context_threads(context);
  s->overlaps = rind_context_size(context) > 1;
  error = rind_schedule_create(forest, cells, GHOSTS, &rules, &s->schedule);
  if (error == RIND_OK) error = create_at(s, &layout, place);
  if (error != RIND_OK) {
    solver_destroy(&s);
    return error;
  }
  *result = s;
  return RIND_OK;
}

void solver_destroy(advect_solver **solver) {
  if (solver == NULL || *solver == NULL) return;
  advect_solver *s = *solver;
  device_solver_destroy(&s->device);
  rind_exchange_destroy(&s->exchange);
  rind_field_destroy(&s->stage);
  rind_field_destroy(&s->field);
  rind_schedule_destroy(&s->schedule);
  free(s->scratch);
  free(s->rates);
  free(s);
  *solver = NULL;
}

double solver_largest(rind_type type, advect_limiter limiter) {
  const double most = type == RIND_FLOAT64 ? DBL_MAX : FLT_MAX;
  const double stepped = limiter == LIMITER_ALBADA ? cbrt(most) : most;
  return fmin(stepped, sqrt(DBL_MAX)) / 16;
}

double solver_rate(const advect_solver *s) {
  return s->rate;
}

solver_times solver_seconds(const advect_solver *s) {
  return s->seconds;
}

const rind_field *solver_field(const advect_solver *s) {
  return s->field;
}
