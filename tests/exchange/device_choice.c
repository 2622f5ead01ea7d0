/* device_choice.c - a context's device: by number, by local rank, the current one; calls work
 * whichever is current, and leave it so. Skipped without a device. */
#include <check.h>
#include <device_memory.h>
#include <exchange_scene.h>

#include <string.h>

static int rank, size, num_devices;

static rind_context *make(const rind_context_options *options, rind_error expected) {
  rind_context *context = NULL;
  CHECK_ERROR(rind_context_create(MPI_COMM_WORLD, options, &context), expected, NULL);
  CHECK(!context == (expected != RIND_OK), "a context from a call that failed, or none");
  return context;
}

/* Numbers that do not exist, on all ranks or on one. */
static void check_refusals(void) {
  const int wrong[3] = {-1, num_devices, 1000000};
  for (int i = 0; i < 3; ++i)
    make(&(rind_context_options){.device_choice = RIND_DEVICE_NUMBER, .device = wrong[i]},
         RIND_ERROR_DEVICE);
  make(&(rind_context_options){.device_choice = RIND_DEVICE_NUMBER,
                               .device = rank == size - 1 ? num_devices : 0},
       RIND_ERROR_DEVICE);
  CHECK(strstr(rind_last_error(NULL), "number of devices"), "other words: %s",
        rind_last_error(NULL));
}

/* A fill of the context gives neighbours' values while another device is current. */
static void check_use(rind_context *context, int wanted) {
  const int current = (wanted + 1) % num_devices;
  CHECK(rind_device_select(current) == 0, "device %d", current);
  CHECK(rind_context_device(context) == wanted, "device %d, not %d", rind_context_device(context),
        wanted);
  const rind_brick brick = {.dim = 2, .level = 2, .periodic = {1, 1}};
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  rind_exchange *exchange = NULL;
  rind_field *here = NULL, *there = NULL;
  rind_layout layout = {.dim = 2, .cells = 4, .ghosts = 1, .components = 1};
  CHECK_OK(rind_forest_create_brick(context, &brick, &forest), context);
  CHECK_OK(rind_schedule_create(forest, 4, 1, NULL, &schedule), context);
  CHECK_OK(rind_field_create(forest, &layout, &here), context);
  const int blocks = rind_field_num_blocks(here);
  for (int b = 0; b < blocks; ++b)
    for (int cell = 0; cell < 16; ++cell)
      ((double *)rind_field_pointer(here, b))[cell / 4 * 6 + cell % 4] = 3.5;
  layout.space = RIND_DEVICE;
  CHECK_OK(rind_field_create(forest, &layout, &there), context);
  const rind_exchange_options options = {.adjoint = true, .graph = true};
  CHECK_OK(rind_exchange_create(schedule, &layout, &options, &exchange), context);
  CHECK_OK(rind_field_copy(here, there), context);
  for (int i = 0; i < 2; ++i)
    CHECK_OK(rind_fill(exchange, there), context);
  CHECK_OK(rind_context_wait(context), context);
  CHECK_OK(rind_field_copy(there, here), context);
  for (int b = 0; b < blocks; ++b)
    for (int element = 0; element < 36; ++element) {
      const double *first = (double *)rind_field_pointer(here, b) - 7;
      CHECK(first[element] == 3.5, "block %d element %d is %g", b, element, first[element]);
    }
  CHECK_OK(rind_fill_adjoint(exchange, there), context);
  CHECK_OK(rind_context_wait(context), context);
  CHECK(rind_device_current() == current, "device %d is current, not %d", rind_device_current(),
        current);
  rind_exchange_destroy(&exchange);
  rind_field_destroy(&there);
  rind_field_destroy(&here);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  CHECK(rind_device_current() == current, "device %d is current after it, not %d",
        rind_device_current(), current);
  rind_device_select(0);
}

static void check_choices(void) {
  for (int d = 0; d < num_devices; ++d) {
    rind_context *context =
        make(&(rind_context_options){.device_choice = RIND_DEVICE_NUMBER, .device = d}, RIND_OK);
    if (context) check_use(context, d);
    rind_context_destroy(&context);
  }
  /* All ranks of this test are on one node. */
  rind_context *context =
      make(&(rind_context_options){.device_choice = RIND_DEVICE_LOCAL_RANK}, RIND_OK);
  if (context) check_use(context, rank % num_devices);
  rind_context_destroy(&context);
  context = make(NULL, RIND_OK);
  CHECK(rind_device_select(num_devices - 1) == 0, "device %d", num_devices - 1);
  CHECK(rind_context_device(context) == num_devices - 1, "device %d", rind_context_device(context));
  if (context) check_use(context, num_devices - 1);
  rind_context_destroy(&context);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  num_devices = rind_device_count();
  if (num_devices == 0) {
    MPI_Finalize();
    return CHECK_SKIPPED;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_refusals();
  check_choices();
  return check_end();
}
