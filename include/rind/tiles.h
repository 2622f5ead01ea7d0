/* rind/tiles.h - blocks with their ghosts for the caller's own kernels: ghosts need not be stored.
 *
 * A tile is the image of one padded block of a field, in memory of the caller's kernel: shared
 * memory of a thread block on the device. A kernel that loads a tile by <rind/tiles.cuh> copies the
 * interior and makes each ghost by its row while it loads, from the interiors of other blocks, with
 * the bits that rind_fill would store. Ghosts whose rows read blocks of other ranks are loaded from
 * the field, where rind_fill_remote puts them:
 *
 *     rind_fill_remote(exchange, field);              nothing to do on one rank
 *     rind_tiles_get_view(tiles, field, &view);       once a field
 *     kernel<<<view.num_blocks, threads, view.tile_bytes, stream>>>(view, ..);
 *
 * Cells lie in a tile as in a block of the field, with the field's strides. docs/tiles.md has a
 * complete kernel. */
#pragma once
#include <rind/exchange.h>

typedef struct rind_tiles rind_tiles;

/* A unit of copies is so many values for each thread of a warp. */
enum { RIND_TILE_COPIES = 4 };

/* Rows and units are for rind/tiles.cuh alone. Value v of a row is that of cell v >> lane_bits of
 * its box, loop 0 fastest, and of the lane in the lowest lane_bits bits of v. */
typedef struct rind_tile_row {
  int32_t is_copy; /* of chunks: loop 0 steps from one to the next */
  int32_t chunk;   /* elements */
  int32_t lane_bits;
  int32_t num_terms;
  int32_t num_own_first; /* terms of the tile itself, the others are of the source */
  int32_t num_own_last;
  int32_t reads_wall; /* the source is the values of a wall, in double */
  int32_t first_weight;
  int32_t first_offset;
  int32_t copy_offset; /* of a copy: the source's only offset */
  uint32_t num_values;
  uint32_t magic[3]; /* v / extent[d] is (v * magic[d]) >> 32, or v if that is 0 */
  uint32_t extent[4];
  int32_t to_stride[4];
  int32_t own_stride[4];
  int32_t source_stride[4];
  int32_t to_offset[4];
  int32_t own_offset[4];
} rind_tile_row;

/* Values of a row that a warp runs at once, from first on. */
typedef struct rind_tile_unit {
  int32_t row;
  int32_t source; /* local block or wall */
  uint32_t first;
} rind_tile_unit;

/* What a kernel gets, by value. Pointers are to the space of the field. Valid as long as tiles and
 * field. Callers use the members up to pointer. */
typedef struct rind_tile_view {
  int num_blocks;           /* local */
  size_t tile_bytes;        /* of a tile, a multiple of 16 */
  ptrdiff_t cell_stride[3]; /* elements, as in the field */
  ptrdiff_t component_stride;
  ptrdiff_t interior;   /* elements from a tile's beginning to interior cell (0, 0, 0) */
  void *const *pointer; /* [num_blocks], interior cell (0, 0, 0) of component 0 */
  int32_t aligned;      /* blocks begin at multiples of 16 bytes: chunks are copied whole */
  int32_t num_stages;
  const int32_t *first_unit; /* [num_blocks * num_stages + 1] */
  const rind_tile_unit *unit;
  const rind_tile_row *row;
  const double *weight;
  const int32_t *offset;
  const double *wall_value; /* [6][components] */
  int32_t components;
  rind_tile_row inside; /* the copy of a block's interior */
} rind_tile_view;

RIND_BEGIN_DECLS

/* Collective. Tiles of field number field of an exchange, in the space of its layout. Borrows
 * exchange, which must outlive *tiles. RIND_ERROR_UNSUPPORTED for rules with flux-matched
 * restriction (it reads ghosts of other blocks) or walls of RIND_WALL_FUNCTION, and for blocks of
 * more than 65535 elements with their ghosts. Ghosts that the rules do not cover are left as they
 * are in a tile. */
RIND_API rind_error rind_tiles_create(const rind_exchange *exchange, int field, rind_tiles **tiles);
/* Accepts NULL. */
RIND_API void rind_tiles_destroy(rind_tiles **tiles);

/* The tiles of a field of the exchange's layout, as its blocks lie. RIND_ERROR_STALE or
 * RIND_ERROR_MISMATCH as rind_fill. Not collective. */
RIND_API rind_error rind_tiles_get_view(const rind_tiles *tiles, const rind_field *field,
                                        rind_tile_view *view);
/* Bytes of the tables. */
RIND_API int64_t rind_tiles_metadata_bytes(const rind_tiles *tiles);

RIND_END_DECLS
