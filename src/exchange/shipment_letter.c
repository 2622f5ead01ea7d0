/* shipment_letter.c - writing what ghosts contribute elsewhere, and reading what those of others
 * contribute here like any input: checked first. */
#include <shipment_letter.h>

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct letter_term {
  double weight;
  int32_t origin[3]; /* in the ghosts' block */
  int32_t unused;
} letter_term;

typedef struct letter_box {
  int64_t from;  /* global number of the ghosts' block */
  int32_t block; /* local at the reader */
  int32_t set;
} letter_box;

typedef struct letter_pattern {
  int32_t extent[3];
  int32_t origin[3]; /* in the block that is written */
  int32_t step[3];
  int32_t ghost_axis[3];
  int32_t ghost_step[3];
  int32_t num_terms;
} letter_pattern;

typedef struct letter_set {
  int32_t region;
  int32_t num_patterns;
  int32_t origin[3];
  int32_t extent[3];
} letter_set;

/* A letter's parts; the largest items come first, so that all are aligned. */
typedef struct parts {
  const int64_t *header;
  letter_term *term;
  letter_box *box;
  letter_pattern *pattern;
  letter_set *set;
} parts;

static parts parts_of(const rind_letter *letter) {
  parts p = {.header = letter->data};
  p.term = (letter_term *)((int64_t *)letter->data + RIND_SHIPMENT_WORDS);
  p.box = (letter_box *)(p.term + p.header[RIND_SHIPMENT_TERMS]);
  p.pattern = (letter_pattern *)(p.box + p.header[RIND_SHIPMENT_BOXES]);
  p.set = (letter_set *)(p.pattern + p.header[RIND_SHIPMENT_PATTERNS]);
  return p;
}

/* How long a letter must be. */
static rind_error letter_bytes(rind_context *context, int peer_rank, const int64_t *header,
                               size_t *bytes) {
  for (int i = 0; i < RIND_SHIPMENT_WORDS; ++i)
    RIND_REQUIRE(context, header[i] >= 0 && (i == RIND_SHIPMENT_CELLS || header[i] <= INT_MAX),
                 RIND_ERROR_INTERNAL, "the shipments of rank %d have size %d = %lld", peer_rank, i,
                 (long long)header[i]);
  const int64_t sum = RIND_SHIPMENT_WORDS * (int64_t)sizeof *header +
                      header[RIND_SHIPMENT_TERMS] * (int64_t)sizeof(letter_term) +
                      header[RIND_SHIPMENT_BOXES] * (int64_t)sizeof(letter_box) +
                      header[RIND_SHIPMENT_PATTERNS] * (int64_t)sizeof(letter_pattern) +
                      header[RIND_SHIPMENT_SETS] * (int64_t)sizeof(letter_set);
  RIND_REQUIRE(context, sum <= INT_MAX, RIND_ERROR_OVERFLOW,
               "%lld shipments to or from rank %d take %lld bytes to describe: at most %d",
               (long long)header[RIND_SHIPMENT_BOXES], peer_rank, (long long)sum, INT_MAX);
  *bytes = (size_t)sum;
  return RIND_OK;
}

static rind_error make_letter(rind_context *context, int peer_rank, const int64_t *header,
                              rind_letter *letter) {
  size_t bytes = 0;
  RIND_TRY(letter_bytes(context, peer_rank, header, &bytes));
  letter->data = rind_allocate(bytes, 1);
  RIND_REQUIRE(context, letter->data, RIND_ERROR_MEMORY, "no memory for %zu bytes of shipments",
               bytes);
  letter->bytes = bytes;
  memcpy(letter->data, header, RIND_SHIPMENT_WORDS * sizeof *header);
  return RIND_OK;
}

static int64_t cells_in(const int32_t extent[3]) {
  return (int64_t)extent[0] * extent[1] * extent[2];
}

/* Numbers the sets as they come up; place [num_sets] is -1 where there is none. */
static void count(const rind_schedule *transposed, const int32_t *run, int num_runs, int32_t *place,
                  int64_t header[RIND_SHIPMENT_WORDS]) {
  for (int r = 0; r < num_runs; ++r) {
    const int32_t number = transposed->run[run[r]].set;
    const rind_row_set *set = &transposed->set[number];
    ++header[RIND_SHIPMENT_BOXES];
    header[RIND_SHIPMENT_CELLS] += cells_in(set->extent);
    if (place[number] >= 0) continue;
    place[number] = (int32_t)header[RIND_SHIPMENT_SETS]++;
    header[RIND_SHIPMENT_PATTERNS] += set->count;
    for (int p = set->first; p < set->first + set->count; ++p)
      header[RIND_SHIPMENT_TERMS] += transposed->pattern[p].num_terms - 1;
  }
}

static void write_pattern(const rind_schedule *transposed, const rind_pattern *from,
                          letter_pattern *to, letter_term *term) {
  RIND_ASSERT(from->num_own_first == 1 && from->num_own_last == 0 && from->component < 0);
  const rind_slot *slot = &from->slot[RIND_SLOT_SOURCE];
  memcpy(to->extent, from->extent, sizeof to->extent);
  memcpy(to->origin, from->origin, sizeof to->origin);
  memcpy(to->step, from->step, sizeof to->step);
  memcpy(to->ghost_axis, slot->axis, sizeof to->ghost_axis);
  memcpy(to->ghost_step, slot->step, sizeof to->ghost_step);
  to->num_terms = from->num_terms - 1;
  for (int t = 0; t < to->num_terms; ++t) {
    const rind_pattern_term *ghost = &transposed->term[from->first_term + 1 + t];
    term[t].weight = ghost->weight;
    memcpy(term[t].origin, ghost->origin, sizeof term[t].origin);
  }
}

/* Writes a set and its patterns, and moves on behind them. */
static void write_set(const rind_schedule *transposed, const rind_row_set *from, parts *to) {
  to->set->region = from->region;
  to->set->num_patterns = from->count;
  memcpy(to->set->origin, from->origin, sizeof to->set->origin);
  memcpy(to->set->extent, from->extent, sizeof to->set->extent);
  ++to->set;
  for (int p = from->first; p < from->first + from->count; ++p) {
    write_pattern(transposed, &transposed->pattern[p], to->pattern, to->term);
    to->term += to->pattern->num_terms;
    ++to->pattern;
  }
}

rind_error rind_shipment_write(const rind_schedule *transposed, const int32_t *run, int num_runs,
                               int peer_rank, int32_t *place, rind_letter *letter) {
  const rind_block *block = rind_forest_get_arrays(transposed->forest)->block;
  int64_t header[RIND_SHIPMENT_WORDS] = {0};
  count(transposed, run, num_runs, place, header);
  const rind_error error = make_letter(transposed->context, peer_rank, header, letter);
  if (error == RIND_OK) {
    parts to = parts_of(letter);
    int32_t num_sets = 0;
    for (int r = 0; r < num_runs; ++r) {
      const rind_run_data *from = &transposed->run[run[r]];
      *to.box++ = (letter_box){.from = block[from->source].global,
                               .block = block[from->block].index,
                               .set = place[from->set]};
      if (place[from->set] < num_sets) continue;
      write_set(transposed, &transposed->set[from->set], &to);
      ++num_sets;
    }
  }
  for (int r = 0; r < num_runs; ++r)
    place[transposed->run[run[r]].set] = -1;
  return error;
}

rind_error rind_shipment_open(rind_context *context, int peer_rank, const rind_letter *letter,
                              const int64_t **header) {
  size_t bytes = 0;
  RIND_REQUIRE(context, letter->bytes >= RIND_SHIPMENT_WORDS * sizeof **header, RIND_ERROR_INTERNAL,
               "the shipments of rank %d are %zu bytes", peer_rank, letter->bytes);
  RIND_TRY(letter_bytes(context, peer_rank, letter->data, &bytes));
  RIND_REQUIRE(context, bytes == letter->bytes, RIND_ERROR_INTERNAL,
               "the shipments of rank %d are %zu bytes, their header says %zu", peer_rank,
               letter->bytes, bytes);
  *header = letter->data;
  return RIND_OK;
}

/* True if cells first .. first + step * (extent - 1) lie in [low, high). */
static bool line_is_inside(int64_t first, int64_t step, int64_t extent, int64_t low, int64_t high) {
  const int64_t last = first + step * (extent - 1);
  return first >= low && first < high && last >= low && last < high;
}

/* True if the set's box of ghosts lies in a padded block. */
static bool set_is_valid(const rind_schedule *schedule, const letter_set *set) {
  if (set->region < 0 || set->region >= RIND_NUM_REGIONS || set->num_patterns < 1) return false;
  for (int a = 0; a < 3; ++a) {
    const int ghosts = a < schedule->dim ? schedule->ghosts : 0;
    const int cells = a < schedule->dim ? schedule->cells : 1;
    if (set->extent[a] < 1 || set->extent[a] > cells + 2 * ghosts ||
        !line_is_inside(set->origin[a], 1, set->extent[a], -ghosts, cells + ghosts))
      return false;
  }
  return true;
}

/* True if the pattern writes inside a padded block and reads inside the set's box. */
static bool pattern_is_valid(const rind_schedule *schedule, const letter_set *set,
                             const letter_pattern *pattern, const letter_term *term) {
  unsigned axes = 0;
  for (int a = 0; a < 3; ++a) {
    const int ghosts = a < schedule->dim ? schedule->ghosts : 0;
    const int cells = a < schedule->dim ? schedule->cells : 1;
    const int axis = pattern->ghost_axis[a];
    if (axis < 0 || axis > 2 || (a >= schedule->dim && axis != a) || pattern->extent[a] < 1 ||
        pattern->extent[a] > cells + 2 * ghosts ||
        (pattern->extent[a] > 1 && (pattern->step[a] == 0 || pattern->ghost_step[a] == 0)) ||
        !line_is_inside(pattern->origin[a], pattern->step[a], pattern->extent[a], -ghosts,
                        cells + ghosts))
      return false;
    axes |= 1u << axis;
  }
  if (axes != 7) return false;
  for (int t = 0; t < pattern->num_terms; ++t) {
    if (!isfinite(term[t].weight)) return false;
    for (int a = 0; a < 3; ++a) {
      const int axis = pattern->ghost_axis[a];
      const int64_t low = set->origin[axis];
      if (!line_is_inside(term[t].origin[axis], pattern->ghost_step[a], pattern->extent[a], low,
                          low + set->extent[axis]))
        return false;
    }
  }
  return true;
}

static void append_pattern(rind_schedule *transposed, const letter_set *set,
                           const letter_pattern *from, const letter_term *term) {
  rind_pattern *to = &transposed->pattern[transposed->num_patterns++];
  *to = (rind_pattern){.family = -1,
                       .region = set->region,
                       .component = -1,
                       .wall = -1,
                       .first_term = transposed->num_terms,
                       .num_terms = 1 + from->num_terms,
                       .num_own_first = 1};
  memcpy(to->extent, from->extent, sizeof to->extent);
  memcpy(to->origin, from->origin, sizeof to->origin);
  memcpy(to->step, from->step, sizeof to->step);
  to->slot[RIND_SLOT_OWN] = (rind_slot){.axis = {0, 1, 2}};
  memcpy(to->slot[RIND_SLOT_OWN].step, from->step, sizeof from->step);
  memcpy(to->slot[RIND_SLOT_SOURCE].axis, from->ghost_axis, sizeof from->ghost_axis);
  memcpy(to->slot[RIND_SLOT_SOURCE].step, from->ghost_step, sizeof from->ghost_step);
  rind_pattern_term *own = &transposed->term[transposed->num_terms++];
  *own = (rind_pattern_term){.weight = 1, .slot = RIND_SLOT_OWN};
  memcpy(own->origin, from->origin, sizeof own->origin);
  for (int t = 0; t < from->num_terms; ++t) {
    rind_pattern_term *ghost = &transposed->term[transposed->num_terms++];
    *ghost = (rind_pattern_term){.weight = term[t].weight, .slot = RIND_SLOT_SOURCE};
    memcpy(ghost->origin, term[t].origin, sizeof ghost->origin);
  }
}

/* Appends the letter's sets with their patterns and terms. */
static rind_error read_sets(rind_schedule *transposed, int peer_rank, parts from) {
  int64_t patterns_left = from.header[RIND_SHIPMENT_PATTERNS];
  int64_t terms_left = from.header[RIND_SHIPMENT_TERMS];
  for (int s = 0; s < from.header[RIND_SHIPMENT_SETS]; ++s, ++from.set) {
    RIND_REQUIRE(transposed->context,
                 from.set->num_patterns <= patterns_left && set_is_valid(transposed, from.set),
                 RIND_ERROR_INTERNAL, "box of ghosts %d of rank %d leaves the block", s, peer_rank);
    rind_row_set *to = &transposed->set[transposed->num_sets++];
    *to = (rind_row_set){.first = transposed->num_patterns,
                         .count = from.set->num_patterns,
                         .region = from.set->region};
    memcpy(to->origin, from.set->origin, sizeof to->origin);
    memcpy(to->extent, from.set->extent, sizeof to->extent);
    patterns_left -= to->count;
    for (int p = 0; p < to->count; ++p, ++from.pattern) {
      RIND_REQUIRE(transposed->context,
                   from.pattern->num_terms >= 1 && from.pattern->num_terms <= terms_left &&
                       pattern_is_valid(transposed, from.set, from.pattern, from.term),
                   RIND_ERROR_INTERNAL, "row %d of set %d of rank %d leaves its boxes", p, s,
                   peer_rank);
      append_pattern(transposed, from.set, from.pattern, from.term);
      from.term += from.pattern->num_terms;
      terms_left -= from.pattern->num_terms;
    }
  }
  RIND_REQUIRE(transposed->context, patterns_left == 0 && terms_left == 0, RIND_ERROR_INTERNAL,
               "rank %d announces %lld rows and %lld terms more than it sends", peer_rank,
               (long long)patterns_left, (long long)terms_left);
  return RIND_OK;
}

rind_error rind_shipment_read(rind_schedule *transposed, int peer_rank, const rind_letter *letter,
                              rind_order *box, rind_contribution *contribution) {
  const parts from = parts_of(letter);
  const int64_t num_global = rind_forest_get_arrays(transposed->forest)->num_global;
  const int first_set = transposed->num_sets;
  int64_t cells = 0;
  RIND_TRY(read_sets(transposed, peer_rank, from));
  for (int b = 0; b < from.header[RIND_SHIPMENT_BOXES]; ++b) {
    const letter_box *shipped = &from.box[b];
    RIND_REQUIRE(transposed->context,
                 shipped->block >= 0 && shipped->block < transposed->num_local &&
                     shipped->from >= 0 && shipped->from < num_global && shipped->set >= 0 &&
                     shipped->set < from.header[RIND_SHIPMENT_SETS],
                 RIND_ERROR_INTERNAL, "box %d of rank %d is for block %d, set %d: not here", b,
                 peer_rank, shipped->block, shipped->set);
    const rind_row_set *set = &transposed->set[first_set + shipped->set];
    contribution[b] = (rind_contribution){.from = shipped->from,
                                          .block = shipped->block,
                                          .set = first_set + shipped->set,
                                          .shipped = 1,
                                          .region = set->region};
    box[b] = (rind_order){.kind = RIND_REQUEST_RAW, .block = shipped->block, .pattern = -1};
    memcpy(box[b].origin, set->origin, sizeof box[b].origin);
    memcpy(box[b].extent, set->extent, sizeof box[b].extent);
    cells += cells_in(set->extent);
  }
  RIND_REQUIRE(transposed->context, cells == from.header[RIND_SHIPMENT_CELLS], RIND_ERROR_INTERNAL,
               "rank %d announces %lld ghosts and ships %lld", peer_rank,
               (long long)from.header[RIND_SHIPMENT_CELLS], (long long)cells);
  return RIND_OK;
}
