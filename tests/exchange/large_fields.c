/* large_fields.c - fields beyond 2^31 values and 16 GiB, fills and adjoints: chosen blocks are
 * computed again from the schedule's rows, bit for bit. Argument: host (thin strides, so that
 * little memory is touched) or device (dense; skipped without one, or where it is too small). */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include <check.h>
#include <device_memory.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

/* Values repeat after so many elements, a prime below 2^23: two elements that are 2^31, 2^32 or so
 * apart differ. */
enum { PERIOD = 8388593 };

typedef struct large {
  const char *name;
  rind_layout layout;
  bool dense; /* every element is set, not only the cells; on the device */
  bool adjoint;
} large;

/* 288 blocks: half of 4^3 refined once. */
static const large cases[] = {
    {"17.7 GiB of doubles", {.cells = 200, .ghosts = 1, .components = 1}, true, true},
    {"12 GiB of floats",
     {.cells = 220, .ghosts = 2, .components = 1, .type = RIND_FLOAT32},
     true,
     false},
    {"layers 2^29 floats apart, blocks between them",
     {.cells = 8,
      .ghosts = 1,
      .components = 1,
      .type = RIND_FLOAT32,
      .cell_stride = {1, 10, (ptrdiff_t)1 << 29},
      .block_stride = 100},
     true,
     false},
    {"layers 2^29 doubles apart, blocks between them",
     {.cells = 8,
      .ghosts = 1,
      .components = 1,
      .cell_stride = {1, 10, (ptrdiff_t)1 << 29},
      .block_stride = 100},
     false,
     true},
    {"components 2^32 floats apart",
     {.cells = 8,
      .ghosts = 2,
      .components = 3,
      .type = RIND_FLOAT32,
      .component_stride = (ptrdiff_t)1 << 32},
     false,
     false},
    {"blocks 2^26 + 5 doubles apart",
     {.cells = 8, .ghosts = 1, .components = 2, .block_stride = ((ptrdiff_t)1 << 26) + 5},
     false,
     true}};
enum { NUM_CASES = (int)(sizeof cases / sizeof *cases) };

typedef struct site {
  rind_context *context;
  rind_forest *forest;
  rind_schedule *schedule;
  rind_schedule *adjoint;
  rind_layout layout;
  rind_field *field;
  char *data; /* first stored element */
  int width;  /* padded */
} site;

static double value_at(const site *s, int64_t element) {
  const int64_t at = element % PERIOD * 5 % PERIOD;
  const double value = 1.0 + (double)at / (1 << 23);
  return s->layout.type == RIND_FLOAT64 ? value * 1.1 : value;
}

static double get(const site *s, const void *values, int64_t at) {
  return s->layout.type == RIND_FLOAT64 ? ((const double *)values)[at]
                                        : (double)((const float *)values)[at];
}

static void put(const site *s, void *values, int64_t at, double value) {
  if (s->layout.type == RIND_FLOAT64)
    ((double *)values)[at] = value;
  else
    ((float *)values)[at] = (float)value;
}

/* Element of a cell, i counted from the first interior cell. */
static int64_t element_of(const site *s, int block, const int i[3], int component) {
  const rind_layout *layout = &s->layout;
  int64_t at = (int64_t)block * layout->block_stride + component * layout->component_stride;
  for (int a = 0; a < 3; ++a)
    at += (i[a] + layout->ghosts) * layout->cell_stride[a];
  return at;
}

/* Every element, through a period of host memory that is doubled there. */
static void set_all(const site *s, int64_t num_elements) {
  const size_t bytes = rind_type_bytes(s->layout.type);
  char *period = malloc(PERIOD * bytes);
  for (int64_t e = 0; e < PERIOD; ++e)
    put(s, period, e, value_at(s, e));
  int64_t done = num_elements < PERIOD ? num_elements : PERIOD;
  int code = rind_device_copy(s->data, period, (size_t)done * bytes);
  while (code == 0 && done < num_elements) {
    const int64_t more = done < num_elements - done ? done : num_elements - done;
    code = rind_device_copy(s->data + (size_t)done * bytes, s->data, (size_t)more * bytes);
    done += more;
  }
  CHECK(code == 0, "%s", rind_device_error_text(code));
  free(period);
}

static void set_cells(const site *s) {
  const int ghosts = s->layout.ghosts, end = s->layout.cells + ghosts;
  int i[3];
  for (int b = 0; b < rind_forest_num_blocks(s->forest); ++b)
    for (int c = 0; c < s->layout.components; ++c)
      for (i[2] = -ghosts; i[2] < end; ++i[2])
        for (i[1] = -ghosts; i[1] < end; ++i[1])
          for (i[0] = -ghosts; i[0] < end; ++i[0]) {
            const int64_t at = element_of(s, b, i, c);
            put(s, s->data, at, value_at(s, at));
          }
}

/* The padded cells of one component of a block, tight, axis 0 fastest. */
static int64_t place_in_block(const site *s, const int i[3]) {
  const int64_t g = s->layout.ghosts;
  return i[0] + g + s->width * (i[1] + g + s->width * (i[2] + g));
}

static void cell_at(const rind_box *box, const int32_t n[3], int i[3]) {
  for (int a = 0; a < 3; ++a)
    i[box->axis[a]] = box->origin[box->axis[a]] + n[a] * box->step[a];
}

/* Runs the rows of a fill of this block on want, the block as it should become. A row's own cells
 * are those of want, all others as they were in the beginning. */
static void run_fill(const site *s, const rind_schedule *schedule, int fill,
                     const rind_fill_view *view, int component, void *want) {
  rind_term_view *term = malloc((size_t)(view->num_terms + 1) * sizeof *term);
  int32_t n[3];
  int i[3];
  for (int t = 0; t < view->num_terms; ++t)
    rind_schedule_term(schedule, fill, t, &term[t]);
  for (n[2] = 0; n[2] < view->extent[2]; ++n[2])
    for (n[1] = 0; n[1] < view->extent[1]; ++n[1])
      for (n[0] = 0; n[0] < view->extent[0]; ++n[0]) {
        double sum = 0.0;
        for (int t = 0; t < view->num_terms; ++t) {
          cell_at(&term[t].box, n, i);
          const double value = term[t].block == view->block
                                   ? get(s, want, place_in_block(s, i))
                                   : value_at(s, element_of(s, term[t].block, i, component));
          sum = t == 0 ? term[t].weight * value : sum + term[t].weight * value;
        }
        cell_at(&view->box, n, i);
        put(s, want, place_in_block(s, i), sum);
      }
  free(term);
}

/* The ghosts that a fill writes are 0 after the adjoint. */
static void clear_ghosts(const site *s, int block, void *want) {
  for (int f = 0; f < rind_schedule_num_fills(s->schedule); ++f) {
    rind_fill_view view;
    int32_t n[3];
    int i[3];
    rind_schedule_fill(s->schedule, f, &view);
    if (view.block != block) continue;
    for (n[2] = 0; n[2] < view.extent[2]; ++n[2])
      for (n[1] = 0; n[1] < view.extent[1]; ++n[1])
        for (n[0] = 0; n[0] < view.extent[0]; ++n[0]) {
          cell_at(&view.box, n, i);
          put(s, want, place_in_block(s, i), 0.0);
        }
  }
}

/* Compares a plane of cells, as it is in the field, with the block as it should be. */
static long plane_faults(const site *s, int block, int component, int plane, void *line,
                         const void *want, int64_t *first) {
  const size_t bytes = rind_type_bytes(s->layout.type);
  const int g = s->layout.ghosts, corner[3] = {-g, -g, plane};
  const int64_t start = element_of(s, block, corner, component);
  const int64_t count = (s->width - 1) * (s->layout.cell_stride[0] + s->layout.cell_stride[1]) + 1;
  long faults = 0;
  if (s->layout.space == RIND_DEVICE)
    rind_device_copy(line, s->data + (size_t)start * bytes, (size_t)count * bytes);
  else
    memcpy(line, s->data + (size_t)start * bytes, (size_t)count * bytes);
  for (int j = 0; j < s->width; ++j)
    for (int i = 0; i < s->width; ++i) {
      const int cell[3] = {i - g, j - g, plane};
      const int64_t at = i * s->layout.cell_stride[0] + j * s->layout.cell_stride[1];
      const double got = get(s, line, at), right = get(s, want, place_in_block(s, cell));
      if (memcmp(&got, &right, sizeof got) == 0) continue;
      if (faults++ == 0) *first = place_in_block(s, cell);
    }
  return faults;
}

/* A block after the fill, or the adjoint. */
static void check_block(const site *s, const char *name, int block, int component, bool backwards) {
  const rind_schedule *schedule = backwards ? s->adjoint : s->schedule;
  const size_t bytes = rind_type_bytes(s->layout.type);
  const int g = s->layout.ghosts;
  const int64_t cells = (int64_t)s->width * s->width * s->width;
  void *want = malloc((size_t)cells * bytes);
  void *line = malloc((size_t)(s->width * s->layout.cell_stride[1] + s->width) * bytes);
  long faults = 0;
  int64_t first = 0, all = 0;
  int i[3];
  for (i[2] = -g; i[2] < s->layout.cells + g; ++i[2])
    for (i[1] = -g; i[1] < s->layout.cells + g; ++i[1])
      for (i[0] = -g; i[0] < s->layout.cells + g; ++i[0])
        put(s, want, all++, value_at(s, element_of(s, block, i, component)));
  for (int f = 0; f < rind_schedule_num_fills(schedule); ++f) {
    rind_fill_view view;
    rind_schedule_fill(schedule, f, &view);
    if (view.block == block) run_fill(s, schedule, f, &view, component, want);
  }
  if (backwards) clear_ghosts(s, block, want);
  for (int plane = -g; plane < s->layout.cells + g; ++plane)
    faults += plane_faults(s, block, component, plane, line, want, &first);
  CHECK(faults == 0, "%s, %s, block %d, component %d: %ld of %lld values differ, one at %lld", name,
        backwards ? "adjoint" : "fill", block, component, faults, (long long)cells,
        (long long)first);
  free(line);
  free(want);
}

/* The first and last blocks, those about 2^31 elements in, and some between; or all small ones. */
static void check_blocks(const site *s, const char *name, bool backwards) {
  const int blocks = rind_forest_num_blocks(s->forest);
  const int64_t stride = s->layout.block_stride;
  const bool all = s->layout.cells < 16;
  for (int b = 0; b < blocks; ++b) {
    const int64_t begin = b * stride, end = (b + 1) * stride;
    const bool crosses = begin <= INT32_MAX && INT32_MAX < end;
    const bool follows = begin > INT32_MAX && begin - stride <= INT32_MAX;
    if (all || b == 0 || b == blocks / 3 || b == blocks - 1 || crosses || follows)
      for (int c = 0; c < s->layout.components; ++c)
        check_block(s, name, b, c, backwards);
  }
}

static void check_runs(const site *s, const large *what, int64_t num_elements) {
  const rind_exchange_options options = {.adjoint = what->adjoint};
  rind_exchange *exchange = NULL;
  CHECK_OK(rind_exchange_create(s->schedule, &s->layout, &options, &exchange), s->context);
  for (int backwards = 0; exchange && backwards <= what->adjoint; ++backwards) {
    if (s->layout.space == RIND_DEVICE)
      set_all(s, num_elements);
    else
      set_cells(s);
    CHECK_OK(backwards ? rind_fill_adjoint(exchange, s->field) : rind_fill(exchange, s->field),
             s->context);
    CHECK_OK(rind_context_wait(s->context), s->context);
    check_blocks(s, what->name, backwards);
  }
  rind_exchange_destroy(&exchange);
}

/* The host's memory is only taken where it is touched. False: there is too little on the device. */
static bool make_field(site *s, int64_t num_elements, void **mapped) {
  const size_t bytes = (size_t)num_elements * rind_type_bytes(s->layout.type);
  if (s->layout.space == RIND_DEVICE) {
    const rind_error error = rind_field_create(s->forest, &s->layout, &s->field);
    if (error == RIND_ERROR_MEMORY) return false;
    CHECK_OK(error, s->context);
  } else {
    *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (*mapped == MAP_FAILED) return false;
    CHECK_OK(
        rind_field_wrap_packed(s->forest, &s->layout, *mapped, (size_t)num_elements, &s->field),
        s->context);
  }
  s->data = (char *)rind_field_pointer(s->field, 0) -
            rind_layout_interior_offset(&s->layout) * (ptrdiff_t)rind_type_bytes(s->layout.type);
  return true;
}

/* Ends with true if the case ran. */
static bool check_case(site *s, const large *what, rind_space space) {
  const rind_rules rules = {.regions = RIND_REGIONS_FACES};
  void *mapped = NULL;
  s->layout = what->layout;
  s->layout.dim = 3;
  s->layout.space = space;
  s->width = s->layout.cells + 2 * s->layout.ghosts;
  const int blocks = rind_forest_num_blocks(s->forest);
  CHECK_OK(rind_layout_complete(s->context, blocks, &s->layout), s->context);
  const int64_t num_elements = (blocks - 1) * (int64_t)s->layout.block_stride +
                               (int64_t)rind_layout_block_elements(&s->layout);
  CHECK(num_elements > INT32_MAX, "%s: only %lld elements", what->name, (long long)num_elements);
  CHECK_OK(rind_schedule_create(s->forest, s->layout.cells, s->layout.ghosts, &rules, &s->schedule),
           s->context);
  CHECK_OK(rind_schedule_adjoint(s->schedule, &s->adjoint), s->context);
  const bool ran = make_field(s, num_elements, &mapped);
  if (ran) check_runs(s, what, num_elements);
  rind_field_destroy(&s->field);
  if (mapped && mapped != MAP_FAILED)
    munmap(mapped, (size_t)num_elements * rind_type_bytes(s->layout.type));
  rind_schedule_destroy(&s->adjoint);
  rind_schedule_destroy(&s->schedule);
  return ran;
}

static int lower_half(const rind_block *block, void *user) {
  (void)user;
  return block->level == 2 && block->lower[0] + 0.5 * block->side[0] < 0.5;
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const bool device = argc > 1 && strcmp(argv[1], "device") == 0;
  const rind_brick brick = {.dim = 3, .periodic = {0, 1, 1}, .level = 2};
  site s = {0};
  int ran = 0;
  if (device && rind_device_count() == 0) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &s.context), NULL);
  CHECK_OK(rind_forest_create_brick(s.context, &brick, &s.forest), s.context);
  CHECK_OK(rind_forest_refine(s.forest, 3, lower_half, NULL), s.context);
  for (int c = 0; c < NUM_CASES; ++c)
    if (device == cases[c].dense)
      ran += check_case(&s, &cases[c], device ? RIND_DEVICE : RIND_HOST);
  rind_forest_destroy(&s.forest);
  rind_context_destroy(&s.context);
  const int status = check_end();
  return status == 0 && ran == 0 ? CHECK_SKIPPED : status;
}
