/* oracle_backward.c - the library's adjoint of a field against the oracle's. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "oracle_backward.h"

static double seed_value(const void *user, int leaf, const int cell[3], int component) {
  const int shifted[3] = {cell[0] + 32, cell[1] + 32, cell[2] + 32};
  return scene_noise(user, leaf, shifted, component + 50);
}

bool backward_is_interior(const backward *b, const int cell[3]) {
  return oracle_is_interior(b->by.judge, cell);
}

/* Seeds of all leaves, as stored. Cells that no row reads and no fill writes have none. */
static void draw_seeds(backward *b, uint64_t noise) {
  const scene_memory *memory = b->memory;
  for (int leaf = 0; leaf < b->by.judge->num_leaves; ++leaf) {
    int cell[3];
    scene_first_cell(memory, cell);
    do {
      for (int c = 0; c < b->scene->components; ++c) {
        const double value = seed_value(&noise, leaf, cell, c);
        b->seed[oracle_adjoint_index(b->adjoint, leaf, cell, c)] =
            b->scene->type == RIND_FLOAT32 ? (double)(float)value : value;
      }
    } while (scene_next_cell(memory, cell));
  }
}

void backward_put(const backward *b) {
  scene_poison_all(b->memory);
  for (int block = 0; block < b->memory->num_blocks; ++block) {
    const int leaf = (int)rind_forest_block(b->forest, block)->global;
    int cell[3];
    scene_first_cell(b->memory, cell);
    do {
      for (int c = 0; c < b->scene->components; ++c) {
        const int64_t i = oracle_adjoint_index(b->adjoint, leaf, cell, c);
        if (b->adjoint->read[i] || b->adjoint->written[i] > 0)
          scene_put(b->memory, block, cell, c, b->seed[i]);
      }
    } while (scene_next_cell(b->memory, cell));
  }
}

static void judge_cell(const backward *b, int block, int leaf, const int cell[3], int component,
                       scene_verdict *verdict, scene_adjoint_counts *judged) {
  const int64_t i = oracle_adjoint_index(b->adjoint, leaf, cell, component);
  const bool interior = backward_is_interior(b, cell);
  if (!b->adjoint->read[i] && b->adjoint->written[i] == 0) {
    judged->kept += interior;
    return;
  }
  const double got = scene_value(b->memory, block, cell, component), want = b->result[i];
  uint64_t got_bits = 0, want_bits = 0;
  memcpy(&got_bits, &got, sizeof got);
  memcpy(&want_bits, &want, sizeof want);
  scene_accept(b->memory, block, cell, component);
  ++verdict->covered;
  judged->cells += interior;
  if (!interior) {
    oracle_row row;
    oracle_find_component_row(b->by.judge, b->by.rules, component, leaf, cell, &row);
    ++judged->ghosts[row.family];
  }
  if (got_bits == want_bits || verdict->wrong++ > 0) return;
  snprintf(verdict->text, sizeof verdict->text,
           "leaf %d cell %d %d %d component %d (phase %d) holds %a instead of %a, before %a", leaf,
           cell[0], cell[1], cell[2], component, b->adjoint->written[i] - 1, got, want, b->seed[i]);
}

void backward_judge(const backward *b, const char *method, const scene_walls *walls,
                    scene_adjoint_counts *judged) {
  scene_verdict v = {.covered = 0};
  for (int block = 0; block < b->memory->num_blocks; ++block) {
    const int leaf = (int)rind_forest_block(b->forest, block)->global;
    int cell[3];
    scene_first_cell(b->memory, cell);
    do {
      for (int c = 0; c < b->scene->components; ++c)
        judge_cell(b, block, leaf, cell, c, &v, judged);
    } while (scene_next_cell(b->memory, cell));
  }
  scene_judge_rest(b->memory, &v);
  char text[512];
  scene_print(b->scene, text);
  CHECK(v.wrong == 0 && v.touched == 0 && walls->wrong == 0,
        "%s, %s: %ld of %ld values wrong, %ld touched, %ld calls wrong: %s (%s)", b->name, method,
        v.wrong, v.covered, v.touched, walls->wrong, v.text, text);
}

void backward_open(const scene *s, const char *name, const rind_forest *forest, const oracle *judge,
                   scene_memory *memory, rind_field *field, backward *b) {
  *b = (backward){.scene = s,
                  .name = name,
                  .forest = forest,
                  .context = rind_forest_context(forest),
                  .rules = scene_rules(s),
                  .memory = memory,
                  .field = field};
  b->by = scene_oracle_fill(s, judge, &b->rules, &s->seed);
  b->adjoint = oracle_adjoint_create(&b->by, s->ghosts);
  const size_t bytes = (size_t)b->adjoint->num_values * sizeof(double) + 1;
  b->seed = malloc(bytes);
  b->result = malloc(bytes);
  if (b->seed == NULL || b->result == NULL) abort();
  draw_seeds(b, s->seed ^ 0xad101);
  memcpy(b->result, b->seed, bytes - 1);
  oracle_adjoint_apply(b->adjoint, ORACLE_CANONICAL, b->result);
}

void backward_close(backward *b) {
  free(b->seed);
  free(b->result);
  oracle_adjoint_destroy(b->adjoint);
}
