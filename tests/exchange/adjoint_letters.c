/* adjoint_letters.c - letters about ghosts that come in damaged: word by word they are refused, or
 * mean something else that stays inside the blocks. */
#include <adjoint_naive.h>
#include <check.h>
#include <shipment_letter.h>
#include <transpose.h>

#include <limits.h>
#include <string.h>

/* Room for what one letter brings, twice as much for those that lie. */
static void copy_with_room(const rind_schedule *from, rind_schedule *to) {
  *to = *from;
  const size_t sets = 2 * (size_t)from->num_sets, patterns = 2 * (size_t)from->num_patterns,
               terms = 2 * (size_t)from->num_terms;
  to->set = calloc(sets + 1, sizeof *to->set);
  to->pattern = calloc(patterns + 1, sizeof *to->pattern);
  to->term = calloc(terms + 1, sizeof *to->term);
  memcpy(to->set, from->set, (size_t)from->num_sets * sizeof *to->set);
  memcpy(to->pattern, from->pattern, (size_t)from->num_patterns * sizeof *to->pattern);
  memcpy(to->term, from->term, (size_t)from->num_terms * sizeof *to->term);
}

static void forget(const rind_schedule *before, rind_schedule *after) {
  after->num_sets = before->num_sets;
  after->num_patterns = before->num_patterns;
  after->num_terms = before->num_terms;
}

static rind_error read_letter(const rind_schedule *before, rind_schedule *after,
                              const rind_letter *letter, rind_order *box,
                              rind_contribution *contribution) {
  const int64_t *header = NULL;
  const rind_error error = rind_shipment_open(before->context, 0, letter, &header);
  if (error != RIND_OK) return error;
  forget(before, after);
  return rind_shipment_read(after, 0, letter, box, contribution);
}

static bool same_pattern(const rind_schedule *a, const rind_pattern *pa, const rind_schedule *b,
                         const rind_pattern *pb) {
  if (memcmp(pa->extent, pb->extent, sizeof pa->extent) != 0 ||
      memcmp(pa->origin, pb->origin, sizeof pa->origin) != 0 ||
      memcmp(pa->step, pb->step, sizeof pa->step) != 0 || pa->num_terms != pb->num_terms ||
      memcmp(&pa->slot[1], &pb->slot[1], sizeof pa->slot[1]) != 0)
    return false;
  for (int t = 0; t < pa->num_terms; ++t) {
    const rind_pattern_term *ta = &a->term[pa->first_term + t], *tb = &b->term[pb->first_term + t];
    if (ta->slot != tb->slot || ta->weight != tb->weight ||
        memcmp(ta->origin, tb->origin, sizeof ta->origin) != 0)
      return false;
  }
  return true;
}

/* What has been read is what was written. */
static void check_whole(const rind_schedule *before, const rind_schedule *after, const int32_t *run,
                        int num_runs, const rind_order *box,
                        const rind_contribution *contribution) {
  const rind_block *block = rind_forest_get_arrays(before->forest)->block;
  int wrong = 0;
  for (int r = 0; r < num_runs; ++r) {
    const rind_run_data *from = &before->run[run[r]];
    const rind_row_set *a = &before->set[from->set], *b = &after->set[contribution[r].set];
    wrong += contribution[r].block != from->block || !contribution[r].shipped ||
             contribution[r].from != block[from->source].global ||
             contribution[r].region != a->region || a->count != b->count ||
             memcmp(box[r].origin, a->origin, sizeof a->origin) != 0 ||
             memcmp(box[r].extent, a->extent, sizeof a->extent) != 0;
    for (int p = 0; p < a->count && p < b->count; ++p)
      wrong += !same_pattern(before, &before->pattern[a->first + p], after,
                             &after->pattern[b->first + p]);
  }
  CHECK(wrong == 0, "%d of %d runs or their rows are read as others", wrong, num_runs);
}

/* Every word of the letter, changed in some ways. */
static void check_damage(const rind_schedule *before, rind_schedule *after, rind_letter *letter,
                         rind_order *box, rind_contribution *contribution) {
  static const int32_t changes[] = {0, -1, 1, 7, 1000, INT_MAX, INT_MIN};
  int32_t *word = letter->data;
  long refused = 0, read = 0, other = 0;
  for (size_t w = 0; w < letter->bytes / sizeof *word; ++w) {
    const int32_t whole = word[w];
    for (size_t c = 0; c < sizeof changes / sizeof *changes; ++c) {
      word[w] = changes[c];
      const rind_error error = read_letter(before, after, letter, box, contribution);
      refused += error == RIND_ERROR_INTERNAL || error == RIND_ERROR_OVERFLOW;
      read += error == RIND_OK;
      other += error != RIND_OK && error != RIND_ERROR_INTERNAL && error != RIND_ERROR_OVERFLOW;
    }
    word[w] = whole;
  }
  CHECK(refused > read && read > 0 && other == 0, "%ld refused, %ld read, %ld other errors",
        refused, read, other);
  letter->bytes -= 8;
  CHECK_ERROR(read_letter(before, after, letter, box, contribution), RIND_ERROR_INTERNAL,
              before->context);
  const size_t bytes = letter->bytes;
  letter->bytes = 8;
  CHECK_ERROR(read_letter(before, after, letter, box, contribution), RIND_ERROR_INTERNAL,
              before->context);
  letter->bytes = bytes + 8;
  CHECK_OK(read_letter(before, after, letter, box, contribution), before->context);
}

/* A rank writes to itself what its blocks contribute to each other. */
static void check_scene(int number) {
  static const rind_rules rules = {.restriction = RIND_RESTRICTION_FLUX_MATCHED};
  scene s;
  rind_schedule *transposed = NULL, after;
  scene_create(MPI_COMM_SELF, number, 1, &rules, &s);
  CHECK_OK(rind_schedule_transpose(s.schedule, 0, RIND_TRANSPOSE_MERGED, &transposed), s.context);
  int32_t *run = calloc((size_t)transposed->num_runs + 1, sizeof *run);
  int32_t *place = calloc((size_t)transposed->num_sets + 1, sizeof *place);
  int num_runs = 0, phase = 0;
  while (transposed->phase[phase].kind != RIND_PHASE_BLOCKS)
    ++phase;
  for (int r = transposed->first_run[phase]; r < transposed->first_run[phase + 1]; ++r)
    run[num_runs++] = r;
  for (int i = 0; i < transposed->num_sets; ++i)
    place[i] = -1;
  rind_letter letter = {0};
  CHECK_OK(rind_shipment_write(transposed, run, num_runs, 0, place, &letter), s.context);
  rind_order *box = calloc((size_t)num_runs + 1, sizeof *box);
  rind_contribution *contribution = calloc((size_t)num_runs + 1, sizeof *contribution);
  copy_with_room(transposed, &after);
  CHECK_OK(read_letter(transposed, &after, &letter, box, contribution), s.context);
  check_whole(transposed, &after, run, num_runs, box, contribution);
  check_damage(transposed, &after, &letter, box, contribution);
  CHECK_OK(read_letter(transposed, &after, &letter, box, contribution), s.context);
  check_whole(transposed, &after, run, num_runs, box, contribution);
  free(letter.data);
  free(after.set);
  free(after.pattern);
  free(after.term);
  free(box);
  free(contribution);
  free(run);
  free(place);
  rind_schedule_destroy(&transposed);
  scene_destroy(&s);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  check_scene(0);
  check_scene(3);
  return check_end();
}
