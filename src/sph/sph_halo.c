/* sph_halo.c - finds what touches blocks of other ranks, sends and receives it. */
#include <sph_halo.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <mail.h>

/* Positions may be off their blocks by rounding. */
static const double slack = 1e-9;

void rind_sph_halo_destroy(rind_sph_halo *halo) {
  free(halo->peer_rank);
  free(halo->border);
  free(halo->first_sent);
  free(halo->sent);
  free(halo->first_received);
  for (int a = 0; a < 3; ++a)
    free(halo->position[a]);
  free(halo->id);
  memset(halo, 0, sizeof *halo);
}

static rind_error check_forest(const rind_sph_halo *halo, const rind_forest_arrays *arrays) {
  RIND_REQUIRE(halo->context, arrays->balance == RIND_BALANCE_FULL, RIND_ERROR_UNSUPPORTED,
               "the forest is balanced over faces only: neighbours over corners are not known");
  for (int b = 0; b < arrays->num_local; ++b)
    for (int a = 0; a < halo->dim; ++a)
      RIND_REQUIRE(halo->context, arrays->block[b].side[a] >= halo->reach, RIND_ERROR_INVALID,
                   "block %lld has sides of %g along axis %d: 2 h, %g, may be no longer",
                   (long long)arrays->block[b].global, arrays->block[b].side[a], a, halo->reach);
  return RIND_OK;
}

static int compare_ranks(const void *one, const void *other) {
  const int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
  return (a > b) - (a < b);
}

static int compare_borders(const void *one, const void *other) {
  const rind_sph_border *a = one, *b = other;
  if (a->peer != b->peer) return a->peer < b->peer ? -1 : 1;
  return (a->block > b->block) - (a->block < b->block);
}

/* The ranks of remote blocks, each once. */
static rind_error find_peers(const rind_forest_arrays *arrays, rind_sph_halo *halo) {
  halo->peer_rank = rind_allocate((size_t)arrays->num_remote, sizeof *halo->peer_rank);
  RIND_REQUIRE(halo->context, halo->peer_rank, RIND_ERROR_MEMORY, "no memory for %d peers",
               arrays->num_remote);
  for (int r = 0; r < arrays->num_remote; ++r)
    halo->peer_rank[r] = arrays->block[arrays->num_local + r].owner;
  if (arrays->num_remote > 0)
    qsort(halo->peer_rank, (size_t)arrays->num_remote, sizeof *halo->peer_rank, compare_ranks);
  for (int r = 0; r < arrays->num_remote; ++r)
    if (r == 0 || halo->peer_rank[r] != halo->peer_rank[halo->num_peers - 1])
      halo->peer_rank[halo->num_peers++] = halo->peer_rank[r];
  halo->first_sent = rind_allocate((size_t)halo->num_peers + 1, sizeof *halo->first_sent);
  halo->first_received = rind_allocate((size_t)halo->num_peers + 1, sizeof *halo->first_received);
  RIND_REQUIRE(halo->context, halo->first_sent && halo->first_received, RIND_ERROR_MEMORY,
               "no memory for %d peers", halo->num_peers);
  return RIND_OK;
}

static rind_sph_border border_of(const rind_sph_halo *halo, const rind_forest_arrays *arrays,
                                 int block, const rind_link *link) {
  const int32_t owner = arrays->block[link->neighbour].owner;
  const int32_t *peer = bsearch(&owner, halo->peer_rank, (size_t)halo->num_peers,
                                sizeof *halo->peer_rank, compare_ranks);
  rind_sph_border border = {.block = block, .peer = (int32_t)(peer - halo->peer_rank)};
  /* Half sides of this block: 4 for a coarser neighbour, 2, 1. */
  const int halves = link->relation < 0 ? 4 : link->relation > 0 ? 1 : 2;
  for (int a = 0; a < halo->dim; ++a) {
    const double half = 0.5 * arrays->block[block].side[a];
    border.lower[a] = arrays->block[block].lower[a] + half * link->origin[a];
    border.upper[a] = border.lower[a] + half * halves;
  }
  return border;
}

static rind_error find_borders(const rind_forest_arrays *arrays, rind_sph_halo *halo) {
  int num = 0;
  const int num_links = arrays->first_link[arrays->num_local];
  for (int k = 0; k < num_links; ++k)
    num += arrays->link[k].neighbour >= arrays->num_local;
  halo->border = rind_allocate((size_t)num, sizeof *halo->border);
  RIND_REQUIRE(halo->context, halo->border, RIND_ERROR_MEMORY, "no memory for %d borders", num);
  for (int b = 0; b < arrays->num_local; ++b)
    for (int k = arrays->first_link[b]; k < arrays->first_link[b + 1]; ++k)
      if (arrays->link[k].neighbour >= arrays->num_local)
        halo->border[halo->num_borders++] = border_of(halo, arrays, b, &arrays->link[k]);
  if (num > 0) qsort(halo->border, (size_t)num, sizeof *halo->border, compare_borders);
  return RIND_OK;
}

rind_error rind_sph_halo_create(const rind_particles *particles, double h, rind_sph_halo *halo) {
  const rind_forest *forest = rind_particles_forest(particles);
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  halo->context = rind_forest_context(forest);
  halo->dim = arrays->dim;
  halo->reach = 2 * h;
  halo->revision = rind_forest_revision(forest);
  rind_error error = check_forest(halo, arrays);
  if (error == RIND_OK) error = find_peers(arrays, halo);
  if (error == RIND_OK) error = find_borders(arrays, halo);
  error = rind_context_agree(halo->context, error);
  if (error == RIND_OK)
    error = rind_context_agree(
        halo->context, rind_mail_check_mutual(halo->context, halo->num_peers, halo->peer_rank));
  if (error != RIND_OK) rind_sph_halo_destroy(halo);
  return error;
}

/* Whether a particle is within the reach of a border's box. */
static bool is_near(const rind_sph_halo *halo, const rind_sph_border *border,
                    const double *const position[3], int64_t i) {
  double square = 0;
  for (int a = 0; a < halo->dim; ++a) {
    const double x = position[a][i];
    const double off = x < border->lower[a]   ? border->lower[a] - x
                       : x > border->upper[a] ? x - border->upper[a]
                                              : 0;
    square += off * off;
  }
  return square <= halo->reach * halo->reach * (1 + slack);
}

/* The particles of one block that a peer sees, over all its borders [first, last). */
static int64_t select_block(const rind_sph_halo *halo, const rind_particles *particles, int first,
                            int last, int32_t *to) {
  const int64_t *first_in_block = rind_particles_first_in_block(particles);
  const double *const position[3] = {rind_particles_position(particles, 0),
                                     rind_particles_position(particles, 1),
                                     rind_particles_position(particles, 2)};
  const int block = halo->border[first].block;
  int64_t num = 0;
  for (int64_t i = first_in_block[block]; i < first_in_block[block + 1]; ++i) {
    bool near = false;
    for (int k = first; k < last && !near; ++k)
      near = is_near(halo, &halo->border[k], position, i);
    if (near && to) to[num] = (int32_t)i;
    num += near;
  }
  return num;
}

/* Counts, with to NULL, or lists what goes to each peer. */
static void select_all(rind_sph_halo *halo, const rind_particles *particles, int32_t *to) {
  int64_t num = 0;
  int peer = 0;
  for (int first = 0, last; first < halo->num_borders; first = last) {
    const rind_sph_border *border = &halo->border[first];
    for (last = first; last < halo->num_borders && halo->border[last].peer == border->peer &&
                       halo->border[last].block == border->block;)
      ++last;
    for (; peer <= border->peer; ++peer)
      halo->first_sent[peer] = num;
    num += select_block(halo, particles, first, last, to ? to + num : NULL);
  }
  for (; peer <= halo->num_peers; ++peer)
    halo->first_sent[peer] = num;
}

static rind_error select_sent(rind_sph_halo *halo, const rind_particles *particles) {
  RIND_REQUIRE(halo->context, rind_particles_count(particles) <= INT32_MAX, RIND_ERROR_OVERFLOW,
               "%lld particles on one rank: at most %d", (long long)rind_particles_count(particles),
               INT32_MAX);
  select_all(halo, particles, NULL);
  const int64_t num = halo->first_sent[halo->num_peers];
  if (num > halo->sent_room) {
    int32_t *sent = realloc(halo->sent, (size_t)num * sizeof *sent);
    RIND_REQUIRE(halo->context, sent, RIND_ERROR_MEMORY, "no memory to send %lld particles",
                 (long long)num);
    halo->sent = sent;
    halo->sent_room = num;
  }
  select_all(halo, particles, halo->sent);
  return RIND_OK;
}

/* Letters to all peers of records of so many bytes a particle. */
static rind_error make_letters(const rind_sph_halo *halo, size_t record, rind_letter **out,
                               rind_letter **in) {
  const size_t num_peers = (size_t)halo->num_peers;
  *out = rind_allocate(num_peers, sizeof **out);
  *in = rind_allocate(num_peers, sizeof **in);
  RIND_REQUIRE(halo->context, *out && *in, RIND_ERROR_MEMORY, "no memory for %zu letters",
               num_peers);
  for (size_t p = 0; p < num_peers; ++p) {
    const size_t num = (size_t)(halo->first_sent[p + 1] - halo->first_sent[p]);
    (*out)[p].data = rind_allocate(num, record);
    RIND_REQUIRE(halo->context, (*out)[p].data, RIND_ERROR_MEMORY,
                 "no memory for a letter of %zu particles", num);
    (*out)[p].bytes = num * record;
  }
  return RIND_OK;
}

static void free_letters(const rind_sph_halo *halo, rind_letter *out, rind_letter *in) {
  for (int p = 0; p < halo->num_peers; ++p) {
    if (out) free(out[p].data);
    if (in) free(in[p].data);
  }
  free(out);
  free(in);
}

/* The letters of particles: id, then the position. */
static void write_particles(const rind_sph_halo *halo, const rind_particles *particles,
                            const rind_letter *out) {
  const int64_t *id = rind_particles_id(particles);
  for (int p = 0; p < halo->num_peers; ++p) {
    char *to = out[p].data;
    for (int64_t k = halo->first_sent[p]; k < halo->first_sent[p + 1]; ++k) {
      memcpy(to, &id[halo->sent[k]], sizeof *id);
      to += sizeof *id;
      for (int a = 0; a < halo->dim; ++a, to += sizeof(double))
        memcpy(to, &rind_particles_position(particles, a)[halo->sent[k]], sizeof(double));
    }
  }
}

static bool grow(void **data, size_t bytes) {
  void *grown = realloc(*data, bytes > 0 ? bytes : 1);
  if (grown) *data = grown;
  return grown != NULL;
}

static rind_error read_particles(rind_sph_halo *halo, const rind_particles *particles,
                                 size_t record, const rind_letter *in) {
  const int64_t own = rind_particles_count(particles);
  for (int p = 0; p < halo->num_peers; ++p)
    halo->first_received[p + 1] = halo->first_received[p] + (int64_t)(in[p].bytes / record);
  halo->count = halo->first_received[halo->num_peers];
  const size_t count = (size_t)halo->count;
  bool room = grow((void **)&halo->id, ((size_t)own + count) * sizeof *halo->id);
  for (int a = 0; a < halo->dim && room; ++a)
    room = grow((void **)&halo->position[a], count * sizeof(double));
  RIND_REQUIRE(halo->context, room && own + halo->count <= INT32_MAX / 9 * 8 - 16,
               RIND_ERROR_MEMORY, "no memory for %lld particles and %lld of other ranks",
               (long long)own, (long long)halo->count);
  if (own > 0) memcpy(halo->id, rind_particles_id(particles), (size_t)own * sizeof *halo->id);
  for (int p = 0; p < halo->num_peers; ++p) {
    const char *from = in[p].data;
    for (int64_t k = halo->first_received[p]; k < halo->first_received[p + 1]; ++k) {
      memcpy(&halo->id[own + k], from, sizeof *halo->id);
      from += sizeof *halo->id;
      for (int a = 0; a < halo->dim; ++a, from += sizeof(double))
        memcpy(&halo->position[a][k], from, sizeof(double));
    }
  }
  return RIND_OK;
}

rind_error rind_sph_halo_update(rind_sph_halo *halo, const rind_particles *particles) {
  const size_t record = sizeof(int64_t) + (size_t)halo->dim * sizeof(double);
  rind_letter *out = NULL, *in = NULL;
  rind_error error = select_sent(halo, particles);
  if (error == RIND_OK) error = make_letters(halo, record, &out, &in);
  error = rind_context_agree(halo->context, error);
  if (error == RIND_OK) {
    write_particles(halo, particles, out);
    error = rind_mail_exchange(halo->context, halo->num_peers, halo->peer_rank,
                               rind_context_next_tag(halo->context), out, in);
  }
  if (error == RIND_OK)
    error = rind_context_agree(halo->context, read_particles(halo, particles, record, in));
  free_letters(halo, out, in);
  return error;
}

rind_error rind_sph_halo_densities(rind_sph_halo *halo, int64_t own, double *density) {
  rind_letter *out = NULL, *in = NULL;
  rind_error error =
      rind_context_agree(halo->context, make_letters(halo, sizeof *density, &out, &in));
  if (error == RIND_OK) {
    for (int p = 0; p < halo->num_peers; ++p)
      for (int64_t k = halo->first_sent[p]; k < halo->first_sent[p + 1]; ++k)
        ((double *)out[p].data)[k - halo->first_sent[p]] = density[halo->sent[k]];
    error = rind_mail_exchange(halo->context, halo->num_peers, halo->peer_rank,
                               rind_context_next_tag(halo->context), out, in);
  }
  for (int p = 0; p < halo->num_peers && error == RIND_OK; ++p)
    if (in[p].bytes > 0) memcpy(density + own + halo->first_received[p], in[p].data, in[p].bytes);
  free_letters(halo, out, in);
  return error;
}
