/* sph_run.c - what is asked of a rind_sph: densities, loss, gradient. */
#include <sph_data.h>

#include <stdlib.h>

#include <device_memory.h>

/* What a call wants; NULL: not this. */
typedef struct wanted {
  void *density;
  void *const *gradient; /* [3] */
  double *loss;
} wanted;

static rind_error say_where(const rind_sph *sph, int64_t bad) {
  RIND_REQUIRE(sph->context, bad < 0, RIND_ERROR_INVALID,
               "point %lld is not at a finite place (not a number, or infinite)", (long long)bad);
  return RIND_OK;
}

static rind_error run_device(rind_sph *sph, const wanted *want) {
  rind_device_sph_result result = {.bad = -1};
  void *const none[3] = {NULL, NULL, NULL};
  const int code =
      rind_device_sph_run(sph->device, (int)sph->points.count, sph->points.position, want->density,
                          want->gradient ? want->gradient : none, sph->context->stream, &result);
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

static void give_densities(const rind_sph *sph, int64_t count, void *to) {
  for (int64_t i = 0; i < count; ++i) {
    if (sph->options.type == RIND_FLOAT64)
      ((double *)to)[i] = sph->density[i];
    else
      ((float *)to)[i] = (float)sph->density[i];
  }
}

static double square_of_excess(const rind_sph *sph, int64_t i) {
  const double excess = sph->density[i] - sph->numbers.rest_density;
  return excess * excess;
}

static double loss_of(const rind_sph *sph, int64_t count) {
  double largest = 0, sum[RIND_SPH_SLICES] = {0};
  for (int64_t i = 0; i < count; ++i) {
    const double square = square_of_excess(sph, i);
    largest = square > largest ? square : largest;
  }
  const rind_sph_slicer slicer = rind_sph_slicer_of(largest, (double)count);
  for (int64_t i = 0; i < count; ++i)
    rind_sph_slice(&slicer, square_of_excess(sph, i), sum);
  return rind_sph_total(sum);
}

static rind_error run_host(rind_sph *sph, const wanted *want) {
  const rind_sph_points *points = &sph->points;
  const rind_sph_source source = {
      .num_own = (int)points->count,
      .count = (int)points->count,
      .type = sph->options.type,
      .position = {points->position[0], points->position[1], points->position[2]}};
  int bad = -1;
  RIND_REQUIRE(sph->context, rind_sph_list_build(&sph->grid, &source, &sph->list, &bad),
               RIND_ERROR_MEMORY, "no memory to sort %d points", source.count);
  RIND_TRY(say_where(sph, bad));
  RIND_TRY(reserve_densities(sph, source.count));
  rind_sph_list_density(&sph->list, &sph->numbers, sph->density, sph->context->threads);
  if (want->density) give_densities(sph, source.num_own, want->density);
  if (want->loss) *want->loss = loss_of(sph, source.num_own);
  if (want->gradient)
    rind_sph_list_gradient(&sph->list, &sph->numbers, sph->density, sph->options.type,
                           want->gradient, sph->context->threads);
  return RIND_OK;
}

static rind_error run(rind_sph *sph, const wanted *want) {
  RIND_REQUIRE(sph->context, sph->has_points, RIND_ERROR_STATE,
               "there are no points: call rind_sph_set_points first");
  sph->has_run = false;
  RIND_TRY(sph->device ? run_device(sph, want) : run_host(sph, want));
  sph->has_run = true;
  return RIND_OK;
}

rind_error rind_sph_density(rind_sph *sph, void *density) {
  if (!sph) return RIND_ERROR_INVALID;
  RIND_REQUIRE(sph->context, density || (sph->has_points && sph->points.count == 0),
               RIND_ERROR_INVALID, "rind_sph_density: density is NULL");
  return run(sph, &(wanted){.density = density});
}

rind_error rind_sph_loss(rind_sph *sph, double *loss) {
  if (!sph) return RIND_ERROR_INVALID;
  RIND_REQUIRE(sph->context, loss, RIND_ERROR_INVALID, "rind_sph_loss: loss is NULL");
  return run(sph, &(wanted){.loss = loss});
}

rind_error rind_sph_gradient(rind_sph *sph, void *const gradient[3], double *loss) {
  if (!sph) return RIND_ERROR_INVALID;
  RIND_REQUIRE(sph->context, gradient, RIND_ERROR_INVALID, "rind_sph_gradient: gradient is NULL");
  for (int a = 0; a < sph->grid.dim; ++a)
    RIND_REQUIRE(sph->context, gradient[a] || (sph->has_points && sph->points.count == 0),
                 RIND_ERROR_INVALID, "rind_sph_gradient: the array of axis %d is NULL", a);
  return run(sph, &(wanted){.gradient = gradient, .loss = loss});
}

rind_error rind_sph_get_stats(rind_sph *sph, rind_sph_stats *stats) {
  if (!sph) return RIND_ERROR_INVALID;
  RIND_REQUIRE(sph->context, stats, RIND_ERROR_INVALID, "rind_sph_get_stats: stats is NULL");
  RIND_REQUIRE(sph->context, sph->has_run, RIND_ERROR_STATE,
               "nothing has been worked out: ask for a density, a loss or a gradient first");
  rind_sph_stats found = {.num_points = sph->points.count};
  for (int a = 0; a < 3; ++a)
    found.cells[a] = sph->grid.cells[a];
  if (sph->device) {
    const int code = rind_device_sph_count(sph->device, sph->context->stream, &found.largest_cell,
                                           &found.pair_slots);
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
