/* gather.h - the gather engine's view of a schedule: rows bound to a layout.
 *
 * A gather runs fills. Each fill writes extent[0] x ... x extent[3] positions (the fourth loop is
 * the components) of num_lanes values; value i of lane l is the sum over terms of
 *     weight[term * num_lanes + l] * value at base of the slot + offset[term] + i . stride of it,
 * stored at to_base[fill.to] + to_offset[l] + i . to_stride. Own terms read own_base[fill.to]
 * + own_offset[l] on top, source terms source_base[fill.source].
 * Terms are added in order, in double, without contraction, and rounded once at the store.
 *
 * Lanes are ghosts whose rows read the same source cells with different weights: the parities of an
 * interpolation. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rind/field.h>

enum { RIND_GATHER_DIMS = 4, RIND_GATHER_LANES = 4 };

/* Copy: one lane, one source term of weight 1 between equal types. Add: one lane, one source term
 * after the value that is there already (an own term of weight 1 at the destination itself).
 * Clear: no terms, zeros. Points: a list of cells with their own terms, for the host's batches
 * alone. Sum: all others. */
typedef enum rind_gather_body {
  RIND_GATHER_COPY,
  RIND_GATHER_SUM,
  RIND_GATHER_ADD,
  RIND_GATHER_CLEAR,
  RIND_GATHER_POINTS
} rind_gather_body;

/* Rows of one cell and one or two lanes, packed: to[l] = (to[l] + w1[l] s1) + w2[l] s2 .. . Offsets
 * are elements from the bases; weight counts doubles in the table of the row, where the lanes' two
 * weights follow each other. One lane is two that are the same. */
typedef struct rind_gather_point {
  int32_t to[2];
  int32_t num_terms;
} rind_gather_point;

typedef struct rind_gather_point_term {
  int32_t offset;
  int32_t weight;
} rind_gather_point_term;

/* At most as many ghosts of points are listed. */
enum { RIND_GATHER_GHOSTS = 256 };

/* A term where points of four blocks run side by side: where its ghost and its weights begin, in
 * doubles. Each ghost has four, one a block, and each lane's weight stands four times. */
typedef struct rind_gather_listed_term {
  uint16_t ghost;
  uint16_t weight;
} rind_gather_listed_term;

typedef struct rind_gather_points {
  int num_points;
  int num_ghosts;                        /* that terms read, each once; 0: none is listed, as
                                            they or the weights are too many */
  const int32_t *ghost;                  /* [num_ghosts] their offsets */
  const rind_gather_listed_term *listed; /* [terms], where ghosts are listed */
  const double *weight_of_four;          /* [pairs of weights * 8], there too, else NULL */
  const rind_gather_point *point;        /* [num_points], by number of terms; no two share a cell */
  const rind_gather_point_term *term;    /* those of point 0, then those of point 1, .. */
} rind_gather_points;

/* A cell of rows of four lanes that run together, or several next to each other with the same
 * weights. Where it is counts from the first cell of the first of these rows. */
typedef struct rind_gather_cell {
  const double *weight; /* [num_terms * 4] */
  int32_t to;           /* and so its own cells */
  int32_t source;
} rind_gather_cell;

typedef struct rind_gather_cells {
  int num_rows;   /* that run together: the one that has the list and those after it */
  int num_values; /* next to each other in all blocks, which each listed cell stands for */
  int num_cells;
  const rind_gather_cell *cell; /* [num_cells] */
} rind_gather_cells;

/* What two rows between two blocks do that add and take with weight 1, there and back: at each
 * position, cell[0] of the first block takes what ghost[1] of the other holds, and cell[1] takes
 * from ghost[0]. */
typedef struct rind_gather_swap {
  int32_t back;   /* the row that goes back; the other is the one that has this */
  int32_t turned; /* 1: the first block is the source of that one, not its destination */
  int32_t extent[RIND_GATHER_DIMS];
  ptrdiff_t stride[RIND_GATHER_DIMS];
  ptrdiff_t cell[2], ghost[2]; /* offsets in the first block and in the other */
} rind_gather_swap;

/* A pattern bound to a layout. */
typedef struct rind_gather_row {
  int32_t body; /* rind_gather_body */
  int32_t num_lanes;
  int32_t num_terms;
  int32_t num_own_first; /* terms of the destination block at the beginning of the row */
  int32_t num_own_last;  /* and at its end; the others are of the source */
  int32_t takes;         /* add alone: the source cells are 0 afterwards */
  int32_t extent[RIND_GATHER_DIMS];
  ptrdiff_t to_stride[RIND_GATHER_DIMS];
  ptrdiff_t own_stride[RIND_GATHER_DIMS];
  ptrdiff_t source_stride[RIND_GATHER_DIMS];
  ptrdiff_t to_offset[RIND_GATHER_LANES];
  ptrdiff_t own_offset[RIND_GATHER_LANES];
  const double *weight;             /* [num_terms * num_lanes] */
  const ptrdiff_t *offset;          /* [num_terms] */
  const rind_gather_points *points; /* of points alone, whose weight is a table of pairs */
  const rind_gather_cells *cells;   /* of what runs with the rows after it, or NULL */
  const rind_gather_swap *swap;     /* with the row that goes back, or NULL */
} rind_gather_row;

/* Of its loops: each has num_lanes values. */
static inline int64_t rind_gather_count_positions(const rind_gather_row *row) {
  int64_t count = 1;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    count *= row->extent[d];
  return count;
}

typedef struct rind_gather_fill {
  int32_t row;
  int32_t to;     /* index into to_base and own_base */
  int32_t source; /* index into source_base */
} rind_gather_fill;

/* Whether a fill runs together with the next, which goes back from its destination to its source
 * with the same loops: one that copies, or that adds and takes, whose row says how. Runs: of 4
 * cells and more next to each other. Neighbours: in each block of rows that take, a cell and the
 * ghost that it hands over are neighbours in memory, the cell first in the first block. Cells: it
 * runs with as many as the list of its row says, which are of the same blocks and of the rows after
 * its own. Four: it and the three after it run one row, for four blocks. Taken: it adds ghosts of
 * the block itself, and the next makes the same ghosts zero. */
typedef enum rind_gather_pair {
  RIND_GATHER_ALONE,
  RIND_GATHER_BOTH,
  RIND_GATHER_RUNS,
  RIND_GATHER_NEIGHBOURS,
  RIND_GATHER_CELLS,
  RIND_GATHER_FOUR,
  RIND_GATHER_TAKEN
} rind_gather_pair;

/* How the cells of a block lie: the fourth stride is that of components. */
typedef struct rind_gather_frame {
  int32_t cells; /* along each of three axes */
  int32_t components;
  ptrdiff_t stride[RIND_GATHER_DIMS];
} rind_gather_frame;

/* A block of floats to which the ghosts of neighbours across its faces are added, and nothing else:
 * at each face those of one row of weight 1, which takes them and lies as they do. Face 2 a is the
 * lower one of axis a, 2 a + 1 the upper. */
enum { RIND_GATHER_FACES = 6 };

typedef struct rind_gather_shell {
  int32_t to;                        /* -1: not such a block */
  int32_t source[RIND_GATHER_FACES]; /* or -1 */
  int32_t order;
} rind_gather_shell;

/* Which of two faces comes first in a block's sums. */
typedef struct rind_gather_shell_order {
  uint32_t before_ends[RIND_GATHER_FACES][4]; /* faces of axes 1 and 2: all bits of lane 0 if they
                                                 come before face 0, of lane 3 before face 1 */
  uint8_t edge[4][2]; /* the faces of axes 1 and 2 at edges along axis 0, in order: lower lower,
                         upper lower, lower upper, upper upper */
} rind_gather_shell_order;

typedef struct rind_gather_shells {
  rind_gather_frame frame;
  ptrdiff_t shift[RIND_GATHER_FACES]; /* from the place of a cell to that of its ghost */
  int num_batches, num_shells, num_orders;
  rind_gather_shell *shell;       /* [num_batches] */
  rind_gather_shell_order *order; /* [num_orders] */
  size_t num_nothing;
  float *nothing; /* -0 in place of each cell's ghost, where a face has no source */
} rind_gather_shells;

/* A line of memory that is asked for, and the next of its list. */
typedef struct rind_gather_line {
  ptrdiff_t at; /* bytes from a block's base */
  const struct rind_gather_line *next;
} rind_gather_line;

typedef struct rind_gather_line_list {
  int num_lines;
  const rind_gather_line *line; /* [num_lines] */
} rind_gather_line_list;

/* A fill, or the first of those that run together, before which a block is asked for. */
typedef struct rind_gather_touch {
  int32_t fill;
  int32_t block;
  const rind_gather_line_list *list;
} rind_gather_touch;

/* What is asked for before it is touched. */
typedef struct rind_gather_ahead {
  bool near;        /* into the first cache and in steps; else into the second, block by block */
  int lines_a_step; /* before each fill, or those that run together */
  int num_lists;
  int num_touches;
  const rind_gather_line_list *list; /* [num_lists], the first of all lines of a block */
  const rind_gather_touch *touch;    /* [num_touches], by fill */
} rind_gather_ahead;

/* Destination and own cells have to_type, source cells source_type. */
typedef struct rind_gather {
  rind_type to_type;
  rind_type source_type;
  const rind_gather_row *row;
  const rind_gather_fill *fill; /* [num_fills] */
  int num_fills;
  const uint8_t *pair;            /* [num_fills] rind_gather_pair; NULL: all run alone */
  const rind_gather_ahead *ahead; /* or NULL */
} rind_gather;

/* Where fills have come with a block: scratch. */
typedef struct rind_gather_place {
  int32_t listed; /* how many touches when it was touched last; -1: not yet */
  int32_t touch;  /* the block's last */
} rind_gather_place;

/* Lines of a block as bits, num_words words of them for each of something. */
typedef struct rind_gather_lines {
  int num_words;
  const uint64_t *of_row; /* [2 * num_rows * num_words], of a row's destination, then its source */
  uint64_t *of_touch;     /* [touches * num_words] */
} rind_gather_lines;

/* Lists the blocks in the order in which fills touch them, which run from the first to the last;
 * once more those that are touched again when again other touches have been listed (0: never).
 * Returns how many there are. place [num_blocks] is scratch. touch is room for them, without lists,
 * and lines->of_touch for the lines of all fills up to the block's next touch; or both are NULL. */
int rind_gather_list_touches(const rind_gather *gather, int again, int num_blocks,
                             rind_gather_place *place, rind_gather_touch *touch,
                             const rind_gather_lines *lines);

/* How many of the fills, or of those that run together, run one after the other. */
int rind_gather_count_steps(const rind_gather *gather);

/* Calls visit with all values that a row reads or writes, some of them twice: elements from the
 * base of the destination, or of the source. */
typedef void rind_gather_visitor(void *user, bool of_source, ptrdiff_t offset);
void rind_gather_visit_row(const rind_gather_row *row, rind_gather_visitor *visit, void *user);

/* Whether this processor should have lines brought into its first cache. */
bool rind_gather_asks_near(void);

/* Finds the pairs among the fills [first, last) of a gather whose destinations and sources are the
 * same table of blocks. swap [num_rows] is room for what its rows do; row is the gather's. */
void rind_gather_find_pairs(const rind_gather *gather, int first, int last, rind_gather_row *row,
                            rind_gather_swap *swap, uint8_t *pair);

/* Where four links follow each other among the fills [first, last), to four blocks and with the
 * same rows of sums in place, puts the fills of each row next to each other and says so. No row of
 * a link may write a cell that another writes. fill is the gather's. */
void rind_gather_find_fours(const rind_gather *gather, int first, int last, rind_gather_fill *fill,
                            uint8_t *pair);

/* Finds the shells among batches of one block each, as for rind_gather_host_batches with scratch;
 * NULL where there are none. False without memory. */
bool rind_gather_shells_create(const rind_gather *gather, const int *first, int num_batches,
                               const rind_gather_frame *frame, rind_gather_shells **shells);
size_t rind_gather_shells_bytes(const rind_gather_shells *shells);
void rind_gather_shells_destroy(rind_gather_shells *shells);

/* How many fills from f on can run together as a list of cells; 0: fill f cannot. */
int rind_gather_count_alike(const rind_gather *gather, int f);
/* The list of count rows that are alike, one allocation of bytes bytes; NULL where cells lie too
 * far from each other. False without memory. */
bool rind_gather_cells_create(const rind_gather_row *first, int count, rind_gather_cells **cells,
                              size_t *bytes);

/* Finishes a row whose loops are in any order: sorts them (dimension 0 becomes the innermost, with
 * the smallest destination stride), turns the backward ones, merges those that run on, and chooses
 * the body. offset is what row->offset points at. The cells and their values stay the same. */
void rind_gather_row_finish(rind_gather_row *row, ptrdiff_t *offset, bool types_equal);

/* True for a row of one cell with an own term of weight 1 in place before two terms or more. */
bool rind_gather_row_adds_sum(const rind_gather_row *row);
/* True if the row can be one of points: such a row of one or two lanes. */
bool rind_gather_row_is_point(const rind_gather_row *row);
/* True if two such rows have as many values, which lie alike. */
bool rind_gather_points_alike(const rind_gather_row *a, const rind_gather_row *b);
/* One row of points in place of count such rows. Its weight, not theirs, is the start of bytes
 * bytes of memory that the caller frees. False without memory; *done is false where there is none
 * of such a row: offsets too large, or rows that share a cell. */
bool rind_gather_points_create(const rind_gather_row *const *point, int count, rind_gather_row *row,
                               size_t *bytes, bool *done);

/* Runs the fills [first, last) of gather. Bases point at interior cell (0, 0, 0) of blocks, or at
 * the first value of a message's box; own_base is as long as to_base, even where no row has own
 * terms. threads > 1: OpenMP over fills; the bits do not change. */
void rind_gather_host(const rind_gather *gather, int first, int last, void *const *to_base,
                      const void *const *own_base, const void *const *source_base, int threads);

/* The same rows, one sweep over the box a term, partial sums kept in to_type: the reference. */
void rind_gather_host_term_by_term(const rind_gather *gather, int first, int last,
                                   void *const *to_base, const void *const *own_base,
                                   const void *const *source_base, int threads);

/* Rows of an adjoint, which add to what is there: their first term is an own term of weight 1 at
 * the destination. Batch b is the fills [first[b], first[b + 1]), which run one after the other;
 * batches run in any order, on any number of threads, and no two have fills to the same block. The
 * destination's cells are the own cells.
 *
 * A destination in float is summed in double over its whole batch, which has fills to at most
 * RIND_GATHER_BLOCKS blocks, and rounded once: then gather->to_type is RIND_FLOAT64, to_base holds
 * floats, and scratch gives each thread room for that many blocks with the same strides. */
enum { RIND_GATHER_BLOCKS = 4 };

typedef struct rind_gather_scratch {
  double *memory;             /* [threads * blocks * elements] */
  ptrdiff_t elements;         /* of a block, from its lowest to its highest address */
  ptrdiff_t origin;           /* of interior cell (0, 0, 0), component 0, from the lowest */
  const rind_gather_row *box; /* to_stride and extent of cells that hold all which rows write, if
                                 they are summed faster all at once; else NULL */
  const rind_gather_shells *shells; /* of the batches, or NULL */
  int blocks;                       /* of a batch, at most; from 1 to RIND_GATHER_BLOCKS */
} rind_gather_scratch;

/* scratch NULL: the destination has to_type. */
void rind_gather_host_batches(const rind_gather *gather, const int *first, int num_batches,
                              void *const *to_base, const void *const *source_base, int threads,
                              const rind_gather_scratch *scratch);
