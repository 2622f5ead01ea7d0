/* exchange_scene.h - small forests, and fields on them in the caller's memory. */
#pragma once
#include <core.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>

/* Surrounded: a coarse block among 56 fine ones, for what depends on the number of neighbours.
 * Small blocks: scene half with 4^3 cells a block, whose coarse cells all read the same ghosts. */
enum { NUM_SCENES = 6, SCENE_HALF = 4, SCENE_SURROUNDED = NUM_SCENES, SCENE_SMALL_BLOCKS };

typedef struct scene {
  const char *name;
  int dim;
  int cells;
  int ghosts;
  rind_context *context;
  rind_forest *forest;
  rind_schedule *schedule;
} scene;

/* Collective over comm. Scene number 0 to NUM_SCENES - 1, or one of the others, with the given
 * rules.
 */
void scene_create(MPI_Comm comm, int number, int threads, const rind_rules *rules, scene *s);
void scene_destroy(scene *s);

/* Memory arrangements. Strange: cells far apart, axes in another order, blocks interleaved. */
typedef enum shape { SHAPE_PACKED, SHAPE_BLOCKS, SHAPE_WIDE, SHAPE_STRANGE, NUM_SHAPES } shape;

typedef struct memory {
  char *data; /* all ones before: NaN */
  size_t num_elements;
  void **block; /* [num_blocks], for blocks storage */
  int seed;
  rind_layout layout;
  rind_field *field;
} memory;

/* Interiors hold values made of block, cell and component, all else is NaN. */
void memory_create(const scene *s, shape kind, rind_type type, rind_component_order order,
                   int components, memory *m);
/* The same with other values. */
void memory_create_seeded(const scene *s, shape kind, rind_type type, rind_component_order order,
                          int components, int seed, memory *m);
void memory_destroy(memory *m);

/* Interiors as they were, ghosts of the regions that have neighbours written, all else as it was.
 * Returns the number of elements where that is not so. */
long memory_faults(const scene *s, const memory *m, const rind_rules *rules);

/* All padded cells of all local blocks, [block][component][k][j][i]; in doubles, to be freed. */
double *memory_collect(const scene *s, const memory *m);
size_t collected_per_block(const scene *s, int components);

/* The padded cells of a block, axis 0 fastest; false after the last. */
void first_cell(const scene *s, int cell[3]);
bool next_cell(const scene *s, int cell[3]);
bool is_interior(const scene *s, const int cell[3]);
/* Element of a component and cell, counted from a field's pointer. */
ptrdiff_t cell_offset(const rind_layout *layout, const int cell[3], int component);
void store(void *pointer, rind_type type, ptrdiff_t at, double value);
/* In (-1, 1), of full precision, and of no rank. */
double made_value(int64_t global, const int cell[3], int component);
