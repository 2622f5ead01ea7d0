/* plummer.h - random clouds of particles in the unit square or cube. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef enum cloud_kind { CLOUD_PLUMMER, CLOUD_UNIFORM } cloud_kind;
/* "plummer", "uniform", NULL. */
extern const char *const cloud_words[];

/* Some of the particles. */
typedef struct cloud_share {
  int64_t count;
  double *position[3];
  int64_t *id;
  double *mass;
} cloud_share;

/* The particles of one rank out of total: they come in batches, each with random numbers of its
 * own, that ranks take in turn, so that a particle does not depend on the number of ranks. Plummer
 * (1911): the mass within r is that of r^3 / (r^2 + radius^2)^(3/2); 2D: seen along the third axis;
 * drawn anew outside the domain. False without memory. */
bool cloud_draw(cloud_kind kind, int dim, double radius, uint64_t seed, int64_t total, int rank,
                int ranks, cloud_share *share);
void cloud_share_free(cloud_share *share);
