/* request.c - groups the fills that read other ranks' blocks into requests, peer by peer. */
#include <core.h>
#include <request.h>

#include <stdlib.h>
#include <string.h>

static int compare_ranks(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* The owners of remote blocks, ascending, each once. */
static int list_peers(const rind_forest_arrays *arrays, int32_t *peer) {
  for (int r = 0; r < arrays->num_remote; ++r)
    peer[r] = arrays->block[arrays->num_local + r].owner;
  qsort(peer, (size_t)arrays->num_remote, sizeof *peer, compare_ranks);
  int count = 0;
  for (int r = 0; r < arrays->num_remote; ++r)
    if (count == 0 || peer[count - 1] != peer[r]) peer[count++] = peer[r];
  return count;
}

static int find_peer(const rind_request_plan *plan, int32_t rank) {
  const int32_t *found = bsearch(&rank, plan->peer_rank, (size_t)plan->num_peers,
                                 sizeof *plan->peer_rank, compare_ranks);
  return (int)(found - plan->peer_rank);
}

static rind_request_kind kind_of(const rind_pattern *pattern) {
  if (pattern->family == RIND_FAMILY_AVERAGE) return RIND_REQUEST_SUMS;
  return pattern->family == RIND_FAMILY_FLUX_MATCHED ? RIND_REQUEST_PARTIAL : RIND_REQUEST_RAW;
}

/* Widens the box [low, high] by the cells of the source block that a pattern reads. */
static void widen(const rind_schedule *schedule, const rind_pattern *pattern, int32_t low[3],
                  int32_t high[3]) {
  const rind_slot *slot = &pattern->slot[RIND_SLOT_SOURCE];
  for (int t = 0; t < pattern->num_terms; ++t) {
    const rind_pattern_term *term = &schedule->term[pattern->first_term + t];
    if (term->slot != RIND_SLOT_SOURCE) continue;
    for (int a = 0; a < 3; ++a) {
      const int axis = slot->axis[a];
      const int32_t first = term->origin[axis];
      const int32_t last = first + slot->step[a] * (pattern->extent[a] - 1);
      const int32_t least = first < last ? first : last, most = first < last ? last : first;
      if (least < low[axis]) low[axis] = least;
      if (most > high[axis]) high[axis] = most;
    }
  }
}

/* The fills from first on that one request serves: a sum's alone, else all fills of the link that
 * read raw cells and pass the mask. */
static int group_end(const rind_schedule *schedule, int first, int end, uint32_t families) {
  const rind_schedule_fill_data *begin = &schedule->fill[first];
  const rind_pattern *pattern = &schedule->pattern[begin->pattern];
  if (kind_of(pattern) != RIND_REQUEST_RAW) return first + 1;
  int f = first + 1;
  for (; f < end; ++f) {
    const rind_schedule_fill_data *fill = &schedule->fill[f];
    const rind_pattern *other = &schedule->pattern[fill->pattern];
    if (fill->block != begin->block || fill->source != begin->source ||
        other->group != pattern->group || kind_of(other) != RIND_REQUEST_RAW ||
        !(families >> other->family & 1u))
      break;
  }
  return f;
}

static rind_request make_request(const rind_schedule *schedule, const rind_request_plan *plan,
                                 const rind_block *block, int first, int end) {
  const rind_schedule_fill_data *fill = &schedule->fill[first];
  const rind_pattern *pattern = &schedule->pattern[fill->pattern];
  const rind_request_kind kind = kind_of(pattern);
  rind_request request = {.peer = find_peer(plan, block[fill->source].owner),
                          .source = fill->source,
                          .kind = (int32_t)kind,
                          .pattern = kind == RIND_REQUEST_RAW ? -1 : fill->pattern,
                          .first_fill = first,
                          .num_fills = end - first};
  if (kind != RIND_REQUEST_RAW) {
    memcpy(request.extent, pattern->extent, sizeof request.extent);
    return request;
  }
  int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
  int32_t high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
  for (int f = first; f < end; ++f)
    widen(schedule, &schedule->pattern[schedule->fill[f].pattern], low, high);
  for (int a = 0; a < 3; ++a) {
    request.origin[a] = low[a];
    request.extent[a] = high[a] - low[a] + 1;
  }
  return request;
}

/* Visits the requests in fill order; with place NULL only counts them into plan->first_request
 * [peer + 1], else stores each at place[peer]++. */
static void visit(const rind_schedule *schedule, int phase, uint32_t families,
                  rind_request_plan *plan, int32_t *place) {
  const rind_block *block = rind_forest_get_arrays(schedule->forest)->block;
  const int end = schedule->first_fill[phase + 1];
  for (int f = schedule->first_fill[phase]; f < end;) {
    const rind_schedule_fill_data *fill = &schedule->fill[f];
    const int family = schedule->pattern[fill->pattern].family;
    if (fill->source < schedule->num_local || !(families >> family & 1u)) {
      ++f;
      continue;
    }
    const int last = group_end(schedule, f, end, families);
    if (place) {
      const rind_request request = make_request(schedule, plan, block, f, last);
      plan->request[place[request.peer]++] = request;
    } else {
      ++plan->first_request[find_peer(plan, block[fill->source].owner) + 1];
    }
    f = last;
  }
}

static void set_offsets(rind_request_plan *plan) {
  for (int peer = 0; peer < plan->num_peers; ++peer)
    for (int r = plan->first_request[peer]; r < plan->first_request[peer + 1]; ++r) {
      rind_request *request = &plan->request[r];
      request->offset = plan->num_cells[peer];
      plan->num_cells[peer] +=
          (int64_t)request->extent[0] * request->extent[1] * request->extent[2];
    }
}

rind_error rind_request_plan_create(const rind_schedule *schedule, int phase, uint32_t families,
                                    rind_request_plan *plan) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(schedule->forest);
  rind_request_plan made = {0};
  const size_t most = (size_t)arrays->num_remote;
  if (families == 0) families = UINT32_MAX;
  int32_t *place = rind_allocate(most + 1, sizeof *place);
  made.peer_rank = rind_allocate(most, sizeof *made.peer_rank);
  made.first_request = rind_allocate(most + 1, sizeof *made.first_request);
  made.num_cells = rind_allocate(most, sizeof *made.num_cells);
  bool have = place && made.peer_rank && made.first_request && made.num_cells;
  if (have) {
    made.num_peers = list_peers(arrays, made.peer_rank);
    visit(schedule, phase, families, &made, NULL);
    for (int peer = 0; peer < made.num_peers; ++peer)
      made.first_request[peer + 1] += made.first_request[peer];
    memcpy(place, made.first_request, ((size_t)made.num_peers + 1) * sizeof *place);
    made.num_requests = made.first_request[made.num_peers];
    made.request = rind_allocate((size_t)made.num_requests, sizeof *made.request);
    have = made.request != NULL;
  }
  if (have) {
    visit(schedule, phase, families, &made, place);
    set_offsets(&made);
  }
  free(place);
  if (!have) rind_request_plan_destroy(&made);
  *plan = made;
  return have ? RIND_OK : RIND_ERROR_MEMORY;
}

void rind_request_plan_destroy(rind_request_plan *plan) {
  free(plan->peer_rank);
  free(plan->first_request);
  free(plan->num_cells);
  free(plan->request);
  *plan = (rind_request_plan){0};
}
