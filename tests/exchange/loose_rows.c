/* loose_rows.c - unpacks the rows of points, and the batches of many blocks, that the host's
 * adjoint has. */
#include <loose_rows.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

static rind_gather_row *add_row(rind_bound *bound, int num_terms, int num_lanes, double **weight,
                                ptrdiff_t **offset) {
  rind_gather_row *row = rind_bound_add_row(bound, num_terms, num_lanes, weight, offset);
  CHECK(row, "no memory");
  return row;
}

static void add_copy(rind_bound *bound, const rind_gather_row *from) {
  double *weight = NULL;
  ptrdiff_t *offset = NULL;
  rind_gather_row *row = add_row(bound, from->num_terms, from->num_lanes, &weight, &offset);
  if (!row) return;
  *row = *from;
  row->weight = weight;
  row->offset = offset;
  if (from->num_terms == 0) return;
  memcpy(weight, from->weight, (size_t)from->num_terms * (size_t)from->num_lanes * sizeof *weight);
  memcpy(offset, from->offset, (size_t)from->num_terms * sizeof *offset);
}

static void add_points(rind_bound *bound, const rind_gather_row *from) {
  const rind_gather_point_term *term = from->points->term;
  for (int p = 0; p < from->points->num_points; ++p) {
    const rind_gather_point *point = &from->points->point[p];
    const int lanes = point->to[0] == point->to[1] ? 1 : 2;
    double *weight = NULL;
    ptrdiff_t *offset = NULL;
    rind_gather_row *row = add_row(bound, 1 + point->num_terms, lanes, &weight, &offset);
    if (!row) return;
    row->body = RIND_GATHER_SUM;
    row->num_own_first = 1;
    row->extent[0] = from->extent[0];
    row->to_stride[0] = row->own_stride[0] = from->to_stride[0];
    row->source_stride[0] = from->source_stride[0];
    offset[0] = point->to[0];
    for (int l = 0; l < lanes; ++l) {
      row->to_offset[l] = point->to[l];
      row->own_offset[l] = point->to[l] - point->to[0];
      weight[l] = 1;
      for (int t = 0; t < point->num_terms; ++t)
        weight[(1 + t) * lanes + l] = from->weight[term[t].weight + l];
    }
    for (int t = 0; t < point->num_terms; ++t)
      offset[1 + t] = term[t].offset;
    term += point->num_terms;
  }
}

/* One of a batch's fills. */
typedef struct place {
  int32_t to;
  int fill;
} place;

static int compare_places(const void *left, const void *right) {
  const place *a = left, *b = right;
  if (a->to != b->to) return a->to < b->to ? -1 : 1;
  return (a->fill > b->fill) - (a->fill < b->fill);
}

/* A batch's fills, block by block. */
static bool add_batches(const rind_bound *from, const int *first_row, int first, int last,
                        place *places, rind_batches *loose) {
  const int count = last - first;
  bool fine = true;
  for (int i = 0; i < count; ++i)
    places[i] = (place){from->fill[first + i].to, first + i};
  qsort(places, (size_t)count, sizeof *places, compare_places);
  for (int i = 0; fine && i < count; ++i) {
    const rind_gather_fill fill = from->fill[places[i].fill];
    for (int r = first_row[fill.row]; fine && r < first_row[fill.row + 1]; ++r)
      fine = rind_bound_add_fill(&loose->bound, r, fill.to, fill.source);
    if (i + 1 == count || places[i + 1].to != places[i].to)
      loose->first_fill[++loose->num_batches] = loose->bound.num_fills;
  }
  return fine;
}

bool loose_rows_create(const rind_batches *packed, rind_batches *loose) {
  const rind_bound *from = &packed->bound;
  int *first_row = calloc((size_t)from->num_rows + 1, sizeof *first_row);
  place *places = calloc((size_t)from->num_fills + 1, sizeof *places);
  *loose = (rind_batches){.first_fill = calloc((size_t)from->num_fills + 1, sizeof(int))};
  loose->bound.to_type = from->to_type;
  loose->bound.source_type = from->source_type;
  bool fine = first_row && places && loose->first_fill;
  for (int r = 0; fine && r < from->num_rows; ++r) {
    if (from->row[r].points)
      add_points(&loose->bound, &from->row[r]);
    else
      add_copy(&loose->bound, &from->row[r]);
    first_row[r + 1] = loose->bound.num_rows;
  }
  for (int b = 0; fine && b < packed->num_batches; ++b)
    fine = add_batches(from, first_row, packed->first_fill[b], packed->first_fill[b + 1], places,
                       loose);
  free(first_row);
  free(places);
  return fine;
}

void loose_rows_destroy(rind_batches *loose) {
  rind_bound_clear(&loose->bound);
  free(loose->first_fill);
}
