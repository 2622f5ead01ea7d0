/* on_graph.c - records calls of an exchange on the device, and replays them. */
#include <on_graph.h>

#include <adjoint_data.h>
#include <device_graph.h>
#include <device_memory.h>
#include <on_device.h>
#include <stdlib.h>

static rind_error check(const rind_exchange *exchange, int code, const char *what) {
  RIND_REQUIRE(exchange->context, code == 0, RIND_ERROR_DEVICE, "%s failed on the device: %s", what,
               rind_device_error_text(code));
  return RIND_OK;
}

static bool needs_host(const rind_exchange *exchange) {
  for (int p = 0; p < exchange->num_phases; ++p)
    if (exchange->phase[p].messages.num_peers > 0 || exchange->phase[p].num_functions > 0)
      return true;
  return false;
}

rind_error rind_exchange_prepare_graphs(rind_exchange *exchange) {
  exchange->stream = exchange->context->stream;
  exchange->needs_host = needs_host(exchange);
  if (!exchange->options.graph || rind_exchange_space(exchange) == RIND_HOST ||
      exchange->needs_host)
    return RIND_OK;
  rind_exchange_graphs *const all[2] = {&exchange->fill_graphs, &exchange->adjoint_graphs};
  for (int i = 0; i < 2; ++i) {
    all[i]->table = rind_allocate((size_t)exchange->num_fields, RIND_GRAPHS * sizeof(void **));
    RIND_REQUIRE(exchange->context, all[i]->table, RIND_ERROR_MEMORY,
                 "no memory for graphs of %d fields", exchange->num_fields);
  }
  RIND_TRY(
      check(exchange, rind_device_stream_create(&exchange->recording_stream), "making a stream"));
  exchange->stats.graphs = 1;
  if (exchange->adjoint) exchange->adjoint->stats.graphs = 1;
  return RIND_OK;
}

/* The graph for these fields, or -1. */
static int find(const rind_exchange *exchange, const rind_exchange_graphs *graphs,
                rind_field *const *fields) {
  const int n = exchange->num_fields;
  for (int g = 0; g < RIND_GRAPHS; ++g) {
    bool same = graphs->graph[g] != NULL;
    for (int f = 0; same && f < n; ++f)
      same = graphs->table[g * n + f] == fields[f]->device_pointer;
    if (same) return g;
  }
  return -1;
}

/* In place of the oldest. The default stream cannot be recorded, so it is another in its place. */
static rind_error record(rind_exchange *exchange, rind_exchange_graphs *graphs,
                         rind_field *const *fields, rind_exchange_work work, int *made) {
  const int g = graphs->next;
  rind_device_graph_destroy(&graphs->graph[g]);
  RIND_TRY(check(exchange, rind_device_graph_begin(exchange->recording_stream), "recording"));
  exchange->stream = exchange->recording_stream;
  const rind_error error = work(exchange, fields);
  exchange->stream = exchange->context->stream;
  const int code = rind_device_graph_end(exchange->recording_stream, &graphs->graph[g]);
  RIND_TRY(error);
  RIND_TRY(check(exchange, code, "making a graph"));
  for (int f = 0; f < exchange->num_fields; ++f)
    graphs->table[g * exchange->num_fields + f] = fields[f]->device_pointer;
  graphs->next = (g + 1) % RIND_GRAPHS;
  *made = g;
  return RIND_OK;
}

rind_error rind_exchange_run_graph(rind_exchange *exchange, rind_exchange_graphs *graphs,
                                   rind_field *const *fields, rind_exchange_work work) {
  if (rind_device_stream_captures(exchange->context->stream)) return work(exchange, fields);
  int g = find(exchange, graphs, fields);
  if (g < 0) RIND_TRY(record(exchange, graphs, fields, work, &g));
  return check(exchange, rind_device_graph_run(graphs->graph[g], exchange->stream),
               "running a graph");
}

static void free_graphs(rind_exchange_graphs *graphs) {
  for (int g = 0; g < RIND_GRAPHS; ++g)
    rind_device_graph_destroy(&graphs->graph[g]);
  free(graphs->table);
}

void rind_exchange_free_graphs(rind_exchange *exchange) {
  free_graphs(&exchange->fill_graphs);
  free_graphs(&exchange->adjoint_graphs);
  rind_device_stream_destroy(exchange->recording_stream);
}
