/* oracle_backward.h - a field for an adjoint in guarded memory, and the verdict on it. */
#pragma once
#include "oracle_adjoint.h"
#include "oracle_scene.h"

/* Of one field. */
typedef struct backward {
  const scene *scene;
  const char *name; /* of the case, for messages */
  const rind_forest *forest;
  rind_context *context;
  rind_rules rules;
  oracle_fill by;
  oracle_adjoint *adjoint;
  double *seed;   /* [num_values] what the cells hold before */
  double *result; /* [num_values] what the oracle says they hold after */
  scene_memory *memory;
  rind_field *field;
} backward;

/* Works out *b for a scene; borrows all. */
void backward_open(const scene *s, const char *name, const rind_forest *forest, const oracle *judge,
                   scene_memory *memory, rind_field *field, backward *b);
void backward_close(backward *b);
/* Cells that take part get their seeds, all others NaNs that tell where they are from. */
void backward_put(const backward *b);
/* Compares all memory with what should be there after an adjoint, bit for bit. */
void backward_judge(const backward *b, const char *method, const scene_walls *walls,
                    scene_adjoint_counts *judged);

bool backward_is_interior(const backward *b, const int cell[3]);
