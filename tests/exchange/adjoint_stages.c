/* adjoint_stages.c - stages of an adjoint's batches: no cell twice in one, fills of a cell in the
 * order they had, no more stages than the cell that is written most often needs in a row. */
#include <check.h>
#include <exchange_trees.h>
#include <loose_rows.h>
#include <stages.h>

#include <string.h>

enum { NUM_RULES = 3 };

static const rind_rules rule_sets[NUM_RULES] = {
    {.restriction = RIND_RESTRICTION_FLUX_MATCHED, .wall = {RIND_WALL_EVEN, RIND_WALL_LINEAR}},
    {.regions = RIND_REGIONS_FACES, .interpolation = RIND_INTERPOLATION_CONSERVATIVE},
    {.interpolation = RIND_INTERPOLATION_INJECTION}};

/* What has been written to a cell of the block. */
typedef struct history {
  int count;
  int stage; /* of the last write, by the new order */
  uint64_t order;
} history;

/* Notes fill f in all cells that it writes; stage -1: the old order, without stages. Returns the
 * cells that the stage had written before. */
static long note(const rind_gather_row *row, int f, int stage, history *cells) {
  long met = 0;
  int i[4];
  for (int lane = 0; lane < row->num_lanes; ++lane)
    for (i[3] = 0; i[3] < row->extent[3]; ++i[3])
      for (i[2] = 0; i[2] < row->extent[2]; ++i[2])
        for (i[1] = 0; i[1] < row->extent[1]; ++i[1])
          for (i[0] = 0; i[0] < row->extent[0]; ++i[0]) {
            ptrdiff_t at = row->to_offset[lane];
            for (int d = 0; d < 4; ++d)
              at += i[d] * row->to_stride[d];
            history *cell = &cells[at];
            met += stage >= 0 && cell->count > 0 && cell->stage >= stage;
            cell->stage = stage;
            ++cell->count;
            cell->order = cell->order * 1099511628211u + (uint64_t)f + 1;
          }
  return met;
}

/* Number of a fill among those of its batch: rows are not shared between links of one block, so
 * that row and source tell fills apart. */
static int find(const rind_gather_fill *fills, int first, int end, const rind_gather_fill *fill) {
  for (int f = first; f < end; ++f)
    if (fills[f].row == fill->row && fills[f].source == fill->source && fills[f].to == fill->to)
      return f;
  return -1;
}

static void check_batch(const scene *s, const rind_batches *batches, const rind_gather_fill *old,
                        const rind_stages *stages, int b, size_t elements, ptrdiff_t origin) {
  const rind_bound *bound = &batches->bound;
  const int first = batches->first_fill[b], end = batches->first_fill[b + 1];
  history *before = rind_allocate(elements, sizeof *before);
  history *after = rind_allocate(elements, sizeof *after);
  long met = 0, differ = 0;
  int most = 0;
  for (int f = first; f < end; ++f)
    note(&bound->row[old[f].row], f, -1, before + origin);
  for (int stage = stages->batch_stage[b]; stage < stages->batch_stage[b + 1]; ++stage) {
    CHECK(stages->stage_fill[stage] < stages->stage_fill[stage + 1], "%s: an empty stage", s->name);
    for (int f = stages->stage_fill[stage]; f < stages->stage_fill[stage + 1]; ++f) {
      const int was = find(old, first, end, &bound->fill[f]);
      CHECK(was >= 0, "%s: batch %d has a fill that it did not have", s->name, b);
      met += note(&bound->row[bound->fill[f].row], was, stage, after + origin);
    }
  }
  for (size_t i = 0; i < elements; ++i) {
    differ += before[i].count != after[i].count || before[i].order != after[i].order;
    if (before[i].count > most) most = before[i].count;
  }
  CHECK(met == 0, "%s, batch %d: %ld cells twice in a stage", s->name, b, met);
  CHECK(differ == 0, "%s, batch %d: %ld cells get their sums in another order", s->name, b, differ);
  const int count = stages->batch_stage[b + 1] - stages->batch_stage[b];
  CHECK(count >= most && count <= end - first, "%s, batch %d: %d stages for %d fills, %d at a cell",
        s->name, b, count, end - first, most);
  CHECK(stages->stage_fill[stages->batch_stage[b]] == first &&
            stages->stage_fill[stages->batch_stage[b + 1]] == end,
        "%s, batch %d: fills %d to %d", s->name, b, first, end);
  free(before);
  free(after);
}

static void check_batches(const scene *s, const rind_layout *layout, const rind_batches *packed,
                          long counts[2]) {
  rind_batches loose, *batches = &loose;
  const size_t elements = rind_layout_block_elements(layout);
  const ptrdiff_t origin = rind_layout_interior_offset(layout);
  if (packed->bound.num_fills == 0) return;
  CHECK(loose_rows_create(packed, &loose), "no memory");
  const size_t bytes = (size_t)batches->bound.num_fills * sizeof *batches->bound.fill;
  rind_gather_fill *old = rind_allocate(bytes, 1);
  rind_stages stages = {0};
  memcpy(old, batches->bound.fill, bytes);
  CHECK(rind_stages_create(batches, (ptrdiff_t)elements, origin, &stages), "no memory");
  for (int b = 0; b < batches->num_batches; ++b)
    check_batch(s, batches, old, &stages, b, elements, origin);
  counts[0] += stages.num_stages;
  counts[1] += batches->bound.num_fills;
  rind_stages_destroy(&stages);
  loose_rows_destroy(&loose);
  free(old);
}

static void check_scene(const scene *s, rind_adjoint_method method) {
  const rind_layout layout = {
      .dim = s->dim, .cells = s->cells, .ghosts = s->ghosts, .components = 2};
  const rind_exchange_options options = {.adjoint = true, .adjoint_method = method};
  rind_exchange *exchange = NULL;
  long counts[2] = {0, 0};
  CHECK_OK(rind_exchange_create(s->schedule, &layout, &options, &exchange), s->context);
  for (int p = 0; exchange && p < exchange->adjoint->num_phases; ++p) {
    rind_adjoint_part *part = &exchange->adjoint->phase[p].part[0];
    if (exchange->adjoint->phase[p].kind == RIND_PHASE_CLEAR) continue;
    check_batches(s, &exchange->field[0].layout, &part->local, counts);
    check_batches(s, &exchange->field[0].layout, &part->remote, counts);
  }
  if (rind_forest_num_blocks(s->forest) > 0)
    CHECK(counts[0] < counts[1], "%s: %ld stages for %ld fills", s->name, counts[0], counts[1]);
  rind_exchange_destroy(&exchange);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int number = 0; number < NUM_SCENES + NUM_TREES; ++number)
    for (int r = 0; r < NUM_RULES; ++r)
      for (int method = 0; method < 2; ++method) {
        if (number < NUM_SCENES) {
          scene s;
          scene_create(MPI_COMM_WORLD, number, 1, &rule_sets[r], &s);
          check_scene(&s, (rind_adjoint_method)method);
          scene_destroy(&s);
        } else {
          trees t;
          trees_create(MPI_COMM_WORLD, number - NUM_SCENES, 1, &rule_sets[r], &t);
          check_scene(&t.s, (rind_adjoint_method)method);
          trees_destroy(&t);
        }
      }
  return check_end();
}
