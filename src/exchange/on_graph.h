/* on_graph.h - whole calls of an exchange on the device, recorded once and replayed.
 *
 * A graph holds launches, and these hold the addresses of tables on the device. So it is for the
 * fields whose tables these are, and what the tables hold is read when it runs. */
#pragma once
#include <exchange_data.h>

/* All of a call's work without messages or functions. */
typedef rind_error (*rind_exchange_work)(rind_exchange *exchange, rind_field *const *fields);

/* Makes room for graphs, if the options ask for them and the exchange's calls can be recorded. Not
 * collective. */
rind_error rind_exchange_prepare_graphs(rind_exchange *exchange);
/* Runs work from a graph, which it records first if there is none for these fields. Plainly in a
 * caller's own capture. */
rind_error rind_exchange_run_graph(rind_exchange *exchange, rind_exchange_graphs *graphs,
                                   rind_field *const *fields, rind_exchange_work work);
void rind_exchange_free_graphs(rind_exchange *exchange);
