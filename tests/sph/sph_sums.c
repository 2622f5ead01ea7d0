/* sph_sums.c - sums in slices: the same bits in any order and any parts, and the right value. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <sph_sum.h>

enum { MOST = 20000 };

static uint64_t state = 1;

static double uniform(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53;
}

static double sum_parts(const rind_sph_slicer *slicer, const double *number, int count, int parts) {
  double total[RIND_SPH_SLICES] = {0};
  for (int part = parts - 1; part >= 0; --part) {
    double sum[RIND_SPH_SLICES] = {0};
    for (int i = part; i < count; i += parts)
      rind_sph_slice(slicer, number[i], sum);
    for (int s = 0; s < RIND_SPH_SLICES; ++s)
      total[s] += sum[s];
  }
  return rind_sph_total(total);
}

/* Numbers over so many powers of two. */
static void check_spread(int count, int powers, int shift) {
  double *number = calloc((size_t)count + 1, sizeof *number), largest = 0;
  long double exact = 0, rest = 0;
  for (int i = 0; i < count; ++i) {
    number[i] = ldexp(uniform(), shift - (int)(powers * uniform()));
    largest = fmax(largest, number[i]);
    /* Carries what the sum loses. */
    const long double sum = exact + number[i];
    rest += fabsl(exact) >= number[i] ? (exact - sum) + number[i] : (number[i] - sum) + exact;
    exact = sum;
  }
  const rind_sph_slicer slicer = rind_sph_slicer_of(largest, count);
  const double total = sum_parts(&slicer, number, count, 1), truth = (double)(exact + rest);
  CHECK(fabs(total - truth) <= 0x1p-52 * truth, "%d numbers over %d powers: %.17g, not %.17g",
        count, powers, total, truth);
  for (int parts = 2; parts <= 7; ++parts) {
    const double other = sum_parts(&slicer, number, count, parts);
    CHECK(memcmp(&total, &other, sizeof total) == 0, "%d numbers in %d parts: %.17g, not %.17g",
          count, parts, other, total);
  }
  free(number);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const int counts[] = {0, 1, 2, 3, 255, 256, 4097, MOST};
  for (int k = 0; k < 8; ++k)
    for (int powers = 0; powers <= 60; powers += 15)
      for (int shift = -300; shift <= 300; shift += 100)
        check_spread(counts[k], powers, shift);
  /* The greatest of zeros. */
  const rind_sph_slicer slicer = rind_sph_slicer_of(0, 1000);
  double sum[RIND_SPH_SLICES] = {0};
  rind_sph_slice(&slicer, 0, sum);
  CHECK(rind_sph_total(sum) == 0, "the sum of zeros is %g", rind_sph_total(sum));
  return check_end();
}
