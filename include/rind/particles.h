/* rind/particles.h - particles on the blocks of a forest: kept by the ranks that own the blocks,
 * sorted, and deposited on fields with gradients. docs/particles.md is the guide.
 *
 * A set holds structures of arrays: a position along each axis, an id and any number of attributes
 * (double) a particle. On every rank particles are sorted by group, and by id within a group.
 * Groups are numbered block by block, axis 0 fastest:
 *
 *     RIND_GROUPS_CELLS    cells^dim a block: the cell that holds the particle
 *     RIND_GROUPS_CENTRES  (cells + 1)^dim a block: the box between neighbouring centres of cells,
 *                          those of the first ghost layer included
 *
 *     |--o--|--o--|--o--|--o--|      a block of 4 cells, o their centres
 *     0     1     2     3            groups of RIND_GROUPS_CELLS
 *      0  1     2     3    4         groups of RIND_GROUPS_CENTRES
 *
 * So the arrays of a set do not depend on where its particles came from, and those of all ranks one
 * after the other not on the number of ranks. */
#pragma once
#include <rind/exchange.h>
#include <rind/field.h>
#include <rind/forest.h>

typedef struct rind_particles rind_particles;

typedef enum rind_groups { RIND_GROUPS_CELLS = 0, RIND_GROUPS_CENTRES = 1 } rind_groups;

/* Particles that one rank gives, wherever they lie. Arrays are [count] and copied. */
typedef struct rind_particle_arrays {
  int64_t count;
  const double *position[3];      /* in the caller's coordinates; [2] is ignored in 2D */
  const int64_t *id;              /* at least 0, each once over all ranks; NULL: numbered as given,
                                     rank after rank. NULL on all ranks or on none. */
  int num_attributes;             /* alike on all ranks */
  const double *const *attribute; /* [num_attributes], values travel as they are */
} rind_particle_arrays;

/* All zero is what NULL means: one group a block. */
typedef struct rind_particles_options {
  int cells; /* a block and axis, for the groups, up to 4096; 0: 1 */
  rind_groups groups;
} rind_particles_options;

/* What a migration did, over all ranks. */
typedef struct rind_migration {
  int64_t count;   /* particles before it, and after it */
  int64_t changed; /* of them, those that went to another rank */
  int64_t wrapped; /* of them, those that came back in over a periodic border */
} rind_migration;

RIND_BEGIN_DECLS

/* Collective. Every particle goes to the rank and block that hold its position. A position on a
 * face between blocks belongs to the upper one, one on the upper border of the domain to the last
 * block; along periodic axes positions are moved into the domain first, the upper border becomes
 * the lower one. Borrows forest, which must outlive *particles. RIND_ERROR_INVALID names the first
 * particle, by id, that is outside or not finite, that has a negative id, or that shares its id
 * with another of its group; RIND_ERROR_UNSUPPORTED unless the trees are axis-aligned boxes
 * that fit together in a grid (bricks, also wrapped ones). */
RIND_API rind_error rind_particles_create(const rind_forest *forest,
                                          const rind_particle_arrays *arrays,
                                          const rind_particles_options *options,
                                          rind_particles **particles);
/* Accepts NULL. */
RIND_API void rind_particles_destroy(rind_particles **particles);

/* Collective. After positions were changed: brings each particle to its rank and block and sorts.
 * forest NULL: the same forest, at its revision of now: also what to call after
 * rind_forest_refine. Another forest of the same context, the same on all ranks: the set lives
 * there from then on. Nothing is lost or doubled; where a particle has left the domain or is not
 * finite the call fails as create does and the set is as before. migration may be NULL. */
RIND_API rind_error rind_particles_migrate(rind_particles *particles, const rind_forest *forest,
                                           rind_migration *migration);
/* Collective. Sorts into other groups; positions as of the last create, sort or migrate.
 * RIND_ERROR_STATE if one has left its block since: migrate then. RIND_ERROR_STALE if the forest
 * has changed. options NULL: the same groups. */
RIND_API rind_error rind_particles_sort(rind_particles *particles,
                                        const rind_particles_options *options);

/* RIND_ERROR_STALE if the forest has changed since the last create or migrate. Not collective. */
RIND_API rind_error rind_particles_check(const rind_particles *particles);
RIND_API const rind_forest *rind_particles_forest(const rind_particles *particles);
/* Of this rank, and of all. */
RIND_API int64_t rind_particles_count(const rind_particles *particles);
RIND_API int64_t rind_particles_num_global(const rind_particles *particles);
RIND_API int rind_particles_num_attributes(const rind_particles *particles);

/* Arrays [count], valid until the next sort or migrate; NULL for an axis or attribute that does not
 * exist. Yours to write: positions need a migrate before anything else uses them. */
RIND_API double *rind_particles_position(const rind_particles *particles, int axis);
RIND_API double *rind_particles_attribute(const rind_particles *particles, int attribute);
RIND_API const int64_t *rind_particles_id(const rind_particles *particles);

/* cells and groups of the last sort. */
RIND_API rind_particles_options rind_particles_get_options(const rind_particles *particles);
/* Groups a block: cells^dim or (cells + 1)^dim. */
RIND_API int64_t rind_particles_num_groups(const rind_particles *particles);
/* [num_blocks + 1]: block b holds particles first[b] to first[b + 1] - 1. Valid as the arrays. */
RIND_API const int64_t *rind_particles_first_in_block(const rind_particles *particles);
/* [num_blocks * num_groups + 1]: the same for group k of block b, at [b * num_groups + k]. */
RIND_API const int64_t *rind_particles_first_in_group(const rind_particles *particles);

/* Cloud in cell: particle p with attribute q gives w q to each of the 2^dim cells whose centres are
 * around it, w the product over axes of 1 - distance / cell size. Component c of the field becomes
 * the sums of attribute[c], the same list on all ranks; attribute[c] = -1 counts particles. Ghosts
 * take part: what falls on them goes to the cells of other blocks that they stand for, by
 * rind_fill_adjoint(exchange, field), and they are 0 afterwards. So sums are kept: over all cells
 * of all ranks they are those of the attributes, to rounding, with the same bits on any number of
 * ranks and threads.
 *
 * The set must be sorted into RIND_GROUPS_CENTRES of the field's cells (RIND_ERROR_STATE), the
 * exchange be made with adjoint, for fields like this one with ghosts, and from rules that lose
 * nothing: all regions, walls RIND_WALL_EVEN or RIND_WALL_CONSTANT where the forest has walls
 * (RIND_ERROR_MISMATCH). Injection and average keep sums of positive attributes positive. Fields
 * on the device: after rind_particles_to_device. Every rank calls it; errors are agreed upon. */
RIND_API rind_error rind_deposit(const rind_particles *particles, const int *attribute,
                                 rind_exchange *exchange, rind_field *field);

/* Derivatives of a number L through rind_deposit. field holds dL/dH by the cells that the deposit
 * made; its ghosts are filled here. Arrays [count] are written: by_position[a] (the list or an
 * entry NULL: not wanted) dL/d position, by_attribute[c] (the same) dL/d attribute[c] through
 * component c. For fields on the device they may be in device memory, written on the context's
 * stream: wait for it; or on the host, done on return. Kinks of w, on centres of cells, get the
 * derivative from above. Demands as rind_deposit. */
RIND_API rind_error rind_deposit_gradient(const rind_particles *particles, const int *attribute,
                                          rind_exchange *exchange, rind_field *field,
                                          double *const by_position[3],
                                          double *const *by_attribute);

/* Copies what deposits on device fields read: positions, attributes, groups. Again after a sort, a
 * migration, or changed attributes. RIND_ERROR_UNSUPPORTED without a device. Not collective. */
RIND_API rind_error rind_particles_to_device(rind_particles *particles);

RIND_END_DECLS
