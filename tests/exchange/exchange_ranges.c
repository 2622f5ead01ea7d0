/* exchange_ranges.c - a profiler sees the ranges of builds, fills and adjoints, nested as they are.
 * Skipped where nothing listens. */
#include <check.h>
#include <exchange_scene.h>

#include <dlfcn.h>
#include <string.h>

static const char *(*listener)(void);
static size_t heard;

/* The ranges since the last call are these. */
static void expect(const char *what, const char *ranges) {
  const char *text = listener() + heard;
  CHECK(strcmp(text, ranges) == 0, "%s: \"%s\" instead of \"%s\"", what, text, ranges);
  heard = strlen(listener());
}

static void check_calls(void) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool alone = size == 1;
  const rind_rules rules = {0};
  scene s;
  scene_create(MPI_COMM_WORLD, 1, 1, &rules, &s);
  expect("schedule", "rind schedule create()");
  memory m;
  memory_create(&s, SHAPE_PACKED, RIND_FLOAT64, RIND_COMPONENTS_OUTERMOST, 1, &m);
  const rind_exchange_options options = {.adjoint = true};
  rind_exchange *exchange = NULL;
  CHECK_OK(rind_exchange_create(s.schedule, &m.layout, &options, &exchange), s.context);
  expect("exchange", "rind exchange create()");
  CHECK_OK(rind_fill(exchange, m.field), s.context);
  expect("fill", alone ? "rind fill begin()rind fill end()"
                       : "rind fill begin(rind pack()rind send())rind fill end()");
  CHECK_OK(rind_fill_adjoint(exchange, m.field), s.context);
  expect("adjoint", alone ? "rind adjoint begin()rind adjoint end()"
                          : "rind adjoint begin(rind pack()rind send())rind adjoint end()");
  rind_exchange_destroy(&exchange);
  memory_destroy(&m);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const char *path = getenv("NVTX_INJECTION64_PATH");
  void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
  void *symbol = library ? dlsym(library, "listener_text") : NULL;
  if (!symbol) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  memcpy(&listener, &symbol, sizeof symbol);
  check_calls();
  return check_end();
}
