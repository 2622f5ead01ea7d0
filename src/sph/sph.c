/* sph.c - density, loss and gradient of particles in plain arrays, on the host or the device. */
#include <sph_data.h>

#include <stdlib.h>

#include <device_memory.h>

rind_error rind_sph_check_model(rind_context *context, int dim, rind_sph_model *model) {
  RIND_REQUIRE(context, dim == 2 || dim == 3, RIND_ERROR_INVALID, "dim is %d, should be 2 or 3",
               dim);
  RIND_REQUIRE(context, model->h > 0 && rind_sph_is_finite(model->h), RIND_ERROR_INVALID,
               "the smoothing length is %g, should be above 0", model->h);
  RIND_REQUIRE(context, rind_sph_is_finite(model->mass) && model->mass >= 0, RIND_ERROR_INVALID,
               "the mass of a particle is %g, should be above 0, or 0 for 1", model->mass);
  RIND_REQUIRE(context, rind_sph_is_finite(model->rest_density), RIND_ERROR_INVALID,
               "the rest density is %g, should be a number", model->rest_density);
  if (model->mass == 0) model->mass = 1;
  const rind_sph_numbers numbers =
      rind_sph_numbers_of(dim, model->h, model->mass, model->rest_density);
  RIND_REQUIRE(context,
               numbers.far > 0 && rind_sph_is_finite(numbers.inverse_h) &&
                   rind_sph_is_finite(numbers.far) && rind_sph_is_finite(numbers.gradient_scale),
               RIND_ERROR_INVALID,
               "the smoothing length is %g and the mass %g: their kernel has no double", model->h,
               model->mass);
  return RIND_OK;
}

static rind_error fail_device(const rind_sph *sph, int code) {
  RIND_REQUIRE(sph->context, code == 0, RIND_ERROR_DEVICE, "the device failed: %s",
               rind_device_error_text(code));
  return RIND_OK;
}

static rind_error make_box(rind_sph *made, const rind_sph_box *box) {
  char text[256];
  RIND_REQUIRE(made->context,
               rind_sph_grid_make(box->dim, made->model.h, box->lower, box->upper, box->periodic,
                                  &made->grid, text, sizeof text),
               RIND_ERROR_INVALID, "%s", text);
  made->numbers =
      rind_sph_numbers_of(box->dim, made->model.h, made->model.mass, made->model.rest_density);
  if (made->options.space == RIND_HOST) return RIND_OK;
  RIND_REQUIRE(made->context, rind_device_count() > 0, RIND_ERROR_UNSUPPORTED,
               "there is no CUDA device here, or no CUDA in this build: use RIND_HOST");
  const int before = rind_context_enter_device(made->context, RIND_DEVICE);
  const int code =
      rind_device_sph_create(&made->grid, &made->numbers, made->options.type, &made->device);
  rind_context_leave_device(before);
  return fail_device(made, code);
}

rind_error rind_sph_create_box(rind_context *context, const rind_sph_model *model,
                               const rind_sph_box *box, const rind_sph_options *options,
                               rind_sph **sph) {
  if (!context) return RIND_ERROR_INVALID;
  RIND_REQUIRE(context, model && box && sph, RIND_ERROR_INVALID,
               "rind_sph_create_box: model, box or sph is NULL");
  const rind_sph_options chosen = options ? *options : (rind_sph_options){.type = RIND_FLOAT64};
  RIND_REQUIRE(context,
               (chosen.type == RIND_FLOAT64 || chosen.type == RIND_FLOAT32) &&
                   (chosen.space == RIND_HOST || chosen.space == RIND_DEVICE),
               RIND_ERROR_INVALID, "type %d or space %d is none of the enums' values",
               (int)chosen.type, (int)chosen.space);
  rind_sph_model checked = *model;
  RIND_TRY(rind_sph_check_model(context, box->dim, &checked));
  rind_sph *made = rind_allocate(1, sizeof *made);
  RIND_REQUIRE(context, made, RIND_ERROR_MEMORY, "no memory for a rind_sph");
  made->context = context;
  made->model = checked;
  made->options = chosen;
  const rind_error error = make_box(made, box);
  if (error != RIND_OK) {
    rind_sph_destroy(&made);
    return error;
  }
  *sph = made;
  return RIND_OK;
}

rind_error rind_sph_set_points(rind_sph *sph, const rind_sph_points *points) {
  if (!sph) return RIND_ERROR_INVALID;
  RIND_REQUIRE(sph->context, points, RIND_ERROR_INVALID, "rind_sph_set_points: points is NULL");
  RIND_REQUIRE(sph->context, !sph->particles, RIND_ERROR_STATE,
               "the points of this object are a set's: make one with rind_sph_create_box");
  RIND_REQUIRE(sph->context, points->count >= 0, RIND_ERROR_INVALID, "%lld points: not below 0",
               (long long)points->count);
  /* A part of the working memory is an eighth longer. */
  RIND_REQUIRE(sph->context, points->count <= INT32_MAX / 9 * 8 - 16, RIND_ERROR_OVERFLOW,
               "%lld points on one rank: at most %d", (long long)points->count,
               INT32_MAX / 9 * 8 - 16);
  for (int a = 0; a < sph->grid.dim; ++a)
    RIND_REQUIRE(sph->context, points->position[a] || points->count == 0, RIND_ERROR_INVALID,
                 "the positions along axis %d are NULL", a);
  sph->points = *points;
  sph->has_points = true;
  return RIND_OK;
}

void rind_sph_destroy(rind_sph **sph) {
  if (!sph || !*sph) return;
  rind_sph_halo_destroy(&(*sph)->halo);
  rind_sph_list_free(&(*sph)->list);
  rind_device_sph_destroy(&(*sph)->device);
  free((*sph)->density);
  free(*sph);
  *sph = NULL;
}
