/* oracle_view.h - a leaf as the axes of another block see it; rows are written in that frame. */
#pragma once
#include "oracle.h"

typedef struct oracle_view {
  int cells;
  int leaf;
  oracle_frame frame; /* along axis a of the row's block runs frame.axis[a] of the leaf */
  int cell[3];        /* of the leaf, along the axes of the row's block */
  int upper[3];       /* of a ghost in a coarser cell: 1 in its upper half */
} oracle_view;

/* Cell (c[0], c[1], c[2]) along the axes of the row's block. */
void oracle_add_term(const oracle_view *view, const int c[3], double weight, oracle_row *row);
/* The block itself, a cell of it. */
oracle_view oracle_view_self(const oracle *judge, int leaf, const int cell[3]);
/* The leaf of another level's grid that holds place, as the row's block sees it. */
bool oracle_view_find(const oracle *judge, int level, const oracle_place *place, oracle_view *view);
/* The coarser leaf that a ghost of leaf lies in, as the leaf sees it. */
bool oracle_view_coarser(const oracle *judge, int leaf, const int cell[3], oracle_view *view);

/* The row of a ghost next to blocks; false if they are not of one level, at most one apart. */
bool oracle_block_row(const oracle *judge, const rind_rules *rules, int leaf, const int cell[3],
                      oracle_row *row);
/* Rows of a ghost in the coarser leaf of view; layer counts in a face, 0 in a corner. */
void oracle_conservative_row(const oracle *judge, int leaf, const int ghost[3], const int o[3],
                             int layer, const oracle_view *view, oracle_row *row);
void oracle_user_row(const oracle *judge, const rind_taps *taps, const oracle_view *view,
                     oracle_row *row);
/* Of a ghost in layer 1 of a face, over finer leaves. */
bool oracle_flux_row(const oracle *judge, int leaf, const int ghost[3], const int o[3],
                     const oracle_place *place, oracle_row *row);

oracle_region_kind oracle_kind_of(const oracle *judge, int leaf, const int o[3]);
/* The rows of ghosts that no block lies at. */
bool oracle_corner_row(const oracle *judge, int leaf, const int ghost[3], const int o[3],
                       oracle_row *row);
bool oracle_wall_row(const oracle *judge, const rind_rules *rules, int component, int leaf,
                     const int ghost[3], const int o[3], oracle_row *row);
