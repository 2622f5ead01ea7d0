/* gather_ahead.h - asks for the lines of blocks before fills touch them. */
#pragma once
#include <gather.h>

/* How far a run of fills has come. */
typedef struct rind_gather_looking {
  bool began;
  bool steps; /* asks before each fill, or those that run together */
  int next;   /* touch behind the fill that runs */
  int asked;  /* touches whose blocks have been asked for, or begin before the run */
  int line;   /* of the touch behind these, how many have been asked for */
} rind_gather_looking;

/* Before fill f of those up to last. Returns the fill before which to look again, or last. */
int rind_gather_look_ahead(const rind_gather *gather, int f, int last, rind_gather_looking *looking,
                           void *const *base);

/* Before each fill of a run that asks in steps, or those that run together: up to fill last. */
void rind_gather_ask_step(const rind_gather *gather, int last, rind_gather_looking *looking,
                          void *const *base);

/* Before fill f of a run: asks for what is touched behind it and before fill end. */
void rind_gather_ask_until(const rind_gather *gather, int f, int end, rind_gather_looking *looking,
                           void *const *base);
