/* sph_lists.c - particles sorted through buckets are in the order of cells and ids, and results
 * find their way back, for any number of buckets and parts. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <sph_list.h>

static uint64_t state = 3;

static double uniform(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53;
}

typedef enum ids { NO_IDS, MIXED, LONG, DESCENDING } ids;

typedef struct setting {
  const char *name;
  int dim, count, others; /* others of the count are not own */
  rind_type type;
  double h;      /* in a box of side 1 */
  double spread; /* of the particles, about a corner */
  ids ids;
} setting;

static const setting settings[] = {
    {"nothing", 2, 0, 0, RIND_FLOAT64, 0.1, 1, NO_IDS},
    {"one", 3, 1, 0, RIND_FLOAT64, 0.1, 1, MIXED},
    {"one bucket", 2, 500, 20, RIND_FLOAT64, 0.02, 1, NO_IDS},
    {"many buckets", 2, 30000, 0, RIND_FLOAT64, 0.01, 1, NO_IDS},
    {"many buckets in 3D", 3, 30000, 0, RIND_FLOAT32, 0.03, 1, NO_IDS},
    {"others", 2, 20000, 7000, RIND_FLOAT64, 0.01, 1.5, MIXED},
    {"others in 3D", 3, 20000, 12000, RIND_FLOAT64, 0.03, 1.5, LONG},
    {"a crowd", 2, 20000, 0, RIND_FLOAT64, 0.005, 0.02, DESCENDING},
    {"more cells than are tabulated", 2, 9000, 0, RIND_FLOAT64, 0.001, 1, NO_IDS},
    {"the same with ids", 2, 9000, 3000, RIND_FLOAT64, 0.001, 0.1, LONG},
    {"as many cells as fit", 2, 5000, 0, RIND_FLOAT64, 1e-9, 1, MIXED},
    {"as many cells as fit in 3D", 3, 12000, 0, RIND_FLOAT32, 1e-9, 1, NO_IDS},
    {"few cells", 2, 20000, 100, RIND_FLOAT32, 0.2, 1, MIXED},
};

/* The order that is right. */
typedef struct place {
  uint32_t cell;
  int64_t id;
  int index;
} place;

static int compare(const void *one, const void *other) {
  const place *a = one, *b = other;
  if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

typedef struct particles {
  double *at[3];
  float *narrow[3];
  int64_t *id;
} particles;

static particles make(const setting *s) {
  particles made = {.id = calloc((size_t)s->count + 1, sizeof(int64_t))};
  for (int a = 0; a < 3; ++a) {
    made.at[a] = calloc((size_t)s->count + 1, sizeof(double));
    made.narrow[a] = calloc((size_t)s->count + 1, sizeof(float));
    for (int i = 0; i < s->count; ++i) {
      made.narrow[a][i] = (float)(s->spread * (uniform() - 0.1));
      made.at[a][i] = s->type == RIND_FLOAT32 ? made.narrow[a][i] : s->spread * (uniform() - 0.1);
    }
  }
  for (int i = 0; i < s->count; ++i)
    made.id[i] = s->ids == DESCENDING ? s->count - i : i;
  for (int i = s->count - 1; i > 0 && (s->ids == MIXED || s->ids == LONG); --i) {
    const int j = (int)(uniform() * (i + 1));
    const int64_t kept = made.id[i];
    made.id[i] = made.id[j];
    made.id[j] = kept;
  }
  for (int i = 0; i < s->count && s->ids == LONG; ++i)
    made.id[i] = made.id[i] << 30 | made.id[i] % 7;
  return made;
}

static void destroy(particles *made) {
  for (int a = 0; a < 3; ++a) {
    free(made->at[a]);
    free(made->narrow[a]);
  }
  free(made->id);
}

static rind_sph_source source_of(const setting *s, const particles *made) {
  rind_sph_source source = {.num_own = s->count - s->others,
                            .count = s->count,
                            .type = s->type,
                            .id = s->ids == NO_IDS ? NULL : made->id};
  for (int a = 0; a < 3; ++a) {
    source.position[a] =
        s->type == RIND_FLOAT64 ? (const void *)made->at[a] : (const void *)made->narrow[a];
    source.others[a] = made->at[a] + source.num_own;
  }
  return source;
}

static place *right_order(const rind_sph_grid *grid, const setting *s, const particles *made) {
  place *order = calloc((size_t)s->count + 1, sizeof *order);
  for (int i = 0; i < s->count; ++i) {
    order[i] = (place){.id = s->ids == NO_IDS ? i : made->id[i], .index = i};
    for (int a = s->dim - 1; a >= 0; --a)
      order[i].cell = order[i].cell * grid->cells[a] +
                      rind_sph_cell_along(grid, a, rind_sph_wrap(grid, a, made->at[a][i]));
  }
  qsort(order, (size_t)s->count, sizeof *order, compare);
  return order;
}

static void check_order(const rind_sph_list *list, const setting *s, const particles *made,
                        const place *order, int parts) {
  int wrong = 0;
  for (int p = 0; p < s->count && !wrong; ++p) {
    const int i = order[p].index;
    wrong += (int)list->index[p] != i || list->cell[p] != order[p].cell;
    for (int a = 0; a < s->dim; ++a)
      wrong += list->at[a][p] != rind_sph_wrap(&list->grid, a, made->at[a][i]);
    CHECK(!wrong, "%s, %d parts: place %d is particle %u of cell %u at %g, not %d of %u", s->name,
          parts, p, list->index[p], list->cell[p], list->at[0][p], i, order[p].cell);
  }
  size_t cell = 0;
  for (int p = 0; p <= s->count && list->has_start; ++p) {
    const size_t end = p < s->count ? order[p].cell : rind_sph_num_cells(&list->grid);
    for (; cell <= end && !wrong; ++cell) {
      wrong += list->start[cell] != p;
      CHECK(!wrong, "%s, %d parts: cell %zu begins at %d, not %d", s->name, parts, cell,
            list->start[cell], p);
    }
  }
}

static double result_of(int particle, int which) {
  return particle + 0.25 * which + 0.0625;
}

static void check_results(const rind_sph_list *list, const setting *s, rind_type type, int num,
                          int parts) {
  const size_t bytes = rind_type_bytes(type), own = (size_t)list->num_own;
  void *to[3] = {NULL, NULL, NULL};
  for (int a = 0; a < num; ++a)
    to[a] = calloc(own + 1, bytes);
  for (int p = 0; p < list->count; ++p)
    for (int a = 0; a < num; ++a)
      ((double *)list->work)[(size_t)list->slot[p] * num + a] = result_of((int)list->index[p], a);
  rind_sph_list_give(list, num, type, to, parts);
  for (int a = 0; a < num; ++a) {
    int wrong = 0;
    for (size_t i = 0; i <= own && !wrong; ++i) {
      const double got = type == RIND_FLOAT64 ? ((double *)to[a])[i] : (double)((float *)to[a])[i];
      double wanted = i < own ? result_of((int)i, a) : 0;
      if (type == RIND_FLOAT32) wanted = (float)wanted;
      wrong = got != wanted;
      CHECK(!wrong, "%s, %d parts: result %d of %d of particle %zu is %g, not %g", s->name, parts,
            a, num, i, got, wanted);
    }
    free(to[a]);
  }
}

/* The first of two particles that are nowhere is told. */
static void check_nowhere(const rind_sph_grid *grid, const setting *s, particles *made,
                          rind_sph_list *list, int parts) {
  const int first = (s->count - s->others) / 3, second = s->count - 1;
  if (first >= second || s->type != RIND_FLOAT64) return;
  const rind_sph_source source = source_of(s, made);
  const double kept[2] = {made->at[s->dim - 1][first], made->at[0][second]};
  made->at[s->dim - 1][first] = NAN;
  made->at[0][second] = INFINITY;
  int bad = -1;
  CHECK(rind_sph_list_build(grid, &source, parts, list, &bad), "%s: no memory", s->name);
  CHECK(bad == first, "%s, %d parts: particle %d is said to be nowhere, not %d", s->name, parts,
        bad, first);
  made->at[s->dim - 1][first] = kept[0];
  made->at[0][second] = kept[1];
}

static void check_setting(const setting *s, rind_sph_list *list) {
  const double lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
  const int periodic[3] = {1, 0, 1}, parts[] = {1, 2, 3, 7};
  char text[256];
  rind_sph_grid grid;
  CHECK(rind_sph_grid_make(s->dim, s->h, lower, upper, periodic, &grid, text, sizeof text),
        "%s: %s", s->name, text);
  particles made = make(s);
  const rind_sph_source source = source_of(s, &made);
  place *order = right_order(&grid, s, &made);
  for (int k = 0; k < 4; ++k) {
    int bad = -1;
    check_nowhere(&grid, s, &made, list, parts[k]);
    CHECK(rind_sph_list_build(&grid, &source, parts[k], list, &bad), "%s: no memory", s->name);
    CHECK(bad == -1, "%s: particle %d is nowhere", s->name, bad);
    check_order(list, s, &made, order, parts[k]);
    for (int num = 1; num <= 3; ++num) {
      if (num > s->dim) continue;
      check_results(list, s, RIND_FLOAT64, num, parts[k]);
      check_results(list, s, RIND_FLOAT32, num, parts[k]);
    }
  }
  free(order);
  destroy(&made);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const int num = (int)(sizeof settings / sizeof *settings);
  int most = 0;
  rind_sph_list again = {.capacity = 0};
  for (int k = 0; k < num; ++k) {
    rind_sph_list list = {.capacity = 0};
    check_setting(&settings[k], &list);
    most = list.num_buckets > most ? list.num_buckets : most;
    rind_sph_list_free(&list);
  }
  CHECK(most > 8, "%d buckets are too few for this test", most);
  /* One list, in and out of use: 2D only, as arrays are by dimension. */
  for (int k = 0; k < num; ++k)
    if (settings[k].dim == 2) check_setting(&settings[k], &again);
  rind_sph_list_free(&again);
  return check_end();
}
