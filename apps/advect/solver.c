/* solver.c - the fields, the exchange between blocks, and the steps. */
#include "solver.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rates.h"
#include "sums.h"

enum { GHOSTS = 2 };

const char *const limiter_words[] = {"none", "albada", NULL};

struct advect_solver {
  const rind_forest *forest;     /* borrowed */
  const advect_problem *problem; /* borrowed */
  MPI_Comm comm;
  int dim, cells, num_blocks;
  rind_type type;
  bool limited;
  bool overlaps; /* work on interiors while messages travel */
  rind_schedule *schedule;
  rind_field *field, *stage;
  rind_exchange *exchange;
  size_t rate_bytes; /* of a block */
  char *rates;       /* [num_blocks], outflow rates of rates.h */
  double rate;
  void *scratch; /* [dim][faces across an axis] */
  solver_times seconds;
};

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

static void extend_walls(const advect_solver *s, int block, rind_field *field) {
  const uint8_t walls = rind_forest_get_arrays(s->forest)->walls[block];
  const box_shape shape = shape_of(s);
  for (int a = 0; a < s->dim; ++a)
    for (int upper = 0; upper < 2; ++upper) {
      if (!(walls >> (2 * a + upper) & 1)) continue;
      if (s->type == RIND_FLOAT64)
        extend_wall_f64(&shape, s->dim, GHOSTS, a, upper, rind_field_pointer(field, block));
      else
        extend_wall_f32(&shape, s->dim, GHOSTS, a, upper, rind_field_pointer(field, block));
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
  for (int b = 0; b < s->num_blocks; ++b) {
    extend_walls(s, b, from);
    if (s->overlaps)
      update_rest(s, b, from, old, dt, to);
    else
      update_box(s, &shape, b, from, old, dt, to);
  }
  s->seconds.fill += (began - begun) + (filled - waits);
  s->seconds.compute += (waits - began) + (MPI_Wtime() - filled);
  return RIND_OK;
}

rind_error solver_step(advect_solver *s, double t, double dt) {
  const rind_error error = stage(s, s->field, NULL, dt * problem_speed(s->problem, t), s->stage);
  if (error != RIND_OK) return error;
  return stage(s, s->stage, s->field, dt * problem_speed(s->problem, t + dt), s->field);
}

double solver_value(const advect_solver *s, int block, int i, int j, int k) {
  const ptrdiff_t *stride = rind_field_layout(s->field)->cell_stride;
  const ptrdiff_t at = i * stride[0] + j * stride[1] + k * stride[2];
  const void *cells = rind_field_pointer(s->field, block);
  return s->type == RIND_FLOAT64 ? ((const double *)cells)[at] : ((const float *)cells)[at];
}

/* Lower corner and sides of cell (i, j, k), in extents. */
static void cell_box(const advect_solver *s, int block, int i, int j, int k, double lower[3],
                     double side[3]) {
  const rind_block *at = rind_forest_block(s->forest, block);
  const int index[3] = {i, j, k};
  for (int a = 0; a < 3; ++a) {
    side[a] = a < s->dim ? at->side[a] / s->cells / s->problem->extent[a] : 0;
    lower[a] = a < s->dim ? at->lower[a] / s->problem->extent[a] + index[a] * side[a] : 0;
  }
}

/* NaN everywhere, ghosts included, then the exact solution at time 0. */
static void set_initial(advect_solver *s) {
  const rind_layout *layout = rind_field_layout(s->field);
  const size_t bytes = rind_type_bytes(s->type);
  const int depth = s->dim == 3 ? s->cells : 1;
  for (int b = 0; b < s->num_blocks; ++b) {
    rind_field *const fields[2] = {s->field, s->stage};
    for (int f = 0; f < 2; ++f)
      memset((char *)rind_field_pointer(fields[f], b) -
                 (ptrdiff_t)bytes * rind_layout_interior_offset(layout),
             0xff, rind_layout_block_elements(layout) * bytes);
    void *cells = rind_field_pointer(s->field, b);
    for (int k = 0; k < depth; ++k)
      for (int j = 0; j < s->cells; ++j)
        for (int i = 0; i < s->cells; ++i) {
          double lower[3], side[3];
          cell_box(s, b, i, j, k, lower, side);
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

/* The part of creation that only this rank does. */
static rind_error set_up(advect_solver *s) {
  rind_context *context = rind_forest_context(s->forest);
  const size_t faces = (size_t)s->dim * rates_axis_faces(s->dim, s->cells);
  s->rate_bytes = faces * rind_type_bytes(s->type);
  s->rates = malloc((size_t)s->num_blocks * s->rate_bytes + 1);
  s->scratch = malloc(s->rate_bytes);
  if (s->rates == NULL || s->scratch == NULL ||
      !rates_set(s->forest, s->problem, s->cells, s->type, s->rates, &s->rate))
    return rind_context_fail(context, RIND_ERROR_MEMORY,
                             "no memory for the face velocities of %d blocks", s->num_blocks);
  return RIND_OK;
}

rind_error solver_create(MPI_Comm comm, const rind_forest *forest, const advect_problem *problem,
                         int cells, rind_type type, advect_limiter limiter,
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
  const rind_rules rules = {.regions = RIND_REGIONS_FACES};
  s->forest = forest;
  s->problem = problem;
  s->comm = comm;
  s->dim = rind_forest_dim(forest);
  s->cells = cells;
  s->num_blocks = rind_forest_num_blocks(forest);
  s->type = type;
  s->limited = limiter == LIMITER_ALBADA;
  s->overlaps = rind_context_size(context) > 1;
  error = rind_schedule_create(forest, cells, GHOSTS, &rules, &s->schedule);
  if (error == RIND_OK) error = rind_field_create(forest, &layout, &s->field);
  if (error == RIND_OK) error = rind_field_create(forest, &layout, &s->stage);
  if (error == RIND_OK)
    error = rind_exchange_create(s->schedule, rind_field_layout(s->field), NULL, &s->exchange);
  if (error == RIND_OK) error = rind_context_agree(context, set_up(s));
  if (error != RIND_OK) {
    solver_destroy(&s);
    return error;
  }
  MPI_Allreduce(MPI_IN_PLACE, &s->rate, 1, MPI_DOUBLE, MPI_MAX, s->comm);
  set_initial(s);
  *result = s;
  return RIND_OK;
}

void solver_destroy(advect_solver **solver) {
  if (solver == NULL || *solver == NULL) return;
  advect_solver *s = *solver;
  rind_exchange_destroy(&s->exchange);
  rind_field_destroy(&s->stage);
  rind_field_destroy(&s->field);
  rind_schedule_destroy(&s->schedule);
  free(s->scratch);
  free(s->rates);
  free(s);
  *solver = NULL;
}

double solver_rate(const advect_solver *s) {
  return s->rate;
}

/* One block's mass, L1, squared L2, volume. */
static void compare_block(const advect_solver *s, double t, int block, double values[4],
                          double extremes[3]) {
  app_sum sums[4] = {{0, 0}};
  const int depth = s->dim == 3 ? s->cells : 1;
  for (int k = 0; k < depth; ++k)
    for (int j = 0; j < s->cells; ++j)
      for (int i = 0; i < s->cells; ++i) {
        double lower[3], side[3];
        cell_box(s, block, i, j, k, lower, side);
        const double volume = side[0] * side[1] * (s->dim == 3 ? side[2] : 1);
        const double value = solver_value(s, block, i, j, k);
        const double error = fabs(value - problem_exact(s->problem, lower, side, t));
        app_sum_add(&sums[0], value * volume);
        app_sum_add(&sums[1], error * volume);
        app_sum_add(&sums[2], error * error * volume);
        app_sum_add(&sums[3], volume);
        /* Not fmax, which would forget a NaN. */
        if (!(error <= extremes[0])) extremes[0] = error;
        extremes[1] = fmax(extremes[1], -value);
        extremes[2] = fmax(extremes[2], value);
      }
  for (int c = 0; c < 4; ++c)
    values[c] = app_sum_value(&sums[c]);
}

solver_norms solver_compare(const advect_solver *s, double t) {
  double total[4] = {0}, extremes[3] = {0, -HUGE_VAL, -HUGE_VAL};
  double *values = malloc(((size_t)s->num_blocks * 4 + 1) * sizeof *values);
  int room = values != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, s->comm);
  for (int b = 0; room && b < s->num_blocks; ++b)
    compare_block(s, t, b, values + 4 * (size_t)b, extremes);
  if (room) app_sum_blocks(s->comm, values, s->num_blocks, 4, total);
  MPI_Allreduce(MPI_IN_PLACE, extremes, 3, MPI_DOUBLE, MPI_MAX, s->comm);
  free(values);
  return (solver_norms){.mass = total[0],
                        .l1 = total[1] / total[3],
                        .l2 = sqrt(total[2] / total[3]),
                        .linf = extremes[0],
                        .least = -extremes[1],
                        .greatest = extremes[2]};
}

uint64_t solver_checksum(const advect_solver *s) {
  uint64_t mine = 0;
  const int depth = s->dim == 3 ? s->cells : 1;
  for (int b = 0; b < s->num_blocks; ++b) {
    uint64_t place =
        (uint64_t)rind_forest_block(s->forest, b)->global * (uint64_t)(depth * s->cells * s->cells);
    for (int k = 0; k < depth; ++k)
      for (int j = 0; j < s->cells; ++j)
        for (int i = 0; i < s->cells; ++i, ++place) {
          /* The same bits as a double as there were as a float. */
          const double value = solver_value(s, b, i, j, k);
          uint64_t bits;
          memcpy(&bits, &value, sizeof bits);
          mine += app_mix(place, bits);
        }
  }
  return app_checksum_total(s->comm, mine);
}

solver_times solver_seconds(const advect_solver *s) {
  return s->seconds;
}

const rind_field *solver_field(const advect_solver *s) {
  return s->field;
}
