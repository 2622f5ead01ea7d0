/* cloud_work.h - a cloud on a forest that is refined where particles are many; calls that are
 * timed.
 */
#pragma once
#include <rind/forest_p4est.h>
#include <rind/rind.h>

#include "cloud_options.h"

/* Medians over repetitions of the slowest rank. */
typedef struct cloud_times {
  double create, sort, migrate, deposit, fold, fill, gradient; /* us */
} cloud_times;

typedef struct cloud_work {
  MPI_Comm comm;
  const cloud_options *options;
  rind_context *context;
  rind_forest *forest;
  cloud_share share;
  rind_particles *particles;
  rind_schedule *schedule;
  rind_exchange *exchange;
  rind_field *field; /* where the deposit runs */
  rind_field *host;  /* the same values on the host */
  double *slope[3];  /* with --device on the device */
  double *by_mass;
  cloud_times times;
  rind_migration migration; /* the last one */
  double sum;               /* over all cells of all ranks */
  double sum_error;         /* relative to the particles' */
  uint64_t checksum;        /* of the deposit */
  uint64_t gradient_checksum;
  int64_t largest_block; /* particles */
  int64_t largest_group;
} cloud_work;

/* Collective, all of them. Options are there, the rest is zero. */
rind_error cloud_work_begin(cloud_work *work);
/* Runs and times everything; done counts steps of cloud_work_steps. */
rind_error cloud_work_run(cloud_work *work, void (*done)(void *user, long steps), void *user);
long cloud_work_steps(const cloud_work *work);
/* The field on the host becomes amounts a volume. */
void cloud_work_to_density(cloud_work *work);
void cloud_work_end(cloud_work *work);
