/* deposit_lists.cuh - what the runs on the device share: warps look for the particles that may be
 * hit, list them, and run lists with all their lanes. */
#pragma once
#include <deposit_rule.h>

namespace deposit {

constexpr int threads = 256, warps = threads / 32;
constexpr unsigned all_lanes = 0xffffffffu;
using wide = unsigned long long;

/* What runs add up, in global memory. A run leaves the sums at zero. */
struct sums {
  wide limb[3][DEPOSIT_BINS]; /* quanta of 2^-51, 2^-19, 2^13; each may exceed 32 bits */
  wide deposits[DEPOSIT_STEPS + 1];
  wide selected;
  wide first_bad;    /* as ~index, so that 0 is none and the largest wins */
  unsigned finished; /* thread blocks */
};

struct outcome {
  double loss;
  double bins[DEPOSIT_BINS], slope[DEPOSIT_BINS];
  wide deposits[DEPOSIT_STEPS + 1];
  wide selected;
  wide first_bad;
};

struct problem {
  const double *x, *v, *target;
  wide count;
  double *gradient;
  sums *counts;
  outcome *result;
};

/* Particles of a warp that may be hit, waiting for their turn. */
template <int Capacity> struct hit_list {
  double position[Capacity];
  unsigned short mark[Capacity]; /* the step, and what else has to be known */
};

/* A place in a list for each lane that wants one; the list grows by them. */
__device__ int take_place(bool wanted, int &length) {
  const unsigned vote = __ballot_sync(all_lanes, wanted);
  const int place = length + __popc(vote & ((1u << threadIdx.x % 32) - 1));
  length += __popc(vote);
  return place;
}

/* Two particles of a lane. */
struct pair {
  double2 x, v;
};

/* The pair at a place. Behind the end are particles that never meet the window. */
__device__ pair load_pair(const problem &p, wide i) {
  if (i + 1 < p.count) return {*(const double2 *)(p.x + i), *(const double2 *)(p.v + i)};
  const double x = 0.9, v = 1.0 / DEPOSIT_STEPS - 0.0102;
  if (i < p.count) return {{p.x[i], x}, {p.v[i], v}};
  return {{x, x}, {v, v}};
}

/* What a warp has listed. */
struct lengths {
  int hits, others;
};

} // namespace deposit
