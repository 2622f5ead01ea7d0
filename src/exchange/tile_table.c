/* tile_table.c - rows of gathers as rows of tiles, their units, and the order of these. */
#include <tile_table.h>

#include <core.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void rind_tile_table_open(const rind_layout *layout, int num_blocks, int num_stages,
                          rind_tile_table *table) {
  *table = (rind_tile_table){.layout = layout, .num_blocks = num_blocks, .num_stages = num_stages};
}

void rind_tile_table_close(rind_tile_table *table) {
  free(table->row);
  free(table->weight);
  free(table->offset);
  free(table->entry);
  free(table->unit);
  free(table->first_unit);
  *table = (rind_tile_table){0};
}

/* Room for count more items. */
static bool grow(void **array, int num_items, int count, int *room, size_t item_bytes) {
  if (count <= *room - num_items) return true;
  const int64_t wanted = 2 * ((int64_t)num_items + count);
  if (wanted > INT_MAX) return false;
  void *moved = realloc(*array, (size_t)wanted * item_bytes);
  if (!moved) return false;
  *array = moved;
  *room = (int)wanted;
  return true;
}

static rind_tile_row *add_row(rind_tile_table *table) {
  void *rows = table->row;
  if (!grow(&rows, table->num_rows, 1, &table->row_room, sizeof *table->row)) return NULL;
  table->row = rows;
  rind_tile_row *row = &table->row[table->num_rows++];
  *row = (rind_tile_row){.chunk = 1};
  return row;
}

static bool add_terms(rind_tile_table *table, const rind_gather_row *from, rind_tile_row *row) {
  const int num_weights = from->num_terms * from->num_lanes;
  void *weights = table->weight, *offsets = table->offset;
  if (!grow(&weights, table->num_weights, num_weights, &table->weight_room, sizeof *table->weight))
    return false;
  table->weight = weights;
  if (!grow(&offsets, table->num_offsets, from->num_terms, &table->offset_room,
            sizeof *table->offset))
    return false;
  table->offset = offsets;
  row->first_weight = table->num_weights;
  row->first_offset = table->num_offsets;
  for (int w = 0; w < num_weights; ++w)
    table->weight[table->num_weights++] = from->weight[w];
  for (int t = 0; t < from->num_terms; ++t)
    table->offset[table->num_offsets++] = (int32_t)from->offset[t];
  return true;
}

static void set_loops(const rind_gather_row *from, rind_tile_row *row) {
  row->num_values = (uint32_t)from->num_lanes;
  row->lane_bits = from->num_lanes == 4 ? 2 : from->num_lanes == 2 ? 1 : 0;
  for (int d = 0; d < 4; ++d) {
    row->extent[d] = (uint32_t)from->extent[d];
    row->num_values *= row->extent[d];
    row->to_stride[d] = (int32_t)from->to_stride[d];
    row->own_stride[d] = (int32_t)from->own_stride[d];
    row->source_stride[d] = (int32_t)from->source_stride[d];
  }
}

/* v / extent by a product: exact for v * extent < 2^32, and tiles have less than 2^16 values. */
static void set_magic(rind_tile_row *row) {
  for (int d = 0; d < 3; ++d)
    row->magic[d] = row->extent[d] == 1 ? 0 : (uint32_t)((UINT64_C(1) << 32) / row->extent[d] + 1);
}

/* True if a copy's cells come in aligned runs of chunk elements on both sides. */
static bool has_chunks(const rind_tile_row *row, ptrdiff_t interior, int chunk) {
  bool has = row->extent[0] % (uint32_t)chunk == 0 && row->to_stride[0] == 1 &&
             row->source_stride[0] == 1 && (row->to_offset[0] + interior) % chunk == 0 &&
             (row->copy_offset + interior) % chunk == 0;
  for (int d = 1; d < 4; ++d)
    has = has && row->to_stride[d] % chunk == 0 && row->source_stride[d] % chunk == 0;
  return has;
}

static void set_copy(const rind_layout *layout, rind_tile_row *row) {
  const int most = 16 / (int)rind_type_bytes(layout->type);
  row->is_copy = 1;
  for (int chunk = most; chunk > 1 && row->chunk == 1; chunk /= 2)
    if (has_chunks(row, rind_layout_interior_offset(layout), chunk)) row->chunk = chunk;
  row->extent[0] /= (uint32_t)row->chunk;
  row->num_values /= (uint32_t)row->chunk;
  row->to_stride[0] *= row->chunk;
  row->source_stride[0] *= row->chunk;
}

static bool convert(rind_tile_table *table, const rind_gather_row *from, bool walls) {
  rind_tile_row *row = add_row(table);
  if (!row) return false;
  set_loops(from, row);
  row->num_terms = from->num_terms;
  row->num_own_first = from->num_own_first;
  row->num_own_last = from->num_own_last;
  row->reads_wall = walls;
  for (int lane = 0; lane < from->num_lanes; ++lane) {
    row->to_offset[lane] = (int32_t)from->to_offset[lane];
    row->own_offset[lane] = (int32_t)from->own_offset[lane];
  }
  if (from->body == RIND_GATHER_COPY && !walls) {
    row->copy_offset = (int32_t)from->offset[0];
    set_copy(table->layout, row);
  } else if (!add_terms(table, from, row)) {
    return false;
  }
  set_magic(row);
  return true;
}

/* The copy of the cells that one lane writes, from the same place of the block. */
static bool convert_stored(rind_tile_table *table, const rind_gather_row *from, int lane) {
  rind_gather_row stored = *from;
  rind_tile_row *row = add_row(table);
  if (!row) return false;
  stored.num_lanes = 1;
  memcpy(stored.source_stride, stored.to_stride, sizeof stored.source_stride);
  memset(stored.own_stride, 0, sizeof stored.own_stride);
  set_loops(&stored, row);
  row->to_offset[0] = row->copy_offset = (int32_t)from->to_offset[lane];
  set_copy(table->layout, row);
  set_magic(row);
  return true;
}

/* The units of a row. */
static bool add_units(rind_tile_table *table, int number, int block, int source, int stage) {
  const rind_tile_row *row = &table->row[number];
  const uint32_t size = row->is_copy ? 32 * RIND_TILE_COPIES : 32;
  for (uint32_t first = 0; first < row->num_values; first += size) {
    void *entries = table->entry;
    if (!grow(&entries, table->num_units, 1, &table->entry_room, sizeof *table->entry))
      return false;
    table->entry = entries;
    table->entry[table->num_units++] = (rind_tile_entry){
        .unit = {.row = number, .source = source, .first = first}, .block = block, .stage = stage};
  }
  return true;
}

bool rind_tile_table_add(rind_tile_table *table, const rind_bound *bound, int stage, bool walls) {
  const int first_row = table->num_rows;
  for (int r = 0; r < bound->num_rows; ++r)
    if (!convert(table, &bound->row[r], walls)) return false;
  for (int f = 0; f < bound->num_fills; ++f) {
    const rind_gather_fill *fill = &bound->fill[f];
    const rind_gather_row *row = &bound->row[fill->row];
    const bool waits = stage == 0 && row->num_own_first + row->num_own_last > 0;
    if (!add_units(table, first_row + fill->row, fill->to, fill->source, waits ? 1 : stage))
      return false;
  }
  return true;
}

bool rind_tile_table_add_stored(rind_tile_table *table, const rind_bound *bound) {
  int *first_row = rind_allocate((size_t)bound->num_rows + 1, sizeof *first_row);
  bool added = first_row != NULL;
  for (int r = 0; added && r < bound->num_rows; ++r) {
    first_row[r] = table->num_rows;
    for (int lane = 0; added && lane < bound->row[r].num_lanes; ++lane)
      added = convert_stored(table, &bound->row[r], lane);
  }
  for (int f = 0; added && f < bound->num_fills; ++f) {
    const rind_gather_fill *fill = &bound->fill[f];
    for (int lane = 0; added && lane < bound->row[fill->row].num_lanes; ++lane)
      added = add_units(table, first_row[fill->row] + lane, fill->to, fill->to, 0);
  }
  free(first_row);
  return added;
}

/* Where an entry is counted: copies of a stage, then its sums. */
static size_t place_of(const rind_tile_table *table, const rind_tile_entry *entry) {
  const size_t stage = (size_t)entry->block * (size_t)table->num_stages + (size_t)entry->stage;
  return 2 * stage + (table->row[entry->unit.row].is_copy ? 0 : 1);
}

bool rind_tile_table_sort(rind_tile_table *table) {
  const size_t stages = (size_t)table->num_blocks * (size_t)table->num_stages;
  int32_t *first = rind_allocate(2 * stages + 1, sizeof *first);
  table->unit = rind_allocate((size_t)table->num_units, sizeof *table->unit);
  table->first_unit = rind_allocate(stages + 1, sizeof *table->first_unit);
  if (!first || !table->unit || !table->first_unit) {
    free(first);
    return false;
  }
  for (int u = 0; u < table->num_units; ++u)
    ++first[place_of(table, &table->entry[u]) + 1];
  for (size_t s = 0; s < 2 * stages; ++s)
    first[s + 1] += first[s];
  for (size_t s = 0; s <= stages; ++s)
    table->first_unit[s] = first[2 * s];
  for (int u = 0; u < table->num_units; ++u)
    table->unit[first[place_of(table, &table->entry[u])]++] = table->entry[u].unit;
  free(first);
  return true;
}

void rind_tile_row_of_inside(const rind_layout *layout, rind_tile_row *row) {
  rind_gather_row inside = {
      .num_lanes = 1, .num_terms = 1, .extent = {1, 1, 1, layout->components}};
  const double weight = 1.0;
  ptrdiff_t offset = 0;
  inside.weight = &weight;
  inside.offset = &offset;
  inside.to_stride[3] = layout->component_stride;
  for (int a = 0; a < layout->dim; ++a) {
    inside.extent[a] = layout->cells;
    inside.to_stride[a] = layout->cell_stride[a];
  }
  memcpy(inside.source_stride, inside.to_stride, sizeof inside.source_stride);
  rind_gather_row_finish(&inside, &offset, true);
  *row = (rind_tile_row){.chunk = 1};
  set_loops(&inside, row);
  set_copy(layout, row);
  set_magic(row);
}
