/* tile_table.h - rows and units of tiles under construction, on the host. */
#pragma once
#include <exchange_data.h>
#include <rind/tiles.h>

/* A unit and where it belongs. */
typedef struct rind_tile_entry {
  rind_tile_unit unit;
  int32_t block;
  int32_t stage;
} rind_tile_entry;

typedef struct rind_tile_table {
  const rind_layout *layout; /* borrowed, complete */
  int num_blocks;
  int num_stages;
  rind_tile_row *row; /* [num_rows] */
  int num_rows, row_room;
  double *weight; /* [num_weights] */
  int num_weights, weight_room;
  int32_t *offset; /* [num_offsets] */
  int num_offsets, offset_room;
  rind_tile_entry *entry; /* [num_units], in the order of the calls */
  int num_units, entry_room;
  rind_tile_unit *unit; /* [num_units], by block and stage, once sorted */
  int32_t *first_unit;  /* [num_blocks * num_stages + 1], once sorted */
} rind_tile_table;

void rind_tile_table_open(const rind_layout *layout, int num_blocks, int num_stages,
                          rind_tile_table *table);
void rind_tile_table_close(rind_tile_table *table);

/* Adds the fills of a bound gather to a stage, those with own terms of stage 0 to stage 1. False
 * without memory, as all below. */
bool rind_tile_table_add(rind_tile_table *table, const rind_bound *bound, int stage, bool walls);
/* Adds copies of the stored ghosts that the fills of a bound gather write, to stage 0. */
bool rind_tile_table_add_stored(rind_tile_table *table, const rind_bound *bound);
/* Units by block and stage, copies first. */
bool rind_tile_table_sort(rind_tile_table *table);

/* The copy of a block's interior. */
void rind_tile_row_of_inside(const rind_layout *layout, rind_tile_row *row);
