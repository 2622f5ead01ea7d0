/* exchange_data.h - what an exchange is inside: three gathers and the messages between them.
 *
 *     pack     this rank's blocks -> send buffer       before the sends of each peer
 *     local    this rank's blocks -> ghosts            while messages travel
 *     remote   receive buffer, own block -> ghosts     peer by peer, as messages arrive */
#pragma once
#include <bound.h>
#include <messages.h>
#include <orders.h>
#include <rind/exchange.h>

struct rind_exchange {
  const rind_schedule *schedule; /* borrowed */
  rind_context *context;         /* borrowed, the schedule's */
  rind_layout layout;            /* complete */
  rind_exchange_options options; /* no zeros left */
  rind_bound pack;
  rind_bound local;
  rind_bound remote;
  int *first_pack;            /* [peers + 1], fills of pack */
  int *first_remote;          /* [peers + 1], fills of remote */
  void **pack_to;             /* [orders], in the send buffer */
  const void **remote_source; /* [requests], in the receive buffer */
  rind_messages messages;
  const rind_field *begun; /* field of the fill that has begun, NULL if none */
  rind_exchange_stats stats;
};

/* The gathers of an exchange whose schedule, layout and options are set: those that read this
 * rank's blocks, those that read messages, and those that fill messages. Not collective. */
rind_error rind_exchange_bind_local(rind_exchange *exchange);
rind_error rind_exchange_bind_remote(rind_exchange *exchange, const rind_request_plan *plan);
rind_error rind_exchange_bind_pack(rind_exchange *exchange, int num_peers,
                                   const rind_orders *orders);
/* Where each request and order lies in the buffers, which exist by now. */
rind_error rind_exchange_place_boxes(rind_exchange *exchange, const rind_request_plan *plan,
                                     const rind_orders *orders);
