/* adjoint_bind.c - the gathers of an adjoint's phase: what reaches a block, in canonical order. */
#include <adjoint_data.h>

#include <adjoint_box.h>
#include <adjoint_order.h>
#include <bind.h>
#include <on_device.h>
#include <stdlib.h>
#include <string.h>

/* A phase under construction. */
typedef struct binding {
  const rind_exchange *exchange;
  const rind_schedule *transposed;
  const rind_shipments *shipments;
  bool zeros;    /* and nothing else */
  bool in_place; /* batches are of many blocks, else of one each */
  bool by_four;  /* or of four */
  int num_items;
  rind_contribution *item;       /* [num_items]; those of a block in the order of their fills */
  bool *reached;                 /* [num_local], blocks to which a message contributes */
  int *place;                    /* [num_local], in used, or -1 */
  rind_schedule_fill_data *fill; /* room for the longest set */
} binding;

/* Fills with the highest canonical numbers come first. The links between two blocks, there and
 * back, are next to each other: their lines are the same. What reaches a block is in its order, for
 * a link with a higher block comes first. */
static int compare_items(const void *left, const void *right) {
  const rind_contribution *a = left, *b = right;
  if (a->batch != b->batch) return a->batch < b->batch ? -1 : 1;
  const int64_t high_a = a->from > a->global ? a->from : a->global;
  const int64_t high_b = b->from > b->global ? b->from : b->global;
  if (high_a != high_b) return high_a > high_b ? -1 : 1;
  const int64_t low_a = a->from > a->global ? a->global : a->from;
  const int64_t low_b = b->from > b->global ? b->global : b->from;
  if (low_a != low_b) return low_a > low_b ? -1 : 1;
  if (a->block != b->block) return a->block < b->block ? -1 : 1;
  if (a->region != b->region) return a->region > b->region ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

bool rind_adjoint_sums_in_place(const rind_exchange *exchange) {
  bool in_place = rind_exchange_space(exchange) == RIND_HOST;
  for (int f = 0; f < exchange->num_fields; ++f)
    in_place = in_place && exchange->field[f].layout.type == RIND_FLOAT64;
  return in_place;
}

/* True for the rows of a local block; boxes of the caller's function have none but zeros. */
static bool has_rows(const binding *b, const rind_run_data *run) {
  const rind_row_set *set = &b->transposed->set[run->set];
  return run->block < b->transposed->num_local && set->count > 0 &&
         (run->source < 0 || b->transposed->pattern[set->first].family != RIND_FAMILY_FUNCTION);
}

/* One thread has one batch, several have a few each. */
static int32_t batch_of(const binding *b, int32_t block) {
  const int64_t threads = b->exchange->context->threads;
  if (!b->in_place) return block;
  return threads == 1 ? 0 : (int32_t)(4 * threads * block / b->transposed->num_local);
}

static void list_run(binding *b, const rind_run_data *run) {
  const rind_schedule *transposed = b->transposed;
  const rind_block *block = rind_forest_get_arrays(transposed->forest)->block;
  if (!has_rows(b, run)) return;
  b->item[b->num_items] =
      (rind_contribution){.from = run->source >= 0 ? block[run->source].global : -1,
                          .block = run->block,
                          .set = run->set,
                          .source = run->source,
                          .region = transposed->set[run->set].region,
                          .number = b->num_items,
                          .global = block[run->block].global,
                          .batch = batch_of(b, run->block)};
  ++b->num_items;
}

static bool makes_zeros(const rind_contribution *item) {
  return !item->shipped && item->source < 0;
}

/* Where the items of one batch stand by their higher block, which a remote one is. */
static int32_t place_of(const binding *b, const rind_contribution *item) {
  const int32_t num_local = b->transposed->num_local;
  if (item->from <= item->global) return num_local - item->block;
  return item->shipped ? 0 : num_local - item->source;
}

/* In the order of compare_items: by batch first, or by the higher block of the only one. */
static bool sort_items(binding *b) {
  int32_t *place = rind_allocate((size_t)b->num_items, sizeof *place), last_batch = 0;
  if (!place) return false;
  for (int i = 0; i < b->num_items; ++i)
    if (b->item[i].batch > last_batch) last_batch = b->item[i].batch;
  for (int i = 0; i < b->num_items; ++i)
    place[i] = last_batch > 0 ? b->item[i].batch : place_of(b, &b->item[i]);
  const int num_places = 1 + (last_batch > 0 ? last_batch : b->transposed->num_local);
  const bool sorted =
      rind_sort_by_place(b->item, b->num_items, sizeof *b->item, place, num_places, compare_items);
  free(place);
  return sorted;
}

/* Local runs, then what is received, sorted. False without memory. */
static bool list_items(binding *b, int first_run, int end_run, int num_received) {
  const rind_block *block = rind_forest_get_arrays(b->transposed->forest)->block;
  for (int r = first_run; r < end_run; ++r)
    list_run(b, &b->transposed->run[r]);
  for (int i = 0; i < num_received; ++i) {
    rind_contribution *item = &b->item[b->num_items++];
    *item = b->shipments->contribution[i];
    item->global = block[item->block].global;
    item->batch = batch_of(b, item->block);
    b->reached[item->block] = true;
  }
  return b->num_items == 0 || makes_zeros(b->item) || sort_items(b);
}

/* The last rows that read ghosts of each block which none takes, or -1. */
static void find_last_rows(const binding *b, int *last) {
  const rind_schedule *transposed = b->transposed;
  for (int block = 0; block < transposed->num_local; ++block)
    last[block] = -1;
  for (int i = 0; i < b->num_items; ++i) {
    const rind_row_set *set = &transposed->set[b->item[i].set];
    if (!transposed->pattern[set->first].takes) last[b->item[i].source] = i;
  }
}

/* Puts the zeros of each block behind the last rows that read its ghosts, where their lines are at
 * hand. There is room for those of the runs [first_run, end_run) too. */
static bool add_zeros(binding *b, int first_run, int end_run) {
  const rind_run_data *run = b->transposed->run;
  const int num_rows = b->num_items;
  rind_contribution *row = rind_allocate((size_t)num_rows, sizeof *row);
  int *last = rind_allocate((size_t)b->transposed->num_local, sizeof *last);
  int *behind = rind_allocate((size_t)num_rows, sizeof *behind); /* a row: 1 + its run, or 0 */
  const bool have = row && last && behind;
  if (have) {
    find_last_rows(b, last);
    memcpy(row, b->item, (size_t)num_rows * sizeof *row);
    b->num_items = 0;
    for (int r = first_run; r < end_run; ++r)
      if (run[r].block < b->transposed->num_local && last[run[r].block] >= 0)
        behind[last[run[r].block]] = 1 + r;
      else
        list_run(b, &run[r]);
    for (int i = 0; i < num_rows; ++i) {
      b->item[b->num_items++] = row[i];
      if (behind[i] > 0) list_run(b, &run[behind[i] - 1]);
    }
  }
  free(row);
  free(last);
  free(behind);
  return have;
}

/* Sets with rows of sums. */
static void find_wide(const rind_schedule *transposed, bool *wide) {
  for (int s = 0; s < transposed->num_sets; ++s)
    for (int p = 0; p < transposed->set[s].count && !wide[s]; ++p)
      wide[s] = transposed->pattern[transposed->set[s].first + p].num_terms > 2;
}

/* Links with rows of sums run best by four. */
static bool find_fours(binding *b) {
  const rind_schedule *transposed = b->transposed;
  bool *wide = rind_allocate((size_t)transposed->num_sets, sizeof *wide);
  if (!wide) return false;
  find_wide(transposed, wide);
  bool found = true;
  if (!b->in_place)
    found =
        rind_adjoint_join_batches(b->item, b->num_items, wide, b->reached, transposed->num_local) &&
        sort_items(b);
  found = found && rind_adjoint_find_fours(b->item, b->num_items, b->in_place, wide,
                                           transposed->num_sets, transposed->num_local);
  free(wide);
  return found;
}

static void count_rows(const binding *b, rind_exchange_stats *stats) {
  for (int i = 0; i < b->num_items; ++i) {
    const int count = b->transposed->set[b->item[i].set].count;
    if (b->item[i].shipped)
      stats->remote_fills += count;
    else
      stats->local_fills += count;
  }
}

/* Local blocks that remote rows read. */
static bool list_used(binding *b, rind_adjoint_phase *phase) {
  for (int block = 0; block < b->transposed->num_local; ++block)
    b->place[block] = -1;
  for (int i = 0; i < b->num_items; ++i) {
    const rind_contribution *item = &b->item[i];
    if (item->shipped || !b->reached[item->block] || b->place[item->source] >= 0) continue;
    b->place[item->source] = phase->num_used++;
  }
  phase->used = rind_allocate((size_t)phase->num_used, sizeof *phase->used);
  for (int block = 0; phase->used && block < b->transposed->num_local; ++block)
    if (b->place[block] >= 0) phase->used[b->place[block]] = block;
  return phase->used != NULL;
}

/* The rows of one contribution. */
static bool bind_item(binding *b, rind_binder *binder, const rind_layout *layout, int num_used,
                      const rind_contribution *item) {
  const rind_row_set *set = &b->transposed->set[item->set];
  const rind_view view =
      item->shipped ? rind_view_box(set->origin, set->extent) : rind_view_field(layout);
  const int source = makes_zeros(item)         ? item->block
                     : item->shipped           ? num_used + item->source
                     : b->reached[item->block] ? b->place[item->source]
                                               : item->source;
  for (int p = 0; p < set->count; ++p)
    b->fill[p] = (rind_schedule_fill_data){set->first + p, item->block, source};
  return rind_bind_run(binder, b->fill, set->count, &view, item->block, source);
}

/* Gives back room that was not needed. */
static void trim_first(rind_batches *batches) {
  if (!batches->first_fill) return;
  const size_t count = (size_t)batches->num_batches + 1;
  int *moved = realloc(batches->first_fill, count * sizeof *moved);
  if (moved) batches->first_fill = moved;
}

static void end_batch(rind_batches *batches) {
  if (batches->bound.num_fills > batches->first_fill[batches->num_batches])
    batches->first_fill[++batches->num_batches] = batches->bound.num_fills;
}

static bool find_shells(const binding *b, const rind_layout *layout, rind_batches *batches) {
  const rind_gather gather = rind_bound_gather(&batches->bound);
  rind_gather_frame frame = {.cells = layout->cells,
                             .components = layout->components,
                             .stride = {[3] = layout->component_stride}};
  if (b->zeros || layout->dim != 3 || layout->type != RIND_FLOAT32 || layout->space != RIND_HOST)
    return true;
  for (int a = 0; a < layout->dim; ++a)
    frame.stride[a] = layout->cell_stride[a];
  return rind_gather_shells_create(&gather, batches->first_fill, batches->num_batches, &frame,
                                   &batches->shells);
}

/* One field's rows of the blocks that messages reach, or of the others. */
static bool bind_batches(binding *b, int f, bool reached, int num_used, rind_batches *batches) {
  const rind_exchange_field *field = &b->exchange->field[f];
  const bool lanes = b->exchange->options.adjoint_method == RIND_ADJOINT_TRANSPOSED;
  rind_bound *bound = &batches->bound;
  rind_binder binder = {0};
  bound->to_type = b->zeros ? field->layout.type : RIND_FLOAT64;
  bound->source_type = field->layout.type;
  batches->first_fill = rind_allocate((size_t)b->num_items + 1, sizeof *batches->first_fill);
  bool bound_all = batches->first_fill && rind_binder_open(&binder, b->transposed, &field->layout,
                                                           &field->components, lanes, bound);
  for (int i = 0; bound_all && i < b->num_items; ++i) {
    const rind_contribution *item = &b->item[i];
    binder.lanes = lanes && !makes_zeros(item);
    if (b->reached[item->block] == reached)
      bound_all = bind_item(b, &binder, &field->layout, num_used, item);
    if (i + 1 == b->num_items || item[1].batch != item->batch) end_batch(batches);
  }
  rind_binder_close(&binder);
  if (bound_all && b->in_place && !reached)
    bound_all = rind_bound_find_pairs(bound, batches->first_fill, batches->num_batches);
  else if (bound_all && b->by_four && !b->in_place)
    bound_all = rind_bound_find_fours(bound, batches->first_fill, batches->num_batches);
  if (bound_all && lanes && !b->zeros && !reached && rind_exchange_space(b->exchange) == RIND_HOST)
    bound_all = rind_bound_look_ahead(bound, &field->layout, b->transposed->num_local, b->in_place);
  batches->has_box = !b->zeros && rind_adjoint_find_box(b->transposed, b->item, b->num_items,
                                                        &field->layout, &batches->box);
  if (bound_all && lanes) bound_all = find_shells(b, &field->layout, batches);
  rind_bound_trim(bound);
  trim_first(batches);
  return bound_all;
}

static bool allocate(binding *b, int num_items) {
  const rind_schedule *transposed = b->transposed;
  const size_t num_local = (size_t)transposed->num_local;
  int32_t longest = 0;
  for (int s = 0; s < transposed->num_sets; ++s)
    if (transposed->set[s].count > longest) longest = transposed->set[s].count;
  b->item = rind_allocate((size_t)num_items, sizeof *b->item);
  b->reached = rind_allocate(num_local, sizeof *b->reached);
  b->place = rind_allocate(num_local, sizeof *b->place);
  b->fill = rind_allocate((size_t)longest, sizeof *b->fill);
  return b->item && b->reached && b->place && b->fill;
}

/* One field's gathers. */
static bool bind_field(binding *b, int f, int num_peers, int num_received,
                       rind_adjoint_phase *phase) {
  rind_adjoint_part *part = &phase->part[f];
  if (!bind_batches(b, f, false, phase->num_used, &part->local)) return false;
  if (num_peers == 0) return true;
  const rind_orders *sent = &b->shipments->sent;
  part->num_sent = (size_t)sent->first_order[num_peers];
  part->num_sources = (size_t)phase->num_used + (size_t)num_received;
  part->pack_to = rind_allocate(part->num_sent, sizeof *part->pack_to);
  part->remote_source = rind_allocate(part->num_sources, sizeof *part->remote_source);
  return part->pack_to && part->remote_source &&
         bind_batches(b, f, true, phase->num_used, &part->remote) &&
         rind_exchange_pack_field(&b->exchange->field[f], false, num_peers, sent, &part->pack,
                                  &part->first_pack);
}

rind_error rind_adjoint_bind(rind_exchange *exchange, const rind_schedule *transposed, int phase,
                             int num_peers, const rind_shipments *shipments) {
  rind_adjoint_phase *here = &exchange->adjoint->phase[phase];
  const bool zeros = here->kind == RIND_PHASE_CLEAR;
  const bool with_zeros = !zeros && here[1].moved;
  const int first = transposed->first_run[phase];
  const int end = here->moved ? first : transposed->first_run[phase + 1];
  const int last = with_zeros ? transposed->first_run[phase + 2] : end;
  const int num_received = num_peers > 0 ? shipments->received.first_order[num_peers] : 0;
  binding b = {.exchange = exchange,
               .transposed = transposed,
               .shipments = shipments,
               .zeros = zeros,
               .in_place = !zeros && rind_adjoint_sums_in_place(exchange),
               .by_four = !zeros && rind_exchange_space(exchange) == RIND_HOST &&
                          exchange->adjoint->scratch_blocks == RIND_GATHER_BLOCKS};
  bool bound =
      num_received <= INT32_MAX - (last - first) && allocate(&b, last - first + num_received);
  if (bound) {
    bound = list_items(&b, first, end, num_received) && (!with_zeros || add_zeros(&b, end, last)) &&
            (!b.by_four || find_fours(&b)) && list_used(&b, here);
  }
  if (bound) count_rows(&b, &exchange->adjoint->stats);
  for (int f = 0; bound && f < exchange->num_fields; ++f)
    bound = bind_field(&b, f, num_peers, num_received, here);
  free(b.item);
  free(b.reached);
  free(b.place);
  free(b.fill);
  RIND_REQUIRE(exchange->context, bound, RIND_ERROR_MEMORY,
               "no memory for the adjoint's rows of %d links", last - first);
  return RIND_OK;
}
