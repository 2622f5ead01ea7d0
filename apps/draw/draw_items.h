/* draw_items.h - what a picture of a schedule is made of: blocks, cells, arrows. */
#pragma once
#include <mpi.h>
#include <rind/rind.h>
#include <svg.h>

enum { DRAW_CAPTION = 200 };

/* The items of this rank. */
typedef struct draw_items {
  svg_item *item;
  int num, room;
  bool lost; /* no memory */
} draw_items;

/* The rank's blocks. */
void draw_add_blocks(draw_items *items, const rind_forest *forest, int rank);
/* A fill: its block, the ghosts that it writes, what it reads, and arrows. */
void draw_add_fill(draw_items *items, const rind_schedule *schedule, int fill,
                   const rind_fill_view *view);
/* Collective. All ranks' items on rank 0; the caption [DRAW_CAPTION] of the rank that has one.
 * False without memory. */
bool draw_collect(MPI_Comm comm, const draw_items *mine, draw_items *all, char *caption);
