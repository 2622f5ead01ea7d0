/* oracle_memory.c - a field in guarded memory, and the comparison with the oracle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_scene.h"

enum { GUARD = 13 }; /* elements before the first, between and after the last block */

static int padded_cells(const rind_layout *layout) {
  return layout->cells + 2 * layout->ghosts;
}

static rind_layout layout_of(const scene *s) {
  rind_layout layout = {.dim = s->brick.dim,
                        .cells = s->cells,
                        .ghosts = s->ghosts,
                        .components = s->components,
                        .type = s->type,
                        .storage = s->storage,
                        .order = s->order};
  if (!s->wide) return layout;
  const ptrdiff_t padded = padded_cells(&layout);
  const bool innermost = s->order == RIND_COMPONENTS_INNERMOST;
  ptrdiff_t stride = 1;
  if (innermost) {
    layout.component_stride = 1;
    stride = s->components + 1;
  }
  for (int a = 0; a < s->brick.dim; ++a) {
    layout.cell_stride[a] = stride;
    stride = stride * padded + 2 + a;
  }
  if (!innermost) {
    layout.component_stride = stride;
    stride = stride * s->components + 3;
  }
  if (s->storage == RIND_PACKED) layout.block_stride = stride + 5;
  return layout;
}

/* Bit patterns of quiet NaNs that carry their place. */
static void poison_element(const scene_memory *memory, size_t e) {
  if (memory->layout.type == RIND_FLOAT32) {
    const uint32_t bits = UINT32_C(0x7fc00000) | (uint32_t)(e & 0x3fffff);
    memcpy((char *)memory->data + e * 4, &bits, 4);
  } else {
    const uint64_t bits = UINT64_C(0x7ff8000000000000) | (uint64_t)e;
    memcpy((char *)memory->data + e * 8, &bits, 8);
  }
}

rind_error scene_create_field(const rind_forest *forest, const scene *s, scene_memory *memory,
                              rind_field **field) {
  rind_context *context = rind_forest_context(forest);
  memset(memory, 0, sizeof *memory);
  memory->num_blocks = rind_forest_num_blocks(forest);
  memory->layout = layout_of(s);
  const rind_error error = rind_layout_complete(context, memory->num_blocks, &memory->layout);
  if (error != RIND_OK) return error;

  const rind_layout *layout = &memory->layout;
  const bool packed = layout->storage == RIND_PACKED;
  const size_t block_elements = rind_layout_block_elements(layout);
  const size_t step = packed ? (size_t)layout->block_stride : block_elements + GUARD;
  const size_t bytes = rind_type_bytes(layout->type);
  const size_t num_blocks = (size_t)memory->num_blocks;
  memory->elements = 2 * GUARD + num_blocks * step + block_elements;
  memory->origin = malloc((num_blocks + 1) * sizeof *memory->origin);
  memory->data = malloc(memory->elements * bytes);
  memory->before = malloc(memory->elements * bytes);
  void **pointers = malloc((num_blocks + 1) * sizeof *pointers);
  if (!memory->origin || !memory->data || !memory->before || !pointers) abort();
  for (size_t b = 0; b < num_blocks; ++b) {
    const size_t first = GUARD + b * step;
    memory->origin[b] = first + (size_t)rind_layout_interior_offset(layout);
    pointers[b] = (char *)memory->data + first * bytes;
  }
  void *first = (char *)memory->data + GUARD * bytes;
  const size_t usable = num_blocks > 0 ? (num_blocks - 1) * step + block_elements : 0;
  const rind_error wrapped =
      packed ? rind_field_wrap_packed(forest, layout, first, usable, field)
             : rind_field_wrap_blocks(forest, layout, pointers, memory->num_blocks, field);
  free(pointers);
  return wrapped;
}

static size_t element_of(const scene_memory *memory, int block, const int cell[3], int component) {
  const rind_layout *layout = &memory->layout;
  ptrdiff_t e = (ptrdiff_t)memory->origin[block] + component * layout->component_stride;
  for (int a = 0; a < layout->dim; ++a)
    e += cell[a] * layout->cell_stride[a];
  return (size_t)e;
}

static uint64_t element_bits(const scene_memory *memory, const void *data, size_t e) {
  uint64_t bits = 0;
  if (memory->layout.type == RIND_FLOAT32) {
    uint32_t word = 0;
    memcpy(&word, (const char *)data + e * 4, 4);
    return word;
  }
  memcpy(&bits, (const char *)data + e * 8, 8);
  return bits;
}

static uint64_t value_bits(rind_type type, double value) {
  uint64_t bits = 0;
  if (type == RIND_FLOAT32) {
    const float narrow = (float)value;
    uint32_t word = 0;
    memcpy(&word, &narrow, 4);
    return word;
  }
  memcpy(&bits, &value, 8);
  return bits;
}

static double bits_value(rind_type type, uint64_t bits) {
  if (type == RIND_FLOAT32) {
    const uint32_t word = (uint32_t)bits;
    float narrow = 0;
    memcpy(&narrow, &word, 4);
    return (double)narrow;
  }
  double value = 0;
  memcpy(&value, &bits, 8);
  return value;
}

static void put_value(const scene_memory *memory, size_t e, double value) {
  const uint64_t bits = value_bits(memory->layout.type, value);
  const uint32_t word = (uint32_t)bits;
  if (memory->layout.type == RIND_FLOAT32) {
    memcpy((char *)memory->data + e * 4, &word, 4);
  } else {
    memcpy((char *)memory->data + e * 8, &bits, 8);
  }
}

uint64_t scene_bits(const scene_memory *memory, int block, const int cell[3], int component) {
  return element_bits(memory, memory->data, element_of(memory, block, cell, component));
}

double scene_value(const scene_memory *memory, int block, const int cell[3], int component) {
  return bits_value(memory->layout.type, scene_bits(memory, block, cell, component));
}

void scene_first_cell(const scene_memory *memory, int cell[3]) {
  for (int a = 0; a < 3; ++a)
    cell[a] = a < memory->layout.dim ? -memory->layout.ghosts : 0;
}

bool scene_next_cell(const scene_memory *memory, int cell[3]) {
  for (int a = 0; a < memory->layout.dim; ++a) {
    if (++cell[a] < memory->layout.cells + memory->layout.ghosts) return true;
    cell[a] = -memory->layout.ghosts;
  }
  return false;
}

static bool is_interior(const rind_layout *layout, const int cell[3]) {
  for (int a = 0; a < layout->dim; ++a) {
    if (cell[a] < 0 || cell[a] >= layout->cells) return false;
  }
  return true;
}

void scene_put(scene_memory *memory, int block, const int cell[3], int component, double value) {
  const size_t e = element_of(memory, block, cell, component);
  put_value(memory, e, value);
  const size_t bytes = rind_type_bytes(memory->layout.type);
  memcpy((char *)memory->before + e * bytes, (const char *)memory->data + e * bytes, bytes);
}

void scene_poison_all(scene_memory *memory) {
  for (size_t e = 0; e < memory->elements; ++e)
    poison_element(memory, e);
  memcpy(memory->before, memory->data, memory->elements * rind_type_bytes(memory->layout.type));
}

void scene_poison(scene_memory *memory, const rind_forest *forest, oracle_value value,
                  const void *user) {
  scene_poison_all(memory);
  for (int b = 0; b < memory->num_blocks; ++b) {
    const int leaf = (int)rind_forest_block(forest, b)->global;
    int cell[3];
    scene_first_cell(memory, cell);
    do {
      if (!is_interior(&memory->layout, cell)) continue;
      for (int c = 0; c < memory->layout.components; ++c) {
        scene_put(memory, b, cell, c, value(user, leaf, cell, c));
      }
    } while (scene_next_cell(memory, cell));
  }
}

void scene_free_memory(scene_memory *memory) {
  free(memory->origin);
  free(memory->data);
  free(memory->before);
  memset(memory, 0, sizeof *memory);
}

static void judge_value(const scene_memory *memory, const oracle_fill *fill, int block, int leaf,
                        const int cell[3], int component, scene_verdict *verdict) {
  const rind_type type = memory->layout.type;
  const size_t e = element_of(memory, block, cell, component);
  const uint64_t got = element_bits(memory, memory->data, e);
  uint64_t want = element_bits(memory, memory->before, e);
  oracle_row row;
  const char *family = "not covered";
  if (oracle_find_component_row(fill->judge, fill->rules, component, leaf, cell, &row)) {
    want = value_bits(type, oracle_row_value(fill, &row, leaf, cell, component));
    family = rind_family_name(row.family);
    if (component == 0) ++verdict->covered;
    if (component == 0 && row.family == RIND_FAMILY_FUNCTION) ++verdict->by_function;
    ++verdict->family[row.family];
  }
  if (got == want || verdict->wrong++ > 0) return;
  snprintf(verdict->text, sizeof verdict->text,
           "leaf %d cell %d %d %d component %d (%s) holds %016llx %g instead of %016llx %g", leaf,
           cell[0], cell[1], cell[2], component, family, (unsigned long long)got,
           bits_value(type, got), (unsigned long long)want, bits_value(type, want));
}

void scene_accept(const scene_memory *memory, int block, const int cell[3], int component) {
  const size_t bytes = rind_type_bytes(memory->layout.type);
  const size_t e = element_of(memory, block, cell, component) * bytes;
  memcpy((char *)memory->before + e, (const char *)memory->data + e, bytes);
}

void scene_judge_rest(const scene_memory *memory, scene_verdict *verdict) {
  for (size_t e = 0; e < memory->elements; ++e) {
    if (element_bits(memory, memory->before, e) == element_bits(memory, memory->data, e)) continue;
    if (verdict->touched++ == 0 && verdict->wrong == 0) {
      snprintf(verdict->text, sizeof verdict->text,
               "element %zu of %zu changed, which is no cell to write", e, memory->elements);
    }
  }
}

scene_verdict scene_judge_fill(const scene_memory *memory, const rind_forest *forest,
                               const oracle_fill *fill) {
  scene_verdict verdict = {.covered = 0};
  for (int b = 0; b < memory->num_blocks; ++b) {
    const int leaf = (int)rind_forest_block(forest, b)->global;
    int cell[3];
    scene_first_cell(memory, cell);
    do {
      for (int c = 0; c < memory->layout.components; ++c) {
        judge_value(memory, fill, b, leaf, cell, c, &verdict);
        scene_accept(memory, b, cell, c);
      }
    } while (scene_next_cell(memory, cell));
  }
  scene_judge_rest(memory, &verdict);
  return verdict;
}

scene_verdict scene_judge(const scene_memory *memory, const rind_forest *forest,
                          const oracle *judge, const rind_rules *rules, oracle_value value,
                          const void *user) {
  const oracle_fill fill = {.judge = judge,
                            .rules = rules,
                            .type = memory->layout.type,
                            .value = value,
                            .user = user,
                            .components = memory->layout.components};
  return scene_judge_fill(memory, forest, &fill);
}
