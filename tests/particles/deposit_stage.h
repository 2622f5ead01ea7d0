/* deposit_stage.h - a scene with a set on it and what deposits need. */
#pragma once
#include "cloud_scene.h"

enum { TOTAL = 4000, CELLS = 4, GHOSTS = 2, COMPONENTS = 3 };

static const int attributes[COMPONENTS] = {0, -1, 1};

typedef struct stage {
  cloud_scene scene;
  world all;
  rind_particles *set;
  rind_schedule *schedule;
  rind_exchange *exchange;
  rind_field *field;
  rind_field *host; /* spare */
} stage;

/* Collective. */
void stage_create(MPI_Comm comm, int number, int threads, const rind_layout *layout, stage *made);
void stage_destroy(stage *gone);
double get(const rind_field *field, int block, const int i[3], int component);
void put(rind_field *field, int block, const int i[3], int component, double value);
/* The cells from low to high - 1 along each axis; false after the last. */
int next_cell(int dim, int low, int high, int i[3]);
/* Interiors of all local blocks; to be freed. */
double *interiors(const rind_field *field, int64_t *count);
/* Interiors become a function of the cell. */
void fill_weights(stage *on);
