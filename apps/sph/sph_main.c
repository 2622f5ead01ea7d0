/* sph_main.c - the program rind-sph: times density and gradient of random particles, or relaxes
 * them. */
#include <rind/rind.h>

#include "cli.h"
#include "ending.h"
#include "sph_case.h"
#include "sph_memory.h"
#include "sph_study.h"
#include "sph_times.h"
#include "status.h"

static const char program[] = "rind-sph";

static int run(rind_context *context, const sph_options *o) {
  if (o->device && sph_device_name() == NULL) {
    app_complain(MPI_COMM_WORLD, program,
                 "--device: there is no CUDA device here, or no CUDA in this build");
    return APP_DEVICE;
  }
  sph_case c;
  int status = sph_case_create(context, o, &c);
  if (status != APP_OK) return status;
  status = o->relax > 0 ? sph_study_run(context, o, &c) : sph_times_run(context, o, &c);
  sph_case_destroy(&c);
  return status;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  sph_options options;
  int status = APP_OK;
  if (sph_options_parse(MPI_COMM_WORLD, argc, argv, &options, &status)) {
    rind_context *context = NULL;
    const rind_error error = rind_context_create(
        MPI_COMM_WORLD, &(rind_context_options){.threads = options.threads}, &context);
    if (error == RIND_OK)
      status = run(context, &options);
    else
      app_complain(MPI_COMM_WORLD, program, "%s", rind_last_error(NULL));
    if (error != RIND_OK) status = app_status_of(error);
    rind_context_destroy(&context);
  }
  return app_end(MPI_COMM_WORLD, program, status);
}
