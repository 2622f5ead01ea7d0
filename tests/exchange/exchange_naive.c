/* exchange_naive.c - fills by the schedule's public view alone, one cell at a time. */
#include <exchange_naive.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = 6 };

/* Checks are the programs' own. */
static void must(bool condition, const scene *s, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s: %s: %s\n", s->name, what, rind_last_error(s->context));
  abort();
}

static size_t cells_per_block(const scene *s) {
  return collected_per_block(s, 1);
}

static size_t cell_number(const scene *s, const int cell[3]) {
  const int side = s->cells + 2 * s->ghosts;
  size_t number = 0;
  for (int a = s->dim - 1; a >= 0; --a)
    number = number * (size_t)side + (size_t)(cell[a] + s->ghosts);
  return number;
}

double *naive_value(const naive *n, int f, int64_t global, int component, const int cell[3]) {
  const size_t components = (size_t)n->field[f].layout.components;
  return &n->all[f][((size_t)global * components + (size_t)component) * cells_per_block(n->s) +
                    cell_number(n->s, cell)];
}

/* This rank's blocks of every field go to all ranks; local blocks are neighbours in global order.
 */
void naive_gather(naive *n) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(n->s->context->comm, &ranks);
  MPI_Comm_rank(n->s->context->comm, &rank);
  int *count = calloc((size_t)ranks, sizeof *count), *first = calloc((size_t)ranks, sizeof *first);
  for (int f = 0; f < n->num_fields; ++f) {
    const size_t per_block = collected_per_block(n->s, n->field[f].layout.components);
    count[rank] = rind_forest_num_blocks(n->s->forest) * (int)per_block;
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, count, 1, MPI_INT, n->s->context->comm);
    for (int r = 1; r < ranks; ++r)
      first[r] = first[r - 1] + count[r - 1];
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, n->all[f], count, first, MPI_DOUBLE,
                   n->s->context->comm);
  }
  free(count);
  free(first);
}

void naive_start(naive *n) {
  const scene *s = n->s;
  const size_t num_global = (size_t)rind_forest_num_global_blocks(s->forest);
  for (int f = 0; f < n->num_fields; ++f) {
    const size_t per_block = collected_per_block(s, n->field[f].layout.components);
    double *mine = memory_collect(s, &n->field[f]);
    n->all[f] = calloc(per_block * num_global + 1, sizeof *n->all[f]);
    for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b)
      memcpy(n->all[f] + per_block * (size_t)rind_forest_block(s->forest, b)->global,
             mine + per_block * (size_t)b, per_block * sizeof *mine);
    free(mine);
  }
  naive_gather(n);
}

int naive_wall(const scene *s, int block, int region) {
  const uint8_t walls = rind_forest_get_arrays(s->forest)->walls[block];
  const int o[3] = {region % 3 - 1, region / 3 % 3 - 1, region / 9 - 1};
  for (int axis = 2; axis >= 0; --axis)
    if (o[axis] != 0 && (walls >> (2 * axis + (o[axis] > 0)) & 1)) return 2 * axis + (o[axis] > 0);
  return -1;
}

double naive_wall_value(int64_t global, int component, const int cell[3]) {
  return made_value(global + 1000, cell, component + 77);
}

/* The axis along which a component of a vector points, -1 for a scalar. */
static int vector_axis(const naive *n, int component) {
  for (int v = 0; v < n->num_vectors; ++v)
    if (component >= n->vector[v] && component < n->vector[v] + n->s->dim)
      return component - n->vector[v];
  return -1;
}

void naive_cell(const rind_box *box, const int i[3], int cell[3]) {
  for (int a = 0; a < 3; ++a)
    cell[box->axis[a]] = box->origin[box->axis[a]] + box->step[a] * i[a];
}

int naive_turn(const naive *n, const rind_box *box, int first, int *c) {
  const int axis = vector_axis(n, first + *c);
  if (axis < 0) return 1;
  *c += box->axis[axis] - axis;
  return box->step[axis] < 0 ? -1 : 1;
}

/* The value that a term reads for component c of field f, whose number is first + c, times the sign
 * that turning gives it. */
static double read_term(const naive *n, const rind_fill_view *fill, const rind_term_view *term,
                        const int i[3], int f, int first, int c) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(n->s->forest);
  const int components = n->field[f].layout.components;
  int cell[3];
  if (term->block < 0)
    return n->wall_value[f]
               ? n->wall_value[f][naive_wall(n->s, fill->block, fill->region) * components + c]
               : 0;
  const int sign = naive_turn(n, &term->box, first, &c);
  naive_cell(&term->box, i, cell);
  return sign * *naive_value(n, f, arrays->block[term->block].global, c, cell);
}

static void run_cell(naive *n, int number, const rind_fill_view *fill, const int i[3], int f,
                     int first, int c) {
  const int64_t global = rind_forest_block(n->s->forest, fill->block)->global;
  int to[3];
  naive_cell(&fill->box, i, to);
  double sum = 0;
  if (fill->family == RIND_FAMILY_FUNCTION) sum = naive_wall_value(global, first + c, to);
  for (int t = 0; t < fill->num_terms; ++t) {
    rind_term_view term;
    must(rind_schedule_term(n->s->schedule, number, t, &term) == RIND_OK, n->s, "no such term");
    const double product = term.weight * read_term(n, fill, &term, i, f, first, c);
    sum = t == 0 ? product : sum + product;
  }
  if (n->field[f].layout.type == RIND_FLOAT32) sum = (double)(float)sum;
  *naive_value(n, f, global, c, to) = sum;
}

static void run_fill(naive *n, int number, const rind_fill_view *fill) {
  int i[3];
  for (int f = 0, first = 0; f < n->num_fields; first += n->field[f++].layout.components)
    for (int c = 0; c < n->field[f].layout.components; ++c) {
      if (fill->component >= 0 && fill->component != first + c) continue;
      for (i[2] = 0; i[2] < fill->extent[2]; ++i[2])
        for (i[1] = 0; i[1] < fill->extent[1]; ++i[1])
          for (i[0] = 0; i[0] < fill->extent[0]; ++i[0])
            run_cell(n, number, fill, i, f, first, c);
    }
}

void naive_fill(naive *n) {
  naive_start(n);
  for (int phase = 0; phase < PHASES; ++phase) {
    for (int number = 0; number < rind_schedule_num_fills(n->s->schedule); ++number) {
      rind_fill_view fill;
      must(rind_schedule_fill(n->s->schedule, number, &fill) == RIND_OK, n->s, "no such fill");
      must(fill.phase >= 0 && fill.phase < PHASES, n->s, "no such phase");
      if (fill.phase == phase) run_fill(n, number, &fill);
    }
    naive_gather(n);
  }
}

void naive_free(naive *n) {
  for (int f = 0; f < n->num_fields; ++f)
    free(n->all[f]);
}

static bool is_same(double a, double b, double tolerance) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return tolerance > 0 ? fabs(a - b) <= tolerance : memcmp(&a, &b, sizeof a) == 0;
}

long naive_differences(const naive *n, int f, double tolerance) {
  const scene *s = n->s;
  const size_t per_block = collected_per_block(s, n->field[f].layout.components);
  double *mine = memory_collect(s, &n->field[f]);
  long differ = 0;
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b) {
    const double *wanted = n->all[f] + per_block * (size_t)rind_forest_block(s->forest, b)->global;
    for (size_t i = 0; i < per_block; ++i)
      differ += !is_same(mine[(size_t)b * per_block + i], wanted[i], tolerance);
  }
  free(mine);
  return differ;
}

long naive_undefined(const naive *n, int f) {
  const size_t per_block = collected_per_block(n->s, n->field[f].layout.components);
  double *mine = memory_collect(n->s, &n->field[f]);
  long undefined = 0;
  for (size_t i = 0; i < per_block * (size_t)rind_forest_num_blocks(n->s->forest); ++i)
    undefined += !isfinite(mine[i]);
  free(mine);
  return undefined;
}
