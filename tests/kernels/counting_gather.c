/* counting_gather.c - counts the stores of the very bodies that the library runs. */
#include <counting_gather.h>

static const void *counted_base;
static int *counted;

static void count_store(const void *to, size_t bytes) {
  ++counted[((const char *)to - (const char *)counted_base) / (ptrdiff_t)bytes];
}

#define GATHER_STORE(to, value) (count_store((to), sizeof *(to)), *(to) = (value))

#define GATHER_TO double
#define GATHER_SOURCE double
#define GATHER_NAME(word) word##_f64_f64
#include <gather_body.h>

#define GATHER_TO float
#define GATHER_SOURCE float
#define GATHER_NAME(word) word##_f32_f32
#include <gather_body.h>

#define GATHER_TO float
#define GATHER_SOURCE double
#define GATHER_NAME(word) word##_f32_f64
#include <gather_body.h>

#define GATHER_TO double
#define GATHER_SOURCE float
#define GATHER_NAME(word) word##_f64_f32
#include <gather_body.h>

void counting_gather(const rind_gather *gather, void *const *to_base, const void *const *own_base,
                     const void *const *source_base, int *counts) {
  counted_base = to_base[0];
  counted = counts;
  const int last = gather->num_fills;
  const bool to_double = gather->to_type == RIND_FLOAT64;
  const bool from_double = gather->source_type == RIND_FLOAT64;
  if (to_double && from_double)
    gather_fills_f64_f64(gather, 0, last, to_base, own_base, source_base);
  else if (to_double)
    gather_fills_f64_f32(gather, 0, last, to_base, own_base, source_base);
  else if (!from_double)
    gather_fills_f32_f32(gather, 0, last, to_base, own_base, source_base);
  else
    gather_fills_f32_f64(gather, 0, last, to_base, own_base, source_base);
}
