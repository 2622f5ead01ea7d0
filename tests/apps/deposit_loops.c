/* deposit_loops.c - plain loops over particles and steps, and awkward particles. */
#include "deposit_loops.h"
#include <check.h>
#include <float.h>
#include <random.h>
#include <string.h>

/* The definition, step by step. */
static double plain_distance(double position, int t) {
  const double d = position - (double)t / T;
  return d - rint(d);
}

bool plain_selects(double x, double v, int t) {
  return fabs(plain_distance(x + v * t, t)) < 0.005;
}

double plain_loss(const deposit_input *in, double *bins, int *deposits) {
  memset(bins, 0, BINS * sizeof *bins);
  for (int64_t i = 0; i < in->count; ++i)
    for (int t = 1; t <= T; ++t) {
      if (!plain_selects(in->x[i], in->v[i], t)) continue;
      const double p = in->x[i] + in->v[i] * t, q = 1.0 - fabs(plain_distance(p, t)) / 0.005;
      const double g = (p - floor(p)) * BINS - 0.5, j = floor(g), f = g - j, w = q * q;
      bins[((int)j + BINS) % BINS] += w * (1.0 - f);
      bins[((int)j + 1 + BINS) % BINS] += w * f;
      if (deposits) ++deposits[((int)j + BINS) % BINS];
      if (deposits) ++deposits[((int)j + 1 + BINS) % BINS];
    }
  double loss = 0.0;
  for (int b = 0; b < BINS; ++b)
    loss += (bins[b] - in->target[b]) * (bins[b] - in->target[b]);
  return loss;
}

static double plain_gradient(const deposit_input *in, const double *bins, double x, double v) {
  double sum = 0.0;
  for (int t = 1; t <= T; ++t) {
    if (!plain_selects(x, v, t)) continue;
    const double p = x + v * t, d = plain_distance(p, t), q = 1.0 - fabs(d) / 0.005;
    const double g = (p - floor(p)) * BINS - 0.5, j = floor(g), f = g - j;
    const int b = ((int)j + BINS) % BINS, n = (b + 1) % BINS;
    const double low = 2.0 * (bins[b] - in->target[b]), high = 2.0 * (bins[n] - in->target[n]);
    const double sign = d > 0.0 ? 1.0 : d < 0.0 ? -1.0 : 0.0;
    sum += -2.0 * q / 0.005 * sign * ((1.0 - f) * low + f * high) + q * q * BINS * (high - low);
  }
  return sum;
}

/* A bin is off by half a quantum of 2^-51 a deposit at most, and by the roundings of the plain sum;
 * the gradient, from the same bins, by 1e-13 of itself, from those of the plain loops by 1e-13 of
 * its largest entry. */
static void check_values(const char *what, const deposit_input *in, const answer *a) {
  double bins[BINS], largest = 0.0, worst = 0.0, worst_of_all = 0.0;
  int deposits[BINS] = {0};
  const double loss = plain_loss(in, bins, deposits);
  CHECK(fabs(a->summary.loss - loss) <= 1e-12 * loss, "%s: loss %.17g, %.17g expected", what,
        a->summary.loss, loss);
  for (int b = 0; b < BINS; ++b)
    CHECK(fabs(a->bins[b] - bins[b]) <= 0x1p-52 * deposits[b] * (1.0 + bins[b]),
          "%s: bin %d holds %.17g, not %.17g", what, b, a->bins[b], bins[b]);
  for (int64_t i = 0; i < in->count; ++i) {
    const double same = plain_gradient(in, a->bins, in->x[i], in->v[i]);
    const double expected = plain_gradient(in, bins, in->x[i], in->v[i]);
    largest = fmax(largest, fabs(expected));
    worst_of_all = fmax(worst_of_all, fabs(a->gradient[i] - expected));
    if (a->gradient[i] != same) worst = fmax(worst, fabs(a->gradient[i] - same) / fabs(same));
  }
  CHECK(worst <= 1e-13, "%s: a gradient is off by %g of itself", what, worst);
  CHECK(worst_of_all <= 1e-13 * largest, "%s: a gradient of %g is off by %g", what, largest,
        worst_of_all);
}

static void check_counts(const char *what, const deposit_input *in, const deposit_summary *got) {
  int64_t deposits[T + 1] = {0}, selected = 0, all = 0, most = 0;
  for (int64_t i = 0; i < in->count; ++i) {
    bool once = false;
    for (int t = 1; t <= T; ++t)
      if (plain_selects(in->x[i], in->v[i], t)) once = ++deposits[t] > 0;
    selected += once;
  }
  for (int t = 1; t <= T; ++t) {
    all += deposits[t];
    most = deposits[t] > most ? deposits[t] : most;
  }
  CHECK(got->selected == selected && got->deposits == all && got->largest == most &&
            got->first_bad == in->count,
        "%s: %lld selected, %lld deposits, %lld at most, first bad %lld; expected %lld, %lld, %lld",
        what, (long long)got->selected, (long long)got->deposits, (long long)got->largest,
        (long long)got->first_bad, (long long)selected, (long long)all, (long long)most);
}

void check_against_loops(const char *what, const deposit_input *in, const answer *a) {
  check_values(what, in, a);
  check_counts(what, in, &a->summary);
}

/* Makers of awkward particles; each fills x and v. */
static void make_border(app_random *random, double *x, double *v) {
  /* Within a few units in the last place of the window's borders, at some step. */
  const int t = 1 + (int)(app_random_double(random) * T);
  *v = 0.005 * app_random_normal(random);
  *x = (double)t / T + (app_random_bits(random) & 1 ? 0.005 : -0.005) - *v * t;
  *x -= floor(*x);
  for (int k = (int)(app_random_bits(random) % 9) - 4; k != 0; k += k < 0 ? 1 : -1)
    *x = nextafter(*x, k < 0 ? -1.0 : 2.0);
}

static void make_still(app_random *random, double *x, double *v) {
  /* At rest to the window, or nearly. */
  static const double near[] = {0.0, 1e-17, -1e-17, 1e-12, -1e-12, 1e-6, -1e-6, 1e-4, -1e-4};
  *v = 0.02 + near[app_random_bits(random) % 9];
  *x = app_random_bits(random) & 1 ? app_random_double(random)
                                   : 0.005 * (2.0 * app_random_double(random) - 1.0);
  if (app_random_bits(random) % 8 == 0) *x = app_random_bits(random) & 1 ? 0.005 : 0.995;
}

static void make_fast(app_random *random, double *x, double *v) {
  const double power = 20.0 * app_random_double(random) - 3.0;
  *v = pow(10.0, power) * (app_random_bits(random) & 1 ? 1.0 : -1.0);
  *x = app_random_double(random);
}

static void make_far(app_random *random, double *x, double *v) {
  *x = pow(10.0, 17.0 * app_random_double(random)) * (app_random_bits(random) & 1 ? 1.0 : -1.0);
  *v = 0.02 * app_random_normal(random);
}

static void make_limits(app_random *random, double *x, double *v) {
  /* Where the search changes its ways. */
  static const double lag[] = {0.0101, 0.039, -0.08, 0.1, -0.1, 0.12, 0.01, 0.04, 1.0 / 49};
  static const double at[] = {0.0, 1.0, 0.5, 100.0, -100.0, 0x1p51, -0x1p51, DBL_MIN, -DBL_MIN};
  *v = 0.02 - lag[app_random_bits(random) % 9];
  *x = at[app_random_bits(random) % 9];
  *v += DBL_EPSILON * 0.01 * (double)((int)(app_random_bits(random) % 5) - 2);
  *x = app_random_bits(random) & 1 ? nextafter(*x, 2.0) : *x;
  if (app_random_bits(random) & 1) *x = app_random_double(random);
}

static void make_wide(app_random *random, double *x, double *v) {
  *x = 3.0 * app_random_normal(random);
  *v = 0.1 * app_random_normal(random);
}

const char *const awkward_names[NUM_AWKWARD] = {"border", "still", "fast", "far", "limits", "wide"};
static void (*const makers[NUM_AWKWARD])(app_random *, double *, double *) = {
    make_border, make_still, make_fast, make_far, make_limits, make_wide};

deposit_arrays make_awkward(int kind, int64_t count, uint64_t seed) {
  deposit_arrays arrays;
  app_random random;
  deposit_arrays_create(count, seed, &arrays);
  app_random_seed(&random, seed);
  for (int64_t i = 0; i < count; ++i)
    makers[kind](&random, &arrays.x[i], &arrays.v[i]);
  return arrays;
}
