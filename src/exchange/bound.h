/* bound.h - a gather that owns its rows and fills. */
#pragma once
#include <gather.h>

typedef struct rind_bound {
  rind_type to_type;
  rind_type source_type;
  rind_gather_row *row; /* [num_rows]; weights and offsets of a row are one allocation */
  int num_rows;
  int row_room;
  rind_gather_fill *fill; /* [num_fills] */
  int num_fills;
  int fill_room;
  uint8_t *pair;            /* [num_fills] rind_gather_pair, or NULL */
  rind_gather_swap *swap;   /* [num_rows], where there are pairs, or NULL */
  size_t term_bytes;        /* of all rows' weights and offsets */
  size_t list_bytes;        /* of all lists of cells */
  rind_gather_ahead *ahead; /* or NULL; with what it points to one allocation */
  size_t ahead_bytes;
  struct rind_device_gather *device; /* the same on the device, or NULL */
} rind_bound;

/* A new last row with zeroed weights and offsets, to be written through the two pointers and then
 * finished (rind_gather_row_finish). NULL without memory. Valid until the next row is added. */
rind_gather_row *rind_bound_add_row(rind_bound *bound, int num_terms, int num_lanes,
                                    double **weight, ptrdiff_t **offset);
/* Packs the rows of one cell among the rows from first_row on, to which no fill belongs yet, into
 * rows of points, the last: one for those of one component, and for those of as many of them. No
 * two rows may write one value. False without memory. */
bool rind_bound_pack_points(rind_bound *bound, int first_row, int components,
                            ptrdiff_t component_stride);
/* False without memory. */
bool rind_bound_add_fill(rind_bound *bound, int row, int to, int source);
/* Says which fills run together, where destinations and sources are the same blocks; for the host
 * alone, and last. It may move fills, each within its batch [first[b], first[b + 1]). False without
 * memory. */
bool rind_bound_find_pairs(rind_bound *bound, const int *first, int num_batches);
/* Says which fills run in fours, and nothing else; else the same. */
bool rind_bound_find_fours(rind_bound *bound, const int *first, int num_batches);
/* Says which fills run together as lists of cells; for fills on the host, not for adjoints, after
 * the pairs. False without memory. */
bool rind_bound_find_lists(rind_bound *bound);
/* Has lines of each block asked for before fills touch them, where num_blocks blocks of layout are
 * too much for a cache to keep. For fills on the host from and to these blocks, which run from the
 * first to the last; last of all. again: once more where a block comes back, for fills that touch
 * most of it not the first time but later. False without memory. */
bool rind_bound_look_ahead(rind_bound *bound, const rind_layout *layout, int num_blocks,
                           bool again);
/* Gives back room that was not needed. */
void rind_bound_trim(rind_bound *bound);
/* The engine's view. Valid until a row or fill is added. */
rind_gather rind_bound_gather(const rind_bound *bound);
int64_t rind_bound_bytes(const rind_bound *bound);
/* Frees what bound holds and leaves it empty. */
void rind_bound_clear(rind_bound *bound);
