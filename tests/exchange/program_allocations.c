/* program_allocations.c - where memory ends while programs of blocks are made, they are not made,
 * and nothing is left behind: the allocator of this program fails each allocation in turn. */
#include <adjoint_data.h>
#include <block_programs.h>
#include <check.h>
#include <exchange_trees.h>
#include <loose_rows.h>
#include <on_device.h>
#include <string.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
enum { CAN_FAIL = 1 };
static volatile long allocations, live; /* live: those that are not freed */
static volatile long failing = -1;      /* the number of the one that fails */
static volatile size_t largest;

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *old);

static bool fails(size_t bytes) {
  if (bytes > largest) largest = bytes;
  return allocations++ == failing;
}

static void *counted(void *made) {
  live += made != NULL;
  return made;
}

void *malloc(size_t bytes) {
  return fails(bytes) ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes) {
  return fails(count * bytes) ? NULL : counted(__libc_calloc(count, bytes));
}

void *realloc(void *old, size_t bytes) {
  if (fails(bytes)) return NULL;
  live -= old != NULL;
  return counted(__libc_realloc(old, bytes));
}

void free(void *old) {
  live -= old != NULL;
  __libc_free(old);
}
#else
enum { CAN_FAIL = 0 };
static const long allocations = 0, live = 0;
static long failing = -1;
static size_t largest;
#endif

enum { THREADS = 2, MOST_FAILURES = 150 };

static long failures;

static bool is_empty(const rind_programs *p) {
  return p->num_items == 0 && p->num_sources == 0 && p->num_moves == 0 && p->num_sums == 0 &&
         p->num_pairs == 0 && p->num_rest == 0 && !p->item && !p->source && !p->move && !p->sum &&
         !p->cell && !p->term && !p->weight && !p->pair && !p->rest;
}

/* Makes programs with each allocation failing, or with many of them where there are too many. */
static void check_programs(const char *name, const rind_gather *gather, const int *first_fill,
                           int num_batches, const rind_program_frame *frame, size_t max_bytes) {
  rind_programs made;
  const long kept = live, before = allocations;
  CHECK(rind_programs_make(gather, first_fill, num_batches, frame, max_bytes, &made), "%s", name);
  const long count = allocations - before;
  rind_programs_free(&made);
  CHECK(live == kept, "%s: %ld allocations are left of %ld", name, live - kept, count);
  const long step = count / MOST_FAILURES + 1;
  for (long n = 0; n < count; n += n < MOST_FAILURES / 2 ? 1 : step) {
    memset(&made, 0xAA, sizeof made);
    failing = allocations + n;
    const bool there = rind_programs_make(gather, first_fill, num_batches, frame, max_bytes, &made);
    failing = -1;
    CHECK(!there && is_empty(&made), "%s: allocation %ld of %ld failed, and %d programs are there",
          name, n, count, made.num_items);
    CHECK(live == kept, "%s: allocation %ld of %ld failed, and %ld are left", name, n, count,
          live - kept);
    ++failures;
  }
}

static void check_adjoint(const scene *s, const rind_exchange *exchange,
                          const rind_program_frame *frame) {
  for (int p = 0; p < exchange->adjoint->num_phases; ++p) {
    const rind_batches *batches = &exchange->adjoint->phase[p].part[0].local;
    rind_batches loose;
    CHECK(loose_rows_create(batches, &loose), "no memory");
    const rind_gather gather = rind_bound_gather(&loose.bound);
    for (int small = 0; small < 2; ++small)
      check_programs(s->name, &gather, loose.first_fill, loose.num_batches, frame,
                     small ? 3000 : SIZE_MAX);
    loose_rows_destroy(&loose);
  }
}

static void check_scene(const scene *s) {
  memory m;
  rind_exchange *exchange = NULL;
  const rind_exchange_options options = {.adjoint = true};
  memory_create(s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1, &m);
  CHECK_OK(rind_exchange_create(s->schedule, &m.layout, &options, &exchange), s->context);
  for (int p = 0; exchange && p < exchange->num_phases; ++p) {
    const rind_gather gather = rind_bound_gather(&exchange->phase[p].part[0].local);
    const bool same_blocks = exchange->phase[p].kind != RIND_PHASE_WALLS;
    const rind_program_frame frame = rind_exchange_frame(&m.layout, same_blocks);
    check_programs(s->name, &gather, NULL, 0, &frame, SIZE_MAX);
  }
  if (exchange) {
    const rind_program_frame frame = rind_exchange_frame(&m.layout, true);
    check_adjoint(s, exchange, &frame);
  }
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
}

/* The largest array that is needed to make the programs of a layout. */
static size_t largest_of(const scene *s, const rind_layout *layout) {
  rind_exchange *exchange = NULL;
  size_t most = 0;
  CHECK_OK(rind_exchange_create(s->schedule, layout, NULL, &exchange), s->context);
  for (int p = 0; exchange && p < exchange->num_phases; ++p) {
    const rind_gather gather = rind_bound_gather(&exchange->phase[p].part[0].local);
    const rind_program_frame frame = {.same_blocks = exchange->phase[p].kind != RIND_PHASE_WALLS};
    rind_programs made;
    largest = 0;
    CHECK(rind_programs_make(&gather, NULL, 0, &frame, SIZE_MAX, &made), "no memory");
    rind_programs_free(&made);
    if (largest > most) most = largest;
  }
  rind_exchange_destroy(&exchange);
  return most;
}

/* What lies between cells far apart takes no memory, and with it no time. */
static void check_far(const scene *s) {
  rind_layout near = {.dim = s->dim, .cells = s->cells, .ghosts = s->ghosts, .components = 1};
  rind_layout far = near;
  far.cell_stride[0] = 1;
  far.cell_stride[1] = 100000;
  const int num_blocks = rind_forest_num_blocks(s->forest);
  CHECK_OK(rind_layout_complete(s->context, num_blocks, &near), s->context);
  CHECK_OK(rind_layout_complete(s->context, num_blocks, &far), s->context);
  const size_t bytes[2] = {largest_of(s, &near), largest_of(s, &far)};
  CHECK(bytes[0] > 1000 && bytes[1] <= 2 * bytes[0], "%s: %zu bytes, with cells far apart %zu",
        s->name, bytes[0], bytes[1]);
}

int main(int argc, char **argv) {
  static const rind_rules rules = {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
                                   .wall = {RIND_WALL_EVEN, RIND_WALL_DIRICHLET, RIND_WALL_ODD}};
  check_begin(&argc, &argv);
  if (!CAN_FAIL) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  for (int number = 0; number < NUM_SCENES; ++number) {
    scene s;
    scene_create(MPI_COMM_WORLD, number, THREADS, &rules, &s);
    check_scene(&s);
    check_far(&s);
    scene_destroy(&s);
  }
  for (int number = 0; number < NUM_HAND_TREES; ++number) {
    trees t;
    trees_create(MPI_COMM_WORLD, number, THREADS, &rules, &t);
    check_scene(&t.s);
    trees_destroy(&t);
  }
  CHECK(failures > 1000, "only %ld allocations failed", failures);
  return check_end();
}
