/* stages.c - sorts the fills of an adjoint's batches into stages. */
#include <stages.h>

#include <stdlib.h>
#include <string.h>

/* The highest number at the cells that a row writes. number >= 0: which then becomes that of all.
 */
static int highest(const rind_gather_row *row, int *at, int number) {
  int most = 0;
  for (int lane = 0; lane < row->num_lanes; ++lane)
    for (int l = 0; l < row->extent[3]; ++l)
      for (int k = 0; k < row->extent[2]; ++k)
        for (int j = 0; j < row->extent[1]; ++j) {
          int *cell = at + row->to_offset[lane] + l * row->to_stride[3] + k * row->to_stride[2] +
                      j * row->to_stride[1];
          for (int i = 0; i < row->extent[0]; ++i, cell += row->to_stride[0]) {
            if (*cell > most) most = *cell;
            if (number >= 0) *cell = number;
          }
        }
  return most;
}

/* Stages of a batch's fills, counted on from before; returns the last. at: the stage that wrote
 * each cell last, where it is above before. */
static int number_fills(const rind_bound *bound, int first, int end, int before, int *at,
                        int *stage_of) {
  int last = before;
  for (int f = first; f < end; ++f) {
    const rind_gather_row *row = &bound->row[bound->fill[f].row];
    const int most = highest(row, at, -1);
    stage_of[f] = (most > before ? most : before) + 1;
    highest(row, at, stage_of[f]);
    if (stage_of[f] > last) last = stage_of[f];
  }
  return last;
}

/* A counting sort: fills of a stage keep their order. Stages are numbered from 1. */
static void sort_fills(rind_bound *bound, int num_stages, const int *stage_of, int *stage_fill,
                       rind_gather_fill *sorted) {
  memset(stage_fill, 0, ((size_t)num_stages + 1) * sizeof *stage_fill);
  for (int f = 0; f < bound->num_fills; ++f)
    ++stage_fill[stage_of[f]];
  for (int s = 0; s < num_stages; ++s)
    stage_fill[s + 1] += stage_fill[s];
  for (int f = bound->num_fills - 1; f >= 0; --f)
    sorted[--stage_fill[stage_of[f]]] = bound->fill[f];
  memcpy(bound->fill, sorted, (size_t)bound->num_fills * sizeof *sorted);
  /* The first fill of stage s is now at s: moved back by one. */
  for (int s = 0; s < num_stages; ++s)
    stage_fill[s] = stage_fill[s + 1];
  stage_fill[num_stages] = bound->num_fills;
}

bool rind_stages_create(rind_batches *batches, ptrdiff_t elements, ptrdiff_t origin,
                        rind_stages *stages) {
  rind_bound *bound = &batches->bound;
  const size_t num_fills = (size_t)bound->num_fills;
  int *at = rind_allocate((size_t)elements, sizeof *at);
  int *stage_of = rind_allocate(num_fills, sizeof *stage_of);
  rind_gather_fill *sorted = rind_allocate(num_fills, sizeof *sorted);
  rind_stages made = {
      .stage_fill = rind_allocate(num_fills + 1, sizeof *made.stage_fill),
      .batch_stage = rind_allocate((size_t)batches->num_batches + 1, sizeof *made.batch_stage)};
  const bool enough = at && stage_of && sorted && made.stage_fill && made.batch_stage;
  for (int b = 0; enough && b < batches->num_batches; ++b) {
    const int first = batches->first_fill[b], end = batches->first_fill[b + 1];
    made.num_stages = number_fills(bound, first, end, made.num_stages, at + origin, stage_of);
    made.batch_stage[b + 1] = made.num_stages;
  }
  if (enough) sort_fills(bound, made.num_stages, stage_of, made.stage_fill, sorted);
  free(at);
  free(stage_of);
  free(sorted);
  if (enough)
    *stages = made;
  else
    rind_stages_destroy(&made);
  return enough;
}

void rind_stages_destroy(rind_stages *stages) {
  free(stages->stage_fill);
  free(stages->batch_stage);
  *stages = (rind_stages){0};
}
