/* sph_set.c - a rind_sph of the particles of a set: the grid of the forest's box, the halo. */
#include <sph_data.h>

#include <stdio.h>
#include <string.h>

#include <locator.h>

/* Collective. The grid of the box that the trees fill. */
static rind_error make_grid(rind_sph *sph) {
  rind_locator locator = {.dim = 0};
  RIND_TRY(rind_locator_create(rind_particles_forest(sph->particles), &locator));
  double lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
  int periodic[3] = {0, 0, 0};
  const int dim = locator.dim;
  for (int a = 0; a < dim; ++a) {
    lower[a] = locator.edge[a][0];
    upper[a] = locator.edge[a][locator.num[a]];
    periodic[a] = locator.periodic[a];
  }
  rind_locator_destroy(&locator);
  rind_error error = rind_sph_check_model(sph->context, dim, &sph->model);
  char text[256];
  if (error == RIND_OK &&
      !rind_sph_grid_make(dim, sph->model.h, lower, upper, periodic, &sph->grid, text, sizeof text))
    error = rind_context_fail(sph->context, RIND_ERROR_INVALID, "%s", text);
  if (error == RIND_OK)
    sph->numbers = rind_sph_numbers_of(dim, sph->model.h, sph->model.mass, sph->model.rest_density);
  return rind_context_agree(sph->context, error);
}

static rind_error remake(rind_sph *sph) {
  rind_sph_halo_destroy(&sph->halo);
  RIND_TRY(make_grid(sph));
  return rind_sph_halo_create(sph->particles, sph->model.h, &sph->halo);
}

/* Every particle is in its block, up to rounding. */
static rind_error check_blocks(const rind_sph *sph) {
  const rind_particles *particles = sph->particles;
  const rind_forest *forest = rind_particles_forest(particles);
  const int64_t *first = rind_particles_first_in_block(particles);
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    for (int a = 0; a < sph->grid.dim; ++a) {
      const double *x = rind_particles_position(particles, a);
      const double slack = 1e-9 * block->side[a];
      const double low = block->lower[a] - slack, high = block->lower[a] + block->side[a] + slack;
      for (int64_t i = first[b]; i < first[b + 1]; ++i)
        RIND_REQUIRE(sph->context, x[i] >= low && x[i] <= high, RIND_ERROR_STALE,
                     "particle %lld is at %g along axis %d, its block from %g to %g: migrate first",
                     (long long)rind_particles_id(particles)[i], x[i], a, block->lower[a],
                     block->lower[a] + block->side[a]);
    }
  }
  return RIND_OK;
}

rind_error rind_sph_take_set(rind_sph *sph) {
  const rind_particles *particles = sph->particles;
  RIND_TRY(rind_context_agree(sph->context, rind_particles_check(particles)));
  if (sph->halo.revision != rind_forest_revision(rind_particles_forest(particles)) ||
      sph->forest != rind_particles_forest(particles)) {
    sph->forest = NULL;
    RIND_TRY(remake(sph));
    sph->forest = rind_particles_forest(particles);
  }
  RIND_TRY(rind_context_agree(sph->context, check_blocks(sph)));
  RIND_TRY(rind_sph_halo_update(&sph->halo, particles));
  sph->points = (rind_sph_points){.count = rind_particles_count(particles)};
  for (int a = 0; a < sph->grid.dim; ++a)
    sph->points.position[a] = rind_particles_position(particles, a);
  return RIND_OK;
}

/* Collective. */
static rind_error check_same(const rind_sph *sph) {
  const rind_sph_model *model = &sph->model;
  const double mine[3] = {model->h, model->mass, model->rest_density};
  double first[3];
  memcpy(first, mine, sizeof first);
  rind_error error = RIND_OK;
  if (MPI_Bcast(first, 3, MPI_DOUBLE, 0, sph->context->comm) != MPI_SUCCESS)
    error = rind_context_fail(sph->context, RIND_ERROR_MPI, "MPI_Bcast of a model failed");
  else if (memcmp(first, mine, sizeof first) != 0)
    error = rind_context_fail(sph->context, RIND_ERROR_MISMATCH,
                              "rank %d gives h %g, mass %g and rest density %g, rank 0 %g, %g and "
                              "%g: alike it must be",
                              sph->context->rank, mine[0], mine[1], mine[2], first[0], first[1],
                              first[2]);
  return rind_context_agree(sph->context, error);
}

rind_error rind_sph_create(const rind_particles *particles, const rind_sph_model *model,
                           rind_sph **sph) {
  if (!particles) return RIND_ERROR_INVALID;
  const rind_forest *forest = rind_particles_forest(particles);
  rind_context *context = rind_forest_context(forest);
  rind_error error = RIND_CHECK_RESULT(context, sph);
  if (error == RIND_OK && !model)
    error = rind_context_fail(context, RIND_ERROR_INVALID, "the model is NULL");
  if (error == RIND_OK) error = rind_particles_check(particles);
  rind_sph *made = rind_allocate(1, sizeof *made);
  if (error == RIND_OK && !made)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a rind_sph");
  error = rind_context_agree(context, error);
  if (error == RIND_OK) {
    made->context = context;
    made->particles = particles;
    made->model = *model;
    made->has_points = true;
    error = check_same(made);
    if (error == RIND_OK) error = remake(made);
    made->forest = forest;
  }
  if (error != RIND_OK) {
    rind_sph_destroy(&made);
    return error;
  }
  *sph = made;
  return RIND_OK;
}
