/* adjoint_naive.c - adjoints cell by cell, on the gathered values of all ranks. */
#include <adjoint_naive.h>

#include <schedule_data.h>
#include <stdio.h>
#include <stdlib.h>

static void must(bool condition, const scene *s, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s: %s: %s\n", s->name, what, rind_last_error(s->context));
  abort();
}

/* What one fill, or one of its terms, does to one cell. */
typedef struct place {
  naive *n;
  const rind_fill_view *fill;
  const rind_term_view *term;
  int64_t global; /* of the fill's block */
  int f;
  int first; /* number of the field's component 0 */
} place;

static double ghost(const place *p, int c, const int i[3]) {
  int cell[3];
  naive_cell(&p->fill->box, i, cell);
  return *naive_value(p->n, p->f, p->global, c, cell);
}

static void clear(const place *p, int c, const int i[3]) {
  int cell[3];
  naive_cell(&p->fill->box, i, cell);
  *naive_value(p->n, p->f, p->global, c, cell) = 0;
}

static void scatter(const place *p, int c, const int i[3]) {
  const rind_block *block = rind_forest_get_arrays(p->n->s->forest)->block;
  int cell[3], to = c;
  const int sign = naive_turn(p->n, &p->term->box, p->first, &to);
  naive_cell(&p->term->box, i, cell);
  double *x = naive_value(p->n, p->f, block[p->term->block].global, to, cell);
  *x = *x + sign * p->term->weight * ghost(p, c, i);
}

/* The nearest interior cell. */
static void nearest(int cells, const int cell[3], int near[3]) {
  for (int a = 0; a < 3; ++a)
    near[a] = cell[a] < 0 ? 0 : cell[a] >= cells ? cells - 1 : cell[a];
}

static void call(const place *p, int c, const int i[3]) {
  int cell[3], near[3];
  naive_cell(&p->fill->box, i, cell);
  nearest(p->n->s->cells, cell, near);
  double *x = naive_value(p->n, p->f, p->global, c, near);
  *x += 0.5 * ghost(p, c, i);
  if (p->n->field[p->f].layout.type == RIND_FLOAT32) *x = (double)(float)*x;
}

/* For all cells of the fill's box and the components that it fills. */
static void for_cells(naive *n, const rind_fill_view *fill, const rind_term_view *term,
                      void (*act)(const place *p, int c, const int i[3])) {
  place p = {.n = n,
             .fill = fill,
             .term = term,
             .global = rind_forest_block(n->s->forest, fill->block)->global};
  int i[3];
  for (p.f = 0; p.f < n->num_fields; p.first += n->field[p.f++].layout.components)
    for (int c = 0; c < n->field[p.f].layout.components; ++c) {
      if (fill->component >= 0 && fill->component != p.first + c) continue;
      for (i[2] = 0; i[2] < fill->extent[2]; ++i[2])
        for (i[1] = 0; i[1] < fill->extent[1]; ++i[1])
          for (i[0] = 0; i[0] < fill->extent[0]; ++i[0])
            act(&p, c, i);
    }
}

typedef enum step { STEP_FUNCTIONS, STEP_ROWS, STEP_ZEROS } step;

static void run_fill(naive *n, int number, const rind_fill_view *fill, step what) {
  const bool is_function = fill->family == RIND_FAMILY_FUNCTION;
  if (what == STEP_ZEROS) for_cells(n, fill, NULL, clear);
  if (what == STEP_FUNCTIONS && is_function) for_cells(n, fill, NULL, call);
  for (int t = 0; what == STEP_ROWS && t < fill->num_terms; ++t) {
    rind_term_view term;
    must(rind_schedule_term(n->s->schedule, number, t, &term) == RIND_OK, n->s, "no such term");
    if (term.block >= 0) for_cells(n, fill, &term, scatter);
  }
}

/* This rank's fills of a phase, last to first. */
static void run_fills(naive *n, int phase, uint32_t families, step what) {
  for (int number = rind_schedule_num_fills(n->s->schedule) - 1; number >= 0; --number) {
    rind_fill_view fill;
    must(rind_schedule_fill(n->s->schedule, number, &fill) == RIND_OK, n->s, "no such fill");
    if (fill.phase == phase && (families == 0 || families >> fill.family & 1))
      run_fill(n, number, &fill, what);
  }
}

static size_t num_values(const naive *n, int f) {
  return collected_per_block(n->s, n->field[f].layout.components) *
         (size_t)rind_forest_num_global_blocks(n->s->forest);
}

/* The ranks take turns, the last blocks first. */
static void scatter_in_turn(naive *n, int phase, uint32_t families) {
  const rind_context *context = n->s->context;
  for (int rank = context->size - 1; rank >= 0; --rank) {
    if (rank == context->rank) {
      run_fills(n, phase, families, STEP_FUNCTIONS);
      run_fills(n, phase, families, STEP_ROWS);
    }
    for (int f = 0; f < n->num_fields; ++f)
      MPI_Bcast(n->all[f], (int)num_values(n, f), MPI_DOUBLE, rank, context->comm);
  }
}

void naive_adjoint(naive *n, uint32_t families) {
  naive_start(n);
  for (int phase = n->s->schedule->num_phases - 1; phase >= 0; --phase) {
    scatter_in_turn(n, phase, families);
    for (int f = 0; f < n->num_fields; ++f)
      for (size_t i = 0; n->field[f].layout.type == RIND_FLOAT32 && i < num_values(n, f); ++i)
        n->all[f][i] = (double)(float)n->all[f][i];
    run_fills(n, phase, families, STEP_ZEROS);
    naive_gather(n);
  }
}

static void add_half(const rind_wall_call *call, int component, const int ghost_cell[3],
                     const int cell[3]) {
  const ptrdiff_t from = cell_offset(call->layout, ghost_cell, component);
  const ptrdiff_t to = cell_offset(call->layout, cell, component);
  if (call->layout->type == RIND_FLOAT64) {
    double *values = call->pointer;
    values[to] += 0.5 * values[from];
  } else {
    float *values = call->pointer;
    values[to] = (float)((double)values[to] + 0.5 * (double)values[from]);
  }
}

void naive_wall_adjoint(void *user, const rind_wall_call *call) {
  (void)user;
  int i[3], near[3];
  for (int c = 0; c < call->layout->components; ++c) {
    if (call->component >= 0 && call->component != c) continue;
    for (i[2] = call->origin[2]; i[2] < call->origin[2] + call->extent[2]; ++i[2])
      for (i[1] = call->origin[1]; i[1] < call->origin[1] + call->extent[1]; ++i[1])
        for (i[0] = call->origin[0]; i[0] < call->origin[0] + call->extent[0]; ++i[0]) {
          nearest(call->cells, i, near);
          add_half(call, c, i, near);
        }
  }
}

void memory_set_all(const scene *s, memory *m) {
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b) {
    const int64_t global = rind_forest_block(s->forest, b)->global;
    int cell[3];
    first_cell(s, cell);
    do {
      for (int c = 0; c < m->layout.components; ++c)
        store(rind_field_pointer(m->field, b), m->layout.type, cell_offset(&m->layout, cell, c),
              made_value(global, cell, c + m->seed));
    } while (next_cell(s, cell));
  }
}
