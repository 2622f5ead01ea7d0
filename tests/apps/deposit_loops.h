/* deposit_loops.h - the deposit benchmark by plain loops over all steps, and particles that make
 * its search stumble. */
#pragma once
#include <deposit_input.h>
#include <deposit_rule.h>

enum { T = DEPOSIT_STEPS, BINS = DEPOSIT_BINS };

/* An answer, of host or device. */
typedef struct answer {
  deposit_summary summary;
  double bins[BINS];
  double *gradient;
} answer;

bool plain_selects(double x, double v, int t);
/* deposits[BINS]: how many a bin has; or NULL. */
double plain_loss(const deposit_input *in, double *bins, int *deposits);
/* Checks all of an answer. */
void check_against_loops(const char *what, const deposit_input *in, const answer *a);

enum { NUM_AWKWARD = 6 };
extern const char *const awkward_names[NUM_AWKWARD];
/* count particles of a kind. */
deposit_arrays make_awkward(int kind, int64_t count, uint64_t seed);
