/* oracle_vectors.c - vectors are turned with the trees and mirrored at walls.
 *
 *     oracle_vectors PATH     PATH: for .inp files
 *
 * A constant vector in flat space stays what it is in the axes of each block. So does the vector
 * along a moebius band, and in rotcubes the one along the edge that five trees meet at. The field
 * u_a = x_a between walls at 0 and 1 goes on as it is. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "oracle_scene.h"

static const double rounding = 1e-12; /* components below 5, sums of weights below 10 */

enum { MAX_TREES = 32 };
typedef struct constant {
  const oracle *judge;
  double vector[MAX_TREES][3]; /* in each tree's axes */
  bool known[MAX_TREES];
} constant;

/* Component a is along the block's axis a; component dim is a scalar. */
static double component_of(const void *user, int leaf, const int cell[3], int component) {
  const constant *u = user;
  (void)cell;
  if (component == u->judge->dim) return 2.5;
  return u->vector[u->judge->leaf[leaf].tree][component];
}

/* The vector in space, in the axes of trees that lie flat. */
static bool place_in_space(constant *u, const double vector[3]) {
  for (int t = 0; t < u->judge->glued->num_trees; ++t) {
    for (int a = 0; a < u->judge->dim; ++a) {
      double unit[3];
      scene_tree_axis(u->judge, t, a, unit);
      u->vector[t][a] = unit[0] * vector[0] + unit[1] * vector[1] + unit[2] * vector[2];
    }
  }
  return scene_is_flat(u->judge);
}

/* Carries a vector of tree 0 over all faces; false if it depends on the way. */
static bool carry_over_faces(constant *u, const double vector[3]) {
  const oracle_trees *trees = u->judge->glued;
  memset(u->known, 0, sizeof u->known);
  memcpy(u->vector[0], vector, sizeof u->vector[0]);
  u->known[0] = true;
  for (int i = 0; i < trees->num_trees * trees->num_trees * 6; ++i) {
    const int t = i / 6 % trees->num_trees;
    const oracle_joint *joint = &trees->joint[t][i % 6];
    if (!u->known[t] || joint->tree < 0) continue;
    double carried[3] = {0, 0, 0};
    for (int a = 0; a < trees->dim; ++a)
      carried[joint->turn.axis[a]] = joint->turn.sign[a] * u->vector[t][a];
    if (!u->known[joint->tree]) memcpy(u->vector[joint->tree], carried, sizeof carried);
    u->known[joint->tree] = true;
    for (int a = 0; a < trees->dim; ++a) {
      if (u->vector[joint->tree][a] != carried[a]) return false;
    }
  }
  return true;
}

/* Returns how many ghost values were judged. */
static long judge_values(const scene *s, const scene_run *run, const rind_rules *rules,
                         oracle_value value, const void *user) {
  long wrong = 0, judged = 0;
  for (int b = 0; b < run->memory.num_blocks; ++b) {
    const int leaf = (int)rind_forest_block(run->forest, b)->global;
    int cell[3];
    scene_first_cell(&run->memory, cell);
    do {
      for (int c = 0; c < s->components; ++c) {
        oracle_row row;
        if (!oracle_find_component_row(run->judge, rules, c, leaf, cell, &row)) continue;
        const double got = scene_value(&run->memory, b, cell, c);
        const double want = value(user, leaf, cell, c);
        ++judged;
        if (fabs(got - want) <= rounding || wrong++ > 0) continue;
        fprintf(stderr, "leaf %d cell %d %d %d component %d (%s): %.17g, not %.17g\n", leaf,
                cell[0], cell[1], cell[2], c, rind_family_name(row.family), got, want);
      }
    } while (scene_next_cell(&run->memory, cell));
  }
  CHECK(wrong == 0, "%ld of %ld wrong", wrong, judged);
  return judged;
}

/* Returns ghost values judged. */
static long run_constant(scene *s, const scene_source *source, const double vector[3]) {
  scene_run run;
  constant u = {.judge = NULL};
  const int first = 0;
  const rind_exchange_options options = {.num_vectors = 1, .vector = &first, .method = s->method};
  long judged = 0;
  s->components = s->brick.dim + 1;
  const bool open =
      scene_open_forest(s, source, &run) && scene_open_exchange(s, &s->rules, &options, &run);
  CHECK(open, "%s", run.text);
  if (open) {
    u.judge = run.judge;
    if (source->name == NULL || strcmp(source->name, "twotrees") == 0) {
      CHECK(place_in_space(&u, vector), "elements or two trees that are not flat");
    } else {
      CHECK(carry_over_faces(&u, vector), "%s: no constant vector", source->name);
    }
    scene_poison(&run.memory, run.forest, component_of, &u);
    CHECK_OK(rind_fill(run.exchange, run.field), run.context);
    judged = judge_values(s, &run, &s->rules, component_of, &u);
  }
  scene_close(&run);
  return judged;
}

static double place_along(const void *user, int leaf, const int cell[3], int component) {
  double at[3];
  scene_position(user, leaf, cell, at);
  return at[component];
}

/* The normal component is odd about the wall at 0 and has the value 1 at the other; the others are
 * even across walls along which they run. */
static long run_mirrored(scene *s) {
  scene_run run;
  const scene_source brick = {.name = NULL};
  const int dim = s->brick.dim, first = 0;
  s->components = dim;
  s->by_component = true;
  for (int c = 0; c < dim; ++c) {
    for (int w = 0; w < 6; ++w) {
      s->component_wall[c][w] = RIND_WALL_EVEN;
      if (w == 2 * c) s->component_wall[c][w] = RIND_WALL_ODD;
      if (w == 2 * c + 1) s->component_wall[c][w] = RIND_WALL_DIRICHLET;
      s->wall_values[w * dim + c] = 1;
    }
  }
  const rind_rules rules = scene_rules(s);
  const rind_exchange_options options = {.num_vectors = 1, .vector = &first, .method = s->method};
  long judged = 0;
  const bool open =
      scene_open_forest(s, &brick, &run) && scene_open_exchange(s, &rules, &options, &run);
  CHECK(open, "%s", run.text);
  if (open) {
    CHECK_OK(rind_exchange_set_wall_values(run.exchange, 0, s->wall_values), run.context);
    scene_poison(&run.memory, run.forest, place_along, run.judge);
    CHECK_OK(rind_fill(run.exchange, run.field), run.context);
    judged = judge_values(s, &run, &rules, place_along, run.judge);
    const double padded = s->cells + 2 * s->ghosts;
    const double ghosts = pow(padded, dim) - pow(s->cells, dim);
    CHECK(judged == lround(ghosts) * dim * run.memory.num_blocks, "%ld ghosts", judged);
  }
  scene_close(&run);
  return judged;
}

static scene new_scene(int i, int dim) {
  const int ghosts = 1 + i % 3;
  return (scene){.seed = scene_mix(900 + (uint64_t)i) | 1,
                 .brick = {.dim = dim, .level = dim == 2},
                 .max_level = dim == 2 ? 3 : 1,
                 .percent = 25,
                 .ghosts = ghosts,
                 .cells = ghosts == 3 ? 6 : 4,
                 .storage = (rind_storage)(i % 2),
                 .method = i % 4 == 3 ? RIND_METHOD_TERM_BY_TERM : RIND_METHOD_FUSED,
                 .rules = {.interpolation = i % 3 == 2 ? RIND_INTERPOLATION_CONSERVATIVE
                                                       : (rind_interpolation)(i % 3),
                           .restriction = (rind_restriction)(i / 2 % 2)}};
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const char *path = argc > 1 ? argv[1] : "vectors.inp";
  long judged[4] = {0, 0, 0, 0}, sums[4];
  for (int i = 0; i < 12; ++i) {
    scene s = new_scene(i, 2 + i % 2);
    scene_source source = {.path = path, .name = "twotrees"};
    uint64_t state = s.seed;
    scene_elements all;
    for (int k = 0; k < 2; ++k)
      source.numbers[k] = scene_draw(&state, 2 * s.brick.dim);
    source.numbers[2] = scene_draw(&state, s.brick.dim == 2 ? 2 : 4);
    if (i % 4 < 2) {
      const int size[3] = {3, 2, 2};
      all = scene_grid(s.brick.dim, size, 25, s.seed);
      scene_turn(&all, s.seed);
      source.elements = &all;
    }
    judged[0] += run_constant(&s, &source, (const double[3]){3, -1, 2});
  }
  const scene_source rotcubes = {.name = "rotcubes"}, moebius = {.name = "moebius"};
  for (int i = 0; i < 4; ++i) {
    scene s = new_scene(i, 3);
    judged[1] += run_constant(&s, &rotcubes, (const double[3]){0, 3, 0});
    s = new_scene(i, 2);
    judged[2] += run_constant(&s, &moebius, (const double[3]){3, 0, 0});
    s = new_scene(i, 2 + i % 2);
    s.brick.level = 0;
    judged[3] += run_mirrored(&s);
  }
  MPI_Allreduce(judged, sums, 4, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sums[0] > 0 && sums[1] > 0 && sums[2] > 0 && sums[3] > 0, "%ld %ld %ld %ld judged", sums[0],
        sums[1], sums[2], sums[3]);
  return check_end();
}
