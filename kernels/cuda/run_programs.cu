/* run_programs.cu - packs programs of blocks into tasks of warps, and runs them. */
#include <device_memory.h>
#include <device_programs.h>
#include <program_kernels.cuh>

#include <cstdlib>
#include <cstring>

struct rind_device_programs {
  rind_type to_type, source_type;
  bool adds;
  ptrdiff_t stride; /* as in base_tables */
  tables on_device;
  void *memory;
  size_t bytes;
};

namespace {

/* The tables on the host; what is NULL is only counted. */
struct packing {
  int64_t num_tasks, num_terms, num_weights;
  task *tasks;
  int32_t *term;
  double *weight;
  int *first_term; /* [num_sums]: where a slice, or a group of plain ones, begins in term */
};

int smaller(int a, int b) {
  return a < b ? a : b;
}

bool is_plain(const rind_program_sum &sum) {
  return sum.first_weight < 0;
}

/* Terms of a plain sum beside the cell itself. */
int beside(const rind_program_sum &sum) {
  return sum.num_terms - 1;
}

/* A slice of sums: its cells, and its terms from number first on, filled up to num_terms. */
void pack_slice(const rind_programs *from, int slice, int first, int num_terms, packing *to) {
  const rind_program_sum &sum = from->sum[slice];
  const int there = sum.num_terms - first;
  if (to->term) {
    int32_t *term = to->term + to->num_terms;
    memcpy(term, from->cell + sum.first_cell, lanes * sizeof *term);
    memcpy(term + lanes, from->term + sum.first_term + lanes * first,
           (size_t)(lanes * there) * sizeof *term);
    for (int n = lanes * (1 + there); n < lanes * (1 + num_terms); ++n)
      term[n] = rind_program_term(RIND_PROGRAM_NONE, false, 0);
    if (!is_plain(sum))
      memcpy(to->weight + to->num_terms + lanes, from->weight + sum.first_weight + lanes * first,
             (size_t)(lanes * there) * sizeof(double));
  }
  to->num_terms += lanes * (1 + (int64_t)num_terms);
}

/* How many plain sums from the first on one task takes, and their terms. */
int group_plain(const rind_programs *from, int first, int end, int *num_terms) {
  int count = 0;
  *num_terms = 0;
  while (first + count < end && is_plain(from->sum[first + count])) {
    const int terms = beside(from->sum[first + count]);
    const int most = terms > *num_terms ? terms : *num_terms;
    if (count == (most <= 2 ? plain_at_once : long_plain_at_once) ||
        (most > 2 && count > long_plain_at_once))
      break;
    *num_terms = most;
    ++count;
  }
  return count;
}

/* How many short sums from the first on one task takes, and their terms; 0: it is a longer one. */
int group_short(const rind_programs *from, int first, int end, int *num_terms) {
  int count = 0;
  *num_terms = 0;
  while (from->adds && first + count < end && count < short_at_once &&
         beside(from->sum[first + count]) <= short_terms) {
    const int terms = beside(from->sum[first + count]);
    if (terms > *num_terms) *num_terms = terms;
    ++count;
  }
  return count;
}

void add_task(const task &made, packing *to) {
  if (to->tasks) to->tasks[to->num_tasks] = made;
  ++to->num_tasks;
}

/* The sums of a program from first on, plain ones or others. */
void pack_program(const rind_programs *from, int first, int num_sums, bool plain, packing *to) {
  const int end = first + num_sums;
  int s = first;
  for (int terms, count; (count = group_plain(from, s, end, &terms)) > 0; s += count) {
    if (!plain) continue;
    to->first_term[s] = (int)to->num_terms;
    for (int of = s; of < s + count; ++of)
      pack_slice(from, of, 1, terms, to);
  }
  for (int terms, count; (count = group_short(from, s, end, &terms)) > 0; s += count) {
    if (plain) continue;
    to->first_term[s] = (int)to->num_terms;
    for (int of = s; of < s + count; ++of)
      pack_slice(from, of, 1, terms, to);
  }
  for (; s < end && !plain; ++s) {
    to->first_term[s] = (int)to->num_terms;
    pack_slice(from, s, 0, from->sum[s].num_terms, to);
  }
}

/* Each program once, whichever item has it; those with weights first. num_sums [from->num_sums]:
 * of the program that begins there, or 0. */
void pack_sums(const rind_programs *from, const int *num_sums, packing *to) {
  to->num_terms = 0;
  for (int s = 0; s < from->num_sums; ++s)
    if (num_sums[s] > 0) pack_program(from, s, num_sums[s], false, to);
  to->num_weights = to->num_terms;
  for (int s = 0; s < from->num_sums; ++s)
    if (num_sums[s] > 0) pack_program(from, s, num_sums[s], true, to);
}

/* Tasks of slices_at_once slices each. */
void pack_slices(kind of, int first, int num_slices, int slices_at_once,
                 const rind_program_item &item, packing *to) {
  for (int s = 0; s < num_slices; s += slices_at_once)
    add_task(make_task(of, first + lanes * s, smaller(num_slices - s, slices_at_once), 0, item),
             to);
}

void pack_item_sums(const rind_programs *from, const rind_program_item &item, packing *to) {
  const int end = item.first_sum + item.num_sums;
  int s = item.first_sum;
  for (int terms, count; (count = group_plain(from, s, end, &terms)) > 0; s += count)
    add_task(make_task(kind_plain, to->first_term[s], count, terms, item), to);
  for (int terms, count; (count = group_short(from, s, end, &terms)) > 0; s += count)
    add_task(make_task(kind_short, to->first_term[s], count, terms, item), to);
  for (; s < end; ++s)
    add_task(make_task(kind_sum, to->first_term[s], 1, from->sum[s].num_terms, item), to);
}

void pack_item(const rind_programs *from, const rind_program_item &item, packing *to) {
  pack_slices(kind_copies, item.first_move, item.num_moves, copies_at_once, item, to);
  pack_item_sums(from, item, to);
  pack_slices(kind_pairs, item.first_pair, item.num_pairs, pairs_at_once, item, to);
}

/* The tasks of some neighbours along the curve by turns: they read the same lines of memory. room:
 * for their tasks, once these are counted. */
void pack_neighbours(const rind_programs *from, int first, int count, task *room, packing *to) {
  int begin[RIND_PROGRAM_NEIGHBOURS + 1] = {0}, most = 0;
  packing apart = *to;
  apart.tasks = room;
  apart.num_tasks = 0;
  for (int i = 0; i < count; ++i) {
    pack_item(from, from->item[first + i], &apart);
    begin[i + 1] = (int)apart.num_tasks;
    if (begin[i + 1] - begin[i] > most) most = begin[i + 1] - begin[i];
  }
  for (int n = 0; n < most && room; ++n)
    for (int i = 0; i < count; ++i)
      if (begin[i] + n < begin[i + 1]) add_task(room[begin[i] + n], to);
  if (!room) to->num_tasks += apart.num_tasks;
}

void pack_items(const rind_programs *from, task *room, packing *to) {
  to->num_tasks = 0;
  for (int i = 0; i < from->num_items; i += RIND_PROGRAM_NEIGHBOURS)
    pack_neighbours(from, i, smaller(from->num_items - i, RIND_PROGRAM_NEIGHBOURS), room, to);
}

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
void launch(const rind_device_programs *p, const base_tables &bases, cudaStream_t stream) {
  const int blocks = (p->on_device.num_tasks + warps_a_block - 1) / warps_a_block;
  if (p->adds)
    run_adjoint<To, Source><<<blocks, threads_a_block, 0, stream>>>(p->on_device, bases);
  else
    run_fill<To, Source><<<blocks, threads_a_block, 0, stream>>>(p->on_device, bases);
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
    error = copy_tables(programs, room, room + programs->num_sums, fresh);
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
  if (to_double && from_double)
    launch<double, double>(p, bases, on);
  else if (to_double)
    launch<double, float>(p, bases, on);
  else if (from_double)
    launch<float, double>(p, bases, on);
  else
    launch<float, float>(p, bases, on);
  return (int)cudaGetLastError();
}
