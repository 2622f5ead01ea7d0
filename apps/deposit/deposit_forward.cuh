/* deposit_forward.cuh - bins and loss on the device. */
#pragma once
#include <deposit_lists.cuh>

namespace deposit {

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

/* A block's share of the forward run. */
struct forward_shared {
  shared_bins bins;
  hit_list<31 + 128> hits[warps];
  unsigned others[warps][31 + 64]; /* particles that have to be searched */
  double centre[DEPOSIT_STEPS + 1];
  unsigned deposits[DEPOSIT_STEPS + 1];
  unsigned selected;
  bool is_last;
};

template <bool Counts>
__device__ bool deposit_at(forward_shared &s, double position, int t, bool near) {
  const deposit_hit hit = deposit_hit_of(position, s.centre[t], near);
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
    found |= deposit_at<Counts>(s, deposit_position(x, v, t), t, false);
  return found;
}

/* Lists the hits of those lanes whose step is not 0. */
template <int Capacity>
__device__ void put_hit(hit_list<Capacity> &list, double x, double v, int step, lengths &now) {
  const int place = take_place(step > 0, now.hits);
  if (step > 0) {
    list.position[place] = deposit_position(x, v, step);
    list.mark[place] = (unsigned short)step;
  }
}

/* Lists a particle of each lane; whether it is selected in one of two steps, if that counts. */
template <bool Counts>
__device__ bool list_particle(forward_shared &s, double x, double v, wide i, lengths &now) {
  hit_list<31 + 128> &list = s.hits[threadIdx.x / 32];
  const int steps = deposit_quick_steps(x, v);
  const int first = steps < 0 ? 0 : steps & 63, second = steps < 0 ? 0 : steps >> 6;
  const int one = first > 0 ? first : second, other = first > 0 ? second : 0;
  put_hit(list, x, v, one, now);
  /* In many warps no particle has another. */
  if (__any_sync(all_lanes, other > 0)) put_hit(list, x, v, other, now);
  if (__any_sync(all_lanes, steps < 0)) {
    const int place = take_place(steps < 0, now.others);
    if (steps < 0) s.others[threadIdx.x / 32][place] = (unsigned)i;
  }
  return Counts && ((first > 0 && deposit_is_selected(x, v, first, s.centre)) ||
                    (second > 0 && deposit_is_selected(x, v, second, s.centre)));
}

/* Runs 32 of a list's last, or all where few are the last of all. */
template <bool Counts>
__device__ unsigned run_lists(const problem &p, forward_shared &s, lengths &now, int least) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned selected = 0;
  __syncwarp();
  while (now.hits >= least) {
    const int first = now.hits > 32 ? now.hits - 32 : 0;
    if (first + lane < now.hits)
      deposit_at<Counts>(s, s.hits[warp].position[first + lane], s.hits[warp].mark[first + lane],
                         true);
    now.hits = first;
  }
  while (now.others >= least) {
    const int first = now.others > 32 ? now.others - 32 : 0;
    if (first + lane < now.others)
      selected += deposit_any<Counts>(p, s, s.others[warp][first + lane]);
    now.others = first;
  }
  __syncwarp();
  return selected;
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

template <bool Counts> __global__ void __launch_bounds__(threads, 5) forward(problem p) {
  extern __shared__ double2 memory[];
  forward_shared &s = *(forward_shared *)memory;
  for (int b = threadIdx.x; b < DEPOSIT_BINS; b += threads)
    s.bins.limb[0][b] = s.bins.limb[1][b] = s.bins.limb[2][b] = 0;
  for (int t = threadIdx.x; t <= DEPOSIT_STEPS; t += threads) {
    s.centre[t] = deposit_centre(t);
    s.deposits[t] = 0;
  }
  if (threadIdx.x == 0) s.selected = 0;
  __syncthreads();
  const wide step = (wide)gridDim.x * threads * 2;
  wide i = ((wide)blockIdx.x * threads + threadIdx.x) * 2;
  const wide end = (p.count + 63) / 64 * 64;
  unsigned selected = 0;
  lengths now = {0, 0};
  for (pair next = load_pair(p, i); i < end; i += step) {
    const pair two = next;
    next = load_pair(p, i + step);
    selected += list_particle<Counts>(s, two.x.x, two.v.x, i, now);
    selected += list_particle<Counts>(s, two.x.y, two.v.y, i + 1, now);
    selected += run_lists<Counts>(p, s, now, 32);
  }
  selected += run_lists<Counts>(p, s, now, 1);
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

} // namespace deposit
