/* core.h - what the library's own files share: error macros, checked sizes, the objects' insides.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rind/context.h>
#include <rind/error.h>
#include <rind/field.h>

/* A caller's mistake: keep the line, return the error. */
#define RIND_REQUIRE(context, condition, error, ...)                                               \
  do {                                                                                             \
    if (!(condition)) return rind_context_fail((context), (error), __VA_ARGS__);                   \
  } while (0)

/* A result that has nowhere to go: of a collective call one for all to agree on. */
#define RIND_CHECK_RESULT(context, result)                                                         \
  ((result) ? RIND_OK : rind_context_fail((context), RIND_ERROR_INVALID, #result " is NULL"))

/* Propagate a failure. */
#define RIND_TRY(call)                                                                             \
  do {                                                                                             \
    const rind_error rind_try_error = (call);                                                      \
    if (rind_try_error != RIND_OK) return rind_try_error;                                          \
  } while (0)

/* A fault of ours. Compiled out with NDEBUG. */
#include <assert.h>
#define RIND_ASSERT(condition) assert(condition)

enum { RIND_NO_DEVICE = -1, RIND_DEVICE_LATER = -2 };

struct rind_context {
  MPI_Comm comm; /* our duplicate */
  int rank;
  int size;
  int threads;
  void *stream; /* borrowed */
  int device;   /* number, RIND_NO_DEVICE, or RIND_DEVICE_LATER: not chosen yet */
  bool mpi_takes_device;
  bool device_messages_pinned; /* tests: what MPI gets as device memory is pinned host memory */
  int next_tag;                /* advances alike on all ranks: one tag an exchange */
  int max_tag;
  char message[1024];
};

struct rind_field {
  rind_context *context;            /* borrowed */
  const struct rind_forest *forest; /* borrowed */
  int64_t revision;                 /* of the forest, when made */
  int num_blocks;
  rind_layout layout; /* complete */
  bool owns_data;
  void *allocation;      /* packed: first stored element; NULL for blocks */
  void **pointer;        /* [num_blocks], interior cell (0, 0, 0) of component 0 */
  void **block_data;     /* [num_blocks], blocks storage: first stored element */
  void **device_pointer; /* [num_blocks], pointer in device memory; NULL for host fields */
};

/* *product = a * b; false if that exceeds SIZE_MAX. */
bool rind_size_multiply(size_t a, size_t b, size_t *product);

/* Zeroed memory; count 0 gives a valid pointer. NULL if there is none or count * bytes overflows.
 */
void *rind_allocate(size_t count, size_t bytes);

/* Sorts count items of bytes bytes by place [count], from 0 to num_places - 1, and those of one
 * place by compare; NULL: they stay in order. False without memory. */
typedef int rind_compare(const void *left, const void *right);
bool rind_sort_by_place(void *items, int count, size_t bytes, const int32_t *place, int num_places,
                        rind_compare *compare);

/* Memory of a space (device_memory.h for the device). RIND_ERROR_MEMORY, RIND_ERROR_UNSUPPORTED. */
rind_error rind_space_allocate(rind_context *context, rind_space space, size_t bytes, void **data);
void rind_space_free(rind_space space, void *data);
/* A hint to the system; does nothing where it has none. */
void rind_use_huge_pages(void *memory, size_t bytes);

/* A field of num_blocks blocks. packed: the caller's array (blocks NULL); blocks: the caller's
 * arrays [num_blocks]; both NULL: allocated. Not collective. */
rind_error rind_field_make(rind_context *context, const struct rind_forest *forest,
                           int64_t revision, int num_blocks, const rind_layout *layout,
                           void *packed, void *const *blocks, rind_field **field);

/* Whether MPI says that it takes device addresses. */
bool rind_mpi_takes_device(void);
/* The parts of rind_context_create about devices. False: a choice that does not exist; a number
 * that does not; MPI failed (collective over the context's communicator). */
bool rind_context_take_options(const rind_context_options *options, rind_context *context);
bool rind_context_take_number(const rind_context_options *options, rind_context *context);
bool rind_context_take_local_rank(const rind_context_options *options, rind_context *context);

/* Makes the context's device the calling thread's, if space is RIND_DEVICE; what was current before
 * is for rind_context_leave_device, which makes it so again. The first call chooses a device that
 * was left open. */
int rind_context_enter_device(rind_context *context, rind_space space);
void rind_context_leave_device(int before);

/* Seconds since some moment, for timers. */
double rind_seconds(void);

/* A tag for messages that no other exchange of the context uses at the same time. Same on all ranks
 * if they all call it in the same order. */
int rind_context_next_tag(rind_context *context);
