/* bench_sectors.c - marks the sectors of every cell that the rows read or write. */
#include <bench_sectors.h>

#include <rind/forest.h>
#include <stdlib.h>

/* A sector's mark: the values written in it, and whether one is read. */
enum { WRITTEN = 127, READ = 128 };

typedef struct marks {
  const rind_layout *layout;
  size_t sector, value; /* bytes */
  uintptr_t *address;   /* [num_blocks], interior cell (0, 0, 0) */
  int64_t *first;       /* [num_blocks], what to subtract from a sector's address to get its mark */
  uint8_t *mark;
  int64_t num_marks;
} marks;

typedef struct place {
  uintptr_t address;
  int block;
} place;

static int compare_places(const void *a, const void *b) {
  const uintptr_t x = ((const place *)a)->address, y = ((const place *)b)->address;
  return (x > y) - (x < y);
}

/* Numbers the sectors of all blocks without gaps, wherever the blocks lie; neighbours may share
 * one.
 */
static void number_sectors(marks *m, place *order, int num_blocks) {
  const size_t interior = (size_t)rind_layout_interior_offset(m->layout) * m->value;
  const size_t bytes = rind_layout_block_elements(m->layout) * m->value;
  int64_t end = INT64_MIN; /* of the block before, as an address in sectors */
  qsort(order, (size_t)num_blocks, sizeof *order, compare_places);
  for (int i = 0; i < num_blocks; ++i) {
    const uintptr_t begin = order[i].address - interior;
    const int64_t low = (int64_t)(begin / m->sector);
    const int64_t high = (int64_t)((begin + bytes - 1) / m->sector) + 1;
    if (low < end) --m->num_marks;
    m->first[order[i].block] = low - m->num_marks;
    m->num_marks += high - low;
    end = high;
  }
}

static bool marks_create(const rind_field *field, marks *m) {
  const int num_blocks = rind_field_num_blocks(field);
  const size_t room = (size_t)num_blocks + 1;
  place *order = calloc(room, sizeof *order);
  m->layout = rind_field_layout(field);
  m->value = rind_type_bytes(m->layout->type);
  m->address = calloc(room, sizeof *m->address);
  m->first = calloc(room, sizeof *m->first);
  const bool made = order && m->address && m->first;
  for (int b = 0; made && b < num_blocks; ++b) {
    m->address[b] = (uintptr_t)rind_field_pointer(field, b);
    order[b] = (place){m->address[b], b};
  }
  if (made) number_sectors(m, order, num_blocks);
  free(order);
  m->mark = made ? calloc((size_t)m->num_marks + 1, 1) : NULL;
  return m->mark;
}

static void marks_destroy(marks *m) {
  free(m->address);
  free(m->first);
  free(m->mark);
}

static void mark_box(marks *m, int block, const rind_box *box, const int32_t extent[3],
                     bool write) {
  const rind_layout *layout = m->layout;
  const ptrdiff_t value = (ptrdiff_t)m->value;
  uintptr_t start = m->address[block];
  ptrdiff_t step[3];
  for (int a = 0; a < layout->dim; ++a)
    start += (uintptr_t)(box->origin[a] * layout->cell_stride[a] * value);
  for (int a = 0; a < 3; ++a)
    step[a] =
        box->axis[a] < layout->dim ? box->step[a] * layout->cell_stride[box->axis[a]] * value : 0;
  for (int c = 0; c < layout->components; ++c)
    for (int32_t k = 0; k < extent[2]; ++k)
      for (int32_t j = 0; j < extent[1]; ++j)
        for (int32_t i = 0; i < extent[0]; ++i) {
          const uintptr_t at = start + (uintptr_t)(c * layout->component_stride * value +
                                                   i * step[0] + j * step[1] + k * step[2]);
          uint8_t *mark = &m->mark[(int64_t)(at / m->sector) - m->first[block]];
          *mark = (uint8_t)(write ? *mark + 1 : *mark | READ);
        }
}

static void mark_fill(const rind_schedule *schedule, int fill, int num_local, marks *m) {
  rind_fill_view view;
  rind_term_view term;
  rind_schedule_fill(schedule, fill, &view);
  mark_box(m, view.block, &view.box, view.extent, true);
  for (int t = 0; t < view.num_terms; ++t) {
    rind_schedule_term(schedule, fill, t, &term);
    if (term.block >= 0 && term.block < num_local)
      mark_box(m, term.block, &term.box, view.extent, false);
  }
}

bool bench_sectors_count(const rind_schedule *schedule, const rind_field *field,
                         bench_sectors *sectors) {
  const int num_local = rind_forest_num_blocks(rind_schedule_forest(schedule));
  const bool device = rind_field_layout(field)->space == RIND_DEVICE;
  *sectors = (bench_sectors){.bytes = device ? 32 : 64};
  marks m = {.sector = (size_t)sectors->bytes};
  const bool made = marks_create(field, &m);
  for (int fill = 0; made && fill < rind_schedule_num_fills(schedule); ++fill)
    mark_fill(schedule, fill, num_local, &m);
  for (int64_t i = 0; made && i < m.num_marks; ++i) {
    const bool read = m.mark[i] & READ, written = m.mark[i] & WRITTEN;
    const bool part = written && (m.mark[i] & WRITTEN) * m.value < m.sector;
    sectors->read += read;
    sectors->written += written;
    sectors->part += part;
    sectors->fetched += read || part;
    sectors->touched += read || written;
  }
  marks_destroy(&m);
  return made;
}

int64_t bench_sectors_fill_bytes(const bench_sectors *sectors) {
  return sectors->bytes * (sectors->fetched + sectors->written);
}

int64_t bench_sectors_adjoint_bytes(const bench_sectors *sectors) {
  return sectors->bytes * 2 * sectors->touched;
}
