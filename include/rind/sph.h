/* rind/sph.h - smoothed-particle density, a loss made of it, and the gradient of the loss.
 * docs/sph.md is the guide.
 *
 * With the sum over all particles j, i itself included, and the cubic spline W (Monaghan and
 * Lattanzio 1985) that is 0 from 2 h on, normalised in dim dimensions,
 *
 *     density_i = mass sum_j W(|x_i - x_j|),   loss = sum_i (density_i - rest_density)^2.
 *
 * Along periodic axes x_i - x_j is that of the nearest image. Sums are made in double, in an order
 * that neither ranks, threads nor the space change: results have the same bits on all of them. */
#pragma once
#include <rind/field.h>

typedef struct rind_sph rind_sph;
struct rind_particles;

typedef struct rind_sph_model {
  double h;            /* smoothing length; a particle sees others nearer than 2 h */
  double mass;         /* of every particle; 0: 1 */
  double rest_density; /* what the loss compares with */
} rind_sph_model;

typedef struct rind_sph_box {
  int dim; /* 2 or 3 */
  double lower[3], upper[3];
  int periodic[3]; /* not 0: the axis is; else there is nothing beyond, particles may be */
} rind_sph_box;

/* All zero is what NULL means. */
typedef struct rind_sph_options {
  rind_type type;   /* of positions, densities and gradients */
  rind_space space; /* where their arrays are */
} rind_sph_options;

/* Particles of one rank. */
typedef struct rind_sph_points {
  int64_t count;           /* at most 1 908 874 336 */
  const void *position[3]; /* [count] each, of the options' type and space; [2] is ignored in 2D */
} rind_sph_points;

/* Of this rank. */
typedef struct rind_sph_stats {
  int64_t num_points;
  int64_t num_halo;     /* particles of other ranks that these see */
  int64_t cells[3];     /* of the grid that finds neighbours, over the whole box: 2 h or wider */
  int64_t largest_cell; /* particles in it */
  int64_t pair_slots;   /* pairs whose distance is looked at in a pass */
  int64_t bytes;        /* working memory, in the options' space */
} rind_sph_stats;

RIND_BEGIN_DECLS

/* Particles of one rank in plain arrays; no call on such an object is collective. Borrows context.
 * RIND_ERROR_INVALID for a bad model or box; RIND_ERROR_UNSUPPORTED for device arrays without a
 * device. */
RIND_API rind_error rind_sph_create_box(rind_context *context, const rind_sph_model *model,
                                        const rind_sph_box *box, const rind_sph_options *options,
                                        rind_sph **sph);
/* Borrows the arrays: the calls below read them, as they are then. */
RIND_API rind_error rind_sph_set_points(rind_sph *sph, const rind_sph_points *points);
/* Collective. The particles of a set, double, on the host, in the box that its forest fills.
 * Borrows particles, which must outlive *sph; after their positions changed or the forest did,
 * migrate them. The calls below are collective then, arrays are this rank's [count], in the set's
 * order. RIND_ERROR_INVALID for a bad model or where a block is smaller than 2 h,
 * RIND_ERROR_MISMATCH for models that differ over ranks, RIND_ERROR_UNSUPPORTED without links over
 * corners (RIND_BALANCE_FACES). */
RIND_API rind_error rind_sph_create(const struct rind_particles *particles,
                                    const rind_sph_model *model, rind_sph **sph);
/* Accepts NULL. */
RIND_API void rind_sph_destroy(rind_sph **sph);

/* density [count], in the order of the particles. RIND_ERROR_INVALID names the first particle that
 * is not at a finite place. This and the next two find the neighbours anew, in working memory that
 * grows with the count and is kept. On the device they wait for the context's stream; on errors
 * the outputs may be partly written. Of a set, RIND_ERROR_STALE if the forest has changed or a
 * particle has left its block since the set was migrated. */
RIND_API rind_error rind_sph_density(rind_sph *sph, void *density);
/* loss may be NULL, here and below. For a set it is that of all ranks. */
RIND_API rind_error rind_sph_loss(rind_sph *sph, double *loss);
/* gradient[a][count] is dloss/dx along axis a. Two particles at one place pull
 * each other nowhere. */
RIND_API rind_error rind_sph_gradient(rind_sph *sph, void *const gradient[3], double *loss);

/* Of the last of the calls above; RIND_ERROR_STATE if there was none. */
RIND_API rind_error rind_sph_get_stats(rind_sph *sph, rind_sph_stats *stats);

RIND_END_DECLS
