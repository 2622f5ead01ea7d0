/* cuda_none.c - stands in for the device code where there is no CUDA compiler. */
#include <device_cloud.h>
#include <device_gather.h>
#include <device_graph.h>
#include <device_memory.h>
#include <device_sph.h>

int rind_device_count(void) {
  return 0;
}

int rind_device_current(void) {
  return -1;
}

int rind_device_select(int device) {
  (void)device;
  return 1;
}

int rind_device_allocate(size_t bytes, void **data) {
  (void)bytes;
  (void)data;
  return 1;
}

void rind_device_free(void *data) {
  (void)data;
}

int rind_device_holds(const void *data) {
  (void)data;
  return 0;
}

int rind_device_copy(void *to, const void *from, size_t bytes) {
  (void)to;
  (void)from;
  (void)bytes;
  return 1;
}

int rind_device_allocate_pinned(size_t bytes, void **data) {
  (void)bytes;
  (void)data;
  return 1;
}

void rind_device_free_pinned(void *data) {
  (void)data;
}

int rind_device_copy_async(void *to, const void *from, size_t bytes, void *stream) {
  (void)to;
  (void)from;
  (void)bytes;
  (void)stream;
  return 1;
}

int rind_device_wait(void *stream) {
  (void)stream;
  return 1;
}

int rind_device_stream_create(void **stream) {
  (void)stream;
  return 1;
}

void rind_device_stream_destroy(void *stream) {
  (void)stream;
}

int rind_device_stream_captures(void *stream) {
  (void)stream;
  return 0;
}

int rind_device_graph_begin(void *stream) {
  (void)stream;
  return 1;
}

int rind_device_graph_end(void *stream, rind_device_graph **graph) {
  (void)stream;
  (void)graph;
  return 1;
}

int rind_device_graph_run(rind_device_graph *graph, void *stream) {
  (void)graph;
  (void)stream;
  return 1;
}

void rind_device_graph_destroy(rind_device_graph **graph) {
  (void)graph;
}

int rind_device_gather_create(const rind_gather *gather, const rind_gather_stages *stages,
                              ptrdiff_t elements, ptrdiff_t origin, const rind_program_frame *frame,
                              rind_device_gather **made) {
  (void)gather;
  (void)stages;
  (void)elements;
  (void)origin;
  (void)frame;
  (void)made;
  return 1;
}

void rind_device_gather_destroy(rind_device_gather **gather) {
  (void)gather;
}

int64_t rind_device_gather_bytes(const rind_device_gather *gather) {
  (void)gather;
  return 0;
}

int rind_device_gather_run(const rind_device_gather *gather, int first, int last,
                           void *const *to_base, const void *const *own_base,
                           const void *const *source_base, void *stream) {
  (void)gather;
  (void)first;
  (void)last;
  (void)to_base;
  (void)own_base;
  (void)source_base;
  (void)stream;
  return 1;
}

int rind_device_cloud_deposit(const rind_cloud *cloud, const double *values,
                              const rind_cloud_grid *grid, double *sums, void *stream) {
  (void)cloud;
  (void)values;
  (void)grid;
  (void)sums;
  (void)stream;
  return 1;
}

int rind_device_cloud_gather(const rind_cloud *cloud, const int64_t *group, int64_t count,
                             const double *values, const rind_cloud_grid *grid, bool accumulate,
                             double *const by_position[3], double *by_value, void *stream) {
  (void)cloud;
  (void)group;
  (void)count;
  (void)values;
  (void)grid;
  (void)accumulate;
  (void)by_position;
  (void)by_value;
  (void)stream;
  return 1;
}

int rind_device_sph_create(const rind_sph_grid *grid, const rind_sph_numbers *numbers,
                           rind_type type, rind_device_sph **made) {
  (void)grid;
  (void)numbers;
  (void)type;
  (void)made;
  return 1;
}

void rind_device_sph_destroy(rind_device_sph **sph) {
  (void)sph;
}

int64_t rind_device_sph_bytes(const rind_device_sph *sph) {
  (void)sph;
  return 0;
}

int rind_device_sph_run(rind_device_sph *sph, int count, const void *const position[3],
                        void *density, void *const gradient[3], void *stream,
                        rind_device_sph_result *result) {
  (void)sph;
  (void)count;
  (void)position;
  (void)density;
  (void)gradient;
  (void)stream;
  (void)result;
  return 1;
}

int rind_device_sph_count(const rind_device_sph *sph, void *stream, int64_t *largest_cell,
                          int64_t *pair_slots) {
  (void)sph;
  (void)stream;
  (void)largest_cell;
  (void)pair_slots;
  return 1;
}

const char *rind_device_error_text(int code) {
  (void)code;
  return "this build has no CUDA";
}
