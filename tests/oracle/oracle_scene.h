/* oracle_scene.h - what the oracle's tests share: random forests, guarded memory, the verdict. */
#pragma once
#include "oracle.h"

/* Everything that a case is made of; the same on every rank. */
typedef struct scene {
  uint64_t seed;
  rind_brick brick;
  int max_level; /* refined at random up to it, */
  int percent;   /* so likely */
  int ghosts;    /* layers that the field has */
  int cells;
  int components;
  int threads;
  rind_rules rules;
  rind_type type;
  rind_storage storage;
  rind_component_order order;
  rind_method method;
  bool wide; /* strides with gaps */
} scene;

/* A field's memory, with gaps around every block. */
typedef struct scene_memory {
  rind_layout layout; /* complete */
  int num_blocks;
  size_t elements;
  size_t *origin; /* [num_blocks] element of interior cell (0, 0, 0), component 0 */
  void *data;     /* [elements] */
  void *before;   /* [elements], as data was before the fill */
} scene_memory;

/* Scrambled bits of a key; the next draw below bound of a stream. */
uint64_t scene_mix(uint64_t key);
int scene_draw(uint64_t *state, int bound);
/* A double of random sign, magnitude (2^-8 to 2^8) and mantissa; user is a uint64_t seed. */
double scene_noise(const void *user, int leaf, const int cell[3], int component);

/* Case number index of a campaign, cells left open (0). */
scene scene_random(uint64_t seed, int index);
/* Cells such that about budget ghost values at most are to be judged. */
void scene_choose_cells(scene *s, int64_t num_blocks, double budget);
/* One line. */
void scene_print(const scene *s, char text[512]);

/* Whether to refine a block: at random, but three scenes of four split their first block, so that
 * few stay uniform. */
bool scene_splits(const scene *s, int32_t tree, int level, const int32_t coordinate[3]);
/* Collective. The scene's brick, refined and balanced in full. */
rind_error scene_create_forest(rind_context *context, const scene *s, rind_forest **forest);

typedef struct scene_mesh {
  struct p4est *p4est; /* in 2D */
  struct p8est *p8est; /* in 3D */
} scene_mesh;

/* Collective. The same in a p4est of ours on all ranks, balanced no further than the rules need:
 * across faces only if only faces are filled. Borrows *s and *mesh; free the mesh last. */
rind_error scene_wrap_forest(rind_context *context, scene *s, scene_mesh *mesh,
                             rind_forest **forest);
void scene_free_mesh(scene_mesh *mesh);

/* Collective. Memory full of NaNs that tell where they are from, and a field wrapped around it. */
rind_error scene_create_field(const rind_forest *forest, const scene *s, scene_memory *memory,
                              rind_field **field);
/* Interiors get their values, everything else its NaN. */
void scene_poison(scene_memory *memory, const rind_forest *forest, oracle_value value,
                  const void *user);
/* Bits of an element, zero-extended. */
uint64_t scene_bits(const scene_memory *memory, int block, const int cell[3], int component);
double scene_value(const scene_memory *memory, int block, const int cell[3], int component);
void scene_free_memory(scene_memory *memory);

/* Visits the cells of a padded block: begins at the lowest ghost, false after the last. */
void scene_first_cell(const scene_memory *memory, int cell[3]);
bool scene_next_cell(const scene_memory *memory, int cell[3]);

typedef struct scene_verdict {
  long covered;                   /* ghost cells of local blocks, */
  long family[RIND_NUM_FAMILIES]; /* by family */
  long wrong;                     /* values that differ from the oracle's */
  long touched;                   /* elements changed that the rules leave alone */
  char text[512];                 /* about the first wrong one */
} scene_verdict;

/* Compares all memory with what the oracle says should be there. */
scene_verdict scene_judge(const scene_memory *memory, const rind_forest *forest,
                          const oracle *judge, const rind_rules *rules, oracle_value value,
                          const void *user);
