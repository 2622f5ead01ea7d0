/* random_rows.c - rows of every width and shape, with axes permuted and turned. */
#include <random_rows.h>

#include <stdlib.h>
#include <string.h>

static unsigned long long state = 42;

int random_int(int bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (unsigned)bound);
}

double random_value(void) {
  return (random_int(1 << 30) + random_int(1 << 20) / 1048576.0) / 536870912.0 - 1;
}

double random_entry(bool zeros) {
  if (!zeros) return random_value();
  return random_int(8) ? -0.0 : 0.0;
}

/* Strides of a block whose axes lie in memory in a random order, components before or behind. */
static void random_strides(ptrdiff_t stride[4], bool ordered) {
  int place[4] = {0, 1, 2, 3};
  for (int a = 2; a > 0 && !ordered; --a) {
    const int b = random_int(a + 1), kept = place[a];
    place[a] = place[b];
    place[b] = kept;
  }
  const bool innermost = random_int(2);
  ptrdiff_t tight = innermost ? ROW_COMPONENTS : 1;
  for (int p = 0; p < 3; ++p, tight *= ROW_SIDE)
    stride[place[p]] = tight;
  stride[3] = innermost ? 1 : tight;
}

/* A box of one slot: strides of its loops and the offset of its first cell, anywhere it fits. */
static ptrdiff_t random_box(const ptrdiff_t block_stride[4], const int extent[3], const int step[3],
                            bool turn, ptrdiff_t stride[4]) {
  ptrdiff_t first = 0;
  for (int a = 0; a < 3; ++a) {
    const int reach = (extent[a] - 1) * step[a] + 1; /* one more cell for lanes */
    const int room = ROW_SIDE - reach - 1, low = room > 0 ? random_int(room) : 0;
    const bool backward = turn && random_int(2);
    first += (backward ? low + reach - 1 : low) * block_stride[a];
    stride[a] = (backward ? -step[a] : step[a]) * block_stride[a];
  }
  stride[3] = block_stride[3];
  return first;
}

void make_random_row(random_row *row, bool types_equal) {
  enum { COPIES, AVERAGES, HALF_OWN = 3, OWN_LAST }; /* of widths */
  static const int widths[][3] = {{1, 0, 0}, {8, 0, 0},  {4, 0, 0},  {8, 4, 0},  {8, 0, 2},
                                  {7, 1, 0}, {19, 1, 0}, {9, 0, 0},  {27, 0, 0}, {9, 0, 1},
                                  {3, 2, 1}, {2, 0, 2},  {14, 8, 0}, {5, 0, 0},  {2, 1, 1},
                                  {1, 1, 0}, {2, 1, 0},  {2, 2, 0}};
  memset(row, 0, sizeof *row);
  rind_gather_row *raw = &row->raw;
  /* A third are copies between blocks of one orientation: they have bodies by extent. */
  const bool copies = random_int(3) == 0;
  /* A sixth of the others lie like that too, in long rows. */
  const bool runs = !copies && random_int(6) == 0;
  int kind = random_int((int)(sizeof widths / sizeof *widths));
  if (copies) kind = COPIES;
  if (runs && random_int(2)) kind = random_int(4) ? AVERAGES : random_int(2) ? OWN_LAST : HALF_OWN;
  const int *width = widths[kind];
  const bool turns = !copies && !runs;
  raw->num_terms = width[0];
  raw->num_own_first = width[1];
  raw->num_own_last = width[2];
  raw->num_lanes = copies || runs ? 1 : 1 << random_int(3);
  int extent[3], to_step[3], source_step[3];
  for (int a = 0; a < 3; ++a) {
    extent[a] = random_int(3) ? 1 + random_int(6) : random_int(2) ? 1 : 4;
    to_step[a] = raw->num_lanes > 1 || random_int(2) ? 2 : 1;
    source_step[a] = 1 + random_int(2);
    if (copies) {
      extent[a] = random_int(3) ? 1 + random_int(ROW_SIDE - 2) : 1 << random_int(5);
      to_step[a] = source_step[a] = 1;
    }
    if (runs) {
      extent[a] = 1 + random_int(a > 0 ? 3 : ROW_SIDE - 2);
      to_step[a] = source_step[a] = 1;
    }
    raw->extent[a] = extent[a];
  }
  raw->extent[3] = 1 + random_int(ROW_COMPONENTS);
  ptrdiff_t block[4], own_block[4], source_block[4];
  const bool ordered = copies || runs || random_int(2);
  random_strides(block, ordered);
  random_strides(own_block, ordered);
  random_strides(source_block, ordered);
  const ptrdiff_t to_first = random_box(block, extent, to_step, turns, raw->to_stride);
  for (int l = 0; l < raw->num_lanes; ++l) {
    raw->to_offset[l] = to_first + (l & 1) * block[0] + (l >> 1) * block[1];
    raw->own_offset[l] = (l & 1) * own_block[0] + (l >> 1) * own_block[1];
  }
  const ptrdiff_t own_first = random_box(own_block, extent, to_step, turns, raw->own_stride);
  const ptrdiff_t source_first =
      random_box(source_block, extent, source_step, turns, raw->source_stride);
  /* Like the value of a wall: one of each component, wherever the cell lies. */
  for (int a = 0, constant = !copies && random_int(8) == 0; constant && a < 3; ++a)
    raw->source_stride[a] = 0;
  const bool neighbours = random_int(2); /* two by two in memory, as the terms of an average */
  for (int t = 0; t < raw->num_terms; ++t) {
    const bool own = t < raw->num_own_first || t >= raw->num_terms - raw->num_own_last;
    row->raw_offset[t] = own ? own_first : source_first + (t % 2) * source_block[t % 3];
    if (!own && neighbours)
      row->raw_offset[t] = source_first + t / 2 % 2 * source_block[t / 2 % 3] + t % 2;
    for (int l = 0; l < raw->num_lanes; ++l)
      row->weight[t * raw->num_lanes + l] =
          copies || (raw->num_terms == 1 && random_int(2)) ? 1 : random_value();
  }
  raw->weight = row->weight;
  raw->offset = row->raw_offset;
  memcpy(row->offset, row->raw_offset, sizeof row->offset);
  row->finished = row->raw;
  row->finished.offset = row->offset;
  rind_gather_row_finish(&row->finished, row->offset, types_equal);
}

void make_row_in_place(random_row *row, int lanes, int terms, row_shape shape, bool takes) {
  memset(row, 0, sizeof *row);
  rind_gather_row *raw = &row->raw;
  const bool plain = shape == SHAPE_PLAIN, point = shape == SHAPE_POINT;
  raw->num_lanes = lanes;
  raw->num_terms = terms;
  raw->num_own_first = terms > 0;
  raw->takes = takes;
  int to_step[3], source_step[3];
  for (int a = 0; a < 3; ++a) {
    raw->extent[a] = point ? 1 : random_int(2) ? 1 + random_int(7) : 1 << random_int(5);
    if (lanes > 1 && raw->extent[a] > 8) raw->extent[a] = 8;
    to_step[a] = lanes > 1 ? 2 : 1;
    source_step[a] = !plain && raw->extent[a] <= 8 ? 1 + random_int(2) : 1;
  }
  raw->extent[3] = point ? 1 : 1 + random_int(ROW_COMPONENTS);
  ptrdiff_t block[4], source_block[4];
  random_strides(block, plain);
  random_strides(source_block, plain);
  ptrdiff_t first = random_box(block, raw->extent, to_step, !plain, raw->to_stride);
  if (point) first = random_int(6);
  const ptrdiff_t source_first =
      random_box(source_block, raw->extent, source_step, !plain, raw->source_stride);
  memcpy(raw->own_stride, raw->to_stride, sizeof raw->own_stride);
  for (int l = 0; l < lanes; ++l) {
    const ptrdiff_t lane = point ? 3 * l : (l & 1) * block[0] + (l >> 1) * block[1];
    raw->to_offset[l] = first + lane;
    raw->own_offset[l] = lane;
  }
  for (int t = 0; t < terms; ++t) {
    row->raw_offset[t] = t == 0 ? first : source_first + random_int(2) * source_block[t % 3];
    for (int l = 0; l < lanes; ++l)
      row->weight[t * lanes + l] = t == 0 || plain ? 1 : random_value();
  }
  raw->weight = row->weight;
  raw->offset = row->raw_offset;
  memcpy(row->offset, row->raw_offset, sizeof row->offset);
  row->finished = row->raw;
  row->finished.offset = row->offset;
  rind_gather_row_finish(&row->finished, row->offset, true);
}

void give_values(random_row *row, int values, bool apart, bool source_apart) {
  rind_gather_row *finished = &row->finished;
  const ptrdiff_t step = apart ? ROW_VALUE_STEP : 1;
  finished->extent[0] = values;
  finished->to_stride[0] = finished->own_stride[0] = step;
  finished->source_stride[0] = source_apart ? ROW_VALUE_STEP : 1;
  if (apart) return;
  row->offset[0] *= values;
  for (int lane = 0; lane < finished->num_lanes; ++lane) {
    finished->to_offset[lane] *= values;
    finished->own_offset[lane] *= values;
  }
}

double element(const void *data, rind_type type, ptrdiff_t at) {
  return type == RIND_FLOAT64 ? ((const double *)data)[at] : (double)((const float *)data)[at];
}

double naive_value(const rind_gather *gather, const rind_gather_row *raw, int lane,
                   const int i[RIND_GATHER_DIMS], const void *own, const void *source,
                   double *magnitude) {
  double sum = 0;
  *magnitude = 0;
  for (int t = 0; t < raw->num_terms; ++t) {
    const bool is_own = t < raw->num_own_first || t >= raw->num_terms - raw->num_own_last;
    const ptrdiff_t *stride = is_own ? raw->own_stride : raw->source_stride;
    ptrdiff_t at = raw->offset[t] + (is_own ? raw->own_offset[lane] : 0);
    for (int d = 0; d < RIND_GATHER_DIMS; ++d)
      at += i[d] * stride[d];
    const double s =
        is_own ? element(own, gather->to_type, at) : element(source, gather->source_type, at);
    const double product = raw->weight[t * raw->num_lanes + lane] * s;
    sum = t == 0 ? product : sum + product;
    *magnitude += product < 0 ? -product : product;
  }
  return sum;
}
