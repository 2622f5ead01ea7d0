/* exchange_allocations.c - fills and adjoints allocate nothing: the allocator of this program
 * counts. */
#include <check.h>
#include <exchange_scene.h>

#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
enum { CAN_COUNT = 1 };
static volatile long allocations;

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes) {
  ++allocations;
  return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **made, size_t alignment, size_t bytes) {
  ++allocations;
  *made = __libc_memalign(alignment, bytes);
  return *made ? 0 : 12;
}
#else
enum { CAN_COUNT = 0 };
static const long allocations = 0;
#endif

static void write_nothing(void *user, const rind_wall_call *call) {
  ++*(long *)user;
  (void)call;
}

/* Two fields, all phases. */
static void check_scene(int number, rind_method method, rind_adjoint_method adjoint_method) {
  static const int vector = 0;
  static const rind_rules rules = {.restriction = RIND_RESTRICTION_FLUX_MATCHED,
                                   .wall = {RIND_WALL_EVEN, RIND_WALL_FUNCTION, RIND_WALL_NEUMANN,
                                            RIND_WALL_FUNCTION, RIND_WALL_LINEAR}};
  static const double values[6 * 3] = {1, 2, 3};
  scene s;
  memory m[2];
  rind_exchange *exchange = NULL;
  long calls = 0;
  const rind_exchange_options options = {.method = method,
                                         .wall_function = write_nothing,
                                         .wall_user = &calls,
                                         .adjoint = true,
                                         .adjoint_method = adjoint_method,
                                         .wall_adjoint = write_nothing,
                                         .num_vectors = 1,
                                         .vector = &vector};
  scene_create(MPI_COMM_WORLD, number, 1, &rules, &s);
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 3, &m[0]);
  memory_create(&s, SHAPE_BLOCKS, RIND_FLOAT32, RIND_COMPONENTS_INNERMOST, 2, &m[1]);
  const rind_layout layouts[2] = {m[0].layout, m[1].layout};
  rind_field *const fields[2] = {m[0].field, m[1].field};
  const long before = allocations;
  CHECK_OK(rind_exchange_create_fields(s.schedule, layouts, 2, &options, &exchange), s.context);
  CHECK(allocations > before, "%s: the allocator does not count", s.name);
  const long ready = allocations;
  rind_error error = RIND_OK;
  for (int fill = 0; fill < 10 && error == RIND_OK; ++fill) {
    error = rind_exchange_set_wall_values(exchange, 0, values);
    if (error == RIND_OK) error = rind_fill_fields(exchange, fields);
    if (error == RIND_OK) error = rind_fill_fields_adjoint(exchange, fields);
  }
  const long made = allocations - ready;
  CHECK(error == RIND_OK, "%s: %s", s.name, rind_last_error(s.context));
  CHECK(made == 0, "%s: %ld allocations in 10 fills and adjoints", s.name, made);
  CHECK(calls % 40 == 0, "%s: %ld calls of functions in 10 fills and adjoints of 2 fields", s.name,
        calls);
  rind_exchange_destroy(&exchange);
  memory_destroy(&m[0]);
  memory_destroy(&m[1]);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  if (!CAN_COUNT) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  for (int number = 0; number < NUM_SCENES; ++number) {
    check_scene(number, RIND_METHOD_FUSED, RIND_ADJOINT_TRANSPOSED);
    check_scene(number, RIND_METHOD_TERM_BY_TERM, RIND_ADJOINT_PER_TERM);
  }
  return check_end();
}
