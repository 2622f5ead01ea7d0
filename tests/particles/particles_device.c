/* particles_device.c - deposits on fields in device memory, and their gradients, have the host's
 * bits: any type and storage, empty and crowded groups, several ranks. Skipped without a device. */
#include "deposit_stage.h"

#include <string.h>

#include <check.h>
#include <device_memory.h>

static const rind_layout layouts[3] = {
    {.cells = CELLS, .ghosts = GHOSTS, .components = COMPONENTS},
    {.cells = CELLS,
     .ghosts = GHOSTS,
     .components = COMPONENTS,
     .storage = RIND_BLOCKS,
     .order = RIND_COMPONENTS_INNERMOST},
    {.cells = CELLS, .ghosts = GHOSTS, .components = COMPONENTS, .type = RIND_FLOAT32}};

static void check_arrays(int number, const char *what, const double *got, const double *want,
                         int64_t count) {
  int64_t first = 0;
  while (first < count && memcmp(&got[first], &want[first], sizeof *got) == 0)
    ++first;
  CHECK(first == count, "scene %d, %s: value %lld of %lld is %.17g, on the host %.17g", number,
        what, (long long)first, (long long)count, first < count ? got[first] : 0,
        first < count ? want[first] : 0);
}

/* Many particles at one place: a group of several chunks. */
static void crowd(const stage *on) {
  const int64_t count = rind_particles_count(on->set);
  for (int64_t p = 1; p < count; ++p)
    for (int a = 0; a < on->scene.dim; ++a) {
      double *x = rind_particles_position(on->set, a);
      x[p] = p % 3 ? x[0] : x[p];
    }
  CHECK_OK(rind_particles_migrate(on->set, NULL, NULL), on->scene.context);
}

static void check_fields(const stage *on, const stage *there, const char *what) {
  int64_t n = 0, m = 0;
  CHECK_OK(rind_field_copy(there->field, on->field), on->scene.context);
  double *got = interiors(on->field, &n), *want = interiors(there->host, &m);
  check_arrays(on->scene.number, what, got, want, n);
  CHECK(n == m, "%lld values, on the host %lld", (long long)n, (long long)m);
  free(got);
  free(want);
}

enum { RESULTS = 3 + COMPONENTS };

/* In host memory, or the device's; zeroed. */
static void allocate(bool on_device, int64_t count, double *result[RESULTS]) {
  const size_t bytes = (size_t)(count + 1) * sizeof(double);
  for (int i = 0; i < RESULTS; ++i) {
    void *memory = on_device ? NULL : calloc(1, bytes);
    if (on_device) CHECK(rind_device_allocate(bytes, &memory) == 0, "no %zu bytes", bytes);
    result[i] = memory;
  }
}

/* Results in host memory and in the device's. */
static void check_gradients(stage *on, stage *there) {
  const int64_t count = rind_particles_count(on->set);
  double *host[RESULTS], *device[RESULTS], *back[RESULTS];
  allocate(false, count, host);
  allocate(true, count, device);
  allocate(false, count, back);
  CHECK_OK(rind_deposit_gradient(on->set, attributes, on->exchange, on->field, host, host + 3),
           on->scene.context);
  for (int turn = 0; turn < 2; ++turn) {
    double *const *to = turn == 0 ? back : device;
    CHECK_OK(rind_deposit_gradient(on->set, attributes, there->exchange, there->field, to, to + 3),
             on->scene.context);
    CHECK_OK(rind_context_wait(on->scene.context), on->scene.context);
    for (int i = 0; i < RESULTS; ++i) {
      if (i < 3 && i >= on->scene.dim) continue;
      if (turn == 1)
        CHECK(rind_device_copy(back[i], device[i], (size_t)count * sizeof(double)) == 0, "no copy");
      check_arrays(on->scene.number, i < 3 ? "by position" : "by attribute", back[i], host[i],
                   count);
      memset(back[i], 0, (size_t)count * sizeof(double));
    }
  }
  for (int i = 0; i < RESULTS; ++i) {
    free(host[i]);
    free(back[i]);
    rind_device_free(device[i]);
  }
}

/* The same set, with an exchange and a field on the device. */
static void run(int number, const rind_layout *layout, bool is_crowded) {
  stage on, there = {.set = NULL};
  rind_layout device = *layout;
  device.space = RIND_DEVICE;
  stage_create(MPI_COMM_WORLD, number, 1, layout, &on);
  rind_context *context = on.scene.context;
  if (is_crowded) crowd(&on);
  CHECK_OK(rind_exchange_create(on.schedule, &device, &(rind_exchange_options){.adjoint = true},
                                &there.exchange),
           context);
  CHECK_OK(rind_field_create(on.scene.forest, &device, &there.field), context);
  CHECK_OK(rind_field_create(on.scene.forest, layout, &there.host), context);
  CHECK_ERROR(rind_deposit(on.set, attributes, there.exchange, there.field), RIND_ERROR_STATE,
              context);
  CHECK_OK(rind_particles_to_device(on.set), context);
  CHECK_OK(rind_deposit(on.set, attributes, there.exchange, there.field), context);
  CHECK_OK(rind_deposit(on.set, attributes, on.exchange, on.field), context);
  CHECK_OK(rind_field_copy(on.field, there.host), context);
  check_fields(&on, &there, "deposit");
  fill_weights(&on);
  CHECK_OK(rind_field_copy(on.field, there.field), context);
  check_gradients(&on, &there);
  rind_exchange_destroy(&there.exchange);
  rind_field_destroy(&there.field);
  rind_field_destroy(&there.host);
  stage_destroy(&on);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  int count = rind_device_count();
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (count == 0) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  for (int number = 0; number < NUM_CLOUDS; ++number) {
    run(number, &layouts[number % 3], false);
    run(number, &layouts[(number + 1) % 3], true);
  }
  return check_end();
}
