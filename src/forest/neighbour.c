/* neighbour.c - the position next to a block, over tree boundaries too, and its blocks. */
#include <neighbour.h>

#include <string.h>

bool rind_neighbourhood_open(const rind_tree_mesh *mesh, const rind_block *block, int num_blocks,
                             rind_neighbourhood *around) {
  rind_block_table table;
  if (!rind_block_table_create(block, num_blocks, &table)) return false;
  memset(around, 0, sizeof *around);
  around->mesh = mesh;
  around->table = table;
  around->charts.tree = -1;
  return true;
}

void rind_neighbourhood_close(rind_neighbourhood *around) {
  rind_block_table_destroy(&around->table);
}

/* NULL if there is no chart in that direction. */
static const rind_tree_chart *chart_over(rind_neighbourhood *around, int32_t tree,
                                         const int out[3]) {
  rind_tree_charts *charts = &around->charts;
  if (charts->tree != tree) {
    rind_tree_charts_find(around->mesh, tree, charts);
    around->irregular = around->irregular || charts->irregular;
  }
  const int region = (out[0] + 1) + 3 * (out[1] + 1) + 9 * (out[2] + 1);
  return charts->exists[region] ? &charts->chart[region] : NULL;
}

bool rind_neighbourhood_position(rind_neighbourhood *around, const rind_block *block,
                                 const int o[3], rind_position *at) {
  const int32_t sides = (int32_t)1 << block->level; /* of the tree, in block sides */
  int out[3] = {0, 0, 0};
  rind_position near = {.tree = block->tree, .level = block->level, .axis = {0, 1, 2}};
  for (int a = 0; a < around->mesh->dim; ++a) {
    near.coordinate[a] = block->coordinate[a] + o[a];
    out[a] = near.coordinate[a] < 0 ? -1 : near.coordinate[a] >= sides;
  }
  *at = near;
  if (out[0] == 0 && out[1] == 0 && out[2] == 0) return true;
  const rind_tree_chart *chart = chart_over(around, block->tree, out);
  if (!chart) return false;
  at->tree = chart->tree;
  for (int a = 0; a < around->mesh->dim; ++a) {
    const int32_t shift = chart->shift[a] * sides;
    at->coordinate[chart->axis[a]] =
        chart->sign[a] > 0 ? shift + near.coordinate[a] : shift - near.coordinate[a] - 1;
    at->axis[a] = chart->axis[a];
    at->flip[a] = chart->sign[a] < 0;
  }
  return true;
}

bool rind_child_touches(int dim, int child, const int o[3]) {
  for (int a = 0; a < dim; ++a) {
    const bool upper = child >> a & 1;
    /* Not upper != (o[a] < 0): GCC 12 makes wrong code of that. */
    if (upper ? o[a] > 0 : o[a] < 0) return false;
  }
  return true;
}

void rind_position_child(const rind_position *at, int dim, int child, rind_position *part) {
  *part = *at;
  ++part->level;
  for (int a = 0; a < dim; ++a) {
    const int upper = (child >> a & 1) ^ at->flip[a];
    part->coordinate[at->axis[a]] = 2 * at->coordinate[at->axis[a]] + upper;
  }
}

static bool look_up_same(const rind_neighbourhood *around, const rind_position *at, const int o[3],
                         rind_neighbours *found) {
  const int block = rind_block_table_find(&around->table, at->tree, at->level, at->coordinate);
  if (block < 0) return false;
  found->relation = 0;
  found->num_blocks = 1;
  found->block[0] = block;
  for (int a = 0; a < 3; ++a)
    found->origin[0][a] = (int8_t)(a < around->mesh->dim ? 2 * o[a] : 0);
  return true;
}

static bool look_up_coarser(const rind_neighbourhood *around, const rind_position *at,
                            const int o[3], rind_neighbours *found) {
  if (at->level == 0) return false;
  const int32_t coordinate[3] = {at->coordinate[0] >> 1, at->coordinate[1] >> 1,
                                 at->coordinate[2] >> 1};
  const int block = rind_block_table_find(&around->table, at->tree, at->level - 1, coordinate);
  if (block < 0) return false;
  found->relation = -1;
  found->num_blocks = 1;
  found->block[0] = block;
  for (int a = 0; a < 3; ++a) {
    const int upper = (at->coordinate[at->axis[a]] & 1) ^ at->flip[a];
    found->origin[0][a] = (int8_t)(a < around->mesh->dim ? 2 * o[a] - 2 * upper : 0);
  }
  return true;
}

static bool look_up_finer(const rind_neighbourhood *around, const rind_position *at, const int o[3],
                          rind_neighbours *found) {
  const int dim = around->mesh->dim;
  if (at->level >= around->mesh->max_level) return false;
  found->relation = 1;
  found->num_blocks = 0;
  for (int child = 0; child < 1 << dim; ++child) {
    if (!rind_child_touches(dim, child, o)) continue;
    rind_position part;
    rind_position_child(at, dim, child, &part);
    const int block = rind_block_table_find(&around->table, part.tree, part.level, part.coordinate);
    if (block < 0) return false;
    const int i = found->num_blocks++;
    found->block[i] = block;
    for (int a = 0; a < 3; ++a)
      found->origin[i][a] = (int8_t)(a < dim ? 2 * o[a] + (child >> a & 1) : 0);
  }
  return true;
}

bool rind_neighbourhood_look_up(const rind_neighbourhood *around, const rind_position *at,
                                const int o[3], rind_neighbours *found) {
  return look_up_same(around, at, o, found) || look_up_coarser(around, at, o, found) ||
         look_up_finer(around, at, o, found);
}
