/* exchange_scene.c - forests by number, and memory whose every element is accounted for. */
#include <exchange_scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(rind_error error, const rind_context *context, const char *what) {
  if (error == RIND_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, rind_error_name(error), rind_last_error(context));
  abort();
}

static double centre(const rind_block *block, int axis) {
  return block->lower[axis] + block->side[axis] / 2;
}

static int refine_nothing(const rind_block *block, void *user) {
  (void)block, (void)user;
  return 0;
}

static int refine_half(const rind_block *block, void *user) {
  (void)user;
  return block->level < 2 && centre(block, 0) < 0.5;
}

static int refine_corner(const rind_block *block, void *user) {
  const int *dim = user;
  for (int a = 0; a < *dim; ++a)
    if (block->lower[a] > 0) return 0;
  return 1;
}

static int refine_around(const rind_block *block, void *user) {
  const int *dim = user;
  for (int a = 0; a < *dim; ++a)
    if (centre(block, a) < 1 || centre(block, a) > 2) return 1;
  return 0;
}

static int refine_disc(const rind_block *block, void *user) {
  (void)user;
  return hypot(centre(block, 0) - 0.7, centre(block, 1) - 0.4) < 0.3;
}

static const struct {
  const char *name;
  rind_brick brick;
  rind_refine_function refine;
  int max_level, cells, ghosts;
} scenes[SCENE_SMALL_BLOCKS + 1] = {
    {"2D, one periodic block", {.dim = 2, .periodic = {1, 1}, .level = 0}, refine_nothing, 0, 4, 2},
    {"2D, uniform",
     {.dim = 2, .trees = {3, 2}, .level = 1, .periodic = {1, 0}},
     refine_nothing,
     1,
     8,
     2},
    {"2D, disc", {.dim = 2, .trees = {2, 1}, .level = 1}, refine_disc, 4, 6, 3},
    {"2D, corner, periodic", {.dim = 2, .level = 1, .periodic = {1, 1}}, refine_corner, 3, 8, 2},
    {"3D, half", {.dim = 3, .level = 1, .periodic = {0, 1, 1}}, refine_half, 2, 8, 1},
    {"3D, corner", {.dim = 3, .level = 1, .periodic = {0, 0, 1}}, refine_corner, 3, 4, 2},
    {"3D, surrounded", {.dim = 3, .trees = {3, 3, 3}}, refine_around, 1, 4, 1},
    {"3D, half, small blocks",
     {.dim = 3, .level = 1, .periodic = {0, 1, 1}},
     refine_half,
     2,
     4,
     1}};

void scene_create(MPI_Comm comm, int number, int threads, const rind_rules *rules, scene *s) {
  *s = (scene){.name = scenes[number].name,
               .dim = scenes[number].brick.dim,
               .cells = scenes[number].cells,
               .ghosts = scenes[number].ghosts};
  const rind_context_options options = {.threads = threads};
  must(rind_context_create(comm, &options, &s->context), NULL, "context");
  must(rind_forest_create_brick(s->context, &scenes[number].brick, &s->forest), s->context,
       "brick");
  must(rind_forest_refine(s->forest, scenes[number].max_level, scenes[number].refine, &s->dim),
       s->context, "refine");
  must(rind_schedule_create(s->forest, s->cells, s->ghosts, rules, &s->schedule), s->context,
       "schedule");
}

void scene_destroy(scene *s) {
  rind_schedule_destroy(&s->schedule);
  rind_forest_destroy(&s->forest);
  rind_context_destroy(&s->context);
}

/* Strides of a shape; 0 for what the library works out. */
static rind_layout shaped_layout(const scene *s, shape kind, rind_type type,
                                 rind_component_order order, int components) {
  rind_layout layout = {.dim = s->dim,
                        .cells = s->cells,
                        .ghosts = s->ghosts,
                        .components = components,
                        .type = type,
                        .order = order,
                        .storage = kind == SHAPE_BLOCKS ? RIND_BLOCKS : RIND_PACKED};
  const ptrdiff_t padded = s->cells + 2 * s->ghosts;
  if (kind == SHAPE_WIDE) {
    layout.cell_stride[0] = order == RIND_COMPONENTS_INNERMOST ? components + 1 : 2;
    layout.cell_stride[1] = layout.cell_stride[0] * (padded + 3);
  }
  if (kind == SHAPE_STRANGE) {
    const ptrdiff_t blocks = rind_forest_num_blocks(s->forest);
    layout.block_stride = 1;
    layout.component_stride = blocks + 1;
    layout.cell_stride[1] = layout.component_stride * components;
    layout.cell_stride[0] = layout.cell_stride[1] * padded + 1;
    layout.cell_stride[2] = layout.cell_stride[0] * padded;
  }
  return layout;
}

ptrdiff_t cell_offset(const rind_layout *layout, const int cell[3], int component) {
  ptrdiff_t offset = component * layout->component_stride;
  for (int a = 0; a < layout->dim; ++a)
    offset += cell[a] * layout->cell_stride[a];
  return offset;
}

double made_value(int64_t global, const int cell[3], int component) {
  uint64_t x = (uint64_t)global * 1000003u + (uint64_t)component * 10007u + 17;
  for (int a = 0; a < 3; ++a)
    x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u + (uint64_t)cell[a];
  x = (x ^ (x >> 32)) * 0x94D049BB133111EBu;
  return (double)(int64_t)(x ^ (x >> 31)) / 9223372036854775808.0;
}

void store(void *pointer, rind_type type, ptrdiff_t at, double value) {
  if (type == RIND_FLOAT64)
    ((double *)pointer)[at] = value;
  else
    ((float *)pointer)[at] = (float)value;
}

static double load(const void *pointer, rind_type type, ptrdiff_t at) {
  return type == RIND_FLOAT64 ? ((const double *)pointer)[at]
                              : (double)((const float *)pointer)[at];
}

bool next_cell(const scene *s, int cell[3]) {
  for (int a = 0; a < s->dim; ++a) {
    if (++cell[a] < s->cells + s->ghosts) return true;
    cell[a] = -s->ghosts;
  }
  return false;
}

void first_cell(const scene *s, int cell[3]) {
  for (int a = 0; a < 3; ++a)
    cell[a] = a < s->dim ? -s->ghosts : 0;
}

bool is_interior(const scene *s, const int cell[3]) {
  for (int a = 0; a < s->dim; ++a)
    if (cell[a] < 0 || cell[a] >= s->cells) return false;
  return true;
}

static void set_interiors(const scene *s, memory *m) {
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b) {
    const int64_t global = rind_forest_block(s->forest, b)->global;
    int cell[3];
    first_cell(s, cell);
    do {
      for (int c = 0; c < m->layout.components && is_interior(s, cell); ++c)
        store(rind_field_pointer(m->field, b), m->layout.type, cell_offset(&m->layout, cell, c),
              made_value(global, cell, c + m->seed));
    } while (next_cell(s, cell));
  }
}

void memory_create(const scene *s, shape kind, rind_type type, rind_component_order order,
                   int components, memory *m) {
  memory_create_seeded(s, kind, type, order, components, 0, m);
}

void memory_create_seeded(const scene *s, shape kind, rind_type type, rind_component_order order,
                          int components, int seed, memory *m) {
  const int num_blocks = rind_forest_num_blocks(s->forest);
  *m = (memory){.seed = seed, .layout = shaped_layout(s, kind, type, order, components)};
  must(rind_layout_complete(s->context, num_blocks, &m->layout), s->context, "layout");
  const size_t block_elements = rind_layout_block_elements(&m->layout);
  const size_t bytes = rind_type_bytes(type);
  /* Two more a block, so that what lies between blocks is seen too. */
  m->num_elements = kind == SHAPE_BLOCKS
                        ? (block_elements + 2) * (size_t)num_blocks
                        : block_elements + (size_t)num_blocks * (size_t)m->layout.block_stride;
  m->data = malloc(m->num_elements * bytes + 1);
  memset(m->data, 0xFF, m->num_elements * bytes);
  m->block = calloc((size_t)num_blocks + 1, sizeof *m->block);
  for (int b = 0; b < num_blocks; ++b)
    m->block[b] = m->data + (size_t)b * (block_elements + 2) * bytes;
  if (kind == SHAPE_BLOCKS)
    must(rind_field_wrap_blocks(s->forest, &m->layout, m->block, num_blocks, &m->field), s->context,
         "wrap blocks");
  else
    must(rind_field_wrap_packed(s->forest, &m->layout, m->data, m->num_elements, &m->field),
         s->context, "wrap packed");
  set_interiors(s, m);
}

void memory_destroy(memory *m) {
  rind_field_destroy(&m->field);
  free(m->block);
  free(m->data);
}

/* True if some block lies in the region of block b that the ghost cell belongs to. */
static bool is_covered(const scene *s, const rind_rules *rules, int b, const int cell[3]) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(s->forest);
  int region = 13, axes = 0, deepest = 0;
  for (int a = 0, weight = 1; a < s->dim; ++a, weight *= 3) {
    const int low = -cell[a], high = cell[a] - s->cells + 1;
    if (low <= 0 && high <= 0) continue;
    region += low > 0 ? -weight : weight;
    deepest = low > deepest ? low : deepest;
    deepest = high > deepest ? high : deepest;
    ++axes;
  }
  if (rules->layers > 0 && deepest > rules->layers) return false;
  if (rules->regions == RIND_REGIONS_FACES && axes > 1) return false;
  for (int l = arrays->first_link[b]; l < arrays->first_link[b + 1]; ++l)
    if (arrays->link[l].region == region) return true;
  return false;
}

/* What an element is: not of the field, interior, or ghost. */
enum { NO_CELL, INTERIOR, COVERED, UNCOVERED };

static bool is_right(const memory *m, size_t e, int kind, double wanted) {
  const double value = load(m->data, m->layout.type, (ptrdiff_t)e);
  if (kind == INTERIOR)
    return value == (m->layout.type == RIND_FLOAT64 ? wanted : (double)(float)wanted);
  if (kind == COVERED) return isfinite(value);
  const size_t bytes = rind_type_bytes(m->layout.type);
  for (size_t byte = 0; byte < bytes; ++byte)
    if ((unsigned char)m->data[e * bytes + byte] != 0xFF) return false;
  return true;
}

long memory_faults(const scene *s, const memory *m, const rind_rules *rules) {
  char *kind = calloc(m->num_elements + 1, 1);
  double *wanted = calloc(m->num_elements + 1, sizeof *wanted);
  const size_t bytes = rind_type_bytes(m->layout.type);
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b) {
    const ptrdiff_t base = ((char *)rind_field_pointer(m->field, b) - m->data) / (ptrdiff_t)bytes;
    const int64_t global = rind_forest_block(s->forest, b)->global;
    int cell[3];
    first_cell(s, cell);
    do {
      for (int c = 0; c < m->layout.components; ++c) {
        const ptrdiff_t at = base + cell_offset(&m->layout, cell, c);
        kind[at] = is_interior(s, cell)            ? INTERIOR
                   : is_covered(s, rules, b, cell) ? COVERED
                                                   : UNCOVERED;
        wanted[at] = made_value(global, cell, c + m->seed);
      }
    } while (next_cell(s, cell));
  }
  long faults = 0;
  for (size_t e = 0; e < m->num_elements; ++e)
    faults += !is_right(m, e, kind[e], wanted[e]);
  free(kind);
  free(wanted);
  return faults;
}

size_t collected_per_block(const scene *s, int components) {
  size_t count = (size_t)components;
  for (int a = 0; a < s->dim; ++a)
    count *= (size_t)(s->cells + 2 * s->ghosts);
  return count;
}

double *memory_collect(const scene *s, const memory *m) {
  const int num_blocks = rind_forest_num_blocks(s->forest);
  const size_t per_block = collected_per_block(s, m->layout.components);
  double *values = calloc(per_block * (size_t)num_blocks + 1, sizeof *values);
  size_t at = 0;
  for (int b = 0; b < num_blocks; ++b)
    for (int c = 0; c < m->layout.components; ++c) {
      int cell[3];
      first_cell(s, cell);
      do {
        values[at++] =
            load(rind_field_pointer(m->field, b), m->layout.type, cell_offset(&m->layout, cell, c));
      } while (next_cell(s, cell));
    }
  return values;
}
