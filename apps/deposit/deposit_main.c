/* deposit_main.c - rind-deposit: the command line, timing, and what is printed. */
#include <cli.h>
#include <demand.h>
#include <deposit_device.h>
#include <deposit_input.h>
#include <ending.h>
#include <math.h>
#include <rind/context.h>
#include <status.h>
#include <stdio.h>
#include <stdlib.h>
#include <sums.h>
#include <sys/resource.h>

static const char program[] = "rind-deposit";

enum { MOST_REPEATS = 1000 };

typedef struct options {
  int64_t particles, seed;
  int threads, repeats;
  bool device, json;
} options;

typedef struct answer {
  deposit_summary summary;
  double gradient_norm;
  double us_forward, us_gradient; /* medians: the loss; the loss and its gradient */
  double us_least;                /* of the latter */
  size_t bytes_extra;
  const char *fault; /* of the device */
} answer;

static bool parse(int argc, char **argv, options *o, int *status) {
  const app_option list[] = {
      {"particles", APP_INT64, &o->particles, .min = 0, .max = 2e8, .help = "how many"},
      {"seed", APP_INT64, &o->seed, .min = 0, .max = 9e15, .help = "of the random numbers"},
      {"device", APP_FLAG, &o->device, .help = "run on the GPU"},
      {"threads", APP_INT, &o->threads, .min = 1, .max = 1024, .help = "on the host"},
      {"repeat", APP_INT, &o->repeats, .min = 1, .max = MOST_REPEATS, .help = "runs to time"},
      {"json", APP_FLAG, &o->json, .help = "one line of JSON instead of a table"},
  };
  const app_usage usage = {
      program,
      "particles that a moving window selects are deposited into bins; prints loss and gradient",
      list, (int)(sizeof list / sizeof *list),
      .epilogue = "Times are medians in microseconds, input and output where they are needed: "
                  "us_forward of\n"
                  "the loss, us_gradient of the loss and its gradient. bytes_extra is memory "
                  "beyond these."};
  return app_parse(MPI_COMM_WORLD, &usage, argc, argv, status);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *samples, int count) {
  qsort(samples, (size_t)count, sizeof *samples, compare);
  return count % 2 ? samples[count / 2] : 0.5 * (samples[count / 2 - 1] + samples[count / 2]);
}

/* NULL without memory. */
static deposit_host *run_host(const deposit_input *input, const options *o, double *gradient,
                              answer *a) {
  double forward[MOST_REPEATS], both[MOST_REPEATS];
  deposit_host *host = deposit_host_create(input, o->threads);
  for (int r = 0; host && r < o->repeats; ++r) {
    const double start = MPI_Wtime();
    deposit_host_loss(host, &a->summary);
    forward[r] = (MPI_Wtime() - start) * 1e6;
    deposit_host_gradient(host, gradient);
    both[r] = (MPI_Wtime() - start) * 1e6;
  }
  if (!host) return NULL;
  a->us_forward = median(forward, o->repeats);
  a->us_gradient = median(both, o->repeats);
  a->us_least = both[0];
  a->bytes_extra = deposit_host_bytes(host);
  return host;
}

/* Forward runs, then runs with gradient, after one of each that is not timed. */
static int time_device(deposit_device *device, const options *o, answer *a) {
  double us[2][MOST_REPEATS];
  for (int with_gradient = 0; with_gradient < 2; ++with_gradient)
    for (int r = -1; r < o->repeats; ++r) {
      const double start = MPI_Wtime();
      const int code = deposit_device_run(device, with_gradient, false);
      if (code != 0) return code;
      if (r >= 0) us[with_gradient][r] = (MPI_Wtime() - start) * 1e6;
    }
  a->us_forward = median(us[0], o->repeats);
  a->us_gradient = median(us[1], o->repeats);
  a->us_least = us[1][0];
  return 0;
}

static bool run_device(const deposit_input *input, const options *o, double *gradient, answer *a) {
  deposit_device *device = NULL;
  int code = deposit_device_create(input, &device);
  if (code == 0) code = time_device(device, o, a);
  if (code == 0) code = deposit_device_run(device, true, true);
  if (code == 0) code = deposit_device_fetch(device, &a->summary, NULL, gradient);
  if (code == 0) a->bytes_extra = deposit_device_bytes(device);
  if (code != 0) a->fault = deposit_device_error_text(code);
  deposit_device_destroy(&device);
  return code == 0;
}

static bool is_good(const deposit_input *input, const deposit_summary *summary) {
  const int64_t i = summary->first_bad;
  if (i == input->count) return true;
  app_complain(MPI_COMM_WORLD, program, "particle %lld has x %g and v %g, both should be finite",
               (long long)i, input->x[i], input->v[i]);
  return false;
}

static double norm_of(const double *gradient, int64_t count) {
  app_sum sum = {0};
  for (int64_t i = 0; i < count; ++i)
    app_sum_add(&sum, gradient[i] * gradient[i]);
  return sqrt(app_sum_value(&sum));
}

static void print(const options *o, const answer *a) {
  const deposit_summary *s = &a->summary;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const char *format =
      o->json ? "{\"program\": \"rind-deposit\", \"space\": \"%s\", \"threads\": %d, "
                "\"particles\": %lld, \"seed\": %lld, \"loss\": %.10f, \"gradient_norm\": %.6f, "
                "\"selected_once\": %lld, \"largest_selection\": %lld, \"deposits\": %lld, "
                "\"us_forward\": %.1f, \"us_gradient\": %.1f, \"us_gradient_least\": %.1f, "
                "\"bytes_extra\": %zu, "
                "\"bytes_peak_host\": %lld}\n"
              : "space              %s\nthreads            %d\nparticles          %lld\n"
                "seed               %lld\nloss               %.10f\ngradient norm      %.6f\n"
                "selected once      %lld\nlargest selection  %lld\ndeposits           %lld\n"
                "us forward         %.1f\nus gradient        %.1f\nleast of these     %.1f\nbytes "
                "extra        %zu\n"
                "bytes peak (host)  %lld\n";
  printf(format, o->device ? "device" : "host", o->threads, (long long)o->particles,
         (long long)o->seed, s->loss, a->gradient_norm, (long long)s->selected,
         (long long)s->largest, (long long)s->deposits, a->us_forward, a->us_gradient, a->us_least,
         a->bytes_extra, 1024LL * usage.ru_maxrss);
}

/* Of a particle: x, v and its gradient; on the host a step more. */
static int check_demand(const options *o) {
  rind_context *context = NULL;
  const app_demand particles = {(double)o->particles, "particles", o->device ? 24 : 25,
                                "--particles"};
  rind_error error = rind_context_create(MPI_COMM_WORLD, NULL, &context);
  if (error == RIND_OK) error = app_check_demand(context, &particles);
  if (error != RIND_OK) app_complain(MPI_COMM_WORLD, program, "%s", rind_last_error(context));
  rind_context_destroy(&context);
  return app_status_of(error);
}

static int run(const options *o) {
  deposit_arrays arrays;
  answer a = {0};
  double *gradient = malloc(((size_t)o->particles + 1) * sizeof *gradient);
  deposit_host *host = NULL;
  int status = APP_OK;
  if (!deposit_arrays_create(o->particles, (uint64_t)o->seed, &arrays) || !gradient) {
    app_complain(MPI_COMM_WORLD, program, "no memory for %lld particles", (long long)o->particles);
    free(gradient);
    deposit_arrays_destroy(&arrays);
    return APP_MEMORY;
  }
  const deposit_input input = {o->particles, arrays.x, arrays.v, arrays.target};
  if (o->device) {
    if (!run_device(&input, o, gradient, &a)) {
      app_complain(MPI_COMM_WORLD, program, "--device: %s", a.fault);
      status = APP_DEVICE;
    }
  } else {
    host = run_host(&input, o, gradient, &a);
    if (!host) {
      app_complain(MPI_COMM_WORLD, program, "no memory for %lld steps", (long long)o->particles);
      status = APP_MEMORY;
    }
  }
  if (status == APP_OK && !is_good(&input, &a.summary)) status = APP_INPUT;
  if (status == APP_OK) {
    a.gradient_norm = norm_of(gradient, o->particles);
    print(o, &a);
  }
  deposit_host_destroy(&host);
  deposit_arrays_destroy(&arrays);
  free(gradient);
  return status;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  options o = {.particles = 2000, .seed = 42, .threads = 1, .repeats = 7};
  int status = APP_OK, ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool parsed = parse(argc, argv, &o, &status);
  if (parsed && ranks > 1) {
    app_complain(MPI_COMM_WORLD, program, "runs on 1 rank, not %d: use --threads", ranks);
    status = APP_USAGE;
  } else if (parsed) {
    status = check_demand(&o);
    if (status == APP_OK) status = run(&o);
  }
  return app_end(MPI_COMM_WORLD, program, status);
}
