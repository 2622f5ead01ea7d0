/* sph_relax.c - L-BFGS on the positions of particles. */
#include "sph_relax.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 8, MOST_HALVINGS = 30 };

/* Vectors are [size], axis after axis. */
typedef struct search {
  const sph_relax_problem *problem;
  size_t size;
  double *at, *trial, *gradient, *trial_gradient, *direction;
  double *step[MEMORY], *change[MEMORY]; /* of positions, of gradients; pair k at k % MEMORY */
  double inner[MEMORY];                  /* step . change */
  int first, num;                        /* pairs first .. first + num - 1 */
  double loss;
} search;

static double dot(const double *a, const double *b, size_t size) {
  double sum = 0;
  for (size_t i = 0; i < size; ++i)
    sum += a[i] * b[i];
  return sum;
}

static void add(double *to, double factor, const double *what, size_t size) {
  for (size_t i = 0; i < size; ++i)
    to[i] += factor * what[i];
}

static double *create(const search *s) {
  return calloc(s->size + 1, sizeof(double));
}

static void destroy(search *s) {
  double *const all[] = {s->at, s->trial, s->gradient, s->trial_gradient, s->direction};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
    free(all[k]);
  for (int k = 0; k < MEMORY; ++k) {
    free(s->step[k]);
    free(s->change[k]);
  }
}

/* Loss and gradient with the particles at some place. */
static rind_error evaluate(const search *s, const double *at, double *gradient, double *loss) {
  const sph_relax_problem *p = s->problem;
  const size_t count = (size_t)p->count;
  void *along[3] = {NULL, NULL, NULL};
  for (int a = 0; a < p->dim; ++a) {
    memcpy(p->at[a], at + (size_t)a * count, count * sizeof *at);
    along[a] = gradient + (size_t)a * count;
  }
  return rind_sph_gradient(p->sph, along, loss);
}

static rind_error begin(search *s) {
  const sph_relax_problem *p = s->problem;
  s->at = create(s);
  s->trial = create(s);
  s->gradient = create(s);
  s->trial_gradient = create(s);
  s->direction = create(s);
  bool room = s->at && s->trial && s->gradient && s->trial_gradient && s->direction;
  for (int k = 0; k < MEMORY; ++k) {
    s->step[k] = create(s);
    s->change[k] = create(s);
    room = room && s->step[k] && s->change[k];
  }
  if (!room) return RIND_ERROR_MEMORY;
  for (int a = 0; a < p->dim; ++a)
    memcpy(s->at + (size_t)a * (size_t)p->count, p->at[a], (size_t)p->count * sizeof *s->at);
  return evaluate(s, s->at, s->gradient, &s->loss);
}

/* Minus the approximate inverse Hessian times the gradient: the two loops. */
static void find_direction(search *s) {
  double share[MEMORY];
  const int last = s->first + s->num - 1;
  for (size_t i = 0; i < s->size; ++i)
    s->direction[i] = -s->gradient[i];
  for (int k = last; k >= s->first; --k) {
    const int m = k % MEMORY;
    share[m] = dot(s->step[m], s->direction, s->size) / s->inner[m];
    add(s->direction, -share[m], s->change[m], s->size);
  }
  if (s->num > 0) {
    const int m = last % MEMORY;
    const double scale = s->inner[m] / dot(s->change[m], s->change[m], s->size);
    for (size_t i = 0; i < s->size; ++i)
      s->direction[i] *= scale;
  }
  for (int k = s->first; k <= last; ++k) {
    const int m = k % MEMORY;
    const double other = dot(s->change[m], s->direction, s->size) / s->inner[m];
    add(s->direction, share[m] - other, s->step[m], s->size);
  }
}

static double largest_of(const double *values, size_t size) {
  double largest = 0;
  for (size_t i = 0; i < size; ++i)
    largest = fmax(largest, fabs(values[i]));
  return largest;
}

/* A step along the direction that lowers the loss enough: trial, its gradient and loss. */
static rind_error find_step(search *s, double *loss, bool *found) {
  const double slope = dot(s->direction, s->gradient, s->size);
  const double largest = largest_of(s->direction, s->size);
  const double reach = s->problem->reach * (s->num > 0 ? 1 : 0.1);
  double length = largest > reach || s->num == 0 ? reach / largest : 1;
  *found = false;
  for (int k = 0; k < MOST_HALVINGS && slope < 0 && largest > 0 && !*found; ++k, length *= 0.5) {
    memcpy(s->trial, s->at, s->size * sizeof *s->at);
    add(s->trial, length, s->direction, s->size);
    const rind_error error = evaluate(s, s->trial, s->trial_gradient, loss);
    if (error != RIND_OK) return error;
    *found = *loss <= s->loss + 1e-4 * length * slope;
  }
  return RIND_OK;
}

static void swap(double **one, double **other) {
  double *kept = *one;
  *one = *other;
  *other = kept;
}

/* The trial becomes the place; its pair is remembered if the curvature is positive. */
static void accept(search *s, double loss) {
  const int m = (s->first + s->num) % MEMORY;
  for (size_t i = 0; i < s->size; ++i) {
    s->step[m][i] = s->trial[i] - s->at[i];
    s->change[m][i] = s->trial_gradient[i] - s->gradient[i];
  }
  const double inner = dot(s->step[m], s->change[m], s->size);
  const double squares = dot(s->change[m], s->change[m], s->size);
  if (inner > 1e-12 * squares && squares > 0) {
    s->inner[m] = inner;
    if (s->num == MEMORY)
      ++s->first;
    else
      ++s->num;
  } else {
    /* The place of the oldest pair is overwritten. */
    if (s->num == MEMORY) {
      ++s->first;
      --s->num;
    }
  }
  swap(&s->at, &s->trial);
  swap(&s->gradient, &s->trial_gradient);
  s->loss = loss;
}

static rind_error walk(search *s, int *steps) {
  const sph_relax_problem *p = s->problem;
  for (*steps = 0; *steps < p->steps;) {
    bool found = false;
    double loss = 0;
    find_direction(s);
    rind_error error = find_step(s, &loss, &found);
    if (error == RIND_OK && !found && s->num > 0) {
      s->num = 0;
      continue;
    }
    if (error != RIND_OK || !found) return error;
    accept(s, loss);
    ++*steps;
    const double norm = sqrt(dot(s->gradient, s->gradient, s->size));
    if (p->report && p->report(*steps, s->loss, norm, p->user)) break;
  }
  return RIND_OK;
}

rind_error sph_relax(const sph_relax_problem *problem, int *steps) {
  search s = {.problem = problem, .size = (size_t)problem->dim * (size_t)problem->count};
  *steps = 0;
  rind_error error = begin(&s);
  if (error == RIND_OK) error = walk(&s, steps);
  for (int a = 0; s.at && a < problem->dim; ++a)
    memcpy(problem->at[a], s.at + (size_t)a * (size_t)problem->count,
           (size_t)problem->count * sizeof *s.at);
  destroy(&s);
  return error;
}
