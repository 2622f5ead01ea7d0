/* deposit_kernels.cuh - loss and gradient on the device: a warp takes tiles of particles, lists
 * those that may be hit, and runs the list with all its lanes. */
#pragma once
#include <deposit_rule.h>

namespace deposit {

constexpr int threads = 512, warps = threads / 32, pairs = 4, tile = 64 * pairs;
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

/* Quanta of a thread block's bins, 32 bits a limb. */
struct shared_bins {
  unsigned limb[3][DEPOSIT_BINS];

  __device__ void add(int bin, double value) {
    const uint64_t quanta = deposit_quanta(value);
    const unsigned low = (unsigned)quanta, before = atomicAdd(&limb[0][bin], low);
    const unsigned middle = (unsigned)(quanta >> 32) + (before + low < before);
    if (middle == 0) return;
    const unsigned middle_before = atomicAdd(&limb[1][bin], middle);
    if (middle_before + middle < middle_before) atomicAdd(&limb[2][bin], 1u);
  }
};

/* Lists of a warp. */
struct lists {
  unsigned short hit[tile];  /* place in the tile + 256 step */
  unsigned other[tile + 32]; /* particles that have to be searched, across tiles; as offsets */
};

/* Appends value of the lanes where wanted; the list's new length, on all lanes. */
template <typename T> __device__ int append(T *list, int length, bool wanted, T value) {
  const unsigned vote = __ballot_sync(all_lanes, wanted);
  const unsigned before = vote & ((1u << threadIdx.x % 32) - 1);
  if (wanted) list[length + __popc(before)] = value;
  return length + __popc(vote);
}

struct lengths {
  int hits, others;
};

/* Lists a tile's particles. */
__device__ lengths list_tile(const problem &p, wide first, int others, lists &mine) {
  const int lane = threadIdx.x % 32;
  double x[2 * pairs], v[2 * pairs];
  lengths now = {0, others};
  if (first + tile <= p.count) {
#pragma unroll
    for (int k = 0; k < pairs; ++k) {
      const double2 x2 = *(const double2 *)(p.x + first + 64 * k + 2 * lane);
      const double2 v2 = *(const double2 *)(p.v + first + 64 * k + 2 * lane);
      x[2 * k] = x2.x, x[2 * k + 1] = x2.y, v[2 * k] = v2.x, v[2 * k + 1] = v2.y;
    }
  } else {
#pragma unroll
    for (int k = 0; k < 2 * pairs; ++k) {
      const wide i = first + 64 * (k / 2) + 2 * lane + k % 2;
      /* At the place of a particle that never meets the window. */
      x[k] = i < p.count ? p.x[i] : 0.5;
      v[k] = i < p.count ? p.v[i] : 1.0 / DEPOSIT_STEPS - 0.0102;
    }
  }
#pragma unroll
  for (int k = 0; k < 2 * pairs; ++k) {
    const int at = 64 * (k / 2) + 2 * lane + k % 2;
    const bool exists = first + at < p.count;
    const int step = exists ? deposit_only_step(x[k], v[k]) : 0;
    now.hits = append(mine.hit, now.hits, step > 0, (unsigned short)(at + 256 * step));
    now.others = append(mine.other, now.others, step < 0, (unsigned)(first + at));
  }
  __syncwarp();
  return now;
}

/* A block's share of the forward run. */
struct forward_shared {
  shared_bins bins;
  lists warp[warps];
  double centre[DEPOSIT_STEPS + 1];
  unsigned deposits[DEPOSIT_STEPS + 1];
  unsigned selected;
  bool is_last;
};

template <bool Counts> __device__ bool deposit_at(forward_shared &s, double x, double v, int t) {
  const deposit_hit hit = deposit_hit_of(deposit_position(x, v, t), s.centre[t]);
  if (!hit.is_selected) return false;
  const double taper = hit.rest * hit.rest;
  s.bins.add(hit.bin, taper * (1.0 - hit.fraction));
  s.bins.add(hit.next, taper * hit.fraction);
  if (Counts) atomicAdd(&s.deposits[t], 1u);
  return true;
}

template <bool Counts> __device__ bool deposit_any(const problem &p, forward_shared &s, wide i) {
  const double x = p.x[i], v = p.v[i];
  if (!isfinite(x) || !isfinite(v)) {
    atomicMax(&p.counts->first_bad, ~i);
    return false;
  }
  bool found = false;
  for (int t = deposit_next_step(x, v, 1, s.centre); t > 0;
       t = deposit_next_step(x, v, t + 1, s.centre))
    found |= deposit_at<Counts>(s, x, v, t);
  return found;
}

/* The last thread block turns sums into bins, loss and slopes. */
__device__ void finish(const problem &p) {
  __shared__ double square[DEPOSIT_BINS];
  sums &c = *p.counts;
  for (int b = threadIdx.x; b < DEPOSIT_BINS; b += threads) {
    const wide low = __ldcg(&c.limb[0][b]), middle = __ldcg(&c.limb[1][b]);
    const wide high = __ldcg(&c.limb[2][b]);
    const double bin = deposit_value((high << 32) + middle + (low >> 32), low & 0xffffffffu);
    const double difference = bin - p.target[b];
    p.result->bins[b] = bin;
    p.result->slope[b] = 2.0 * difference;
    square[b] = difference * difference;
    for (int limb = 0; limb < 3; ++limb)
      c.limb[limb][b] = 0;
  }
  for (int t = threadIdx.x; t <= DEPOSIT_STEPS; t += threads) {
    p.result->deposits[t] = __ldcg(&c.deposits[t]);
    c.deposits[t] = 0;
  }
  for (int half = DEPOSIT_BINS / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int b = threadIdx.x; b < half; b += threads)
      square[b] += square[b + half];
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  p.result->loss = square[0];
  p.result->selected = __ldcg(&c.selected);
  p.result->first_bad = __ldcg(&c.first_bad);
  c.selected = c.first_bad = 0;
  c.finished = 0;
}

/* Adds a block's bins and counts to those of all. */
__device__ void add_up(const problem &p, const forward_shared &s) {
  for (int b = threadIdx.x; b < DEPOSIT_BINS; b += threads)
    for (int limb = 0; limb < 3; ++limb)
      if (s.bins.limb[limb][b] > 0) atomicAdd(&p.counts->limb[limb][b], s.bins.limb[limb][b]);
  for (int t = threadIdx.x; t <= DEPOSIT_STEPS; t += threads)
    if (s.deposits[t] > 0) atomicAdd(&p.counts->deposits[t], s.deposits[t]);
  if (threadIdx.x == 0 && s.selected > 0) atomicAdd(&p.counts->selected, s.selected);
}

template <bool Counts> __global__ void __launch_bounds__(threads, 2) forward(problem p) {
  extern __shared__ double memory[];
  forward_shared &s = *(forward_shared *)memory;
  lists &mine = s.warp[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  for (int b = threadIdx.x; b < DEPOSIT_BINS; b += threads)
    s.bins.limb[0][b] = s.bins.limb[1][b] = s.bins.limb[2][b] = 0;
  for (int t = threadIdx.x; t <= DEPOSIT_STEPS; t += threads) {
    s.centre[t] = deposit_centre(t);
    s.deposits[t] = 0;
  }
  if (threadIdx.x == 0) s.selected = 0;
  __syncthreads();
  const wide tiles = (p.count + tile - 1) / tile;
  unsigned selected = 0;
  int others = 0;
  for (wide number = blockIdx.x * warps + threadIdx.x / 32; number < tiles;
       number += (wide)gridDim.x * warps) {
    const wide first = number * tile;
    const lengths now = list_tile(p, first, others, mine);
    for (int l = lane; l < now.hits; l += 32) {
      const wide i = first + mine.hit[l] % 256;
      selected += deposit_at<Counts>(s, p.x[i], p.v[i], mine.hit[l] / 256);
    }
    others = now.others;
    for (; others >= 32; others -= 32)
      selected += deposit_any<Counts>(p, s, mine.other[others - 32 + lane]);
    __syncwarp();
  }
  if (lane < others) selected += deposit_any<Counts>(p, s, mine.other[lane]);
  if (Counts) atomicAdd(&s.selected, selected);
  __syncthreads();
  add_up(p, s);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) s.is_last = atomicAdd(&p.counts->finished, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!s.is_last) return;
  __threadfence();
  finish(p);
}

struct backward_shared {
  double slope[DEPOSIT_BINS];
  double centre[DEPOSIT_STEPS + 1];
  double gradient[warps][tile];
  lists warp[warps];
};

__device__ double gradient_at(const backward_shared &s, double x, double v, int t) {
  const deposit_hit hit = deposit_hit_of(deposit_position(x, v, t), s.centre[t]);
  return hit.is_selected ? deposit_gradient_of(hit, s.slope[hit.bin], s.slope[hit.next]) : 0.0;
}

__device__ void gradient_any(const problem &p, const backward_shared &s, wide i) {
  const double x = p.x[i], v = p.v[i];
  double sum = 0.0;
  for (int t = deposit_next_step(x, v, 1, s.centre); t > 0;
       t = deposit_next_step(x, v, t + 1, s.centre))
    sum += gradient_at(s, x, v, t);
  p.gradient[i] = sum;
}

/* A tile's gradient from shared to global memory. */
__device__ void store_tile(const problem &p, wide first, const double *gradient) {
  const int lane = threadIdx.x % 32;
  if (first + tile <= p.count) {
#pragma unroll
    for (int k = 0; k < pairs; ++k)
      *(double2 *)(p.gradient + first + 64 * k + 2 * lane) =
          *(const double2 *)(gradient + 64 * k + 2 * lane);
    return;
  }
  for (int at = lane; at < tile && first + at < p.count; at += 32)
    p.gradient[first + at] = gradient[at];
}

/* Last tiles first: the forward run has left them in the cache. */
__global__ void __launch_bounds__(threads, 2) backward(problem p) {
  extern __shared__ double memory[];
  backward_shared &s = *(backward_shared *)memory;
  lists &mine = s.warp[threadIdx.x / 32];
  double *gradient = s.gradient[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  for (int b = threadIdx.x; b < DEPOSIT_BINS; b += threads)
    s.slope[b] = p.result->slope[b];
  for (int t = threadIdx.x; t <= DEPOSIT_STEPS; t += threads)
    s.centre[t] = deposit_centre(t);
  __syncthreads();
  const wide tiles = (p.count + tile - 1) / tile;
  int others = 0;
  for (wide number = blockIdx.x * warps + threadIdx.x / 32; number < tiles;
       number += (wide)gridDim.x * warps) {
    const wide first = (tiles - 1 - number) * tile;
    for (int at = lane; at < tile; at += 32)
      gradient[at] = 0.0;
    const lengths now = list_tile(p, first, others, mine);
    for (int l = lane; l < now.hits; l += 32) {
      const int at = mine.hit[l] % 256;
      gradient[at] = gradient_at(s, p.x[first + at], p.v[first + at], mine.hit[l] / 256);
    }
    __syncwarp();
    store_tile(p, first, gradient);
    __syncwarp();
    others = now.others;
    for (; others >= 32; others -= 32)
      gradient_any(p, s, mine.other[others - 32 + lane]);
    __syncwarp();
  }
  if (lane < others) gradient_any(p, s, mine.other[lane]);
}

} // namespace deposit
