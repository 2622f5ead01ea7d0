/* bench_messages.c - three ways to send the messages of a fill: persistent requests, requests made
 * anew, and one neighbourhood collective. Bytes alone: nothing is packed or filled. */
#include <bench_case.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERSISTENT, ANEW, NEIGHBOURHOOD, NUM_WAYS, TAG = 1 };

/* The peers of this rank; what each is sent is what its rows read, a value a source cell. */
typedef struct traffic {
  MPI_Comm comm; /* of a distributed graph of the peers */
  int num_peers;
  int *peer;                                                    /* [num_peers], ranks */
  int *send_bytes, *receive_bytes, *send_first, *receive_first; /* [num_peers] */
  char *send, *receive;
  MPI_Request *request; /* [2 * num_peers], receives first */
} traffic;

static void list_peers(const rind_forest_arrays *arrays, traffic *t) {
  for (int b = arrays->num_local; b < arrays->num_local + arrays->num_remote; ++b) {
    int p = 0;
    while (p < t->num_peers && t->peer[p] != arrays->block[b].owner)
      ++p;
    t->peer[p] = arrays->block[b].owner;
    if (p == t->num_peers) ++t->num_peers;
  }
}

/* What this rank's fills read of each peer: a value a ghost. False if ints do not count it. */
static bool count_bytes(const bench_case *c, int value_bytes, traffic *t) {
  int64_t total = 0;
  const rind_forest_arrays *arrays = rind_forest_get_arrays(c->forest);
  for (int f = 0; f < rind_schedule_num_fills(c->schedule); ++f) {
    rind_fill_view view;
    rind_term_view term;
    rind_schedule_fill(c->schedule, f, &view);
    for (int i = 0; i < view.num_terms; ++i) {
      rind_schedule_term(c->schedule, f, i, &term);
      if (term.block < arrays->num_local) continue;
      int p = 0;
      while (t->peer[p] != arrays->block[term.block].owner)
        ++p;
      const int64_t values = (int64_t)view.extent[0] * view.extent[1] * view.extent[2];
      total += values * value_bytes;
      if (total > INT_MAX) return false;
      t->receive_bytes[p] += (int)(values * value_bytes);
      break;
    }
  }
  return true;
}

static bool allocate_peers(int most, traffic *t) {
  const size_t room = (size_t)most + 1;
  t->peer = calloc(room, sizeof *t->peer);
  t->send_bytes = calloc(room, sizeof *t->send_bytes);
  t->receive_bytes = calloc(room, sizeof *t->receive_bytes);
  t->send_first = calloc(room, sizeof *t->send_first);
  t->receive_first = calloc(room, sizeof *t->receive_first);
  t->request = calloc(2 * room, sizeof *t->request);
  return t->peer && t->send_bytes && t->receive_bytes && t->send_first && t->receive_first &&
         t->request;
}

static rind_error too_much(rind_context *context) {
  return rind_context_fail(context, RIND_ERROR_OVERFLOW,
                           "the messages of a rank exceed %d bytes: ask for fewer components or "
                           "cells",
                           INT_MAX);
}

/* Each peer says what it wants. */
static rind_error agree_on_bytes(rind_context *context, traffic *t) {
  const MPI_Comm comm = rind_context_comm(context);
  int n = t->num_peers;
  for (int p = 0; p < n; ++p)
    MPI_Irecv(&t->send_bytes[p], 1, MPI_INT, t->peer[p], TAG, comm, &t->request[p]);
  for (int p = 0; p < n; ++p)
    MPI_Isend(&t->receive_bytes[p], 1, MPI_INT, t->peer[p], TAG, comm, &t->request[n + p]);
  MPI_Waitall(2 * n, t->request, MPI_STATUSES_IGNORE);
  size_t send = 1, receive = 1;
  for (int p = 0; p < n; ++p) {
    if (send + (size_t)t->send_bytes[p] > INT_MAX) return too_much(context);
    t->send_first[p] = (int)send - 1, t->receive_first[p] = (int)receive - 1;
    send += (size_t)t->send_bytes[p], receive += (size_t)t->receive_bytes[p];
  }
  t->send = calloc(send, 1);
  t->receive = calloc(receive, 1);
  if (t->send && t->receive) return RIND_OK;
  return rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for messages");
}

static rind_error make_traffic(rind_context *context, const bench_options *options,
                               const bench_case *c, traffic *t) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(c->forest);
  const MPI_Comm comm = rind_context_comm(context);
  const int value_bytes = options->layout.components * (int)rind_type_bytes(options->layout.type);
  rind_error error = RIND_OK;
  bool made = allocate_peers(arrays->num_remote, t);
  if (made) {
    list_peers(arrays, t);
    if (!count_bytes(c, value_bytes, t)) error = too_much(context);
  } else {
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for peers");
  }
  error = rind_context_agree(context, error);
  if (error != RIND_OK) return error;
  error = rind_context_agree(context, agree_on_bytes(context, t));
  if (error != RIND_OK) return error;
  MPI_Dist_graph_create_adjacent(comm, t->num_peers, t->peer, t->receive_bytes, t->num_peers,
                                 t->peer, t->send_bytes, MPI_INFO_NULL, 0, &t->comm);
  return RIND_OK;
}

static void destroy_traffic(traffic *t) {
  if (t->comm != MPI_COMM_NULL) MPI_Comm_free(&t->comm);
  free(t->peer);
  free(t->send_bytes);
  free(t->receive_bytes);
  free(t->send_first);
  free(t->receive_first);
  free(t->request);
  free(t->send);
  free(t->receive);
}

static void make_persistent(traffic *t) {
  for (int p = 0; p < t->num_peers; ++p) {
    MPI_Recv_init(t->receive + t->receive_first[p], t->receive_bytes[p], MPI_BYTE, t->peer[p], TAG,
                  t->comm, &t->request[p]);
    MPI_Send_init(t->send + t->send_first[p], t->send_bytes[p], MPI_BYTE, t->peer[p], TAG, t->comm,
                  &t->request[t->num_peers + p]);
  }
}

static rind_error run_persistent(void *what) {
  traffic *t = what;
  MPI_Startall(2 * t->num_peers, t->request);
  MPI_Waitall(2 * t->num_peers, t->request, MPI_STATUSES_IGNORE);
  return RIND_OK;
}

static rind_error run_anew(void *what) {
  traffic *t = what;
  MPI_Request *request = t->request;
  for (int p = 0; p < t->num_peers; ++p)
    MPI_Irecv(t->receive + t->receive_first[p], t->receive_bytes[p], MPI_BYTE, t->peer[p], TAG,
              t->comm, &request[p]);
  for (int p = 0; p < t->num_peers; ++p)
    MPI_Isend(t->send + t->send_first[p], t->send_bytes[p], MPI_BYTE, t->peer[p], TAG, t->comm,
              &request[t->num_peers + p]);
  MPI_Waitall(2 * t->num_peers, request, MPI_STATUSES_IGNORE);
  return RIND_OK;
}

static rind_error run_neighbourhood(void *what) {
  traffic *t = what;
  MPI_Request request;
  MPI_Ineighbor_alltoallv(t->send, t->send_bytes, t->send_first, MPI_BYTE, t->receive,
                          t->receive_bytes, t->receive_first, MPI_BYTE, t->comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return RIND_OK;
}

static void print(const rind_context *context, const bench_options *options,
                  const bench_variant *ways, const int64_t most[2]) {
  static const char *const names[NUM_WAYS] = {"persistent requests", "requests made anew",
                                              "neighbourhood collective"};
  if (options->json) {
    printf("{\"bench\": \"messages\", \"forest\": \"%s\", \"ranks\": %d, \"messages\": %lld, "
           "\"bytes_sent\": %lld",
           bench_names[options->forest.name], rind_context_size(context), (long long)most[0],
           (long long)most[1]);
    bench_print_time("us_persistent", &ways[PERSISTENT]);
    bench_print_time("us_anew", &ways[ANEW]);
    bench_print_time("us_neighbourhood", &ways[NEIGHBOURHOOD]);
    printf("}\n");
    return;
  }
  printf("forest %s on %d ranks: at most %lld messages and %lld bytes sent by a rank\n",
         bench_names[options->forest.name], rind_context_size(context), (long long)most[0],
         (long long)most[1]);
  printf("%-34s %12s %12s %12s\n", "", "median us", "min us", "p90 us");
  for (int w = 0; w < NUM_WAYS; ++w)
    printf("%-34s %12.2f %12.2f %12.2f\n", names[w], ways[w].timing.median, ways[w].timing.min,
           ways[w].timing.p90);
}

/* The ways are timed in turn; each has requests of its own. */
static rind_error measure(rind_context *context, const bench_options *options, traffic *t) {
  traffic anew = *t;
  MPI_Request *requests = calloc(2 * (size_t)t->num_peers + 1, sizeof *requests);
  rind_error error = RIND_OK;
  if (!requests) error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for requests");
  error = rind_context_agree(context, error);
  if (error == RIND_OK) {
    anew.request = requests;
    make_persistent(t);
    bench_variant ways[NUM_WAYS] = {[PERSISTENT] = {.call = run_persistent, .what = t},
                                    [ANEW] = {.call = run_anew, .what = &anew},
                                    [NEIGHBOURHOOD] = {.call = run_neighbourhood, .what = &anew}};
    error = bench_time(context, ways, NUM_WAYS, options->repeats, options->sample_us);
    int64_t most[2] = {t->num_peers, 0};
    for (int p = 0; p < t->num_peers; ++p)
      most[1] += t->send_bytes[p];
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, rind_context_comm(context));
    for (int r = 0; r < 2 * t->num_peers; ++r)
      MPI_Request_free(&t->request[r]);
    if (error == RIND_OK && rind_context_rank(context) == 0) print(context, options, ways, most);
  }
  free(requests);
  return error;
}

rind_error bench_messages(rind_context *context, bench_options *options) {
  bench_case c = {0};
  traffic t = {.comm = MPI_COMM_NULL};
  rind_error error = bench_forest_create(context, &options->forest, &c.forest);
  if (error == RIND_OK)
    error = rind_schedule_create(c.forest, options->forest.cells, options->layout.ghosts,
                                 &options->rules, &c.schedule);
  if (error == RIND_OK) error = make_traffic(context, options, &c, &t);
  if (error == RIND_OK) error = measure(context, options, &t);
  destroy_traffic(&t);
  bench_case_destroy(&c);
  return error;
}
