/* way_fills_body.h - the fills of a gather, for all pairs of types. Included after defining
 *     GATHER_WAY(word)            word with the ending of what it is compiled for
 *     GATHER_STORE(to, value), GATHER_STORE_QUAD(to, value)    as gather_body.h says */
#include <gather_ways.h>

#define GATHER_TO double
#define GATHER_SOURCE double
#define GATHER_NAME(word) word##_f64_f64
#include <gather_body.h>

#define GATHER_TO float
#define GATHER_SOURCE float
#define GATHER_NAME(word) word##_f32_f32
#include <gather_body.h>

/* Partial sums that travelled in the accumulator's type, and values of walls. */
#define GATHER_TO float
#define GATHER_SOURCE double
#define GATHER_NAME(word) word##_f32_f64
#include <gather_body.h>

/* Partial sums that leave in it. */
#define GATHER_TO double
#define GATHER_SOURCE float
#define GATHER_NAME(word) word##_f64_f32
#include <gather_body.h>

void GATHER_WAY(rind_gather_fills)(const rind_gather *gather, int first, int last,
                                   void *const *to_base, const void *const *own_base,
                                   const void *const *source_base) {
  const bool to_double = gather->to_type == RIND_FLOAT64;
  const bool from_double = gather->source_type == RIND_FLOAT64;
  if (to_double && from_double)
    gather_fills_f64_f64(gather, first, last, to_base, own_base, source_base);
  else if (to_double)
    gather_fills_f64_f32(gather, first, last, to_base, own_base, source_base);
  else if (!from_double)
    gather_fills_f32_f32(gather, first, last, to_base, own_base, source_base);
  else
    gather_fills_f32_f64(gather, first, last, to_base, own_base, source_base);
}
