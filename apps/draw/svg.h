/* svg.h - the picture of a schedule as SVG: blocks by rank, and the cells of one fill. */
#pragma once
#include <stdbool.h>
#include <stdio.h>

/* A leaf, or a cell of the chosen fill; lower corner and sides in the caller's coordinates. */
typedef enum svg_kind {
  SVG_BLOCK,  /* of a rank, on a level */
  SVG_CELL,   /* of the destination's or a source's block: its grid */
  SVG_GHOST,  /* of the destination block: its ghosts' grid */
  SVG_OWN,    /* a cell of the destination block that a term reads */
  SVG_SOURCE, /* a cell of another block that a term reads */
  SVG_FILLED, /* a ghost that the fill writes */
  SVG_ARROW   /* from a source cell to the first ghost, with the weight */
} svg_kind;

typedef struct svg_item {
  double kind; /* svg_kind; all doubles, to travel in one message */
  double x, y, w, h;
  double number; /* block: rank; arrow: weight */
  double level;  /* block */
} svg_item;

typedef struct svg_picture {
  const svg_item *item;
  int num_items;
  int num_ranks;
  double width;        /* pixels */
  const char *caption; /* one line */
  bool adjoint;        /* the fill is one of an adjoint: cells and ghosts change places */
} svg_picture;

/* False if the file could not be written. */
bool svg_write(FILE *file, const svg_picture *picture);
