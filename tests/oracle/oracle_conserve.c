/* oracle_conserve.c - noise goes in, and what must be kept is kept to rounding.
 *
 *     oracle_conserve PATH     PATH: for .inp files
 *
 * Conservative interpolation: the mean of the 2^dim ghosts in a coarse cell is that cell. Matched
 * fluxes: over every face of a coarse cell at an interface, the flux that the coarse block sees is
 * the sum of those that the fine blocks see. Bounds: a row of 14 terms rounds each at most 3 times
 * and 14 more in sums; values are below 2^9 and sums of weights below 10. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "oracle_scene.h"

static const double rounding = 4e-11; /* 10 * 2^9 * 60 * 2^-53, and as much again */

typedef struct tally {
  long means[2]; /* in faces, in corners */
  long fluxes;
  long wrong;
} tally;

static bool is_split(const oracle_row *row) {
  return row->family == RIND_FAMILY_CONSERVATIVE || row->family == RIND_FAMILY_CONSERVATIVE_FACING;
}

/* The coarse cell that a ghost lies in. */
static void find_coarse(const oracle *judge, int leaf, const int cell[3], oracle_term *coarse) {
  static const rind_rules injection = {.interpolation = RIND_INTERPOLATION_INJECTION};
  oracle_row row;
  if (!oracle_find_row(judge, &injection, leaf, cell, &row)) abort();
  *coarse = row.term[0];
}

/* cell: the lowest of the 2^dim ghosts of a coarse cell, if these are all ghosts. */
static void check_mean(const scene *s, const scene_run *run, const rind_rules *rules, int b,
                       const int cell[3], tally *t) {
  const int dim = s->brick.dim, leaf = (int)rind_forest_block(run->forest, b)->global;
  oracle_term coarse, other;
  int o[3], layer = 0;
  const int directions = oracle_region(run->judge, cell, o, &layer);
  find_coarse(run->judge, leaf, cell, &coarse);
  for (int c = 0; c < s->components; ++c) {
    double sum = 0;
    for (int child = 0; child < 1 << dim; ++child) {
      int ghost[3] = {0, 0, 0};
      oracle_row row;
      for (int a = 0; a < dim; ++a) {
        ghost[a] = cell[a] + (child >> a & 1);
        if (ghost[a] >= s->cells + s->ghosts) return;
      }
      if (!oracle_find_row(run->judge, rules, leaf, ghost, &row) || !is_split(&row)) return;
      find_coarse(run->judge, leaf, ghost, &other);
      if (other.leaf != coarse.leaf || memcmp(other.cell, coarse.cell, sizeof other.cell)) return;
      sum += scene_value(&run->memory, b, ghost, c);
    }
    const double want = scene_noise(&s->seed, coarse.leaf, coarse.cell, c);
    if (!(fabs(sum / (1 << dim) - want) <= rounding) && t->wrong++ == 0) {
      fprintf(stderr, "mean of the ghosts at leaf %d cell %d %d %d is %.17g, not %.17g\n", leaf,
              cell[0], cell[1], cell[2], sum / (1 << dim), want);
    }
  }
  ++t->means[directions > 1];
}

/* Sums over faces of coarse cells, per component: [face cells][2], seen from the coarse block and
 * from the fine ones. In sides of coarse cells, and with the direction out of the coarse cell. */
static size_t face_cell(const oracle *judge, int leaf, int axis, int upper, const int cell[3]) {
  const size_t n = (size_t)judge->cells;
  size_t at = (size_t)leaf * 6 + (size_t)(2 * axis + upper);
  for (int a = 0; a < judge->dim; ++a) {
    if (a != axis) at = at * n + (size_t)cell[a];
  }
  return at;
}

static void add_flux(const scene *s, const scene_run *run, int b, const int cell[3],
                     const oracle_row *row, const int o[3], double *flux) {
  const int dim = s->brick.dim, leaf = (int)rind_forest_block(run->forest, b)->global;
  int own[3], normal = 0;
  for (int a = 0; a < 3; ++a) {
    own[a] = cell[a] - o[a];
    if (o[a] != 0) normal = a;
  }
  const double out = scene_value(&run->memory, b, cell, 0) - scene_value(&run->memory, b, own, 0);
  if (row->family == RIND_FAMILY_FLUX_MATCHED) {
    flux[2 * face_cell(run->judge, leaf, normal, o[normal] > 0, own)] += out;
    return;
  }
  oracle_term coarse;
  find_coarse(run->judge, leaf, cell, &coarse);
  const int axis = coarse.frame.axis[normal];
  const int upper = coarse.frame.sign[normal] * -o[normal] > 0;
  const size_t at = face_cell(run->judge, coarse.leaf, axis, upper, coarse.cell);
  flux[2 * at + 1] -= out * 2 / (1 << (dim - 1));
}

static void check_fluxes(const scene *s, const scene_run *run, const rind_rules *rules, tally *t) {
  const oracle *judge = run->judge;
  const size_t per_face = (size_t)pow(s->cells, s->brick.dim - 1);
  const size_t count = 2 * (size_t)judge->num_leaves * 6 * per_face;
  double *flux = calloc(count, sizeof *flux);
  if (flux == NULL) abort();
  for (int b = 0; b < run->memory.num_blocks; ++b) {
    const int leaf = (int)rind_forest_block(run->forest, b)->global;
    int cell[3], o[3], layer = 0;
    scene_first_cell(&run->memory, cell);
    do {
      oracle_row row;
      if (oracle_region(judge, cell, o, &layer) != 1 || layer != 1) continue;
      if (!oracle_find_row(judge, rules, leaf, cell, &row)) continue;
      if (row.family == RIND_FAMILY_COPY || row.family > RIND_FAMILY_FLUX_MATCHED) continue;
      add_flux(s, run, b, cell, &row, o, flux);
    } while (scene_next_cell(&run->memory, cell));
  }
  MPI_Allreduce(MPI_IN_PLACE, flux, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (size_t i = 0; i < count; i += 2) {
    if (flux[i] == 0 && flux[i + 1] == 0) continue;
    ++t->fluxes;
    if (!(fabs(flux[i] - flux[i + 1]) <= 8 * rounding) && t->wrong++ == 0) {
      fprintf(stderr, "flux %.17g of the coarse block, %.17g of the fine ones\n", flux[i],
              flux[i + 1]);
    }
  }
  free(flux);
}

static void run_case(scene *s, const scene_source *source, tally *t) {
  scene_run run;
  const rind_rules rules = scene_rules(s);
  const bool open =
      scene_open_forest(s, source, &run) && scene_open_exchange(s, &rules, NULL, &run);
  CHECK(open, "%s", run.text);
  if (open) {
    scene_poison(&run.memory, run.forest, scene_noise, &s->seed);
    CHECK_OK(rind_fill(run.exchange, run.field), run.context);
    for (int b = 0; b < run.memory.num_blocks; ++b) {
      int cell[3];
      const int leaf = (int)rind_forest_block(run.forest, b)->global;
      scene_first_cell(&run.memory, cell);
      do {
        oracle_row row;
        bool even = true;
        for (int a = 0; a < s->brick.dim; ++a)
          even = even && cell[a] % 2 == 0;
        if (!even || !oracle_find_row(run.judge, &rules, leaf, cell, &row)) continue;
        if (is_split(&row)) check_mean(s, &run, &rules, b, cell, t);
      } while (scene_next_cell(&run.memory, cell));
    }
    if (rules.restriction == RIND_RESTRICTION_FLUX_MATCHED) check_fluxes(s, &run, &rules, t);
  }
  scene_close(&run);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  static const char *const names[2][4] = {{NULL, "moebius", "cubed", "rotwrap"},
                                          {NULL, "rotcubes", "twowrap", "shell"}};
  tally t = {.wrong = 0};
  for (int i = 0; i < 16; ++i) {
    const int dim = 2 + i % 2, ghosts = 1 + (i + i / 8) % 3;
    scene_source source = {.path = argc > 1 ? argv[1] : "conserve.inp",
                           .name = names[dim - 2][i / 2 % 4]};
    scene_elements ring = scene_ring(dim, 5, 5, 1);
    scene s = {.seed = scene_mix(700 + (uint64_t)i) | 1,
               .brick = {.dim = dim,
                         .trees = {2, 1, dim == 3},
                         .periodic = {1, i / 8, 0},
                         .level = dim == 2},
               .max_level = dim == 2 ? 3 : 1,
               .percent = 25,
               .ghosts = ghosts,
               .cells = ghosts == 3 ? 6 : 4,
               .components = 1,
               .rules = {.interpolation = i < 12 ? RIND_INTERPOLATION_CONSERVATIVE
                                                 : RIND_INTERPOLATION_QUADRATIC,
                         .restriction = RIND_RESTRICTION_FLUX_MATCHED}};
    if (i == 2 || i == 3) {
      scene_turn(&ring, s.seed);
      source.elements = &ring;
    }
    run_case(&s, &source, &t);
  }
  CHECK(t.wrong == 0, "%ld wrong", t.wrong);
  long mine[3] = {t.means[0], t.means[1], t.fluxes}, sums[3];
  MPI_Allreduce(mine, sums, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sums[0] > 100 && sums[1] > 20 && sums[2] > 100,
        "%ld means in faces, %ld in corners, %ld "
        "fluxes",
        sums[0], sums[1], sums[2]);
  return check_end();
}
