/* taps.c - a user's one-dimensional taps: which entry serves a coarse cell, and whether all fit. */
#include <core.h>
#include <taps.h>

#include <math.h>

int rind_taps_shift(const rind_taps *taps, int parity, int coarse, int cells) {
  const int64_t first = (int64_t)coarse + taps->first[parity][1];
  return first < 0 ? 1 : first + taps->num_taps > cells ? -1 : 0;
}

static rind_error check_weights(rind_context *context, const rind_taps *taps, int parity,
                                int shift) {
  double sum = 0.0;
  for (int tap = 0; tap < taps->num_taps; ++tap) {
    const double weight = taps->weight[parity][shift][tap];
    RIND_REQUIRE(context, isfinite(weight), RIND_ERROR_INVALID,
                 "the taps of parity %d, shift %d have weight %g in tap %d: finite it must be",
                 parity, shift, weight, tap);
    sum += weight;
  }
  RIND_REQUIRE(context, fabs(sum - 1.0) <= 1e-14, RIND_ERROR_INVALID,
               "the weights of the taps of parity %d, shift %d sum to %.17g: 1 it must be", parity,
               shift, sum);
  return RIND_OK;
}

/* Coarse cells low .. high are served by the entry of a shift. */
static rind_error check_fit(rind_context *context, const rind_taps *taps, int cells, int parity,
                            int shift, int64_t low, int64_t high) {
  const int64_t first = taps->first[parity][shift];
  if (low > high) return RIND_OK;
  RIND_REQUIRE(
      context, low + first >= 0 && high + first + taps->num_taps <= cells, RIND_ERROR_INVALID,
      "the taps of parity %d, shift %d serve coarse cells %lld to %lld of %d and read %lld "
      "to %lld: 0 to %d it must be",
      parity, shift, (long long)low, (long long)high, cells, (long long)(low + first),
      (long long)(high + first + taps->num_taps - 1), cells - 1);
  return RIND_OK;
}

static rind_error check_entries(rind_context *context, const rind_taps *taps, int cells,
                                int parity) {
  for (int shift = 0; shift < 3; ++shift)
    RIND_TRY(check_weights(context, taps, parity, shift));
  /* The first coarse cells that the entries 1 and 2 serve. */
  const int64_t first = taps->first[parity][1];
  int64_t middle = -first, upper = cells - taps->num_taps - first + 1;
  middle = middle < 0 ? 0 : middle > cells ? cells : middle;
  upper = upper < middle ? middle : upper > cells ? cells : upper;
  RIND_TRY(check_fit(context, taps, cells, parity, 0, 0, middle - 1));
  return check_fit(context, taps, cells, parity, 2, upper, cells - 1);
}

rind_error rind_taps_check(rind_context *context, const rind_taps *taps, int cells) {
  RIND_REQUIRE(context, taps->num_taps >= 1 && taps->num_taps <= RIND_MAX_TAPS, RIND_ERROR_INVALID,
               "%d taps along an axis: 1 to %d it must be", taps->num_taps, (int)RIND_MAX_TAPS);
  RIND_REQUIRE(context, cells >= taps->num_taps, RIND_ERROR_INVALID,
               "%d cells a block for %d taps along an axis: at least %d it must be", cells,
               taps->num_taps, taps->num_taps + taps->num_taps % 2);
  for (int parity = 0; parity < 2; ++parity)
    RIND_TRY(check_entries(context, taps, cells, parity));
  return RIND_OK;
}
