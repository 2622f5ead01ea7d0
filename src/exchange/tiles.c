/* tiles.c - tables by which a kernel loads blocks with their ghosts: units of rows, by block and
 * stage.
 *
 * Stage 0 reads other blocks and stored ghosts only; stage 1 is the rows of the first phase that
 * read their own block too; each later phase is a stage. */
#include <tile_table.h>

#include <device_memory.h>
#include <on_device.h>
#include <rind/tiles.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_TILE = 65535 };

struct rind_tiles {
  const rind_exchange *exchange; /* borrowed */
  int field;
  rind_space space;
  rind_tile_view view; /* its tables are the tiles' own; pointer and aligned are a field's */
  int64_t bytes;
};

static const rind_layout *layout_of(const rind_exchange *exchange, int field) {
  return &exchange->field[field].layout;
}

/* By the rules, so that ranks agree. */
static rind_error check_rules(const rind_exchange *exchange) {
  const rind_rules *rules = &exchange->schedule->rules;
  RIND_REQUIRE(exchange->context, rules->restriction != RIND_RESTRICTION_FLUX_MATCHED,
               RIND_ERROR_UNSUPPORTED,
               "flux-matched restriction reads ghosts of other blocks, which tiles do not have: "
               "RIND_RESTRICTION_AVERAGE would do");
  const int sets = rules->component_wall ? rules->num_components : 1;
  for (int c = 0; c < sets; ++c)
    for (int wall = 0; wall < 6; ++wall)
      RIND_REQUIRE(
          exchange->context,
          (rules->component_wall ? rules->component_wall[c] : rules->wall)[wall] !=
              RIND_WALL_FUNCTION,
          RIND_ERROR_UNSUPPORTED,
          "wall %d is the caller's function, which tiles cannot call: RIND_WALL_NONE leaves its "
          "ghosts to the kernel",
          wall);
  return RIND_OK;
}

static rind_error check(const rind_exchange *exchange, int field) {
  rind_context *context = exchange->context;
  RIND_REQUIRE(context, field >= 0 && field < exchange->num_fields, RIND_ERROR_INVALID,
               "field %d of an exchange of %d: 0 to %d it must be", field, exchange->num_fields,
               exchange->num_fields - 1);
  RIND_TRY(rind_exchange_check_schedule(exchange->schedule));
  RIND_TRY(check_rules(exchange));
  const size_t elements = rind_layout_block_elements(layout_of(exchange, field));
  RIND_REQUIRE(context, elements <= LARGEST_TILE, RIND_ERROR_UNSUPPORTED,
               "a block with its ghosts is %zu elements: a tile has at most %d", elements,
               LARGEST_TILE);
  return RIND_OK;
}

/* The fills of all stages that are of one block here, as units. */
static bool add_units(const rind_exchange *exchange, int field, rind_tile_table *table) {
  for (int p = 0; p < exchange->num_phases; ++p) {
    const rind_exchange_part *part = &exchange->phase[p].part[field];
    const bool walls = exchange->phase[p].kind == RIND_PHASE_WALLS;
    if (!rind_tile_table_add(table, &part->local, p == 0 ? 0 : p + 1, walls) ||
        !rind_tile_table_add_stored(table, &part->remote))
      return false;
  }
  return rind_tile_table_sort(table);
}

/* A table in the tiles' space; NULL for one of no bytes. */
static rind_error copy(rind_tiles *tiles, const void *table, size_t count, size_t bytes,
                       const void **made) {
  void *memory = NULL;
  RIND_TRY(rind_space_allocate(tiles->exchange->context, tiles->space, count * bytes, &memory));
  *made = memory;
  tiles->bytes += (int64_t)(count * bytes);
  if (count == 0) return RIND_OK;
  if (tiles->space == RIND_HOST) {
    memcpy(memory, table, count * bytes);
    return RIND_OK;
  }
  const int code = rind_device_copy(memory, table, count * bytes);
  RIND_REQUIRE(tiles->exchange->context, code == 0, RIND_ERROR_DEVICE,
               "copying tables of tiles failed on the device: %s", rind_device_error_text(code));
  return RIND_OK;
}

static rind_error copy_tables(rind_tiles *tiles, const rind_tile_table *table) {
  rind_tile_view *view = &tiles->view;
  const void *made[5] = {NULL};
  rind_error error =
      copy(tiles, table->first_unit, (size_t)table->num_blocks * (size_t)table->num_stages + 1,
           sizeof *table->first_unit, &made[0]);
  if (error == RIND_OK)
    error = copy(tiles, table->unit, (size_t)table->num_units, sizeof *table->unit, &made[1]);
  if (error == RIND_OK)
    error = copy(tiles, table->row, (size_t)table->num_rows, sizeof *table->row, &made[2]);
  if (error == RIND_OK)
    error = copy(tiles, table->weight, (size_t)table->num_weights, sizeof *table->weight, &made[3]);
  if (error == RIND_OK)
    error = copy(tiles, table->offset, (size_t)table->num_offsets, sizeof *table->offset, &made[4]);
  view->first_unit = made[0];
  view->unit = made[1];
  view->row = made[2];
  view->weight = made[3];
  view->offset = made[4];
  return error;
}

static void describe(rind_tiles *tiles, const rind_exchange_field *field) {
  const rind_layout *layout = &field->layout;
  const size_t bytes = rind_layout_block_elements(layout) * rind_type_bytes(layout->type);
  rind_tile_view *view = &tiles->view;
  view->tile_bytes = (bytes + 15) / 16 * 16;
  for (int a = 0; a < layout->dim; ++a)
    view->cell_stride[a] = layout->cell_stride[a];
  view->component_stride = layout->component_stride;
  view->interior = rind_layout_interior_offset(layout);
  view->components = layout->components;
  view->wall_value = tiles->space == RIND_DEVICE ? field->device_wall_value : field->wall_value;
  rind_tile_row_of_inside(layout, &view->inside);
}

static rind_error make(const rind_exchange *exchange, int field, rind_tiles *tiles) {
  rind_tile_table table = {0};
  tiles->exchange = exchange;
  tiles->field = field;
  tiles->space = layout_of(exchange, field)->space;
  tiles->view.num_blocks = exchange->schedule->num_local;
  tiles->view.num_stages = exchange->num_phases + 1;
  rind_tile_table_open(layout_of(exchange, field), tiles->view.num_blocks, tiles->view.num_stages,
                       &table);
  rind_error error = RIND_OK;
  if (!add_units(exchange, field, &table))
    error = rind_context_fail(exchange->context, RIND_ERROR_MEMORY,
                              "no memory for the tiles of %d blocks", tiles->view.num_blocks);
  const int before = rind_context_enter_device(exchange->context, tiles->space);
  if (error == RIND_OK) error = copy_tables(tiles, &table);
  rind_context_leave_device(before);
  if (error == RIND_OK) describe(tiles, &exchange->field[field]);
  rind_tile_table_close(&table);
  return error;
}

rind_error rind_tiles_create(const rind_exchange *exchange, int field, rind_tiles **tiles) {
  if (!exchange) return RIND_ERROR_INVALID;
  rind_context *context = exchange->context;
  rind_tiles *made = rind_allocate(1, sizeof *made);
  rind_error error = RIND_CHECK_RESULT(context, tiles);
  if (error == RIND_OK) error = check(exchange, field);
  if (error == RIND_OK && !made)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for tiles");
  if (error == RIND_OK) error = make(exchange, field, made);
  error = rind_context_agree(context, error);
  if (error != RIND_OK) {
    rind_tiles_destroy(&made);
    return error;
  }
  *tiles = made;
  return RIND_OK;
}

void rind_tiles_destroy(rind_tiles **tiles) {
  if (!tiles || !*tiles) return;
  const rind_tile_view *view = &(*tiles)->view;
  const void *const tables[5] = {view->first_unit, view->unit, view->row, view->weight,
                                 view->offset};
  for (int t = 0; t < 5; ++t)
    rind_space_free((*tiles)->space, (void *)tables[t]);
  free(*tiles);
  *tiles = NULL;
}

rind_error rind_tiles_get_view(const rind_tiles *tiles, const rind_field *field,
                               rind_tile_view *view) {
  if (!tiles) return RIND_ERROR_INVALID;
  const rind_exchange *exchange = tiles->exchange;
  RIND_REQUIRE(exchange->context, field && view, RIND_ERROR_INVALID, "%s is NULL",
               field ? "view" : "field");
  RIND_TRY(rind_exchange_check_schedule(exchange->schedule));
  RIND_TRY(rind_exchange_check_field(exchange, tiles->field, field));
  rind_tile_view made = tiles->view;
  made.pointer = field->device_pointer ? field->device_pointer : field->pointer;
  made.aligned = 1;
  for (int b = 0; b < field->num_blocks; ++b)
    if ((uintptr_t)field->block_data[b] % 16 != 0) made.aligned = 0;
  *view = made;
  return RIND_OK;
}

int64_t rind_tiles_metadata_bytes(const rind_tiles *tiles) {
  return tiles ? tiles->bytes : 0;
}
