/* test_requests.c - what a rank asks of other ranks covers what its fills read, tightly and once.
 */
#include <check.h>
#include <request.h>
#include <stdbool.h>
#include <string.h>

#include "hand_forest.h"

static rind_context *context;

/* Least and greatest cell that terms of the fills first .. end - 1 read in their source. */
static void bounds(const rind_schedule *schedule, int first, int end, int low[3], int high[3]) {
  for (int a = 0; a < 3; ++a) {
    low[a] = 1 << 20;
    high[a] = -(1 << 20);
  }
  for (int f = first; f < end; ++f) {
    rind_fill_view fill;
    rind_term_view term;
    if (rind_schedule_fill(schedule, f, &fill) != RIND_OK) return;
    for (int t = 0; t < fill.num_terms; ++t) {
      if (rind_schedule_term(schedule, f, t, &term) != RIND_OK) return;
      if (term.block < schedule->num_local) continue;
      for (int a = 0; a < 3; ++a)
        for (int end_of = 0; end_of < 2; ++end_of) {
          const int axis = term.box.axis[a];
          const int at = term.box.origin[axis] + end_of * (fill.extent[a] - 1) * term.box.step[a];
          if (at < low[axis]) low[axis] = at;
          if (at > high[axis]) high[axis] = at;
        }
    }
  }
}

/* The request's own members against the fills that it serves. */
static void check_request(const rind_schedule *schedule, const rind_request_plan *plan,
                          const rind_request *request) {
  const rind_block *block = rind_forest_get_arrays(schedule->forest)->block;
  CHECK(request->num_fills > 0, "a request for no fill");
  rind_fill_view first = {0}, fill;
  int low[3], high[3];
  CHECK_OK(rind_schedule_fill(schedule, request->first_fill, &first), context);
  CHECK(block[request->source].owner == plan->peer_rank[request->peer], "asked of rank %d, not %d",
        plan->peer_rank[request->peer], block[request->source].owner);
  for (int f = request->first_fill; f < request->first_fill + request->num_fills; ++f) {
    CHECK_OK(rind_schedule_fill(schedule, f, &fill), context);
    CHECK(schedule->fill[f].source == request->source && fill.block == first.block &&
              fill.region == first.region,
          "fill %d is of another link", f);
    const int kind = fill.family == RIND_FAMILY_AVERAGE        ? RIND_REQUEST_SUMS
                     : fill.family == RIND_FAMILY_FLUX_MATCHED ? RIND_REQUEST_PARTIAL
                                                               : RIND_REQUEST_RAW;
    CHECK(request->kind == kind, "fill %d, %s, has a request of kind %d", f,
          rind_family_name(fill.family), request->kind);
  }
  if (request->kind != RIND_REQUEST_RAW) {
    CHECK(request->num_fills == 1 &&
              request->pattern == schedule->fill[request->first_fill].pattern,
          "a sum is of one fill");
    CHECK(memcmp(request->extent, first.extent, sizeof first.extent) == 0, "a value a ghost");
    return;
  }
  CHECK(request->pattern == -1, "raw cells have pattern %d", request->pattern);
  bounds(schedule, request->first_fill, request->first_fill + request->num_fills, low, high);
  for (int a = 0; a < 3; ++a)
    CHECK(request->origin[a] == low[a] && request->extent[a] == high[a] - low[a] + 1,
          "axis %d: cells %d to %d instead of %d to %d", a, request->origin[a],
          request->origin[a] + request->extent[a] - 1, low[a], high[a]);
}

/* Peers, order and offsets; each remote fill of the families in exactly one request. */
static void check_plan(const rind_schedule *schedule, int phase, uint32_t families,
                       const rind_request_plan *plan) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(schedule->forest);
  int *served = calloc((size_t)schedule->num_fills + 1, sizeof *served);
  if (!served) return;
  for (int p = 0; p < plan->num_peers; ++p) {
    int64_t offset = 0;
    CHECK(p == 0 || plan->peer_rank[p - 1] < plan->peer_rank[p], "peers ascend");
    for (int r = plan->first_request[p]; r < plan->first_request[p + 1]; ++r) {
      const rind_request *request = &plan->request[r];
      CHECK(request->peer == p && request->offset == offset, "request %d is out of place", r);
      CHECK(r == plan->first_request[p] || request[-1].first_fill < request->first_fill,
            "requests of a peer are in the order of their fills");
      check_request(schedule, plan, request);
      for (int f = 0; f < request->num_fills; ++f)
        ++served[request->first_fill + f];
      offset += (int64_t)request->extent[0] * request->extent[1] * request->extent[2];
    }
    CHECK(plan->num_cells[p] == offset, "%lld cells", (long long)plan->num_cells[p]);
  }
  CHECK(plan->first_request[plan->num_peers] == plan->num_requests, "all requests have a peer");
  for (int f = 0; f < schedule->num_fills; ++f) {
    const bool inside = f >= schedule->first_fill[phase] && f < schedule->first_fill[phase + 1];
    const bool remote = inside && schedule->fill[f].source >= arrays->num_local;
    const int family = schedule->pattern[schedule->fill[f].pattern].family;
    const bool asked = remote && (families == 0 || families >> family & 1u);
    CHECK(served[f] == asked, "fill %d, %s, is served %d times", f,
          rind_family_name((rind_family)family), served[f]);
  }
  for (int b = arrays->num_local; b < arrays->num_local + arrays->num_remote; ++b) {
    int found = 0;
    for (int p = 0; p < plan->num_peers; ++p)
      found += plan->peer_rank[p] == arrays->block[b].owner;
    CHECK(found == 1, "rank %d, owner of block %d, is no peer", arrays->block[b].owner, b);
  }
  free(served);
}

/* Of one phase; adds up what it moves. */
static void check_phase(const rind_schedule *schedule, int phase, uint32_t families, int64_t *cells,
                        int64_t *remote) {
  rind_request_plan plan;
  CHECK_OK(rind_request_plan_create(schedule, phase, families, &plan), context);
  check_plan(schedule, phase, families, &plan);
  for (int p = 0; p < plan.num_peers; ++p)
    *cells += plan.num_cells[p];
  for (int r = 0; r < plan.num_requests; ++r)
    *remote += plan.request[r].num_fills;
  CHECK(schedule->phase[phase].kind <= RIND_PHASE_FLUX || plan.num_requests == 0,
        "phase %d has %d requests", phase, plan.num_requests);
  rind_request_plan_destroy(&plan);
  CHECK(!plan.request && !plan.peer_rank && plan.num_peers == 0, "destroy empties the plan");
}

static void check_families(const rind_schedule *schedule, uint32_t families) {
  int64_t cells = 0, remote = 0;
  for (int phase = 0; phase < schedule->num_phases; ++phase)
    check_phase(schedule, phase, families, &cells, &remote);
  if (families != 0) return;
  rind_schedule_stats stats;
  CHECK_OK(rind_schedule_get_stats(schedule, &stats), context);
  CHECK(stats.receive_cells == cells && stats.remote_fills == remote,
        "stats: %lld cells, %lld fills", (long long)stats.receive_cells,
        (long long)stats.remote_fills);
}

/* Peers are each other's: the exchange waits for a message from everyone it writes to. */
static void check_symmetry(const rind_schedule *schedule) {
  const int ranks = rind_context_size(context);
  rind_request_plan plan;
  if (rind_request_plan_create(schedule, 0, 0, &plan) != RIND_OK) return;
  int *mine = calloc((size_t)ranks, sizeof *mine), *theirs = calloc((size_t)ranks, sizeof *theirs);
  if (mine && theirs) {
    for (int p = 0; p < plan.num_peers; ++p)
      mine[plan.peer_rank[p]] = 1;
    MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(memcmp(mine, theirs, (size_t)ranks * sizeof *mine) == 0, "a peer does not know it");
  }
  free(mine);
  free(theirs);
  rind_request_plan_destroy(&plan);
}

static void test_forest(int dim, unsigned seed) {
  static const int blocks[2][3] = {{3, 3, 1}, {3, 2, 2}};
  const int periodic[3] = {seed & 1, seed >> 1 & 1, seed >> 2 & 1};
  hand_forest layout;
  rind_forest *forest = NULL;
  hand_forest_grid(&layout, dim, blocks[dim - 2], periodic, 0x91u << seed % 3);
  if (seed % 2) hand_forest_turn(&layout, seed);
  layout.irregular = seed % 3;
  CHECK_OK(hand_forest_create(context, &layout, &forest), context);
  if (!forest) return;
  for (int interpolation = 0; interpolation < 4; ++interpolation) {
    rind_schedule *schedule = NULL;
    const rind_rules rules = {.interpolation = (rind_interpolation)interpolation,
                              .restriction = interpolation == RIND_INTERPOLATION_INJECTION
                                                 ? RIND_RESTRICTION_AVERAGE
                                                 : RIND_RESTRICTION_FLUX_MATCHED,
                              .wall = {RIND_WALL_EVEN, RIND_WALL_ODD, RIND_WALL_DIRICHLET}};
    CHECK_OK(rind_schedule_create(forest, 8, 3, &rules, &schedule), context);
    if (!schedule) continue;
    CHECK_OK(rind_schedule_verify(schedule), context);
    check_families(schedule, 0);
    check_families(schedule, 1u << RIND_FAMILY_QUADRATIC);
    check_families(schedule, 1u << RIND_FAMILY_COARSE_ONLY | 1u << RIND_FAMILY_AVERAGE);
    check_families(schedule, 1u << RIND_FAMILY_FLUX_MATCHED);
    check_families(schedule, 1u << 31);
    check_symmetry(schedule);
    rind_schedule_destroy(&schedule);
  }
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  for (unsigned seed = 0; seed < 6; ++seed) {
    test_forest(2, seed);
    test_forest(3, seed);
  }
  rind_context_destroy(&context);
  return check_end();
}
