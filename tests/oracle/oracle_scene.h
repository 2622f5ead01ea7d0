/* oracle_scene.h - what the oracle's tests share: random forests, guarded memory, the verdict. */
#pragma once
#include "oracle.h"

enum { SCENE_MAX_COMPONENTS = 8, SCENE_MAX_VECTORS = 2 };

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
  /* Of scene_extend. */
  bool by_component; /* walls differ between components */
  rind_wall component_wall[SCENE_MAX_COMPONENTS][6];
  rind_taps taps;
  double wall_values[6 * SCENE_MAX_COMPONENTS]; /* [6][components] */
  int num_vectors;
  int vector[SCENE_MAX_VECTORS];
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
/* Draws again what rules, walls, components and vectors a scene has, out of all there are. */
void scene_extend(scene *s);
/* The scene's rules with their pointers, which lead into *s. */
rind_rules scene_rules(const scene *s);
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
  oracle_trees *trees; /* NULL: a brick */
} scene_mesh;

/* Collective. The same in a p4est of ours on all ranks, balanced no further than the rules need:
 * across faces only if only faces are filled. Borrows *s and *mesh; free the mesh last. */
rind_error scene_wrap_forest(rind_context *context, scene *s, scene_mesh *mesh,
                             rind_forest **forest);
/* Collective. The same in trees of p4est's: a name of its catalogue, "twotrees" with left face,
 * right face and orientation, "disk" with periodic axes, or "bare": two by two (by two) trees that
 * know nothing of their edges and corners. */
rind_error scene_wrap_trees_2d(rind_context *context, scene *s, const char *name,
                               const int numbers[3], scene_mesh *mesh, rind_forest **forest);
rind_error scene_wrap_trees_3d(rind_context *context, scene *s, const char *name,
                               const int numbers[3], scene_mesh *mesh, rind_forest **forest);
void scene_free_mesh(scene_mesh *mesh);

enum { SCENE_MAX_ELEMENTS = 24, SCENE_MAX_NODES = 96 };
typedef struct scene_elements {
  int dim;
  int num_nodes;
  double node[SCENE_MAX_NODES][3];
  int num_elements;
  int element[SCENE_MAX_ELEMENTS][8]; /* corners, x fastest */
} scene_elements;

/* elements of them around a point, each 1/around of the full angle; in 3D layers of them, one on
 * top of the other. */
scene_elements scene_ring(int dim, int around, int elements, int layers);
/* Unit squares or cubes; percent of them are missing, at random, where the others still touch in
 * faces. */
scene_elements scene_grid(int dim, const int size[3], int percent, uint64_t seed);
/* Four hexahedra around the middle of a tetrahedron. */
scene_elements scene_tetrahedron(void);
/* Turns each element's own axes at random. */
void scene_turn(scene_elements *all, uint64_t seed);
/* Collective. A forest of them, by way of an .inp file at path, refined and balanced in full. */
rind_error scene_create_elements(rind_context *context, const scene *s, const scene_elements *all,
                                 const char *path, scene_mesh *mesh, rind_forest **forest);

/* Collective. Memory full of NaNs that tell where they are from, and a field wrapped around it. */
rind_error scene_create_field(const rind_forest *forest, const scene *s, scene_memory *memory,
                              rind_field **field);
/* Interiors get their values, everything else its NaN. */
void scene_poison(scene_memory *memory, const rind_forest *forest, oracle_value value,
                  const void *user);
/* All get their NaN; a value for one of them then. */
void scene_poison_all(scene_memory *memory);
void scene_put(scene_memory *memory, int block, const int cell[3], int component, double value);
/* Bits of an element, zero-extended. */
uint64_t scene_bits(const scene_memory *memory, int block, const int cell[3], int component);
double scene_value(const scene_memory *memory, int block, const int cell[3], int component);
void scene_free_memory(scene_memory *memory);

/* Visits the cells of a padded block: begins at the lowest ghost, false after the last. */
void scene_first_cell(const scene_memory *memory, int cell[3]);
bool scene_next_cell(const scene_memory *memory, int cell[3]);

typedef struct scene_verdict {
  long covered;                   /* ghost cells of local blocks, of component 0 */
  long by_function;               /* those among them that are the caller's function's */
  long family[RIND_NUM_FAMILIES]; /* ghost values by family */
  long wrong;                     /* values that differ from the oracle's */
  long touched;                   /* elements changed that the rules leave alone */
  char text[512];                 /* about the first wrong one */
} scene_verdict;

/* What a cell holds now is right: it is not among the rest. */
void scene_accept(const scene_memory *memory, int block, const int cell[3], int component);
/* Counts in touched what has changed and is not accepted. */
void scene_judge_rest(const scene_memory *memory, scene_verdict *verdict);
/* Compares all memory with what the oracle says should be there. */
scene_verdict scene_judge(const scene_memory *memory, const rind_forest *forest,
                          const oracle *judge, const rind_rules *rules, oracle_value value,
                          const void *user);
/* The same with everything that a fill can have. */
scene_verdict scene_judge_fill(const scene_memory *memory, const rind_forest *forest,
                               const oracle_fill *fill);

/* Whether all trees are unit squares or cubes, side by side in space as they are glued. */
bool scene_is_flat(const oracle *judge);
/* The middle of a cell in space, of a ghost too; a tree's axis, in a brick of unit trees as well.
 */
void scene_position(const oracle *judge, int leaf, const int cell[3], double at[3]);
void scene_tree_axis(const oracle *judge, int tree, int axis, double unit[3]);

/* A fill of one field with everything that belongs to it. */
typedef struct scene_run {
  rind_context *context;
  rind_forest *forest;
  scene_mesh mesh;
  oracle *judge;
  rind_schedule *schedule;
  rind_exchange *exchange;
  rind_field *field;
  scene_memory memory;
  char text[256]; /* what went wrong */
} scene_run;

/* Collective. What the mesh is made of: a brick if elements and name are NULL. path is for a file.
 * False with *run's text. */
typedef struct scene_source {
  const scene_elements *elements;
  const char *path;
  const char *name; /* p4est's */
  int numbers[3];
} scene_source;
bool scene_open_forest(scene *s, const scene_source *source, scene_run *run);
/* Collective. Schedule, field and exchange for it. */
bool scene_open_exchange(const scene *s, const rind_rules *rules,
                         const rind_exchange_options *options, scene_run *run);
/* Collective. Closes all that is open. */
void scene_close(scene_run *run);

/* The mesh of case number index: all of a list in turn. Sets what a scene needs to know of it, */
void scene_choose_ground(scene *s, int index);
const char *scene_ground_name(int index);
/* and makes it. Collective. */
rind_error scene_create_ground(rind_context *context, scene *s, int index, const char *path,
                               scene_mesh *mesh, rind_forest **forest);

/* What the walls of RIND_WALL_FUNCTION are filled with: a function of the cell that lies in front,
 * for scenes whose interiors are scene_noise. */
typedef struct scene_walls {
  const scene *scene;
  const rind_forest *forest;
  uint64_t noise;
  long calls;
  long adjoint_calls;
  int64_t last_adjoint; /* place of the last call of an adjoint in its order; 0 before the first */
  long wrong;           /* calls that are not what they should be */
} scene_walls;
/* A rind_wall_function; user is a scene_walls. */
void scene_fill_wall(void *user, const rind_wall_call *call);
/* Its adjoint, a rind_wall_function too. */
void scene_transpose_wall(void *user, const rind_wall_call *call);
/* The same for the oracle, whose user is the uint64_t seed. */
double scene_at_wall(const oracle_fill *fill, int leaf, const int cell[3], int component, int wall);
/* The scene for the oracle: interiors scene_noise of *noise. rules are scene_rules'. */
oracle_fill scene_oracle_fill(const scene *s, const oracle *judge, const rind_rules *rules,
                              const uint64_t *noise);
rind_exchange_options scene_options(const scene *s, scene_walls *walls);

/* Collective. The library's adjoint of a scene whose exchange has none yet: by both methods,
 * against the oracle's, bit for bit, and as the transpose of the fill, by products. Counts in
 * *judged cells and ghosts by what they should become. */
typedef struct scene_adjoint_counts {
  long cells; /* that something is added to */
  long kept;  /* interior cells that nothing is added to */
  long ghosts[RIND_NUM_FAMILIES];
} scene_adjoint_counts;
void scene_check_adjoint(const scene *s, const char *name, const rind_forest *forest,
                         const oracle *judge, const rind_schedule *schedule, scene_walls *walls,
                         scene_memory *memory, rind_field *field, scene_adjoint_counts *judged);
