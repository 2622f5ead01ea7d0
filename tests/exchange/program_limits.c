/* program_limits.c - programs of gathers by hand: none at all, a block with as many sources as a
 * program holds and one more, cells farther apart than a term reaches. */
#include <block_programs.h>
#include <check.h>

enum { MOST = RIND_PROGRAM_MAX_SOURCES + 1 };

/* Block 0 and num_spokes others: cell s - 1 of block 0 += ghost 1 of block s, and cell 0 of block s
 * += ghost 100 + s of block 0; ghosts are taken. */
typedef struct wheel {
  double weight[2];
  ptrdiff_t offset[2 * MOST][2];
  rind_gather_row row[2 * MOST];
  rind_gather_fill fill[2 * MOST];
  int first_fill[MOST + 2];
  rind_gather gather;
} wheel;

static rind_gather_row add_row(const double *weight, ptrdiff_t *offset, ptrdiff_t cell,
                               ptrdiff_t ghost) {
  offset[0] = cell;
  offset[1] = ghost;
  return (rind_gather_row){.body = RIND_GATHER_ADD,
                           .num_lanes = 1,
                           .num_terms = 2,
                           .num_own_first = 1,
                           .takes = 1,
                           .extent = {1, 1, 1, 1},
                           .to_offset = {cell},
                           .weight = weight,
                           .offset = offset};
}

static void make_wheel(int num_spokes, ptrdiff_t far, wheel *w) {
  *w = (wheel){.weight = {1, 1}};
  for (int s = 1; s <= num_spokes; ++s) {
    const int here = s - 1, there = num_spokes + s - 1;
    w->row[here] = add_row(w->weight, w->offset[here], here, 1);
    w->row[there] = add_row(w->weight, w->offset[there], 0, 100 + s + far);
    w->fill[here] = (rind_gather_fill){here, 0, s};
    w->fill[there] = (rind_gather_fill){there, s, 0};
    w->first_fill[s + 1] = there + 1;
  }
  w->first_fill[1] = num_spokes;
  w->gather = (rind_gather){.to_type = RIND_FLOAT64,
                            .source_type = RIND_FLOAT64,
                            .row = w->row,
                            .fill = w->fill,
                            .num_fills = 2 * num_spokes};
}

static void make(const wheel *w, int num_batches, rind_programs *made) {
  const rind_program_frame frame = {.same_blocks = true};
  CHECK(rind_programs_make(&w->gather, w->first_fill, num_batches, &frame, SIZE_MAX, made),
        "no memory");
}

/* Pairs of all items. */
static int count_pairs(const rind_programs *p) {
  int count = 0;
  for (int i = 0; i < p->num_items; ++i)
    for (int l = 0; l < p->item[i].num_pairs * RIND_PROGRAM_LANES; ++l) {
      const int32_t term = p->pair[p->item[i].first_pair + l];
      count += RIND_PROGRAM_SLOT(term) != RIND_PROGRAM_NONE && RIND_PROGRAM_TAKEN(term);
    }
  return count;
}

static int count_sums(const rind_programs *p) {
  int count = 0;
  for (int i = 0; i < p->num_items; ++i)
    for (int s = 0; s < p->item[i].num_sums; ++s)
      for (int l = 0; l < RIND_PROGRAM_LANES; ++l)
        count += p->cell[p->sum[p->item[i].first_sum + s].first_cell + l] != RIND_PROGRAM_NO_CELL;
  return count;
}

static void check_wheel(int num_spokes, ptrdiff_t far, int items, int pairs, int sums) {
  static wheel w;
  rind_programs made;
  make_wheel(num_spokes, far, &w);
  make(&w, num_spokes + 1, &made);
  CHECK(made.num_items == items && made.num_rest == num_spokes + 1 - items,
        "%d spokes, %td far: %d items, %d rests", num_spokes, far, made.num_items, made.num_rest);
  CHECK(count_pairs(&made) == pairs && count_sums(&made) == sums,
        "%d spokes, %td far: %d pairs, %d sums", num_spokes, far, count_pairs(&made),
        count_sums(&made));
  rind_programs_free(&made);
}

static void check_empty(void) {
  static wheel w;
  const rind_program_frame frame = {.same_blocks = true};
  rind_programs made;
  make_wheel(0, 0, &w);
  make(&w, 0, &made);
  CHECK(made.num_items == 0 && made.num_rest == 0, "%d items of nothing", made.num_items);
  rind_programs_free(&made);
  make(&w, 1, &made); /* a batch without fills */
  CHECK(made.num_items == 0 && made.num_rest == 1, "%d items of nothing", made.num_items);
  rind_programs_free(&made);
  CHECK(rind_programs_make(&w.gather, NULL, 0, &frame, 0, &made), "no memory");
  CHECK(made.num_items == 0 && made.num_rest == 0, "%d items of nothing", made.num_items);
  rind_programs_free(&made);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  check_empty();
  check_wheel(1, 0, 2, 2, 0);
  check_wheel(5, 0, 6, 10, 0);
  check_wheel(40, 0, 41, 80, 0);
  check_wheel(MOST - 1, 0, MOST, 2 * (MOST - 1), 0);
  check_wheel(MOST, 0, MOST, 0, MOST);
  check_wheel(3, RIND_PROGRAM_REACH, 1, 0, 3);
  return check_end();
}
