/* run_programs.cu - packs programs of blocks into tasks of warps, and runs them. */
#include <device_memory.h>
#include <device_programs.h>
#include <pack_programs.cuh>
#include <program_kernels.cuh>

#include <cstdlib>
#include <cstring>

struct rind_device_programs {
  rind_type to_type, source_type;
  bool adds;
  bool are_early;   /* kernels: they wait for values by themselves */
  bool whole_lines; /* of memory are asked for, as in all adjoints */
  ptrdiff_t stride; /* as in base_tables */
  tables on_device;
  void *memory;
  size_t bytes;
};

namespace {

/* Where an array of count items begins, after which bytes is its end. */
size_t place_array(size_t count, size_t item_bytes, size_t *bytes) {
  const size_t at = (*bytes + 255) / 256 * 256;
  *bytes = at + count * item_bytes;
  return at;
}

/* num_sums, first_term: room for from->num_sums each. */
cudaError_t copy_tables(const rind_programs *from, int *num_sums, int *first_term,
                        rind_device_programs *made) {
  packing to = {};
  to.first_term = first_term;
  for (int i = 0; i < from->num_items; ++i)
    if (from->item[i].num_sums > 0) num_sums[from->item[i].first_sum] = from->item[i].num_sums;
  pack_sums(from, num_sums, &to);
  pack_items(from, nullptr, &to);
  if (to.num_terms > INT32_MAX || to.num_tasks > INT32_MAX / 2) return cudaErrorInvalidValue;
  const size_t tasks = place_array((size_t)to.num_tasks, sizeof *to.tasks, &made->bytes);
  const size_t sources = place_array((size_t)from->num_sources, sizeof *from->source, &made->bytes);
  const size_t moves = place_array((size_t)from->num_moves, sizeof *from->move, &made->bytes);
  const size_t pairs = place_array((size_t)from->num_pairs, sizeof *from->pair, &made->bytes);
  const size_t terms = place_array((size_t)to.num_terms, sizeof *to.term, &made->bytes);
  const size_t weights = place_array((size_t)to.num_weights, sizeof *to.weight, &made->bytes);
  char *host = (char *)calloc(made->bytes, 1);
  task *task_room = (task *)calloc((size_t)to.num_tasks + 1, sizeof *task_room);
  if (!host || !task_room) {
    free(host);
    free(task_room);
    return cudaErrorMemoryAllocation;
  }
  to.tasks = (task *)(host + tasks);
  to.term = (int32_t *)(host + terms);
  to.weight = (double *)(host + weights);
  pack_sums(from, num_sums, &to);
  pack_items(from, task_room, &to);
  free(task_room);
  if (from->num_sources > 0)
    memcpy(host + sources, from->source, (size_t)from->num_sources * sizeof *from->source);
  if (from->num_moves > 0)
    memcpy(host + moves, from->move, (size_t)from->num_moves * sizeof *from->move);
  if (from->num_pairs > 0)
    memcpy(host + pairs, from->pair, (size_t)from->num_pairs * sizeof *from->pair);
  cudaError_t error = cudaMalloc(&made->memory, made->bytes);
  if (error == cudaSuccess) error = (cudaError_t)rind_device_copy(made->memory, host, made->bytes);
  free(host);
  const char *base = (const char *)made->memory;
  made->on_device = {(int)to.num_tasks,
                     (const task *)(base + tasks),
                     (const int32_t *)(base + sources),
                     (const int2 *)(base + moves),
                     (const int32_t *)(base + pairs),
                     (const int32_t *)(base + terms),
                     (const double *)(base + weights)};
  return error;
}

template <typename To, typename Source>
cudaError_t launch(const rind_device_programs *p, const base_tables &bases, cudaStream_t stream) {
  const int blocks = (p->on_device.num_tasks + warps_a_block - 1) / warps_a_block;
  return launch_kernel(p->adds          ? run_adjoint<To, Source>
                       : p->whole_lines ? run_fill<To, Source, true>
                                        : run_fill<To, Source, false>,
                       p->are_early, dim3((unsigned)blocks), threads_a_block, stream, p->on_device,
                       bases);
}

} // namespace

extern "C" int rind_device_programs_create(const rind_programs *programs,
                                           const rind_program_frame *frame, rind_type to_type,
                                           rind_type source_type, rind_device_programs **made) {
  rind_device_programs *fresh = (rind_device_programs *)calloc(1, sizeof *fresh);
  int *room = (int *)calloc((size_t)programs->num_sums + 1, 2 * sizeof *room);
  cudaError_t error = fresh && room ? cudaSuccess : cudaErrorMemoryAllocation;
  if (error == cudaSuccess) {
    fresh->to_type = to_type;
    fresh->source_type = source_type;
    fresh->adds = programs->adds;
    if (frame->same_blocks && to_type == source_type)
      fresh->stride = frame->block_stride * (ptrdiff_t)rind_type_bytes(to_type);
    error = find_whether_early(run_fill<double, double, false>, &fresh->are_early);
    if (error == cudaSuccess &&
        !rind_programs_fill_lines(programs, (int)rind_type_bytes(to_type), &fresh->whole_lines))
      error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess) error = copy_tables(programs, room, room + programs->num_sums, fresh);
  }
  free(room);
  if (error != cudaSuccess) {
    rind_device_programs_destroy(&fresh);
    cudaGetLastError();
    return (int)error;
  }
  *made = fresh;
  return 0;
}

extern "C" void rind_device_programs_destroy(rind_device_programs **programs) {
  if (!programs || !*programs) return;
  cudaFree((*programs)->memory);
  free(*programs);
  *programs = nullptr;
}

extern "C" int64_t rind_device_programs_bytes(const rind_device_programs *programs) {
  return programs ? (int64_t)programs->bytes : 0;
}

extern "C" int rind_device_programs_run(const rind_device_programs *p, void *const *to_base,
                                        const void *const *own_base, const void *const *source_base,
                                        void *stream) {
  const bool to_double = p->to_type == RIND_FLOAT64, from_double = p->source_type == RIND_FLOAT64;
  const base_tables bases = {to_base, own_base, source_base, p->stride};
  cudaStream_t on = (cudaStream_t)stream;
  if (to_double)
    return (int)(from_double ? launch<double, double>(p, bases, on)
                             : launch<double, float>(p, bases, on));
  return (int)(from_double ? launch<float, double>(p, bases, on)
                           : launch<float, float>(p, bases, on));
}
