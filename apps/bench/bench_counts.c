/* bench_counts.c - counts source cells and collisions through the views of a schedule. */
#include <bench_counts.h>

#include <stdlib.h>

/* What has been seen of each cell, ghosts included, of each block. */
typedef struct marks {
  int width[3]; /* cells and ghosts an axis */
  int ghosts[3];
  size_t block_cells;
  int32_t *last_fill; /* [blocks * block_cells], 1 + the fill that read the cell; 0: none did */
  int64_t seen;       /* cells read */
  int64_t again;      /* reads of a cell that another term of the fill had read; no term reads a
                         cell twice */
} marks;

static bool marks_create(const rind_schedule *schedule, marks *m) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(rind_schedule_forest(schedule));
  *m = (marks){.block_cells = 1};
  for (int a = 0; a < 3; ++a) {
    m->ghosts[a] = a < arrays->dim ? rind_schedule_ghosts(schedule) : 0;
    m->width[a] = a < arrays->dim ? rind_schedule_cells(schedule) + 2 * m->ghosts[a] : 1;
    m->block_cells *= (size_t)m->width[a];
  }
  const size_t blocks = (size_t)arrays->num_local + (size_t)arrays->num_remote;
  m->last_fill = calloc(blocks * m->block_cells + 1, sizeof *m->last_fill);
  return m->last_fill;
}

static size_t cell_index(const marks *m, const rind_term_view *term, const int32_t i[3]) {
  int32_t cell[3];
  for (int a = 0; a < 3; ++a)
    cell[term->box.axis[a]] = term->box.origin[term->box.axis[a]] + i[a] * term->box.step[a] +
                              m->ghosts[term->box.axis[a]];
  const int32_t in_block = cell[0] + m->width[0] * (cell[1] + m->width[1] * cell[2]);
  return (size_t)term->block * m->block_cells + (size_t)in_block;
}

static void mark_term(marks *m, int fill, const int32_t extent[3], const rind_term_view *term) {
  int32_t i[3];
  for (i[2] = 0; i[2] < extent[2]; ++i[2])
    for (i[1] = 0; i[1] < extent[1]; ++i[1])
      for (i[0] = 0; i[0] < extent[0]; ++i[0]) {
        const size_t at = cell_index(m, term, i);
        m->seen += m->last_fill[at] == 0;
        m->again += m->last_fill[at] == fill + 1;
        m->last_fill[at] = fill + 1;
      }
}

static bool interpolates(rind_family family) {
  const uint32_t families = 1u << RIND_FAMILY_QUADRATIC | 1u << RIND_FAMILY_COARSE_ONLY |
                            1u << RIND_FAMILY_INJECTION | 1u << RIND_FAMILY_CONSERVATIVE_FACING |
                            1u << RIND_FAMILY_CONSERVATIVE | 1u << RIND_FAMILY_USER;
  return families >> family & 1;
}

static void count_fill(const rind_schedule *schedule, int fill, marks *m, bench_counts *counts) {
  rind_fill_view view;
  rind_term_view term;
  if (rind_schedule_fill(schedule, fill, &view) != RIND_OK) return;
  const int64_t cells = (int64_t)view.extent[0] * view.extent[1] * view.extent[2];
  const int64_t again = m->again;
  int64_t adds = 0;
  for (int t = 0; t < view.num_terms; ++t)
    if (rind_schedule_term(schedule, fill, t, &term) == RIND_OK && term.block >= 0) {
      mark_term(m, fill, view.extent, &term);
      adds += cells;
    }
  counts->adds += adds;
  if (!interpolates(view.family)) return;
  counts->scatter_adds += adds;
  counts->collisions += m->again - again;
}

bool bench_count(const rind_schedule *schedule, bench_counts *counts) {
  marks m;
  *counts = (bench_counts){0};
  const bool made = marks_create(schedule, &m);
  if (made)
    for (int fill = 0; fill < rind_schedule_num_fills(schedule); ++fill)
      count_fill(schedule, fill, &m, counts);
  counts->source_cells = m.seen;
  free(m.last_fill);
  return made;
}

int64_t bench_cell_csr_bytes(const bench_counts *counts) {
  return 8 * (counts->source_cells + 1) + 12 * counts->adds;
}
