/* bench_export.c - the fill as a sparse matrix in a file: ghosts = G times interior cells.
 *
 * Rows follow the canonical order of fills, and inside a fill its box, axis 0 fastest. Ranks have
 * their blocks, so their rows too, one after the other: rank 0 writes its own and then receives
 * those of each rank in turn, part by part. */
#include <bench_case.h>
#include <bench_matrix_file.h>
#include <outputs.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows, and entries, at a time: 32 bytes each. Longer than any row. */
enum { PART = 1 << 19, TAG_COUNTS = 1, TAG_VALUES = 2 };

/* Rows first.rows and on, and their entries first.entries and on. */
typedef struct part {
  bench_matrix_size first; /* columns not used */
  int64_t rows, entries;
  int64_t *end;    /* [PART] a row: its last entry + 1 */
  int64_t *ghost;  /* [PART] a row */
  int64_t *column; /* [PART] an entry */
  double *weight;  /* [PART] an entry */
} part;

typedef struct exporter {
  rind_context *context;
  const rind_schedule *schedule;
  const rind_forest_arrays *arrays;
  int cells, ghosts, dim;
  part part;
  bench_matrix_file file; /* of rank 0 */
  int failure;            /* errno of the first write that failed; rank 0 */
} exporter;

static bool part_create(part *p) {
  *p = (part){.end = malloc(PART * sizeof *p->end),
              .ghost = malloc(PART * sizeof *p->ghost),
              .column = malloc(PART * sizeof *p->column),
              .weight = malloc(PART * sizeof *p->weight)};
  return p->end && p->ghost && p->column && p->weight;
}

static void part_destroy(part *p) {
  free(p->end);
  free(p->ghost);
  free(p->column);
  free(p->weight);
}

/* Of rank 0: its own part, or one that it has received. */
static void write_part(exporter *e) {
  part *p = &e->part;
  const bench_matrix_file *file = &e->file;
  const bool good =
      e->failure == 0 &&
      bench_matrix_file_write(file, BENCH_INDPTR, p->first.rows + 1, p->rows, p->end) &&
      bench_matrix_file_write(file, BENCH_GHOST, p->first.rows, p->rows, p->ghost) &&
      bench_matrix_file_write(file, BENCH_INDICES, p->first.entries, p->entries, p->column) &&
      bench_matrix_file_write(file, BENCH_DATA, p->first.entries, p->entries, p->weight);
  if (!good && e->failure == 0) e->failure = errno;
}

static void send_part(const exporter *e) {
  const MPI_Comm comm = rind_context_comm(e->context);
  const part *p = &e->part;
  const int64_t counts[] = {p->first.rows, p->first.entries, p->rows, p->entries};
  MPI_Send(counts, 4, MPI_INT64_T, 0, TAG_COUNTS, comm);
  MPI_Send(p->end, (int)p->rows, MPI_INT64_T, 0, TAG_VALUES, comm);
  MPI_Send(p->ghost, (int)p->rows, MPI_INT64_T, 0, TAG_VALUES, comm);
  MPI_Send(p->column, (int)p->entries, MPI_INT64_T, 0, TAG_VALUES, comm);
  MPI_Send(p->weight, (int)p->entries, MPI_DOUBLE, 0, TAG_VALUES, comm);
}

/* Of rank 0: all parts of another rank, which ends with one without rows. */
static void receive_parts(exporter *e, int rank) {
  const MPI_Comm comm = rind_context_comm(e->context);
  part *p = &e->part;
  int64_t counts[4];
  do {
    MPI_Recv(counts, 4, MPI_INT64_T, rank, TAG_COUNTS, comm, MPI_STATUS_IGNORE);
    p->first.rows = counts[0], p->first.entries = counts[1];
    p->rows = counts[2], p->entries = counts[3];
    MPI_Recv(p->end, (int)p->rows, MPI_INT64_T, rank, TAG_VALUES, comm, MPI_STATUS_IGNORE);
    MPI_Recv(p->ghost, (int)p->rows, MPI_INT64_T, rank, TAG_VALUES, comm, MPI_STATUS_IGNORE);
    MPI_Recv(p->column, (int)p->entries, MPI_INT64_T, rank, TAG_VALUES, comm, MPI_STATUS_IGNORE);
    MPI_Recv(p->weight, (int)p->entries, MPI_DOUBLE, rank, TAG_VALUES, comm, MPI_STATUS_IGNORE);
    write_part(e);
  } while (p->rows > 0);
}

static void flush(exporter *e) {
  part *p = &e->part;
  if (rind_context_rank(e->context) == 0)
    write_part(e);
  else
    send_part(e);
  p->first.rows += p->rows;
  p->first.entries += p->entries;
  p->rows = p->entries = 0;
}

/* Where a box lies in the field: number of its first cell, and from cell to cell along each loop.
 */
typedef struct walk {
  int64_t first, step[3];
} walk;

/* Cells of all blocks in global order, x fastest, each block with layers around it. */
static walk walk_of(const exporter *e, int block, const rind_box *box, int layers) {
  const int64_t width = e->cells + 2 * layers;
  const int64_t stride[3] = {1, width, e->dim == 3 ? width * width : 0};
  walk w = {.first = e->arrays->block[block].global * width * width * (e->dim == 3 ? width : 1)};
  for (int a = 0; a < e->dim; ++a)
    w.first += (box->origin[a] + layers) * stride[a];
  for (int a = 0; a < 3; ++a)
    w.step[a] = box->step[a] * stride[box->axis[a]];
  return w;
}

static int64_t walk_to(const walk *w, const int32_t i[3]) {
  return w->first + i[0] * w->step[0] + i[1] * w->step[1] + i[2] * w->step[2];
}

typedef struct row_maker {
  int num_terms;
  walk ghost;
  walk *source;   /* [num_terms] */
  double *weight; /* [num_terms] */
} row_maker;

static void make_row(exporter *e, const row_maker *row, const int32_t i[3]) {
  part *p = &e->part;
  if (p->rows == PART || p->entries + row->num_terms > PART) flush(e);
  for (int t = 0; t < row->num_terms; ++t) {
    p->column[p->entries] = walk_to(&row->source[t], i);
    p->weight[p->entries++] = row->weight[t];
  }
  p->ghost[p->rows] = walk_to(&row->ghost, i);
  p->end[p->rows++] = p->first.entries + p->entries;
}

static void make_rows(exporter *e, int fill, row_maker *row) {
  rind_fill_view view;
  rind_term_view term;
  int32_t i[3];
  rind_schedule_fill(e->schedule, fill, &view);
  row->num_terms = view.num_terms;
  row->ghost = walk_of(e, view.block, &view.box, e->ghosts);
  for (int t = 0; t < view.num_terms; ++t) {
    rind_schedule_term(e->schedule, fill, t, &term);
    row->source[t] = walk_of(e, term.block, &term.box, 0);
    row->weight[t] = term.weight;
  }
  for (i[2] = 0; i[2] < view.extent[2]; ++i[2])
    for (i[1] = 0; i[1] < view.extent[1]; ++i[1])
      for (i[0] = 0; i[0] < view.extent[0]; ++i[0])
        make_row(e, row, i);
}

/* One product makes rows of interior cells only. */
static rind_error count_rows(const exporter *e, bench_matrix_size *size, int *most_terms) {
  *size = (bench_matrix_size){0};
  *most_terms = 1;
  for (int fill = 0; fill < rind_schedule_num_fills(e->schedule); ++fill) {
    rind_fill_view view;
    rind_schedule_fill(e->schedule, fill, &view);
    if (view.phase > 0)
      return rind_context_fail(e->context, RIND_ERROR_UNSUPPORTED,
                               "%s rows read ghosts, in phase %d: a matrix times the interior "
                               "needs rows that do not, such as --restriction average",
                               rind_family_name(view.family), view.phase);
    const int64_t cells = (int64_t)view.extent[0] * view.extent[1] * view.extent[2];
    size->rows += cells;
    size->entries += cells * view.num_terms;
    if (view.num_terms > *most_terms) *most_terms = view.num_terms;
  }
  return RIND_OK;
}

/* Sums over all ranks into *all, over the ranks before this one into *before. */
static void place_rows(const exporter *e, const bench_matrix_size *mine, bench_matrix_size *before,
                       bench_matrix_size *all) {
  const MPI_Comm comm = rind_context_comm(e->context);
  const int64_t counts[2] = {mine->rows, mine->entries};
  int64_t below[2] = {0, 0}, total[2];
  MPI_Exscan(counts, below, 2, MPI_INT64_T, MPI_SUM, comm);
  if (rind_context_rank(e->context) == 0) below[0] = below[1] = 0;
  MPI_Allreduce(counts, total, 2, MPI_INT64_T, MPI_SUM, comm);
  int64_t columns = e->arrays->num_global;
  for (int a = 0; a < e->dim; ++a)
    columns *= e->cells;
  *before = (bench_matrix_size){below[0], 0, below[1]};
  *all = (bench_matrix_size){total[0], columns, total[1]};
}

/* Of rank 0: the file, its notes and the first row's start. */
static bool begin_file(exporter *e, const char *path, const bench_matrix_size *size) {
  const bench_matrix_note notes[] = {{"dim", e->dim},
                                     {"cells", e->cells},
                                     {"ghosts", e->ghosts},
                                     {"blocks", e->arrays->num_global}};
  int64_t zero = 0;
  return bench_matrix_file_create(path, size, notes, (int)(sizeof notes / sizeof *notes),
                                  &e->file) &&
         bench_matrix_file_write(&e->file, BENCH_INDPTR, 0, 1, &zero);
}

static rind_error write_rows(exporter *e, row_maker *row) {
  const int rank = rind_context_rank(e->context);
  for (int fill = 0; fill < rind_schedule_num_fills(e->schedule); ++fill)
    make_rows(e, fill, row);
  if (e->part.rows > 0) flush(e);
  if (rank != 0) flush(e); /* no rows: the end */
  for (int r = 1; rank == 0 && r < rind_context_size(e->context); ++r)
    receive_parts(e, r);
  return RIND_OK;
}

static rind_error write_file(exporter *e, const char *path, int most_terms,
                             const bench_matrix_size *size) {
  rind_error error = RIND_OK;
  row_maker row = {.source = malloc((size_t)most_terms * sizeof *row.source),
                   .weight = malloc((size_t)most_terms * sizeof *row.weight)};
  if (!row.source || !row.weight || !e->part.weight)
    error =
        rind_context_fail(e->context, RIND_ERROR_MEMORY, "no memory for %d rows at a time", PART);
  error = rind_context_agree(e->context, error);
  const bool writes = error == RIND_OK && rind_context_rank(e->context) == 0;
  char *aside = writes ? app_part_begin(path) : NULL;
  if (writes && !(aside && begin_file(e, aside, size))) e->failure = errno;
  if (error == RIND_OK) error = write_rows(e, &row);
  if (writes) {
    if (aside && !bench_matrix_file_close(&e->file) && e->failure == 0) e->failure = errno;
    if (aside && !app_part_end(aside, path, e->failure == 0) && e->failure == 0) e->failure = errno;
    if (e->failure != 0)
      error = rind_context_fail(e->context, RIND_ERROR_IO, "cannot write %s: %s", path,
                                strerror(e->failure));
  }
  free(row.source);
  free(row.weight);
  return rind_context_agree(e->context, error);
}

static void print_summary(const bench_options *options, const bench_matrix_size *size,
                          double seconds) {
  const char *format =
      options->json ? "{\"bench\": \"export\", \"forest\": \"%s\", \"rows\": %lld, \"columns\": "
                      "%lld, \"entries\": %lld, \"seconds\": %.3f, \"file\": "
                    : "forest %s: %lld rows (ghosts), %lld columns (interior cells), %lld entries, "
                      "%.3f s, in ";
  printf(format, bench_names[options->forest.name], (long long)size->rows, (long long)size->columns,
         (long long)size->entries, seconds);
  if (options->json)
    bench_print_text(options->output);
  else
    printf("%s", options->output);
  printf(options->json ? "}\n" : "\n");
}

static rind_error export(exporter *e, const bench_options *options) {
  const double start = MPI_Wtime();
  bench_matrix_size mine, size;
  int most_terms;
  rind_error error = count_rows(e, &mine, &most_terms);
  error = rind_context_agree(e->context, error);
  if (error != RIND_OK) return error;
  part_create(&e->part);
  place_rows(e, &mine, &e->part.first, &size);
  error = write_file(e, options->output, most_terms, &size);
  part_destroy(&e->part);
  if (error == RIND_OK && rind_context_rank(e->context) == 0)
    print_summary(options, &size, MPI_Wtime() - start);
  return error;
}

rind_error bench_export(rind_context *context, bench_options *options) {
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  rind_error error = RIND_OK;
  if (options->output == NULL)
    error = rind_context_fail(context, RIND_ERROR_INVALID,
                              "export writes a file: --output should name it");
  error = rind_context_agree(context, error);
  if (error == RIND_OK) error = bench_forest_create(context, &options->forest, &forest);
  if (error == RIND_OK)
    error = rind_schedule_create(forest, options->forest.cells, options->layout.ghosts,
                                 &options->rules, &schedule);
  if (error == RIND_OK) {
    exporter e = {.context = context,
                  .schedule = schedule,
                  .arrays = rind_forest_get_arrays(forest),
                  .cells = options->forest.cells,
                  .ghosts = options->layout.ghosts,
                  .dim = options->forest.dim};
    error = export(&e, options);
  }
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  return error;
}
