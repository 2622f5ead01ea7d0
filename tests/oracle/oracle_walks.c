/* oracle_walks.c - the judge judged: glued faces against p4est's own transformations, walks over
 * trees against a picture of the whole brick. */
#include <p4est_bits.h>
#include <p4est_connectivity.h>
#include <p8est_bits.h>
#include <p8est_connectivity.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "oracle_scene.h"

/* transform as of p4est_expand_face_transform: [0..2] my axes, [3..5] the other's, [6..8] edges are
 * reversed; the last of three is normal to the face, its code 0 to 3. */
static void check_turn(int dim, int face, int other_face, int orientation, const int transform[9]) {
  oracle_trees *trees = oracle_trees_create(dim, 2);
  oracle_trees_glue(trees, 0, face, 1, other_face, orientation);
  const oracle_frame *turn = &trees->joint[0][face].turn;
  for (int i = 0; i < 3; ++i) {
    const int a = transform[i];
    if (dim == 2 && i == 1) continue;
    CHECK(turn->axis[a] == transform[3 + i], "%dD faces %d and %d, %d: axis %d goes to %d, not %d",
          dim, face, other_face, orientation, a, turn->axis[a], transform[3 + i]);
    if (i == 2) continue;
    CHECK((turn->sign[a] < 0) == transform[6 + i], "%dD faces %d and %d, %d: axis %d has sign %d",
          dim, face, other_face, orientation, a, turn->sign[a]);
  }
  const int same_side = face % 2 == other_face % 2;
  CHECK((turn->sign[face / 2] < 0) == same_side, "%dD faces %d and %d: normal has sign %d", dim,
        face, other_face, turn->sign[face / 2]);
  oracle_trees_destroy(trees);
}

static void check_turns(void) {
  int transform[9];
  for (int i = 0; i < 4 * 4 * 2; ++i) {
    const int face = i % 4, other = i / 4 % 4, orientation = i / 16;
    p4est_expand_face_transform(face, other + 4 * orientation, transform);
    check_turn(2, face, other, orientation, transform);
  }
  for (int i = 0; i < 6 * 6 * 4; ++i) {
    const int face = i % 6, other = i / 6 % 6, orientation = i / 36;
    p8est_expand_face_transform(face, other + 6 * orientation, transform);
    check_turn(3, face, other, orientation, transform);
  }
}

static bool same_row(const oracle_row *a, const oracle_row *b) {
  bool same = a->family == b->family && a->num_terms == b->num_terms;
  for (int k = 0; same && k < a->num_terms; ++k) {
    const oracle_term *s = &a->term[k], *t = &b->term[k];
    same = s->leaf == t->leaf && s->weight == t->weight &&
           memcmp(s->cell, t->cell, sizeof s->cell) == 0;
  }
  return same;
}

/* The brick's trees, with contacts in edges and corners wherever walks lead. */
static oracle_trees *trees_of(const rind_brick *brick, const int32_t *number, const int size[3]) {
  oracle_trees *trees = oracle_trees_create(brick->dim, size[0] * size[1] * size[2]);
  for (int i = 0; i < trees->num_trees; ++i) {
    const int at[3] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
    for (int f = 0; f < 2 * brick->dim; ++f) {
      int to[3] = {at[0], at[1], at[2]};
      to[f / 2] += f % 2 == 0 ? -1 : 1;
      if (brick->periodic[f / 2]) to[f / 2] = (to[f / 2] + size[f / 2]) % size[f / 2];
      if (to[f / 2] < 0 || to[f / 2] >= size[f / 2]) continue;
      const int other = (to[2] * size[1] + to[1]) * size[0] + to[0];
      oracle_trees_glue(trees, number[i], f, number[other], f ^ 1, 0);
    }
  }
  return trees;
}

/* Which tree is where, from its blocks' corners in space. */
static void find_trees(const rind_forest *forest, const int size[3], int32_t *number, int count) {
  for (int i = 0; i < count; ++i)
    number[i] = -1;
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const rind_block *block = rind_forest_block(forest, b);
    const int i = (int)block->lower[0], j = (int)block->lower[1], k = (int)block->lower[2];
    number[(k * size[1] + j) * size[0] + i] = block->tree;
  }
  MPI_Allreduce(MPI_IN_PLACE, number, count, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
}

static long compare_judges(const scene *s, const rind_forest *forest, const oracle *brick,
                           const oracle *glued, long *families) {
  const scene_memory shape = {
      .layout = {.dim = s->brick.dim, .cells = s->cells, .ghosts = s->ghosts}};
  const rind_rules rules = scene_rules(s);
  long different = 0;
  for (int b = 0; b < rind_forest_num_blocks(forest); ++b) {
    const int leaf = (int)rind_forest_block(forest, b)->global;
    int cell[3];
    scene_first_cell(&shape, cell);
    do {
      for (int c = 0; c < s->components; ++c) {
        oracle_row one, two;
        const bool first = oracle_find_component_row(brick, &rules, c, leaf, cell, &one);
        const bool second = oracle_find_component_row(glued, &rules, c, leaf, cell, &two);
        if (first != second || (first && !same_row(&one, &two))) ++different;
        if (first) ++families[one.family];
      }
    } while (scene_next_cell(&shape, cell));
  }
  return different;
}

static void run_case(int index, long *families) {
  scene s = scene_random(40, index);
  scene_extend(&s);
  scene_choose_cells(&s, 1000, 0);
  if (s.components > 2) s.components = 2;
  scene_run run;
  const scene_source source = {.name = NULL};
  const bool open = scene_open_forest(&s, &source, &run);
  CHECK(open, "%s", run.text);
  if (open) {
    int32_t number[27];
    oracle_trees *trees = NULL;
    char text[256];
    find_trees(run.forest, run.judge->trees, number,
               run.judge->trees[0] * run.judge->trees[1] * run.judge->trees[2]);
    trees = trees_of(&s.brick, number, run.judge->trees);
    oracle *glued = oracle_create_glued(MPI_COMM_WORLD, run.forest, trees, s.cells, text);
    CHECK(glued != NULL, "%s", text);
    if (glued != NULL) {
      const long different = compare_judges(&s, run.forest, run.judge, glued, families);
      CHECK(different == 0, "case %d: %ld rows differ", index, different);
    }
    oracle_destroy(glued);
    oracle_trees_destroy(trees);
  }
  scene_close(&run);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  long families[RIND_NUM_FAMILIES] = {0}, sums[RIND_NUM_FAMILIES];
  check_turns();
  for (int i = 0; i < 40; ++i)
    run_case(i, families);
  MPI_Allreduce(families, sums, RIND_NUM_FAMILIES, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  for (int f = 0; f < RIND_NUM_FAMILIES; ++f) {
    if (f == RIND_FAMILY_EDGE_MEAN || f == RIND_FAMILY_CORNER_MEAN) continue;
    CHECK(sums[f] > 0, "no row of family %s was compared", rind_family_name((rind_family)f));
  }
  return check_end();
}
