/* bind.h - from patterns to rows: strides of the field's layout, of a message's box or of the
 * walls' values. */
#pragma once
#include <bound.h>
#include <components.h>

/* How the cells of a block lie in memory: base + sum of (cell[a] - origin[a]) * stride[a]. */
typedef struct rind_view {
  ptrdiff_t stride[3];
  ptrdiff_t component_stride;
  int32_t origin[3];
} rind_view;

/* A field's blocks. */
rind_view rind_view_field(const rind_layout *layout);
/* A box of cells kept tight, axis 0 fastest, one component after the other. */
rind_view rind_view_box(const int32_t origin[3], const int32_t extent[3]);
/* One value a component. */
rind_view rind_view_value(void);

/* Binds runs of patterns and remembers them: a run is the fills of one destination block, source
 * and group that follow each other. */
typedef struct rind_binder {
  const rind_schedule *schedule; /* borrowed */
  rind_view field;
  const rind_components *components; /* borrowed */
  bool lanes;                        /* fuse patterns that read the same cells */
  bool points;                       /* pack rows of one cell, which the host alone runs */
  rind_bound *bound;
  struct rind_run *run; /* [num_runs] */
  int num_runs;
  int run_room;
  int *head; /* [num_patterns], newest run that begins with the pattern, or -1 */
} rind_binder;

/* False without memory, as all below. */
bool rind_binder_open(rind_binder *binder, const rind_schedule *schedule, const rind_layout *layout,
                      const rind_components *components, bool lanes, rind_bound *bound);
void rind_binder_close(rind_binder *binder);

/* Adds the fills of a run: patterns of the schedule fills [first, first + num_fills), which all
 * write block to, from source, whose cells lie as view says. */
bool rind_bind_run(rind_binder *binder, const rind_schedule_fill_data *fill, int num_fills,
                   const rind_view *view, int to, int source);
/* Adds a fill that stores the sums of a message's box, plus the pattern's own terms. */
bool rind_bind_sums(rind_binder *binder, const rind_schedule_fill_data *fill, int source);

/* Adds a row that packs a box of raw cells into a tight box. */
bool rind_bind_pack_raw(rind_bound *bound, const rind_layout *layout, const int32_t origin[3],
                        const int32_t extent[3]);
/* Adds rows that pack the sums of a pattern into a tight box, components as the destination has
 * them. Terms are those of the pattern, slot 1 only. */
bool rind_bind_pack_sums(rind_bound *bound, const rind_layout *layout,
                         const rind_components *components, const rind_pattern *pattern,
                         const rind_pattern_term *term);
