/* cloud_work.c - a cloud on a forest that is refined where particles are many; calls that are
 * timed.
 */
#include "cloud_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"
#include "device_array.h"
#include "random.h"
#include "sums.h"

enum { MOST_REPEATS = 1000 };

/* The particles as they are drawn and in a set. */
static rind_error check_particles(const cloud_work *w) {
  const cloud_options *o = w->options;
  const double numbers = 5 + o->dim + 2;
  return app_check_demand(
      w->context, &(app_demand){(double)o->particles, "particles", 8 * numbers, "--particles"});
}

/* The field, on the host and where the deposit runs. */
static rind_error check_blocks(const cloud_work *w, double blocks) {
  char things[48];
  const cloud_options *o = w->options;
  const double value_bytes = (o->device ? 1 : 2) * (double)rind_type_bytes((rind_type)o->type);
  snprintf(things, sizeof things, "blocks of %d^%d cells", o->cells, o->dim);
  return app_check_demand(
      w->context, &(app_demand){blocks, things,
                                APP_BLOCK_BYTES + app_block_bytes(o->dim, o->cells, 1, value_bytes),
                                "--level, --cells, or --refine"});
}

static rind_error make_forest(cloud_work *w) {
  const cloud_options *o = w->options;
  const rind_error error =
      check_blocks(w, app_uniform_blocks(o->dim, (const int[3]){1, 1, 1}, o->level));
  if (error != RIND_OK) return error;
  rind_brick brick = {.dim = o->dim, .level = o->level};
  for (int a = 0; a < o->dim; ++a)
    brick.periodic[a] = o->periodic;
  return rind_forest_create_brick(w->context, &brick, &w->forest);
}

static rind_error make_set(cloud_work *w, const rind_particles_options *options,
                           rind_particles **set) {
  const double *const mass[1] = {w->share.mass};
  const rind_particle_arrays arrays = {
      .count = w->share.count,
      .position = {w->share.position[0], w->share.position[1], w->share.position[2]},
      .id = w->share.id,
      .num_attributes = 1,
      .attribute = mass};
  return rind_particles_create(w->forest, &arrays, options, set);
}

/* Particles of each local block before a refinement, and the most that a block may have. */
typedef struct splitting {
  const int64_t *first;
  int64_t limit;
} splitting;

/* Blocks that come to be in the refinement are counted after it. */
static int splits(const rind_block *block, void *user) {
  const splitting *s = user;
  return block->index >= 0 && s->first[block->index + 1] - s->first[block->index] > s->limit;
}

/* Blocks of all ranks that are to be split. */
static int64_t count_crowded(const cloud_work *w, const rind_particles *set) {
  const int64_t *first = rind_particles_first_in_block(set);
  int64_t crowded = 0;
  for (int b = 0; b < rind_forest_num_blocks(w->forest); ++b)
    crowded += first[b + 1] - first[b] > w->options->limit;
  MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT64_T, MPI_SUM, w->comm);
  return crowded;
}

/* Level by level: split, move the particles over, count again. */
static rind_error refine(cloud_work *w) {
  const cloud_options *o = w->options;
  rind_particles *set = NULL;
  rind_error error = make_set(w, NULL, &set);
  for (int level = o->level + 1; error == RIND_OK && level <= o->level + o->refine; ++level) {
    const int64_t crowded = count_crowded(w, set), more = (1 << o->dim) - 1;
    if (crowded == 0) break;
    error = check_blocks(w, (double)(rind_forest_num_global_blocks(w->forest) + more * crowded));
    if (error != RIND_OK) break;
    splitting s = {.first = rind_particles_first_in_block(set), .limit = o->limit};
    error = rind_forest_refine(w->forest, level, splits, &s);
    if (error == RIND_OK) error = rind_particles_migrate(set, NULL, NULL);
  }
  rind_particles_destroy(&set);
  return error;
}

static rind_error make_fields(cloud_work *w) {
  const cloud_options *o = w->options;
  rind_rules rules = {.interpolation = RIND_INTERPOLATION_INJECTION};
  for (int wall = 0; wall < 6; ++wall)
    rules.wall[wall] = RIND_WALL_EVEN;
  rind_layout layout = {
      .cells = o->cells, .ghosts = 1, .components = 1, .type = (rind_type)o->type};
  rind_error error = rind_schedule_create(w->forest, o->cells, 1, &rules, &w->schedule);
  if (error == RIND_OK) error = rind_field_create(w->forest, &layout, &w->host);
  if (o->device) layout.space = RIND_DEVICE;
  if (error == RIND_OK) error = rind_field_create(w->forest, &layout, &w->field);
  if (error == RIND_OK)
    error = rind_exchange_create(w->schedule, &layout, &(rind_exchange_options){.adjoint = true},
                                 &w->exchange);
  return error;
}

rind_error cloud_work_begin(cloud_work *w) {
  const cloud_options *o = w->options;
  int rank, ranks;
  MPI_Comm_rank(w->comm, &rank);
  MPI_Comm_size(w->comm, &ranks);
  rind_error error = rind_context_create(
      w->comm,
      &(rind_context_options){.threads = o->threads, .device_choice = RIND_DEVICE_LOCAL_RANK},
      &w->context);
  if (error == RIND_OK) error = check_particles(w);
  if (error != RIND_OK) return error;
  if (!cloud_draw((cloud_kind)o->cloud, o->dim, o->radius, (uint64_t)o->seed, o->particles, rank,
                  ranks, &w->share))
    error = rind_context_fail(w->context, RIND_ERROR_MEMORY, "no memory for %lld particles",
                              (long long)o->particles / ranks);
  error = rind_context_agree(w->context, error);
  if (error == RIND_OK) error = make_forest(w);
  if (error == RIND_OK) error = refine(w);
  if (error == RIND_OK) error = make_fields(w);
  return error;
}

/* A call that is timed. */
typedef rind_error (*call)(cloud_work *w, int repetition);

static int compare_doubles(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

/* before, not timed, may be NULL. */
static rind_error time_call(cloud_work *w, call before, call timed, double *us) {
  double sample[MOST_REPEATS];
  const int repeat = w->options->repeat;
  for (int i = 0; i < repeat; ++i) {
    rind_error error = before ? before(w, i) : RIND_OK;
    if (error == RIND_OK) error = rind_context_wait(w->context);
    if (error != RIND_OK) return error;
    MPI_Barrier(w->comm);
    const double begun = MPI_Wtime();
    error = timed(w, i);
    if (error == RIND_OK) error = rind_context_wait(w->context);
    if (error != RIND_OK) return error;
    const double mine = 1e6 * (MPI_Wtime() - begun);
    MPI_Allreduce(&mine, &sample[i], 1, MPI_DOUBLE, MPI_MAX, w->comm);
  }
  qsort(sample, (size_t)repeat, sizeof *sample, compare_doubles);
  *us = sample[repeat / 2];
  return RIND_OK;
}

static rind_particles_options centres_of(const cloud_work *w) {
  return (rind_particles_options){.cells = w->options->cells, .groups = RIND_GROUPS_CENTRES};
}

static rind_error forget(cloud_work *w, int repetition) {
  (void)repetition;
  rind_particles_destroy(&w->particles);
  return RIND_OK;
}

static rind_error create(cloud_work *w, int repetition) {
  (void)repetition;
  const rind_particles_options options = centres_of(w);
  return make_set(w, &options, &w->particles);
}

static rind_error sort(cloud_work *w, int repetition) {
  (void)repetition;
  return rind_particles_sort(w->particles, NULL);
}

/* Every particle goes up to a third of a cell of the finest level away; walls reflect it. */
static rind_error push(cloud_work *w, int repetition) {
  const cloud_options *o = w->options;
  const double step = 0.66 / o->cells / ldexp(1, o->level + o->refine);
  const int64_t *id = rind_particles_id(w->particles);
  for (int a = 0; a < o->dim; ++a) {
    double *x = rind_particles_position(w->particles, a);
    for (int64_t p = 0; p < rind_particles_count(w->particles); ++p) {
      const uint64_t bits = app_mix((uint64_t)id[p], (uint64_t)(3 * repetition + a));
      x[p] += step * ((double)(bits >> 11) * 0x1p-53 - 0.5);
      if (o->periodic) continue;
      x[p] = x[p] < 0 ? -x[p] : x[p] > 1 ? 2 - x[p] : x[p];
    }
  }
  return RIND_OK;
}

static rind_error migrate(cloud_work *w, int repetition) {
  (void)repetition;
  return rind_particles_migrate(w->particles, NULL, &w->migration);
}

static rind_error deposit(cloud_work *w, int repetition) {
  (void)repetition;
  return rind_deposit(w->particles, (const int[]){0}, w->exchange, w->field);
}

static rind_error fold(cloud_work *w, int repetition) {
  (void)repetition;
  return rind_fill_adjoint(w->exchange, w->field);
}

static rind_error fill(cloud_work *w, int repetition) {
  (void)repetition;
  return rind_fill(w->exchange, w->field);
}

/* Of half the sum of squares of the field. */
static rind_error gradient(cloud_work *w, int repetition) {
  (void)repetition;
  return rind_deposit_gradient(w->particles, (const int[]){0}, w->exchange, w->field, w->slope,
                               &w->by_mass);
}

static double value_at(const rind_field *field, int block, int64_t cell) {
  const rind_layout *layout = rind_field_layout(field);
  ptrdiff_t at = 0;
  for (int a = 0; a < layout->dim; ++a) {
    at += cell % layout->cells * layout->cell_stride[a];
    cell /= layout->cells;
  }
  const void *pointer = rind_field_pointer(field, block);
  return layout->type == RIND_FLOAT64 ? ((const double *)pointer)[at]
                                      : (double)((const float *)pointer)[at];
}

static int64_t cells_of(const cloud_work *w) {
  const int64_t n = w->options->cells;
  return w->options->dim == 2 ? n * n : n * n * n;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static rind_error measure(cloud_work *w) {
  rind_error error = rind_field_copy(w->field, w->host);
  if (error != RIND_OK) return error;
  const int num_blocks = rind_forest_num_blocks(w->forest);
  double *sum = malloc(((size_t)num_blocks + 1) * sizeof *sum);
  if (!sum) error = rind_context_fail(w->context, RIND_ERROR_MEMORY, "no memory for sums");
  error = rind_context_agree(w->context, error);
  uint64_t checksum = 0;
  for (int b = 0; error == RIND_OK && b < num_blocks; ++b) {
    const int64_t first = rind_forest_block(w->forest, b)->global * cells_of(w);
    app_sum total = {0};
    for (int64_t i = 0; i < cells_of(w); ++i) {
      const double value = value_at(w->host, b, i);
      app_sum_add(&total, value);
      checksum += app_mix((uint64_t)(first + i), bits_of(value));
    }
    sum[b] = app_sum_value(&total);
  }
  if (error == RIND_OK) {
    app_sum_blocks(w->comm, sum, num_blocks, 1, &w->sum);
    const double mass = w->options->particles > 0 ? 1 : 0;
    w->sum_error = fabs(w->sum - mass);
    w->checksum = app_checksum_total(w->comm, checksum);
  }
  free(sum);
  return error;
}

static rind_error add_gradient(cloud_work *w, const double *array, int number, double *spare,
                               uint64_t *checksum) {
  const int64_t count = rind_particles_count(w->particles);
  const int64_t *id = rind_particles_id(w->particles);
  if (w->options->device && device_array_fetch(spare, array, (size_t)count) != 0)
    return rind_context_fail(w->context, RIND_ERROR_DEVICE, "the gradient was not copied");
  const double *values = w->options->device ? spare : array;
  for (int64_t p = 0; p < count; ++p)
    *checksum += app_mix((uint64_t)id[p] * 4 + (uint64_t)number, bits_of(values[p]));
  return RIND_OK;
}

static rind_error measure_gradient(cloud_work *w) {
  uint64_t checksum = 0;
  double *spare = malloc(((size_t)rind_particles_count(w->particles) + 1) * sizeof *spare);
  rind_error error =
      spare ? RIND_OK
            : rind_context_fail(w->context, RIND_ERROR_MEMORY, "no memory for the gradient");
  for (int a = 0; a < w->options->dim && error == RIND_OK; ++a)
    error = add_gradient(w, w->slope[a], a, spare, &checksum);
  if (error == RIND_OK) error = add_gradient(w, w->by_mass, 3, spare, &checksum);
  free(spare);
  error = rind_context_agree(w->context, error);
  if (error == RIND_OK) w->gradient_checksum = app_checksum_total(w->comm, checksum);
  return error;
}

static void count(cloud_work *w) {
  const int64_t *in_block = rind_particles_first_in_block(w->particles),
                *in_group = rind_particles_first_in_group(w->particles);
  const int num_blocks = rind_forest_num_blocks(w->forest);
  int64_t most[2] = {0, 0};
  for (int b = 0; b < num_blocks; ++b)
    if (in_block[b + 1] - in_block[b] > most[0]) most[0] = in_block[b + 1] - in_block[b];
  for (int64_t k = 0; k < num_blocks * rind_particles_num_groups(w->particles); ++k)
    if (in_group[k + 1] - in_group[k] > most[1]) most[1] = in_group[k + 1] - in_group[k];
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, w->comm);
  w->largest_block = most[0];
  w->largest_group = most[1];
}

static double *make_result(cloud_work *w) {
  const size_t count = (size_t)rind_particles_count(w->particles);
  if (w->options->device) return device_array_create(rind_context_device(w->context), count);
  return malloc((count + 1) * sizeof(double));
}

static rind_error make_results(cloud_work *w) {
  bool fine = (w->by_mass = make_result(w)) != NULL;
  for (int a = 0; a < w->options->dim; ++a)
    fine = (w->slope[a] = make_result(w)) && fine;
  return rind_context_agree(w->context, fine ? RIND_OK
                                             : rind_context_fail(w->context, RIND_ERROR_MEMORY,
                                                                 "no memory for the gradient"));
}

long cloud_work_steps(const cloud_work *w) {
  (void)w;
  return 7;
}

rind_error cloud_work_run(cloud_work *w, void (*done)(void *user, long steps), void *user) {
  cloud_times *t = &w->times;
  rind_error error = time_call(w, forget, create, &t->create);
  cloud_share_free(&w->share);
  done(user, 1);
  if (error == RIND_OK) error = time_call(w, NULL, sort, &t->sort);
  done(user, 2);
  if (error == RIND_OK) error = time_call(w, push, migrate, &t->migrate);
  done(user, 3);
  if (error != RIND_OK) return error;
  count(w);
  error = make_results(w);
  if (error == RIND_OK && w->options->device)
    error = rind_context_agree(w->context, rind_particles_to_device(w->particles));
  if (error == RIND_OK) error = time_call(w, NULL, deposit, &t->deposit);
  done(user, 4);
  if (error == RIND_OK) error = measure(w);
  if (error == RIND_OK) error = time_call(w, NULL, fold, &t->fold);
  done(user, 5);
  if (error == RIND_OK) error = time_call(w, NULL, fill, &t->fill);
  done(user, 6);
  if (error == RIND_OK) error = time_call(w, NULL, gradient, &t->gradient);
  done(user, 7);
  if (error == RIND_OK) error = measure_gradient(w);
  return error;
}

void cloud_work_to_density(cloud_work *w) {
  const rind_layout *layout = rind_field_layout(w->host);
  for (int b = 0; b < rind_forest_num_blocks(w->forest); ++b) {
    const rind_block *block = rind_forest_block(w->forest, b);
    double per_volume = 1;
    for (int a = 0; a < layout->dim; ++a)
      per_volume *= layout->cells / block->side[a];
    for (int64_t i = 0; i < cells_of(w); ++i) {
      int64_t rest = i;
      ptrdiff_t at = 0;
      for (int a = 0; a < layout->dim; ++a) {
        at += rest % layout->cells * layout->cell_stride[a];
        rest /= layout->cells;
      }
      void *pointer = rind_field_pointer(w->host, b);
      if (layout->type == RIND_FLOAT64)
        ((double *)pointer)[at] *= per_volume;
      else
        ((float *)pointer)[at] *= (float)per_volume;
    }
  }
}

static void free_result(const cloud_work *w, double *result) {
  if (w->options->device)
    device_array_destroy(result);
  else
    free(result);
}

void cloud_work_end(cloud_work *w) {
  for (int a = 0; a < 3; ++a)
    free_result(w, w->slope[a]);
  free_result(w, w->by_mass);
  cloud_share_free(&w->share);
  rind_exchange_destroy(&w->exchange);
  rind_field_destroy(&w->field);
  rind_field_destroy(&w->host);
  rind_schedule_destroy(&w->schedule);
  rind_particles_destroy(&w->particles);
  rind_forest_destroy(&w->forest);
  rind_context_destroy(&w->context);
}
