/* sph_halo.h - what particles of a set see of other ranks' particles.
 *
 * Blocks have sides of 2 h or more, so a particle sees only its block and those that touch it. The
 * links of the forest say which these are; each rank sends what lies within 2 h of a block of
 * another. */
#pragma once
#include <core.h>
#include <rind/particles.h>

/* A local block and the box of a neighbour of another rank, in the local block's coordinates, which
 * go on beyond periodic borders. */
typedef struct rind_sph_border {
  int32_t block;
  int32_t peer; /* index of the neighbour's rank */
  double lower[3], upper[3];
} rind_sph_border;

typedef struct rind_sph_halo {
  rind_context *context; /* borrowed */
  int dim;
  double reach; /* 2 h */
  int64_t revision;
  int num_peers;
  int32_t *peer_rank; /* [num_peers], ascending */
  int num_borders;
  rind_sph_border *border; /* [num_borders], sorted by peer, then block */
  int64_t *first_sent;     /* [num_peers + 1] */
  int32_t *sent;           /* [first_sent[num_peers]], particles, ascending a peer */
  int64_t sent_room;
  int64_t *first_received; /* [num_peers + 1] */
  int64_t count;           /* of particles that were received */
  int64_t room;
  double *position[3]; /* [count] */
  int64_t *id;         /* [own + count], the own ones first */
  int64_t id_room;
} rind_sph_halo;

/* Collective. RIND_ERROR_INVALID if a block is smaller than 2 h, RIND_ERROR_UNSUPPORTED for forests
 * without links over corners. *halo is zero before. */
rind_error rind_sph_halo_create(const rind_particles *particles, double h, rind_sph_halo *halo);
/* *halo may be zero. */
void rind_sph_halo_destroy(rind_sph_halo *halo);

/* Collective. Sends and receives positions and ids. */
rind_error rind_sph_halo_update(rind_sph_halo *halo, const rind_particles *particles);
/* Collective. density [own + count]: sends own ones and receives the others. */
rind_error rind_sph_halo_densities(rind_sph_halo *halo, int64_t own, double *density);
