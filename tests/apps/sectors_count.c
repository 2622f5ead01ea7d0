/* sectors_count.c - the benchmark's count of sectors against a map of bytes, wherever the field
 * begins, packed and by blocks. */
#include <bench.h>
#include <bench_sectors.h>
#include <check.h>
#include <string.h>

enum { SECTOR = 64, SOURCE = 1, GHOST = 2 };

typedef struct scene {
  rind_context *context;
  rind_forest *forest;
  rind_schedule *schedule;
  int num_blocks;
} scene;

/* Marks the bytes of a box's values; data is where byte 0 of the map lies. */
static void mark(const rind_field *field, const char *data, char *map, int block,
                 const rind_box *box, const int32_t extent[3], char what) {
  const rind_layout *layout = rind_field_layout(field);
  const size_t value = rind_type_bytes(layout->type);
  const int64_t cells = (int64_t)extent[0] * extent[1] * extent[2];
  for (int64_t cell = 0; cell < cells * layout->components; ++cell) {
    const int64_t n[3] = {cell % extent[0], cell / extent[0] % extent[1],
                          cell / extent[0] / extent[1] % extent[2]};
    ptrdiff_t at = cell / cells * layout->component_stride;
    for (int a = 0; a < 3; ++a) {
      const int axis = box->axis[a];
      if (axis < layout->dim)
        at += (box->origin[axis] + n[a] * box->step[a]) * layout->cell_stride[axis];
    }
    const char *address = (const char *)rind_field_pointer(field, block) + at * (ptrdiff_t)value;
    for (size_t byte = 0; byte < value; ++byte)
      map[address + byte - data] |= what;
  }
}

static void mark_all(const scene *s, const rind_field *field, const char *data, char *map) {
  for (int f = 0; f < rind_schedule_num_fills(s->schedule); ++f) {
    rind_fill_view view;
    rind_term_view term;
    rind_schedule_fill(s->schedule, f, &view);
    mark(field, data, map, view.block, &view.box, view.extent, GHOST);
    for (int t = 0; t < view.num_terms; ++t) {
      rind_schedule_term(s->schedule, f, t, &term);
      if (term.block < s->num_blocks)
        mark(field, data, map, term.block, &term.box, view.extent, SOURCE);
    }
  }
}

/* data is at a sector's begin. */
static bench_sectors count_map(const char *map, size_t bytes) {
  bench_sectors n = {.bytes = SECTOR};
  for (size_t sector = 0; sector < bytes; sector += SECTOR) {
    char any = 0, all = GHOST;
    for (size_t byte = sector; byte < sector + SECTOR; ++byte) {
      any |= map[byte];
      all &= map[byte];
    }
    n.read += (any & SOURCE) != 0;
    n.written += (any & GHOST) != 0;
    n.part += (any & GHOST) && !all;
    n.fetched += (any & SOURCE) || ((any & GHOST) && !all);
    n.touched += any != 0;
  }
  return n;
}

static bool are_same(const bench_sectors *a, const bench_sectors *b) {
  return a->read == b->read && a->written == b->written && a->part == b->part &&
         a->fetched == b->fetched && a->touched == b->touched;
}

static void compare(const scene *s, rind_layout layout, size_t shift) {
  CHECK_OK(rind_layout_complete(s->context, s->num_blocks, &layout), s->context);
  const bool packed = layout.storage == RIND_PACKED;
  const size_t value = rind_type_bytes(layout.type);
  const size_t block = rind_layout_block_elements(&layout) * value;
  const size_t bytes = ((size_t)s->num_blocks * (block + 1000) + 2 * SECTOR) / SECTOR * SECTOR;
  char *data = aligned_alloc(SECTOR, bytes), *map = calloc(bytes, 1);
  void **blocks = calloc((size_t)s->num_blocks + 1, sizeof *blocks);
  rind_field *field = NULL;
  memset(data, 0, bytes);
  /* By blocks: the last one first, with gaps. */
  for (int b = 0; b < s->num_blocks; ++b)
    blocks[b] = data + shift + (size_t)(s->num_blocks - 1 - b) * (block + 904);
  CHECK_OK(packed ? rind_field_wrap_packed(s->forest, &layout, data + shift,
                                           (size_t)s->num_blocks * block / value, &field)
                  : rind_field_wrap_blocks(s->forest, &layout, blocks, s->num_blocks, &field),
           s->context);
  bench_sectors got;
  CHECK(bench_sectors_count(s->schedule, field, &got), "no memory");
  mark_all(s, field, data, map);
  const bench_sectors want = count_map(map, bytes);
  CHECK(are_same(&got, &want),
        "shift %zu, %s: read %lld, written %lld, part %lld, fetched %lld, touched %lld instead of "
        "%lld, %lld, %lld, %lld, %lld",
        shift, packed ? "packed" : "blocks", (long long)got.read, (long long)got.written,
        (long long)got.part, (long long)got.fetched, (long long)got.touched, (long long)want.read,
        (long long)want.written, (long long)want.part, (long long)want.fetched,
        (long long)want.touched);
  rind_field_destroy(&field);
  free(blocks);
  free(data);
  free(map);
}

static void compare_layouts(scene *s, int dim, rind_regions regions, int ghosts) {
  bench_forest what = {.name = BENCH_C3, .dim = dim, .periodic = {-1, 0, 0}};
  const rind_rules rules = {.regions = regions};
  CHECK_OK(bench_forest_create(s->context, &what, &s->forest), s->context);
  CHECK_OK(rind_schedule_create(s->forest, what.cells, ghosts, &rules, &s->schedule), s->context);
  s->num_blocks = rind_forest_num_blocks(s->forest);
  for (int variant = 0; variant < 8; ++variant) {
    const rind_layout layout = {.dim = dim,
                                .cells = what.cells,
                                .ghosts = ghosts,
                                .components = 1 + variant % 3,
                                .type = variant & 1 ? RIND_FLOAT32 : RIND_FLOAT64,
                                .storage = variant & 2 ? RIND_BLOCKS : RIND_PACKED,
                                .order = variant & 4 ? RIND_COMPONENTS_INNERMOST
                                                     : RIND_COMPONENTS_OUTERMOST};
    compare(s, layout, (size_t)variant * 8 % SECTOR);
  }
  rind_schedule_destroy(&s->schedule);
  rind_forest_destroy(&s->forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  scene s = {0};
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &s.context), NULL);
  compare_layouts(&s, 2, RIND_REGIONS_FACES, 1);
  compare_layouts(&s, 2, RIND_REGIONS_ALL, 3);
  compare_layouts(&s, 3, RIND_REGIONS_FACES, 2);
  rind_context_destroy(&s.context);
  return check_end();
}
