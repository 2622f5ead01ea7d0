/* places.c - finds where particles belong, and brings them there. */
#include <courier.h>
#include <particles_data.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A particle that belongs to another rank. */
typedef struct leaving {
  int32_t rank;
  int64_t index;
} leaving;

static void position_of(const rind_particles *set, const rind_particle_arrays *given, int64_t i,
                        double x[3]) {
  x[2] = 0.0;
  for (int a = 0; a < set->dim; ++a)
    x[a] = rind_locator_wrap(&set->locator, a, given->position[a][i]);
}

static rind_error refuse(const rind_particles *set, const rind_particle_arrays *given, int64_t i,
                         rind_nowhere why) {
  static const char *const text[] = {
      "", "finite it must be", "inside the domain it must be",
      "nearer to the periodic domain it must be, for its place in it to be known"};
  const double z = set->dim == 3 ? given->position[2][i] : 0.0;
  char third[40] = "";
  if (set->dim == 3) snprintf(third, sizeof third, ", %.17g", z);
  return rind_context_fail(set->context, RIND_ERROR_INVALID,
                           "particle %" PRId64 " lies at (%.17g, %.17g%s): %s", given->id[i],
                           given->position[0][i], given->position[1][i], third, text[why]);
}

/* guess: a block that may hold it, as that of the particle before does where they are sorted. */
static rind_nowhere find(const rind_particles *set, const rind_particle_arrays *given, int64_t i,
                         int32_t guess, int32_t *block, int64_t *num_wrapped) {
  double x[3];
  bool moved = false;
  position_of(set, given, i, x);
  for (int a = 0; a < set->dim; ++a)
    moved = moved || x[a] != given->position[a][i];
  *num_wrapped += moved;
  *block = -1;
  if (guess >= 0 && rind_locator_holds(&set->locator, guess, x)) {
    *block = guess;
    return RIND_SOMEWHERE;
  }
  return rind_locator_find(&set->locator, x, block);
}

static rind_error check_ids(const rind_particles *set, const rind_particle_arrays *given) {
  for (int64_t i = 0; i < given->count; ++i)
    RIND_REQUIRE(set->context, given->id[i] >= 0, RIND_ERROR_INVALID,
                 "particle %" PRId64 " of rank %d has id %" PRId64 ": at least 0 it must be", i,
                 set->context->rank, given->id[i]);
  return RIND_OK;
}

static rind_error locate(const rind_particles *set, const rind_particle_arrays *given,
                         rind_arrivals *made) {
  made->given_block = malloc(((size_t)given->count + 1) * sizeof *made->given_block);
  RIND_REQUIRE(set->context, made->given_block, RIND_ERROR_MEMORY,
               "no memory for the blocks of %" PRId64 " particles", given->count);
  int32_t *block = made->given_block;
  int64_t bad = given->count, wrapped = 0;
  int32_t guess = -1;
#pragma omp parallel for num_threads(set->context->threads) schedule(static)                       \
    firstprivate(guess) reduction(+ : wrapped) reduction(min : bad)
  for (int64_t i = 0; i < given->count; ++i) {
    if (find(set, given, i, guess, &block[i], &wrapped) != RIND_SOMEWHERE) bad = i < bad ? i : bad;
    guess = block[i];
  }
  if (bad < given->count)
    return refuse(set, given, bad, find(set, given, bad, -1, &block[bad], &wrapped));
  made->num_wrapped = wrapped;
  return RIND_OK;
}

static int compare_leaving(const void *one, const void *other) {
  const leaving *a = one, *b = other;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

/* What of this rank goes where: lists to be freed, on errors too. */
typedef struct departure {
  int64_t count;
  leaving *list;
  int32_t *peer_rank;
  int64_t *first;
  char *records;
  int num_peers;
} departure;

static void write_record(const rind_particles *set, const rind_particle_arrays *given, int64_t i,
                         char *record) {
  for (int a = 0; a < set->dim; ++a, record += sizeof(double)) {
    const double x = rind_locator_wrap(&set->locator, a, given->position[a][i]);
    memcpy(record, &x, sizeof x);
  }
  memcpy(record, &given->id[i], sizeof *given->id);
  record += sizeof *given->id;
  for (int k = 0; k < set->num_attributes; ++k, record += sizeof(double))
    memcpy(record, &given->attribute[k][i], sizeof(double));
}

static rind_error pack(const rind_particles *set, const rind_particle_arrays *given,
                       const int32_t *block, departure *out) {
  for (int64_t i = 0; i < given->count; ++i)
    out->count += block[i] < 0;
  const size_t bytes = rind_record_bytes(set), n = (size_t)out->count;
  out->list = malloc((n + 1) * sizeof *out->list);
  out->records = n < SIZE_MAX / bytes - 1 ? malloc((n + 1) * bytes) : NULL;
  RIND_REQUIRE(set->context, out->list && out->records, RIND_ERROR_MEMORY,
               "no memory for %" PRId64 " particles that leave", out->count);
  int64_t at = 0;
  bool sorted = true;
  for (int64_t i = 0; i < given->count; ++i) {
    if (block[i] >= 0) continue;
    out->list[at] = (leaving){.rank = -1 - block[i], .index = i};
    sorted = sorted && (at == 0 || out->list[at - 1].rank <= out->list[at].rank);
    ++at;
  }
  if (!sorted) qsort(out->list, n, sizeof *out->list, compare_leaving);
  for (int64_t i = 0; i < out->count; ++i)
    out->num_peers += i == 0 || out->list[i].rank != out->list[i - 1].rank;
  out->peer_rank = rind_allocate((size_t)out->num_peers, sizeof *out->peer_rank);
  out->first = rind_allocate((size_t)out->num_peers + 1, sizeof *out->first);
  RIND_REQUIRE(set->context, out->peer_rank && out->first, RIND_ERROR_MEMORY,
               "no memory for %d peers", out->num_peers);
  int peer = 0;
  for (int64_t i = 0; i < out->count; ++i) {
    if (i == 0 || out->list[i].rank != out->list[i - 1].rank) {
      out->first[peer] = i;
      out->peer_rank[peer++] = out->list[i].rank;
    }
    write_record(set, given, out->list[i].index, out->records + (size_t)i * bytes);
  }
  out->first[peer] = out->count;
  return RIND_OK;
}

/* Where the records that came belong. */
static rind_error locate_records(const rind_particles *set, rind_arrivals *made) {
  made->record_block = malloc(((size_t)made->num_records + 1) * sizeof *made->record_block);
  RIND_REQUIRE(set->context, made->record_block, RIND_ERROR_MEMORY,
               "no memory for the blocks of %" PRId64 " particles", made->num_records);
  for (int64_t i = 0; i < made->num_records; ++i) {
    double x[3] = {0};
    memcpy(x, made->records + (size_t)i * made->record_bytes, (size_t)set->dim * sizeof *x);
    const rind_nowhere why = rind_locator_find(&set->locator, x, &made->record_block[i]);
    RIND_REQUIRE(set->context, why == RIND_SOMEWHERE && made->record_block[i] >= 0,
                 RIND_ERROR_INTERNAL, "a particle at (%.17g, %.17g, %.17g) came to the wrong rank",
                 x[0], x[1], x[2]);
  }
  return RIND_OK;
}

rind_error rind_particles_place(const rind_particles *particles, const rind_particle_arrays *given,
                                rind_arrivals *arrivals) {
  rind_context *context = particles->context;
  rind_arrivals made = {.given = *given, .record_bytes = rind_record_bytes(particles)};
  departure out = {.count = 0};
  rind_error error = check_ids(particles, given);
  if (error == RIND_OK) error = locate(particles, given, &made);
  if (error == RIND_OK) error = pack(particles, given, made.given_block, &out);
  error = rind_context_agree(context, error);
  if (error == RIND_OK && context->size > 1) {
    const rind_outgoing outgoing = {.record_bytes = made.record_bytes,
                                    .num_peers = out.num_peers,
                                    .peer_rank = out.peer_rank,
                                    .first = out.first,
                                    .records = out.records};
    void *records = NULL;
    error = rind_courier_deliver(context, &outgoing, &records, &made.num_records);
    made.records = records;
    made.num_sent = out.count;
  }
  free(out.list);
  free(out.records);
  free(out.peer_rank);
  free(out.first);
  if (error == RIND_OK) error = rind_context_agree(context, locate_records(particles, &made));
  if (error == RIND_OK)
    *arrivals = made;
  else
    rind_arrivals_free(&made);
  return error;
}

void rind_arrivals_free(rind_arrivals *arrivals) {
  free(arrivals->given_block);
  free(arrivals->records);
  free(arrivals->record_block);
  memset(arrivals, 0, sizeof *arrivals);
}
