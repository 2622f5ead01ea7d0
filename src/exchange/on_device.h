/* on_device.h - gathers of an exchange whose fields are on the device: copied there once. */
#pragma once
#include <block_programs.h>
#include <exchange_data.h>

/* Where the exchange's fields are: all in one space. */
static inline rind_space rind_exchange_space(const rind_exchange *exchange) {
  return exchange->field[0].layout.space;
}

/* Around what a call does: the device of its fields is current, and profilers see its name. Close
 * gets what open has returned. */
int rind_exchange_open_call(const rind_exchange *exchange, const char *name);
void rind_exchange_close_call(int before);

/* A host table of count addresses, copied to the device; NULL for host fields. */
rind_error rind_exchange_copy_table(const rind_exchange *exchange, const void *table, size_t count,
                                    void ***copy);

/* Copies a gather that is complete. For host fields nothing happens. */
rind_error rind_exchange_copy_bound(const rind_exchange *exchange, rind_bound *bound);
/* One whose destinations are blocks with this frame, and which is run as a whole. */
rind_error rind_exchange_copy_whole(const rind_exchange *exchange, const rind_program_frame *frame,
                                    rind_bound *bound);
/* The memory of a block of a layout. same_blocks: they are the sources too. */
rind_program_frame rind_exchange_frame(const rind_layout *layout, bool same_blocks);
/* The same for ghosts that become zero: nobody reads their sectors, not to complete them either. */
rind_program_frame rind_exchange_zeros_frame(const rind_layout *layout);

/* Copies all gathers, tables and walls' values of the fill; not collective. */
rind_error rind_exchange_copy_to_device(rind_exchange *exchange);
/* The walls' values of a field as they are now. */
rind_error rind_exchange_copy_wall_values(rind_exchange *exchange, int f);
/* Frees what the two above have made beside gathers. */
void rind_exchange_free_device(rind_exchange *exchange);

/* Before the caller's function touches ghosts: what is enqueued is done. */
static inline rind_error rind_exchange_wait_for_caller(const rind_exchange *exchange) {
  return rind_exchange_space(exchange) == RIND_DEVICE ? rind_context_wait(exchange->context)
                                                      : RIND_OK;
}

/* Enqueues fills of a gather; the tables are on the device. */
rind_error rind_exchange_enqueue(const rind_exchange *exchange, const rind_bound *bound, int first,
                                 int last, void *const *to, const void *const *own,
                                 const void *const *source);
