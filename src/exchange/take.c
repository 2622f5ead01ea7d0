/* take.c - layouts and options as the caller gives them: checked and copied. */
#include <exchange_data.h>

#include <device_memory.h>

#include <limits.h>
#include <stdlib.h>

static const size_t default_message_bytes = (size_t)1 << 30;

static rind_error take_layout(rind_exchange *exchange, int f, const rind_layout *layouts) {
  const rind_layout *layout = &layouts[f];
  const rind_schedule *schedule = exchange->schedule;
  rind_context *context = exchange->context;
  rind_layout complete = *layout;
  if (complete.dim == 0) complete.dim = schedule->dim;
  RIND_REQUIRE(context, complete.dim == schedule->dim, RIND_ERROR_MISMATCH,
               "the layout has dimension %d, the schedule %d", complete.dim, schedule->dim);
  RIND_REQUIRE(context, complete.cells == schedule->cells && complete.ghosts == schedule->ghosts,
               RIND_ERROR_MISMATCH,
               "the layout has %d cells and %d ghosts, the schedule %d cells and %d ghosts",
               complete.cells, complete.ghosts, schedule->cells, schedule->ghosts);
  RIND_REQUIRE(context, complete.space != RIND_DEVICE || rind_device_count() > 0,
               RIND_ERROR_UNSUPPORTED,
               "the layout is in device memory, and there is no CUDA device here, or no CUDA in "
               "this build");
  RIND_REQUIRE(context, complete.space == layouts[0].space, RIND_ERROR_UNSUPPORTED,
               "field %d is in space %d, field 0 in %d: the fields of an exchange share one", f,
               (int)complete.space, (int)layouts[0].space);
  RIND_TRY(rind_layout_complete(context, schedule->num_local, &complete));
  exchange->field[f].layout = complete;
  return RIND_OK;
}

/* Numbers the field's components, and gives its walls values of 0. */
static rind_error start_field(rind_exchange *exchange, int f) {
  rind_exchange_field *field = &exchange->field[f];
  const int count = field->layout.components;
  const rind_components *before = f > 0 ? &exchange->field[f - 1].components : NULL;
  const int first = before ? before->first + before->count : 0;
  RIND_REQUIRE(exchange->context, count <= INT_MAX - first, RIND_ERROR_OVERFLOW,
               "field %d has %d components after %d of other fields: at most %d they may be", f,
               count, first, INT_MAX);
  field->components = (rind_components){.first = first, .count = count};
  field->wall_value = rind_allocate((size_t)count, 6 * sizeof *field->wall_value);
  RIND_REQUIRE(exchange->context, field->wall_value, RIND_ERROR_MEMORY,
               "no memory for the walls' values of %d components", count);
  for (int wall = 0; wall < 6; ++wall)
    field->wall_start[wall] = field->wall_value + (ptrdiff_t)wall * count;
  return RIND_OK;
}

static rind_error take_fields(rind_exchange *exchange, const rind_layout *layouts, int num_fields) {
  rind_context *context = exchange->context;
  RIND_REQUIRE(context, layouts, RIND_ERROR_INVALID, "the layout is NULL");
  RIND_REQUIRE(context, num_fields >= 1, RIND_ERROR_INVALID,
               "an exchange of %d fields: at least 1 it must be", num_fields);
  exchange->field = rind_allocate((size_t)num_fields, sizeof *exchange->field);
  exchange->begun = rind_allocate((size_t)num_fields, sizeof *exchange->begun);
  RIND_REQUIRE(context, exchange->field && exchange->begun, RIND_ERROR_MEMORY,
               "no memory for an exchange of %d fields", num_fields);
  exchange->num_fields = num_fields;
  for (int f = 0; f < num_fields; ++f) {
    RIND_TRY(take_layout(exchange, f, layouts));
    RIND_TRY(start_field(exchange, f));
  }
  const rind_rules *rules = &exchange->schedule->rules;
  const rind_components *last = &exchange->field[num_fields - 1].components;
  RIND_REQUIRE(context,
               !rules->component_wall || rules->num_components == last->first + last->count,
               RIND_ERROR_MISMATCH,
               "the rules have walls of %d components, the exchange's fields have %d together",
               rules->num_components, last->first + last->count);
  return RIND_OK;
}

static bool needs_function(const rind_rules *rules) {
  for (int c = 0; c < (rules->component_wall ? rules->num_components : 1); ++c)
    for (int w = 0; w < 6; ++w)
      if ((rules->component_wall ? rules->component_wall[c][w] : rules->wall[w]) ==
          RIND_WALL_FUNCTION)
        return true;
  return false;
}

/* The caller's functions of walls are there if they are needed. */
static rind_error check_functions(const rind_exchange *exchange,
                                  const rind_exchange_options *options) {
  if (!needs_function(&exchange->schedule->rules) ||
      !(options->families >> RIND_FAMILY_FUNCTION & 1))
    return RIND_OK;
  RIND_REQUIRE(exchange->context, options->wall_function, RIND_ERROR_INVALID,
               "the rules have a wall of the caller's function, and wall_function is NULL");
  RIND_REQUIRE(exchange->context, options->wall_adjoint || !options->adjoint, RIND_ERROR_INVALID,
               "the rules have a wall of the caller's function, and wall_adjoint is NULL");
  return RIND_OK;
}

static rind_error take_options(rind_exchange *exchange, const rind_exchange_options *options) {
  rind_context *context = exchange->context;
  const uint32_t all = ((uint32_t)1 << RIND_NUM_FAMILIES) - 1;
  rind_exchange_options taken = options ? *options : (rind_exchange_options){0};
  RIND_REQUIRE(
      context, taken.method == RIND_METHOD_FUSED || taken.method == RIND_METHOD_TERM_BY_TERM,
      RIND_ERROR_INVALID, "the method is %d: fused (0) or term by term (1)", (int)taken.method);
  RIND_REQUIRE(context,
               taken.adjoint_method == RIND_ADJOINT_TRANSPOSED ||
                   taken.adjoint_method == RIND_ADJOINT_PER_TERM,
               RIND_ERROR_INVALID, "the adjoint's method is %d: transposed (0) or per term (1)",
               (int)taken.adjoint_method);
  RIND_REQUIRE(context, (taken.families & ~all) == 0, RIND_ERROR_INVALID,
               "families is 0x%x: there are %d families, so at most 0x%x", taken.families,
               (int)RIND_NUM_FAMILIES, all);
  RIND_REQUIRE(
      context, taken.method == RIND_METHOD_FUSED || exchange->field[0].layout.space == RIND_HOST,
      RIND_ERROR_UNSUPPORTED, "the method is term by term: on the device fills are fused (0)");
  if (taken.families == 0) taken.families = all;
  if (taken.max_message_bytes == 0) taken.max_message_bytes = default_message_bytes;
  RIND_REQUIRE(context, taken.max_message_bytes <= INT_MAX, RIND_ERROR_INVALID,
               "max_message_bytes is %zu: at most %d", taken.max_message_bytes, INT_MAX);
  RIND_REQUIRE(context, taken.num_vectors >= 0 && (taken.vector || taken.num_vectors == 0),
               RIND_ERROR_INVALID, "%d vectors, and vector is %s", taken.num_vectors,
               taken.vector ? "given" : "NULL");
  RIND_TRY(check_functions(exchange, &taken));
  taken.vector = NULL;
  exchange->options = taken;
  return RIND_OK;
}

/* Marks the components of vector v, which begins with component first of all fields. */
static rind_error take_vector(rind_exchange *exchange, int v, int first) {
  rind_context *context = exchange->context;
  const int dim = exchange->schedule->dim;
  int f = 0;
  while (f + 1 < exchange->num_fields && exchange->field[f + 1].components.first <= first)
    ++f;
  rind_components *components = &exchange->field[f].components;
  const int64_t last = (int64_t)first + dim - 1,
                end = (int64_t)components->first + components->count;
  RIND_REQUIRE(context, first >= 0 && last < end, RIND_ERROR_INVALID,
               "vector %d is components %d to %lld: inside one field they must be, field %d has "
               "%d to %lld",
               v, first, (long long)last, f, components->first, (long long)end - 1);
  if (!components->vector_axis) {
    components->vector_axis = rind_allocate((size_t)components->count, 1);
    RIND_REQUIRE(context, components->vector_axis, RIND_ERROR_MEMORY,
                 "no memory for the vectors of %d components", components->count);
    for (int c = 0; c < components->count; ++c)
      components->vector_axis[c] = -1;
  }
  for (int a = 0; a < dim; ++a) {
    int8_t *axis = &components->vector_axis[first - components->first + a];
    RIND_REQUIRE(context, *axis < 0, RIND_ERROR_INVALID,
                 "vector %d is components %d to %lld, and %d is of a vector before it", v, first,
                 (long long)last, first + a);
    *axis = (int8_t)a;
  }
  return RIND_OK;
}

rind_error rind_exchange_take(rind_exchange *exchange, const rind_layout *layouts, int num_fields,
                              const rind_exchange_options *options) {
  RIND_REQUIRE(exchange->context, !exchange->schedule->is_adjoint, RIND_ERROR_INVALID,
               "the schedule is an adjoint, which is for looking at: make the exchange of the one "
               "that fills, with rind_exchange_options.adjoint");
  RIND_TRY(take_fields(exchange, layouts, num_fields));
  RIND_TRY(take_options(exchange, options));
  for (int v = 0; v < exchange->options.num_vectors; ++v)
    RIND_TRY(take_vector(exchange, v, options->vector[v]));
  return RIND_OK;
}
