/* sph_run.c - what is asked of a rind_sph: densities, loss, gradient. */
#include <sph_data.h>

#include <stdlib.h>

#include <device_memory.h>

static rind_error say_where(const rind_sph *sph, int64_t bad) {
  RIND_REQUIRE(sph->context, bad < 0, RIND_ERROR_INVALID,
               "point %lld is not at a finite place (not a number, or infinite)",
               (long long)(sph->halo.id ? sph->halo.id[bad] : bad));
  return RIND_OK;
}

static rind_error run_device(rind_sph *sph, const rind_sph_wanted *want) {
  rind_device_sph_result result = {.bad = -1};
  void *const none[3] = {NULL, NULL, NULL};
  const int before = rind_context_enter_device(sph->context, RIND_DEVICE);
  const int code =
      rind_device_sph_run(sph->device, (int)sph->points.count, sph->points.position, want->density,
                          want->gradient ? want->gradient : none, sph->context->stream, &result);
  rind_context_leave_device(before);
  RIND_REQUIRE(sph->context, code == 0, RIND_ERROR_DEVICE, "the device failed: %s",
               rind_device_error_text(code));
  RIND_TRY(say_where(sph, result.bad));
  if (want->loss) *want->loss = result.loss;
  return RIND_OK;
}

static rind_error reserve_densities(rind_sph *sph, int64_t count) {
  if (count <= sph->density_room) return RIND_OK;
  free(sph->density);
  sph->density = NULL;
  sph->density_room = 0;
  sph->density = malloc((size_t)count * sizeof *sph->density);
  RIND_REQUIRE(sph->context, sph->density, RIND_ERROR_MEMORY, "no memory for %lld densities",
               (long long)count);
  sph->density_room = count;
  return RIND_OK;
}

/* Of the own ones of the sorted points; 0 for the others. */
static double square_of_excess(const rind_sph *sph, int p) {
  const rind_sph_list *list = &sph->list;
  if (list->num_own < list->count && (int)list->index[p] >= list->num_own) return 0;
  const double excess = list->excess[p] - sph->numbers.rest_density;
  return excess * excess;
}

/* Collective for sets. Slices are exact, and the greatest of numbers is, so the sums are alike in
 * any order, over points and over ranks. */
static rind_error find_loss(const rind_sph *sph, double *loss) {
  const bool is_set = sph->particles != NULL;
  const MPI_Comm comm = sph->context->comm;
  const int count = sph->list.count;
  double largest = 0, sum[RIND_SPH_SLICES] = {0};
  for (int p = 0; p < count; ++p) {
    const double square = square_of_excess(sph, p);
    largest = square > largest ? square : largest;
  }
  int code = MPI_SUCCESS;
  if (is_set) code = MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
  const int64_t all = is_set ? rind_particles_num_global(sph->particles) : count;
  const rind_sph_slicer slicer = rind_sph_slicer_of(largest, (double)all);
  for (int p = 0; p < count; ++p)
    rind_sph_slice(&slicer, square_of_excess(sph, p), sum);
  if (is_set && code == MPI_SUCCESS)
    code = MPI_Allreduce(MPI_IN_PLACE, sum, RIND_SPH_SLICES, MPI_DOUBLE, MPI_SUM, comm);
  RIND_REQUIRE(sph->context, code == MPI_SUCCESS, RIND_ERROR_MPI, "MPI_Allreduce of a loss failed");
  *loss = rind_sph_total(sum);
  return RIND_OK;
}

/* Own points and those of the halo, sorted. */
static rind_error build_list(rind_sph *sph) {
  const rind_sph_points *points = &sph->points;
  const rind_sph_halo *halo = &sph->halo;
  const rind_sph_source source = {
      .num_own = (int)points->count,
      .count = (int)(points->count + halo->count),
      .type = sph->options.type,
      .position = {points->position[0], points->position[1], points->position[2]},
      .others = {halo->position[0], halo->position[1], halo->position[2]},
      .id = halo->id};
  int bad = -1;
  RIND_REQUIRE(sph->context,
               rind_sph_list_build(&sph->grid, &source, sph->context->threads, &sph->list, &bad),
               RIND_ERROR_MEMORY, "no memory to sort %d points", source.count);
  RIND_TRY(say_where(sph, bad));
  return sph->particles ? reserve_densities(sph, source.count) : RIND_OK;
}

/* Collective for sets. */
static rind_error agree(const rind_sph *sph, rind_error error) {
  return sph->particles ? rind_context_agree(sph->context, error) : error;
}

/* Collective. Sends own densities, takes those of the halo. */
static rind_error exchange_densities(rind_sph *sph) {
  rind_sph_list_give_density(&sph->list, RIND_FLOAT64, sph->density, sph->context->threads);
  RIND_TRY(rind_sph_halo_densities(&sph->halo, sph->points.count, sph->density));
  rind_sph_list_take_density(&sph->list, sph->density);
  return RIND_OK;
}

static rind_error run_host(rind_sph *sph, const rind_sph_wanted *want) {
  const int threads = sph->context->threads;
  if (sph->particles) RIND_TRY(rind_sph_take_set(sph));
  RIND_TRY(agree(sph, build_list(sph)));
  rind_sph_list *list = &sph->list;
  rind_sph_list_density(list, &sph->numbers, threads);
  if (want->density) rind_sph_list_give_density(list, sph->options.type, want->density, threads);
  if (want->loss) RIND_TRY(agree(sph, find_loss(sph, want->loss)));
  if (!want->gradient) return RIND_OK;
  if (sph->particles) RIND_TRY(exchange_densities(sph));
  rind_sph_list_gradient(list, &sph->numbers, sph->options.type, want->gradient, threads);
  return RIND_OK;
}

static rind_error run(rind_sph *sph, const rind_sph_wanted *want) {
  sph->has_run = false;
  RIND_TRY(sph->device ? run_device(sph, want) : run_host(sph, want));
  sph->has_run = true;
  return RIND_OK;
}

/* What every call needs. */
static rind_error check(const rind_sph *sph, bool has_outputs, const char *call) {
  RIND_REQUIRE(sph->context, sph->has_points, RIND_ERROR_STATE,
               "there are no points: call rind_sph_set_points first");
  const int64_t count = sph->particles ? rind_particles_count(sph->particles) : sph->points.count;
  RIND_REQUIRE(sph->context, has_outputs || count == 0, RIND_ERROR_INVALID,
               "%s: an array for results is NULL", call);
  return RIND_OK;
}

rind_error rind_sph_density(rind_sph *sph, void *density) {
  if (!sph) return RIND_ERROR_INVALID;
  RIND_TRY(agree(sph, check(sph, density, "rind_sph_density")));
  return run(sph, &(rind_sph_wanted){.density = density});
}

rind_error rind_sph_loss(rind_sph *sph, double *loss) {
  if (!sph) return RIND_ERROR_INVALID;
  RIND_TRY(agree(sph, check(sph, true, "rind_sph_loss")));
  double found = 0;
  RIND_TRY(run(sph, &(rind_sph_wanted){.loss = &found}));
  if (loss) *loss = found;
  return RIND_OK;
}

rind_error rind_sph_gradient(rind_sph *sph, void *const gradient[3], double *loss) {
  if (!sph) return RIND_ERROR_INVALID;
  bool complete = gradient != NULL;
  for (int a = 0; complete && a < sph->grid.dim; ++a)
    complete = gradient[a] != NULL;
  RIND_TRY(agree(sph, check(sph, complete, "rind_sph_gradient")));
  static void *const none[3] = {NULL, NULL, NULL};
  double found = 0;
  RIND_TRY(run(sph, &(rind_sph_wanted){.gradient = gradient ? gradient : none, .loss = &found}));
  if (loss) *loss = found;
  return RIND_OK;
}

rind_error rind_sph_get_stats(rind_sph *sph, rind_sph_stats *stats) {
  if (!sph) return RIND_ERROR_INVALID;
  RIND_REQUIRE(sph->context, stats, RIND_ERROR_INVALID, "rind_sph_get_stats: stats is NULL");
  RIND_REQUIRE(sph->context, sph->has_run, RIND_ERROR_STATE,
               "nothing has been worked out: ask for a density, a loss or a gradient first");
  rind_sph_stats found = {.num_points = sph->points.count, .num_halo = sph->halo.count};
  for (int a = 0; a < 3; ++a)
    found.cells[a] = sph->grid.cells[a];
  if (sph->device) {
    const int before = rind_context_enter_device(sph->context, RIND_DEVICE);
    const int code = rind_device_sph_count(sph->device, sph->context->stream, &found.largest_cell,
                                           &found.pair_slots);
    rind_context_leave_device(before);
    RIND_REQUIRE(sph->context, code == 0, RIND_ERROR_DEVICE, "the device failed: %s",
                 rind_device_error_text(code));
    found.bytes = rind_device_sph_bytes(sph->device);
  } else {
    rind_sph_list_count(&sph->list, &found.largest_cell, &found.pair_slots);
    found.bytes = rind_sph_list_bytes(&sph->list) + sph->density_room * (int64_t)sizeof(double);
  }
  *stats = found;
  return RIND_OK;
}
