/* gather.cu - the gather engine on the device: copies rows, fills and stages there, and runs them.
 */
#include <device_gather.h>
#include <device_memory.h>
#include <device_programs.h>
#include <gather_kernels.cuh>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

namespace {

/* Programs of blocks that are all different take more memory than rows: so much for each value that
 * is written, and this. */
constexpr size_t program_bytes_a_value = 4, program_bytes = (size_t)8 << 20;

/* Rows of batches are no copies. */
int unit_size(const rind_gather_row &row) {
  return row.body == RIND_GATHER_COPY ? 32 * copies_a_thread : 32;
}

int64_t values_of(const rind_gather_row &row) {
  return row.num_lanes * rind_gather_count_positions(&row);
}

} // namespace

struct rind_device_gather {
  rind_type to_type, source_type;
  bool adds; /* to what is there: it has stages */
  bool sums_floats;
  engine on_device;
  batches stages;
  rind_device_programs *programs; /* of all blocks but those of the units and stages; or NULL */
  int num_fills;                  /* in units */
  int *first_unit;                /* host, [num_fills + 1] */
  void *memory;                   /* all that is on the device */
  size_t bytes;
  int max_blocks;
};

namespace {

/* Parts of one allocation, on the host first. */
struct arena {
  char *host;
  size_t bytes, room;
};

/* A part of so many bytes, data copied to it if there is any; its place, or SIZE_MAX. */
size_t add(arena *parts, const void *data, size_t bytes) {
  const size_t at = (parts->bytes + 15) / 16 * 16;
  if (at + bytes > parts->room) {
    const size_t room = 2 * (at + bytes) + 1024;
    char *moved = (char *)realloc(parts->host, room);
    if (!moved) return SIZE_MAX;
    parts->host = moved;
    parts->room = room;
  }
  if (data && bytes > 0) memcpy(parts->host + at, data, bytes);
  parts->bytes = at + bytes;
  return at;
}

/* Where the parts lie; SIZE_MAX: there was no memory. */
struct places {
  size_t row, fill, units, batch, stage;
};

int count_rows(const rind_gather *gather) {
  int num_rows = 0;
  for (int f = 0; f < gather->num_fills; ++f)
    if (gather->fill[f].row >= num_rows) num_rows = gather->fill[f].row + 1;
  return num_rows;
}

/* first_unit of every fill; false if there are more units than an int counts. */
bool count_units(const rind_gather *gather, int *first_unit) {
  int64_t units = 0;
  for (int f = 0; f < gather->num_fills; ++f) {
    first_unit[f] = (int)units;
    const int64_t values = values_of(gather->row[gather->fill[f].row]);
    const int size = unit_size(gather->row[gather->fill[f].row]);
    units += (values + size - 1) / size;
    if (values > INT32_MAX || units > INT32_MAX) return false;
  }
  first_unit[gather->num_fills] = (int)units;
  return true;
}

/* Rows whose weights and offsets are places in the arena, fills, and their units. */
bool lay_out(const rind_gather *gather, const int *first_unit, arena *parts, places *at) {
  const int num_rows = count_rows(gather), num_fills = gather->num_fills;
  at->row = add(parts, gather->row, (size_t)num_rows * sizeof *gather->row);
  at->fill = add(parts, gather->fill, (size_t)num_fills * sizeof *gather->fill);
  at->units = add(parts, nullptr, (size_t)first_unit[num_fills] * sizeof(unit));
  if (at->row == SIZE_MAX || at->fill == SIZE_MAX || at->units == SIZE_MAX) return false;
  unit *units = (unit *)(parts->host + at->units);
  for (int f = 0; f < num_fills; ++f)
    for (int u = first_unit[f]; u < first_unit[f + 1]; ++u)
      units[u] = {f, (u - first_unit[f]) * unit_size(gather->row[gather->fill[f].row])};
  for (int r = 0; r < num_rows; ++r) {
    const rind_gather_row *from = &gather->row[r];
    const size_t terms = (size_t)from->num_terms, lanes = (size_t)from->num_lanes;
    const size_t weight = add(parts, from->weight, terms * lanes * sizeof(double));
    const size_t offset = add(parts, from->offset, terms * sizeof(ptrdiff_t));
    if (weight == SIZE_MAX || offset == SIZE_MAX) return false;
    rind_gather_row *row = (rind_gather_row *)(parts->host + at->row) + r;
    row->weight = (const double *)weight;
    row->offset = (const ptrdiff_t *)offset;
  }
  return true;
}

bool lay_out_stages(const rind_gather_stages *stages, const int *first_unit, arena *parts,
                    places *at) {
  const size_t num_stages = (size_t)stages->num_stages + 1;
  at->batch = add(parts, stages->batch_stage, ((size_t)stages->num_batches + 1) * sizeof(int));
  at->stage = add(parts, nullptr, num_stages * sizeof(int));
  if (at->batch == SIZE_MAX || at->stage == SIZE_MAX) return false;
  int *stage_unit = (int *)(parts->host + at->stage);
  for (size_t s = 0; s < num_stages; ++s)
    stage_unit[s] = first_unit[stages->stage_fill[s]];
  return true;
}

/* Places become addresses. */
cudaError_t move_to_device(const rind_gather *gather, arena *parts, const places &at,
                           rind_device_gather *made) {
  made->bytes = parts->bytes;
  cudaError_t error = cudaMalloc(&made->memory, parts->bytes > 0 ? parts->bytes : 16);
  if (error != cudaSuccess) return error;
  char *base = (char *)made->memory;
  rind_gather_row *row = (rind_gather_row *)(parts->host + at.row);
  for (int r = 0; r < count_rows(gather); ++r) {
    row[r].weight = (const double *)(base + (size_t)row[r].weight);
    row[r].offset = (const ptrdiff_t *)(base + (size_t)row[r].offset);
  }
  made->on_device = {(const rind_gather_row *)(base + at.row),
                     (const rind_gather_fill *)(base + at.fill), (const unit *)(base + at.units)};
  made->stages.batch_stage = (const int *)(base + at.batch);
  made->stages.stage_unit = (const int *)(base + at.stage);
  return (cudaError_t)rind_device_copy(base, parts->host, parts->bytes);
}

/* As many thread blocks as there are batches; with sums of floats no more than run at once. */
cudaError_t size_batches(const rind_gather_stages *stages, ptrdiff_t elements, ptrdiff_t origin,
                         rind_device_gather *made) {
  enum { BLOCKS_A_PROCESSOR = 8 };
  int device = 0, processors = 0;
  made->stages.num_batches = stages->num_batches;
  made->max_blocks = stages->num_batches;
  if (elements == 0 || stages->num_batches == 0) return cudaSuccess;
  made->stages.elements = elements;
  made->stages.origin = origin;
  made->sums_floats = true;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  if (made->max_blocks > BLOCKS_A_PROCESSOR * processors)
    made->max_blocks = BLOCKS_A_PROCESSOR * processors;
  return cudaMalloc((void **)&made->stages.scratch,
                    (size_t)made->max_blocks * (size_t)elements * sizeof(double));
}

cudaError_t fill_in(const rind_gather *gather, const rind_gather_stages *stages, ptrdiff_t elements,
                    ptrdiff_t origin, arena *parts, rind_device_gather *made) {
  places at = {};
  made->num_fills = gather->num_fills;
  made->first_unit = (int *)malloc(((size_t)gather->num_fills + 1) * sizeof(int));
  if (!made->first_unit) return cudaErrorMemoryAllocation;
  if (!count_units(gather, made->first_unit)) return cudaErrorInvalidValue;
  if (!lay_out(gather, made->first_unit, parts, &at) ||
      (stages && !lay_out_stages(stages, made->first_unit, parts, &at)))
    return cudaErrorMemoryAllocation;
  const cudaError_t error = move_to_device(gather, parts, at, made);
  return error != cudaSuccess || !stages ? error : size_batches(stages, elements, origin, made);
}

/* What is in no program: fills, and stages of batches, of the originals. */
struct rest {
  rind_gather gather;
  rind_gather_stages stages;
  rind_gather_fill *fill;
  int *batch_stage, *stage_fill;
};

void free_rest(rest *left) {
  free(left->fill);
  free(left->batch_stage);
  free(left->stage_fill);
}

/* numbers [num_rest], fills without stages, else batches. */
bool list_rest(const rind_gather *gather, const rind_gather_stages *stages, const int *numbers,
               int num_rest, rest *left) {
  left->gather = *gather;
  left->gather.num_fills = 0;
  left->fill = (rind_gather_fill *)malloc(((size_t)gather->num_fills + 1) * sizeof *left->fill);
  left->gather.fill = left->fill;
  if (!left->fill) return false;
  if (!stages) {
    for (int r = 0; r < num_rest; ++r)
      left->fill[left->gather.num_fills++] = gather->fill[numbers[r]];
    return true;
  }
  left->batch_stage = (int *)malloc(((size_t)num_rest + 1) * sizeof(int));
  left->stage_fill = (int *)malloc(((size_t)stages->num_stages + 1) * sizeof(int));
  if (!left->batch_stage || !left->stage_fill) return false;
  int num_stages = 0;
  for (int r = 0; r < num_rest; ++r) {
    left->batch_stage[r] = num_stages;
    for (int s = stages->batch_stage[numbers[r]]; s < stages->batch_stage[numbers[r] + 1]; ++s) {
      left->stage_fill[num_stages++] = left->gather.num_fills;
      for (int f = stages->stage_fill[s]; f < stages->stage_fill[s + 1]; ++f)
        left->fill[left->gather.num_fills++] = gather->fill[f];
    }
  }
  left->batch_stage[num_rest] = num_stages;
  left->stage_fill[num_stages] = left->gather.num_fills;
  left->stages = {num_rest, left->batch_stage, num_stages, left->stage_fill};
  return true;
}

/* First fill of each batch. */
int *first_fills(const rind_gather_stages *stages) {
  int *first = (int *)malloc(((size_t)stages->num_batches + 1) * sizeof *first);
  for (int b = 0; first && b <= stages->num_batches; ++b)
    first[b] = stages->stage_fill[stages->batch_stage[b]];
  return first;
}

/* Programs, and the rest of fills or batches. */
cudaError_t fill_in_programs(const rind_gather *gather, const rind_gather_stages *stages,
                             ptrdiff_t elements, ptrdiff_t origin, const rind_program_frame *frame,
                             arena *parts, rind_device_gather *made) {
  rind_programs programs;
  rest left = {};
  int *first = stages ? first_fills(stages) : nullptr;
  if (stages && !first) return cudaErrorMemoryAllocation;
  size_t max_bytes = program_bytes;
  for (int f = 0; f < gather->num_fills; ++f)
    max_bytes += program_bytes_a_value * (size_t)values_of(gather->row[gather->fill[f].row]);
  bool there = rind_programs_make(gather, first, stages ? stages->num_batches : 0, frame, max_bytes,
                                  &programs);
  free(first);
  if (!there) return cudaErrorMemoryAllocation;
  cudaError_t error = cudaSuccess;
  if (programs.num_items > 0)
    error = (cudaError_t)rind_device_programs_create(&programs, frame,
                                                     elements > 0 ? RIND_FLOAT32 : gather->to_type,
                                                     gather->source_type, &made->programs);
  there = list_rest(gather, stages, programs.rest, programs.num_rest, &left);
  rind_programs_free(&programs);
  if (error == cudaSuccess)
    error = there ? fill_in(&left.gather, stages ? &left.stages : nullptr, elements, origin, parts,
                            made)
                  : cudaErrorMemoryAllocation;
  free_rest(&left);
  return error;
}

template <typename To, typename Source>
void launch(const rind_device_gather *g, int first, int last, void *const *to,
            const void *const *own, const void *const *source, cudaStream_t stream) {
  const int blocks = (last - first + warps_a_block - 1) / warps_a_block;
  gather_units<To, Source>
      <<<blocks, threads_a_block, 0, stream>>>(g->on_device, first, last, to, own, source);
}

} // namespace

extern "C" int rind_device_gather_create(const rind_gather *gather,
                                         const rind_gather_stages *stages, ptrdiff_t elements,
                                         ptrdiff_t origin, const rind_program_frame *frame,
                                         rind_device_gather **made) {
  arena parts = {};
  rind_device_gather *fresh = (rind_device_gather *)calloc(1, sizeof *fresh);
  if (!fresh) return (int)cudaErrorMemoryAllocation;
  fresh->to_type = gather->to_type;
  fresh->source_type = gather->source_type;
  fresh->adds = stages != nullptr;
  const cudaError_t error =
      frame ? fill_in_programs(gather, stages, elements, origin, frame, &parts, fresh)
            : fill_in(gather, stages, elements, origin, &parts, fresh);
  free(parts.host);
  if (error != cudaSuccess) {
    rind_device_gather_destroy(&fresh);
    cudaGetLastError();
    return (int)error;
  }
  *made = fresh;
  return 0;
}

extern "C" void rind_device_gather_destroy(rind_device_gather **gather) {
  if (!gather || !*gather) return;
  rind_device_programs_destroy(&(*gather)->programs);
  cudaFree((*gather)->memory);
  cudaFree((*gather)->stages.scratch);
  free((*gather)->first_unit);
  free(*gather);
  *gather = nullptr;
}

extern "C" int64_t rind_device_gather_bytes(const rind_device_gather *gather) {
  return (int64_t)gather->bytes + rind_device_programs_bytes(gather->programs);
}

extern "C" int rind_device_gather_run(const rind_device_gather *g, int first, int last,
                                      void *const *to_base, const void *const *own_base,
                                      const void *const *source_base, void *stream) {
  cudaStream_t on = (cudaStream_t)stream;
  const bool from_double = g->source_type == RIND_FLOAT64;
  if (g->programs) {
    const void *const *own = g->adds ? (const void *const *)to_base : own_base;
    const int code = rind_device_programs_run(g->programs, to_base, own, source_base, stream);
    if (code != 0) return code;
    first = 0;
    last = g->num_fills;
  }
  if (g->stages.num_batches > 0) {
    const int blocks = g->max_blocks;
    if (g->sums_floats)
      gather_batches<float, float>
          <<<blocks, threads_a_block, 0, on>>>(g->on_device, g->stages, to_base, source_base);
    else if (from_double)
      gather_batches<double, double>
          <<<blocks, threads_a_block, 0, on>>>(g->on_device, g->stages, to_base, source_base);
    else
      return (int)cudaErrorInvalidValue;
    return (int)cudaGetLastError();
  }
  const int begin = g->first_unit[first], end = g->first_unit[last];
  if (begin == end) return 0;
  const bool to_double = g->to_type == RIND_FLOAT64;
  if (to_double && from_double)
    launch<double, double>(g, begin, end, to_base, own_base, source_base, on);
  else if (to_double)
    launch<double, float>(g, begin, end, to_base, own_base, source_base, on);
  else if (from_double)
    launch<float, double>(g, begin, end, to_base, own_base, source_base, on);
  else
    launch<float, float>(g, begin, end, to_base, own_base, source_base, on);
  return (int)cudaGetLastError();
}
