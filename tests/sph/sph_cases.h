/* sph_cases.h - boxes of points for the tests, and what their densities and gradients are by sums
 * over all pairs. */
#pragma once
#include <rind/sph.h>

typedef struct sph_case {
  rind_sph_model model;
  rind_sph_box box;
  int count;
  double *at[3]; /* [count] */
} sph_case;

/* Points from a generator of the tests' own, uniform in the box stretched by the factor spread
 * around its centre. */
/* Boxes with all that can be odd about them: short axes, walls, one point, none, all in one place;
 * each call of sph_case_known makes one. */
int sph_num_known(void);
const char *sph_known_name(int which);
sph_case sph_case_known(int which);
sph_case sph_case_make(rind_sph_model model, rind_sph_box box, int count, double spread,
                       unsigned seed);
/* Golden input: count points of the generator of docs/sph.md with seed 42, density 10. */
sph_case sph_case_golden(int count);
void sph_case_free(sph_case *c);

/* By all pairs, independent of the library: density [count], gradient[dim][count]; returns the
 * loss. */
double sph_case_brute(const sph_case *c, double *density, double *const gradient[3]);

/* Results of the library. */
typedef struct sph_answer {
  double loss;
  double *density;     /* [count] */
  double *gradient[3]; /* [count] */
  rind_sph_stats stats;
} sph_answer;

/* With the points rounded to the type. */
sph_answer sph_case_ask_in(rind_context *context, const sph_case *c, rind_type type,
                           rind_space space);
/* In double, on the host. */
sph_answer sph_case_ask(rind_context *context, const sph_case *c);
/* All bits of two answers to one case are alike. */
void sph_answer_compare(const char *name, const sph_case *c, const sph_answer *one,
                        const sph_answer *other);
void sph_answer_free(sph_answer *answer);
