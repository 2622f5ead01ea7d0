/* deposit.c - deposits a set's attributes on a field and folds the ghosts; and the gradient. */
#include <exchange_data.h>
#include <set_on_device.h>

#include <device_cloud.h>
#include <device_memory.h>
#include <schedule_data.h>

#include <stdlib.h>

/* Sums are kept if what falls behind a wall comes back. */
static bool keeps_sums(rind_wall wall) {
  return wall == RIND_WALL_EVEN || wall == RIND_WALL_CONSTANT;
}

static rind_error check_walls(const rind_exchange *exchange) {
  const rind_rules *rules = &exchange->schedule->rules;
  const rind_forest_arrays *arrays = rind_forest_get_arrays(exchange->schedule->forest);
  unsigned walls = 0;
  for (int b = 0; b < arrays->num_local; ++b)
    walls |= arrays->walls[b];
  for (int c = 0; c < (rules->component_wall ? rules->num_components : 1); ++c)
    for (int w = 0; w < 6; ++w) {
      const rind_wall wall = rules->component_wall ? rules->component_wall[c][w] : rules->wall[w];
      RIND_REQUIRE(exchange->context, !(walls >> w & 1) || keeps_sums(wall), RIND_ERROR_MISMATCH,
                   "wall %d of the rules is %d: a deposit needs RIND_WALL_EVEN (%d) or "
                   "RIND_WALL_CONSTANT (%d), or what falls behind it is lost",
                   w, (int)wall, (int)RIND_WALL_EVEN, (int)RIND_WALL_CONSTANT);
    }
  RIND_REQUIRE(exchange->context, rules->regions == RIND_REGIONS_ALL, RIND_ERROR_MISMATCH,
               "the rules fill faces only: a deposit needs all regions, or what falls on corners "
               "is lost");
  return RIND_OK;
}

static rind_error check(const rind_particles *set, const int *attribute, rind_exchange *exchange,
                        rind_field *field) {
  if (!set)
    return rind_context_fail(exchange->context, RIND_ERROR_INVALID, "the set of particles is NULL");
  rind_context *context = set->context;
  RIND_REQUIRE(context, exchange && field && attribute, RIND_ERROR_INVALID, "%s is NULL",
               !attribute ? "attribute"
               : exchange ? "field"
                          : "exchange");
  RIND_TRY(rind_particles_check(set));
  RIND_REQUIRE(context, exchange->schedule->forest == set->forest, RIND_ERROR_MISMATCH,
               "the exchange is of another forest than the particles");
  RIND_REQUIRE(context, exchange->state == RIND_EXCHANGE_IDLE, RIND_ERROR_STATE,
               "a fill or adjoint has begun with this exchange: end it before a deposit");
  RIND_TRY(rind_exchange_check_single(exchange, RIND_EXCHANGE_ADJOINT));
  RIND_TRY(rind_exchange_check_fields(exchange, &field));
  RIND_REQUIRE(context, exchange->adjoint, RIND_ERROR_STATE,
               "the exchange was made without an adjoint: ask for one in its options");
  RIND_TRY(check_walls(exchange));
  RIND_REQUIRE(context, field->layout.ghosts >= 1, RIND_ERROR_MISMATCH,
               "the field has no ghosts: a deposit needs a layer");
  RIND_REQUIRE(
      context,
      set->options.groups == RIND_GROUPS_CENTRES && set->options.cells == field->layout.cells,
      RIND_ERROR_STATE,
      "the particles are sorted into groups of %d cells, kind %d: sort them into "
      "RIND_GROUPS_CENTRES (%d) of the field's %d",
      set->options.cells, (int)set->options.groups, (int)RIND_GROUPS_CENTRES, field->layout.cells);
  for (int c = 0; c < field->layout.components; ++c)
    RIND_REQUIRE(context, attribute[c] >= -1 && attribute[c] < set->num_attributes,
                 RIND_ERROR_INVALID, "component %d is to get attribute %d: -1 to %d it must be", c,
                 attribute[c], set->num_attributes - 1);
  return RIND_OK;
}

static rind_cloud cloud_of(const rind_particles *set) {
  return (rind_cloud){.dim = set->dim,
                      .cells = set->options.cells,
                      .num_blocks = set->num_blocks,
                      .num_groups = set->num_groups,
                      .box = set->box,
                      .position = {set->position[0], set->position[1], set->position[2]},
                      .first_in_group = set->first_in_group};
}

static rind_cloud_grid grid_of(const rind_field *field, int component) {
  const rind_layout *layout = &field->layout;
  rind_cloud_grid grid = {.type = layout->type,
                          .ghosts = layout->ghosts,
                          .offset = component * layout->component_stride,
                          .pointer =
                              field->device_pointer ? field->device_pointer : field->pointer};
  for (int a = 0; a < layout->dim; ++a)
    grid.cell_stride[a] = layout->cell_stride[a];
  return grid;
}

/* Attribute k where the field is; NULL for -1. */
static const double *values_of(const rind_particles *set, bool on_device, int k) {
  if (k < 0) return NULL;
  return on_device ? set->device->attribute[k] : set->attribute[k];
}

static rind_error check_device(const rind_particles *set, int code) {
  RIND_REQUIRE(set->context, code == 0, RIND_ERROR_DEVICE, "a deposit on the device failed: %s",
               rind_device_error_text(code));
  return RIND_OK;
}

static rind_error deposit_host(const rind_particles *set, const int *attribute,
                               const rind_field *field) {
  const rind_cloud cloud = cloud_of(set);
  const size_t width = (size_t)field->layout.cells + 2, threads = (size_t)set->context->threads;
  double *scratch =
      rind_allocate(threads * width * width * (set->dim == 3 ? width : 1), sizeof *scratch);
  RIND_REQUIRE(set->context, scratch, RIND_ERROR_MEMORY,
               "no memory for the sums of a block of %d cells on %zu threads", field->layout.cells,
               threads);
  for (int c = 0; c < field->layout.components; ++c) {
    const rind_cloud_grid grid = grid_of(field, c);
    rind_cloud_deposit_host(&cloud, values_of(set, false, attribute[c]), &grid,
                            set->context->threads, scratch);
  }
  free(scratch);
  return RIND_OK;
}

static rind_error deposit_device(const rind_particles *set, const int *attribute,
                                 const rind_field *field) {
  rind_cloud cloud = cloud_of(set);
  RIND_TRY(rind_particles_device_cloud(set, &cloud));
  for (int c = 0; c < field->layout.components; ++c) {
    const rind_cloud_grid grid = grid_of(field, c);
    RIND_TRY(check_device(set, rind_device_cloud_deposit(&cloud, values_of(set, true, attribute[c]),
                                                         &grid, set->device->sums,
                                                         set->context->stream)));
  }
  return RIND_OK;
}

rind_error rind_deposit(const rind_particles *particles, const int *attribute,
                        rind_exchange *exchange, rind_field *field) {
  if (!particles && !exchange) return RIND_ERROR_INVALID;
  rind_context *context = particles ? particles->context : exchange->context;
  rind_error error = check(particles, attribute, exchange, field);
  if (error == RIND_OK && field->layout.space == RIND_DEVICE && !particles->device)
    error = rind_particles_device_cloud(particles, NULL);
  RIND_TRY(rind_context_agree(context, error));
  const int before = rind_context_enter_device(context, field->layout.space);
  error = field->layout.space == RIND_DEVICE ? deposit_device(particles, attribute, field)
                                             : deposit_host(particles, attribute, field);
  rind_context_leave_device(before);
  RIND_TRY(rind_context_agree(context, error));
  return rind_context_agree(context, rind_fill_adjoint(exchange, field));
}

static void gather_host(const rind_particles *set, const int *attribute, const rind_field *field,
                        double *const by_position[3], double *const *by_attribute) {
  const rind_cloud cloud = cloud_of(set);
  for (int c = 0; c < field->layout.components; ++c) {
    const rind_cloud_grid grid = grid_of(field, c);
    rind_cloud_gather_host(&cloud, values_of(set, false, attribute[c]), &grid,
                           set->context->threads, c > 0, by_position,
                           by_attribute ? by_attribute[c] : NULL);
  }
}

/* Results of the device: the caller's array if it is there, else the set's. */
static double *result_of(double *wanted, double *spare) {
  return !wanted || rind_device_holds(wanted) ? wanted : spare;
}

/* What is not yet where it is wanted goes there. */
static rind_error bring(const rind_particles *set, const double *from, double *to) {
  if (from == to) return RIND_OK;
  RIND_TRY(rind_context_wait(set->context));
  return check_device(set, rind_device_copy(to, from, (size_t)set->count * sizeof *to));
}

static rind_error gather_device(const rind_particles *set, const int *attribute,
                                const rind_field *field, double *const by_position[3],
                                double *const *by_attribute) {
  rind_cloud cloud = cloud_of(set);
  const rind_particles_device *device = set->device;
  RIND_TRY(rind_particles_device_cloud(set, &cloud));
  if (set->count == 0) return RIND_OK;
  double *slope[3] = {NULL, NULL, NULL};
  for (int a = 0; a < set->dim; ++a)
    slope[a] = result_of(by_position[a], device->slope[a]);
  for (int c = 0; c < field->layout.components; ++c) {
    const rind_cloud_grid grid = grid_of(field, c);
    double *wanted = by_attribute ? by_attribute[c] : NULL, *to = result_of(wanted, device->value);
    RIND_TRY(check_device(set, rind_device_cloud_gather(&cloud, device->group, set->count,
                                                        values_of(set, true, attribute[c]), &grid,
                                                        c > 0, slope, to, set->context->stream)));
    RIND_TRY(bring(set, to, wanted));
  }
  for (int a = 0; a < set->dim; ++a)
    RIND_TRY(bring(set, slope[a], by_position[a]));
  return RIND_OK;
}

rind_error rind_deposit_gradient(const rind_particles *particles, const int *attribute,
                                 rind_exchange *exchange, rind_field *field,
                                 double *const by_position[3], double *const *by_attribute) {
  if (!particles && !exchange) return RIND_ERROR_INVALID;
  rind_context *context = particles ? particles->context : exchange->context;
  double *const none[3] = {NULL, NULL, NULL};
  rind_error error = check(particles, attribute, exchange, field);
  if (error == RIND_OK && field->layout.space == RIND_DEVICE && !particles->device)
    error = rind_particles_device_cloud(particles, NULL);
  RIND_TRY(rind_context_agree(context, error));
  RIND_TRY(rind_context_agree(context, rind_fill(exchange, field)));
  if (!by_position) by_position = none;
  if (field->layout.space == RIND_HOST) {
    gather_host(particles, attribute, field, by_position, by_attribute);
    return RIND_OK;
  }
  return rind_context_agree(context,
                            gather_device(particles, attribute, field, by_position, by_attribute));
}
