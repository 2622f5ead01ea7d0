/* deposit_backward.cuh - the gradient on the device. */
#pragma once
#include <deposit_lists.cuh>

namespace deposit {

/* Particles of a warp's turn of the backward run. */
constexpr int turn = 128;

struct backward_shared {
  alignas(16) double gradient[warps][turn];
  double slope[DEPOSIT_BINS];
  double centre[DEPOSIT_STEPS + 1];
  hit_list<turn> hits[warps]; /* mark: place in the turn + 256 step */
  unsigned others[warps][31 + turn];
};

__device__ double gradient_at(const backward_shared &s, double position, int t, bool near) {
  const deposit_hit hit = deposit_hit_of(position, s.centre[t], near);
  return hit.is_selected ? deposit_gradient_of(hit, s.slope[hit.bin], s.slope[hit.next]) : 0.0;
}

__device__ void gradient_any(const problem &p, const backward_shared &s, wide i) {
  const double x = p.x[i], v = p.v[i];
  double sum = 0.0;
  for (int t = deposit_next_step(x, v, 1, s.centre); t > 0;
       t = deposit_next_step(x, v, t + 1, s.centre))
    sum += gradient_at(s, deposit_position(x, v, t), t, false);
  p.gradient[i] = sum;
}

/* Lists a particle of each lane. */
__device__ void list_gradient(backward_shared &s, double x, double v, int at, wide i,
                              lengths &now) {
  const int warp = threadIdx.x / 32, steps = deposit_quick_steps(x, v);
  const bool is_one = steps > 0 && ((steps & 63) == 0 || steps < 64);
  const bool is_other = steps != 0 && !is_one;
  const int place = take_place(is_one, now.hits);
  if (is_one) {
    const int t = steps < 64 ? steps : steps >> 6;
    s.hits[warp].position[place] = deposit_position(x, v, t);
    s.hits[warp].mark[place] = (unsigned short)(at + 256 * t);
  }
  if (__any_sync(all_lanes, is_other)) {
    const int other = take_place(is_other, now.others);
    if (is_other) s.others[warp][other] = (unsigned)i;
  }
}

/* A turn's gradient from shared to global memory. */
__device__ void store_turn(const problem &p, wide first, const double *gradient) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int at = 2 * lane; at < turn; at += 64)
    if (first + at + 1 < p.count)
      *(double2 *)(p.gradient + first + at) = *(const double2 *)(gradient + at);
    else if (first + at < p.count)
      p.gradient[first + at] = gradient[at];
}

/* Turns go from the last to the first: the forward run has left the last in the cache. */
__global__ void __launch_bounds__(threads, 5) backward(problem p) {
  extern __shared__ double2 memory[];
  backward_shared &s = *(backward_shared *)memory;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  double *gradient = s.gradient[warp];
  for (int b = threadIdx.x; b < DEPOSIT_BINS; b += threads)
    s.slope[b] = p.result->slope[b];
  for (int t = threadIdx.x; t <= DEPOSIT_STEPS; t += threads)
    s.centre[t] = deposit_centre(t);
  __syncthreads();
  const wide turns = (p.count + turn - 1) / turn, step = (wide)gridDim.x * warps;
  lengths now = {0, 0};
  for (wide number = (wide)blockIdx.x * warps + warp; number < turns; number += step) {
    const wide first = (turns - 1 - number) * turn;
    const pair low = load_pair(p, first + 2 * lane), high = load_pair(p, first + 64 + 2 * lane);
    for (int at = lane; at < turn; at += 32)
      gradient[at] = 0.0;
    now.hits = 0;
    list_gradient(s, low.x.x, low.v.x, 2 * lane, first + 2 * lane, now);
    list_gradient(s, low.x.y, low.v.y, 2 * lane + 1, first + 2 * lane + 1, now);
    list_gradient(s, high.x.x, high.v.x, 64 + 2 * lane, first + 64 + 2 * lane, now);
    list_gradient(s, high.x.y, high.v.y, 65 + 2 * lane, first + 65 + 2 * lane, now);
    __syncwarp();
    for (int l = lane; l < now.hits; l += 32) {
      const int mark = s.hits[warp].mark[l];
      gradient[mark % 256] = gradient_at(s, s.hits[warp].position[l], mark / 256, true);
    }
    __syncwarp();
    store_turn(p, first, gradient);
    __syncwarp();
    for (; now.others >= 32; now.others -= 32)
      gradient_any(p, s, s.others[warp][now.others - 32 + lane]);
    __syncwarp();
  }
  if (lane < now.others) gradient_any(p, s, s.others[warp][lane]);
}

} // namespace deposit
