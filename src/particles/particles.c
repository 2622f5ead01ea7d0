/* particles.c - sets of particles: create, migrate, sort, and what they tell. */
#include <particles_data.h>

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void free_arrays(rind_particles *set) {
  for (int a = 0; a < 3; ++a)
    free(set->position[a]);
  for (int k = 0; set->attribute && k < set->num_attributes; ++k)
    free(set->attribute[k]);
  free(set->attribute);
  free(set->id);
  free(set->first_in_block);
  free(set->first_in_group);
}

void rind_particles_destroy(rind_particles **particles) {
  if (!particles || !*particles) return;
  rind_particles *gone = *particles;
  rind_particles_free_device(gone);
  free_arrays(gone);
  free(gone->box);
  rind_locator_destroy(&gone->locator);
  free(gone);
  *particles = NULL;
}

static rind_error check_forest(const rind_particles *particles, const rind_forest *forest,
                               int64_t revision) {
  RIND_TRY(rind_forest_check(forest));
  const int64_t now = rind_forest_revision(forest);
  RIND_REQUIRE(particles->context, now == revision, RIND_ERROR_STALE,
               "the particles are of revision %" PRId64 " of the forest, which is at %" PRId64
               ": migrate them",
               revision, now);
  return RIND_OK;
}

rind_error rind_particles_check(const rind_particles *particles) {
  if (!particles) return RIND_ERROR_INVALID;
  return check_forest(particles, particles->forest, particles->revision);
}

rind_error rind_particles_take_options(rind_particles *particles,
                                       const rind_particles_options *options) {
  rind_context *context = particles->context;
  rind_particles_options made = options ? *options : (rind_particles_options){.cells = 0};
  if (made.cells == 0) made.cells = 1;
  RIND_REQUIRE(context, made.cells >= 1 && made.cells <= 4096, RIND_ERROR_INVALID,
               "groups of %d cells a block and axis: 1 to 4096 it must be", made.cells);
  RIND_REQUIRE(context, made.groups == RIND_GROUPS_CELLS || made.groups == RIND_GROUPS_CENTRES,
               RIND_ERROR_INVALID,
               "groups are %d: RIND_GROUPS_CELLS (0) or RIND_GROUPS_CENTRES (1) they must be",
               (int)made.groups);
  const int64_t side = made.cells + (made.groups == RIND_GROUPS_CENTRES);
  const int64_t num_groups = side * side * (particles->dim == 3 ? side : 1);
  RIND_REQUIRE(context,
               num_groups <= UINT32_MAX &&
                   num_groups <= INT64_MAX / 8 / (particles->num_blocks + 1),
               RIND_ERROR_OVERFLOW, "%" PRId64 " groups in each of %d blocks: too many", num_groups,
               particles->num_blocks);
  particles->options = made;
  particles->num_groups = num_groups;
  return RIND_OK;
}

/* Collective. */
static rind_error check_same(rind_context *context, const rind_particles *set) {
  static const char *const what[] = {"as cells", "as kind of groups", "attributes",
                                     "blocks of the forest on all ranks"};
  enum { NUM = sizeof what / sizeof *what };
  const int64_t mine[NUM] = {set->options.cells, set->options.groups, set->num_attributes,
                             rind_forest_num_global_blocks(set->forest)};
  int64_t first[NUM];
  memcpy(first, mine, sizeof first);
  RIND_REQUIRE(context, MPI_Bcast(first, NUM, MPI_INT64_T, 0, context->comm) == MPI_SUCCESS,
               RIND_ERROR_MPI, "MPI_Bcast of a set's numbers failed");
  for (int i = 0; i < NUM; ++i)
    RIND_REQUIRE(context, mine[i] == first[i], RIND_ERROR_MISMATCH,
                 "rank %d gives %" PRId64 " %s, rank 0 %" PRId64 ": alike it must be",
                 context->rank, mine[i], what[i], first[i]);
  return RIND_OK;
}

static rind_error make_boxes(rind_particles *set, int cells) {
  set->box = rind_allocate((size_t)set->num_blocks, sizeof *set->box);
  RIND_REQUIRE(set->context, set->box, RIND_ERROR_MEMORY, "no memory for %d boxes",
               set->num_blocks);
  for (int b = 0; b < set->num_blocks; ++b) {
    const rind_block *block = rind_forest_block(set->forest, b);
    for (int a = 0; a < set->dim; ++a) {
      set->box[b].lower[a] = block->lower[a];
      set->box[b].per[a] = cells / block->side[a];
    }
  }
  return RIND_OK;
}

/* Not collective: a set of no particles on a forest. */
static rind_error begin(const rind_forest *forest, int num_attributes,
                        const rind_particles_options *options, rind_particles **made) {
  rind_context *context = rind_forest_context(forest);
  RIND_REQUIRE(context, num_attributes >= 0 && num_attributes <= INT_MAX / 16, RIND_ERROR_INVALID,
               "%d attributes: 0 to %d it must be", num_attributes, INT_MAX / 16);
  rind_particles *set = rind_allocate(1, sizeof *set);
  RIND_REQUIRE(context, set, RIND_ERROR_MEMORY, "no memory for a set of particles");
  *made = set;
  set->context = context;
  set->forest = forest;
  set->revision = rind_forest_revision(forest);
  set->dim = rind_forest_dim(forest);
  set->num_blocks = rind_forest_num_blocks(forest);
  set->num_attributes = num_attributes;
  RIND_TRY(rind_forest_check(forest));
  RIND_TRY(rind_particles_take_options(set, options));
  return make_boxes(set, set->options.cells);
}

/* Collective. Sums over all ranks. */
static rind_error add_up(rind_context *context, int64_t *numbers, int count) {
  RIND_REQUIRE(context,
               MPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_INT64_T, MPI_SUM, context->comm) ==
                   MPI_SUCCESS,
               RIND_ERROR_MPI, "MPI_Allreduce of numbers of particles failed");
  return RIND_OK;
}

/* Collective. given has ids; set has no particles yet. */
static rind_error settle(rind_particles *set, const rind_particle_arrays *given,
                         rind_migration *migration) {
  rind_context *context = set->context;
  rind_arrivals arrivals = {.num_records = 0};
  RIND_TRY(rind_particles_place(set, given, &arrivals));
  rind_error error = rind_context_agree(context, rind_particles_fill(set, &arrivals));
  int64_t sum[4] = {given->count, set->count, arrivals.num_sent, arrivals.num_wrapped};
  rind_arrivals_free(&arrivals);
  RIND_TRY(error);
  RIND_TRY(rind_context_agree(context, add_up(context, sum, 4)));
  RIND_REQUIRE(context, sum[0] == sum[1], RIND_ERROR_INTERNAL,
               "%" PRId64 " particles went in, %" PRId64 " came out", sum[0], sum[1]);
  set->num_global = sum[1];
  if (migration)
    *migration = (rind_migration){.count = sum[1], .changed = sum[2], .wrapped = sum[3]};
  return RIND_OK;
}

static rind_error check_arrays(rind_context *context, int dim, const rind_particle_arrays *arrays) {
  RIND_REQUIRE(context, arrays, RIND_ERROR_INVALID, "arrays is NULL");
  RIND_REQUIRE(context, arrays->count >= 0, RIND_ERROR_INVALID,
               "%" PRId64 " particles: at least 0 it must be", arrays->count);
  if (arrays->count == 0) return RIND_OK;
  for (int a = 0; a < dim; ++a)
    RIND_REQUIRE(context, arrays->position[a], RIND_ERROR_INVALID,
                 "position[%d] is NULL for %" PRId64 " particles", a, arrays->count);
  RIND_REQUIRE(context, arrays->num_attributes <= 0 || arrays->attribute, RIND_ERROR_INVALID,
               "attribute is NULL for %d attributes", arrays->num_attributes);
  for (int k = 0; k < arrays->num_attributes; ++k)
    RIND_REQUIRE(context, arrays->attribute[k], RIND_ERROR_INVALID,
                 "attribute[%d] is NULL for %" PRId64 " particles", k, arrays->count);
  return RIND_OK;
}

/* Collective. Whether ids are given: a rank without particles has none to give. */
static rind_error agree_on_ids(rind_context *context, const rind_particles *set,
                               const rind_particle_arrays *arrays, bool *has_ids) {
  int given = arrays->count > 0 && arrays->id;
  RIND_REQUIRE(context,
               MPI_Allreduce(MPI_IN_PLACE, &given, 1, MPI_INT, MPI_MAX, context->comm) ==
                   MPI_SUCCESS,
               RIND_ERROR_MPI, "MPI_Allreduce of ids failed");
  RIND_TRY(check_same(context, set));
  RIND_REQUIRE(context, !given || arrays->count == 0 || arrays->id, RIND_ERROR_MISMATCH,
               "rank %d gives particles without ids, another one with: alike it must be",
               context->rank);
  *has_ids = given != 0;
  return RIND_OK;
}

/* Collective. Ids in the order given, rank after rank. */
static rind_error number(rind_context *context, int64_t count, int64_t **id) {
  int64_t first = 0;
  rind_error error = RIND_OK;
  if (MPI_Exscan(&count, &first, 1, MPI_INT64_T, MPI_SUM, context->comm) != MPI_SUCCESS)
    error = rind_context_fail(context, RIND_ERROR_MPI, "MPI_Exscan of numbers of particles failed");
  if (context->rank == 0) first = 0;
  *id = malloc(((size_t)count + 1) * sizeof **id);
  if (error == RIND_OK && !*id)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for %" PRId64 " ids", count);
  for (int64_t i = 0; error == RIND_OK && i < count; ++i)
    (*id)[i] = first + i;
  return rind_context_agree(context, error);
}

rind_error rind_particles_create(const rind_forest *forest, const rind_particle_arrays *arrays,
                                 const rind_particles_options *options,
                                 rind_particles **particles) {
  if (!forest) return RIND_ERROR_INVALID;
  rind_context *context = rind_forest_context(forest);
  rind_particles *made = NULL;
  int64_t *id = NULL;
  rind_error error = RIND_CHECK_RESULT(context, particles);
  if (error == RIND_OK) error = check_arrays(context, rind_forest_dim(forest), arrays);
  if (error == RIND_OK) error = begin(forest, arrays->num_attributes, options, &made);
  error = rind_context_agree(context, error);
  bool has_ids = false;
  if (error == RIND_OK)
    error = rind_context_agree(context, agree_on_ids(context, made, arrays, &has_ids));
  if (error == RIND_OK) error = rind_locator_create(forest, &made->locator);
  rind_particle_arrays given = {.count = 0};
  if (error == RIND_OK && !has_ids) error = number(context, arrays->count, &id);
  if (error == RIND_OK) {
    given = *arrays;
    if (!has_ids) given.id = id;
  }
  if (error == RIND_OK) error = settle(made, &given, NULL);
  free(id);
  if (error == RIND_OK)
    *particles = made;
  else
    rind_particles_destroy(&made);
  return error;
}

/* The set's own arrays, as something to make another set of. */
static rind_particle_arrays arrays_of(const rind_particles *set) {
  return (rind_particle_arrays){.count = set->count,
                                .position = {set->position[0], set->position[1], set->position[2]},
                                .id = set->id,
                                .num_attributes = set->num_attributes,
                                .attribute = (const double *const *)set->attribute};
}

static void swap_sets(rind_particles *one, rind_particles *other) {
  const rind_particles moved = *one;
  *one = *other;
  *other = moved;
}

rind_error rind_particles_migrate(rind_particles *particles, const rind_forest *forest,
                                  rind_migration *migration) {
  if (!particles && !forest) return RIND_ERROR_INVALID;
  if (!particles) {
    rind_context *there = rind_forest_context(forest);
    return rind_context_agree(
        there, rind_context_fail(there, RIND_ERROR_INVALID, "the set of particles is NULL"));
  }
  rind_context *context = particles->context;
  if (!forest) forest = particles->forest;
  rind_particles *made = NULL;
  rind_migration counted = {.count = 0};
  rind_error error = RIND_OK;
  if (rind_forest_context(forest) != context || rind_forest_dim(forest) != particles->dim)
    error = rind_context_fail(context, RIND_ERROR_MISMATCH,
                              "the forest has dimension %d, the particles %d, %s context",
                              rind_forest_dim(forest), particles->dim,
                              rind_forest_context(forest) == context ? "of one" : "of another");
  if (error == RIND_OK)
    error = begin(forest, particles->num_attributes, &particles->options, &made);
  error = rind_context_agree(context, error);
  if (error == RIND_OK) error = rind_context_agree(context, check_same(context, made));
  if (error == RIND_OK) error = rind_locator_create(forest, &made->locator);
  const rind_particle_arrays given = arrays_of(particles);
  if (error == RIND_OK) error = settle(made, &given, &counted);
  if (error == RIND_OK) {
    swap_sets(particles, made);
    if (migration) *migration = counted;
  }
  rind_particles_destroy(&made);
  return error;
}

/* Where particles are now; a change of block is refused. */
static rind_error stay(const rind_particles *set, int32_t *block) {
  for (int b = 0; b < set->num_blocks; ++b)
    for (int64_t p = set->first_in_block[b]; p < set->first_in_block[b + 1]; ++p) {
      double x[3] = {0};
      for (int a = 0; a < set->dim; ++a)
        x[a] = set->position[a][p];
      block[p] = b;
      if (!rind_locator_holds(&set->locator, b, x) &&
          rind_locator_find(&set->locator, x, &block[p]) != RIND_SOMEWHERE)
        block[p] = -1;
      RIND_REQUIRE(set->context, block[p] == b, RIND_ERROR_STATE,
                   "particle %" PRId64 " has left its block: migrate, then sort", set->id[p]);
    }
  return RIND_OK;
}

static rind_error resort(rind_particles *set, const rind_particles_options *options,
                         rind_particles **made) {
  RIND_TRY(rind_particles_check(set));
  RIND_TRY(begin(set->forest, set->num_attributes, options ? options : &set->options, made));
  (*made)->num_global = set->num_global;
  rind_arrivals arrivals = {.given = arrays_of(set)};
  arrivals.given_block = malloc(((size_t)set->count + 1) * sizeof *arrivals.given_block);
  RIND_REQUIRE(set->context, arrivals.given_block, RIND_ERROR_MEMORY,
               "no memory to sort %" PRId64 " particles", set->count);
  rind_error error = stay(set, arrivals.given_block);
  /* Lent for the sort: it wraps nothing here. */
  (*made)->locator = set->locator;
  if (error == RIND_OK) error = rind_particles_fill(*made, &arrivals);
  memset(&(*made)->locator, 0, sizeof(*made)->locator);
  free(arrivals.given_block);
  return error;
}

rind_error rind_particles_sort(rind_particles *particles, const rind_particles_options *options) {
  if (!particles) return RIND_ERROR_INVALID;
  rind_context *context = particles->context;
  rind_particles *made = NULL;
  rind_error error = rind_context_agree(context, resort(particles, options, &made));
  if (error == RIND_OK) error = rind_context_agree(context, check_same(context, made));
  if (error == RIND_OK) {
    swap_sets(particles, made);
    particles->locator = made->locator;
    memset(&made->locator, 0, sizeof made->locator);
  }
  rind_particles_destroy(&made);
  return error;
}
