/* sph_list.h - particles sorted into the cells of a grid, and passes over pairs, on the host.
 *
 * A list holds the particles whose sums are wanted, 0 .. num_own - 1, and others that these may
 * see. They are sorted by cell, and within a cell by id, so that the order of a particle's sum
 * does not depend on which rank makes it. */
#pragma once
#include <stddef.h>

#include <rind/error.h>
#include <rind/field.h>
#include <sph_pair.h>
#include <sph_sum.h>

typedef struct rind_sph_list {
  rind_sph_grid grid;
  int num_own, count;
  int capacity;
  /* Particles are dealt to buckets, cell >> shift, in parts of their order. */
  int shift, num_buckets, num_parts;
  int32_t *place; /* [num_parts][num_buckets], where the first of a part goes in a bucket */
  size_t place_room;
  uint32_t *cell_of;             /* [capacity], of the particles as given */
  void *work;                    /* [capacity][dim + 1] words by bucket: records, then results */
  uint32_t *slot;                /* [capacity], where in work the sorted particles are */
  uint32_t *cell;                /* [capacity], of the sorted particles */
  uint32_t *index;               /* [capacity], which particle each is */
  double *at[3];                 /* [capacity], their positions, wrapped */
  double *excess;                /* [capacity], their densities, at last less the rest density */
  uint64_t *entry, *other_entry; /* [capacity], keys where ids are sorted, or many cells */
  /* [num_cells + 1], the first particle of each cell; not used where cells are many times more
   * than particles. */
  int32_t *start;
  size_t start_room;
  bool has_start;
} rind_sph_list;

/* As many streams as translations of addresses are at hand for. */
enum { RIND_SPH_MOST_BUCKETS = 1024 };

/* What will be read or written soon, in an order that no cache foresees. */
#if defined(__GNUC__)
#define RIND_SPH_WILL_READ(address) __builtin_prefetch(address)
#define RIND_SPH_WILL_WRITE(address) __builtin_prefetch(address, 1)
#else
#define RIND_SPH_WILL_READ(address) ((void)(address))
#define RIND_SPH_WILL_WRITE(address) ((void)(address))
#endif

/* The particles that a list is made of. */
typedef struct rind_sph_source {
  int num_own, count;
  rind_type type;
  const void *position[3]; /* [num_own] */
  const double *others[3]; /* [count - num_own] */
  const int64_t *id;       /* [count], not negative; NULL: in the order given */
} rind_sph_source;

/* *grid for a box; false if a number is out of range, with a line about it in text. */
bool rind_sph_grid_make(int dim, double h, const double lower[3], const double upper[3],
                        const int periodic[3], rind_sph_grid *grid, char *text, size_t length);
rind_sph_numbers rind_sph_numbers_of(int dim, double h, double mass, double rest_density);

/* Sorts entries stably by so many bits from bit 32 on; *other is scratch, and may change places
 * with *entry. */
void rind_sph_sort(uint64_t **entry, uint64_t **other, int count, int bits);

/* The list is zero before, or has been built before. *bad: the first particle that is not finite,
 * or -1; the list is not to be used then. False without memory. */
bool rind_sph_list_build(const rind_sph_grid *grid, const rind_sph_source *source, int threads,
                         rind_sph_list *list, int *bad);
/* Where there is room: sorts; as *bad above. */
int rind_sph_list_sort(const rind_sph_source *source, rind_sph_list *list, int threads);
void rind_sph_list_free(rind_sph_list *list);
int64_t rind_sph_list_bytes(const rind_sph_list *list);
/* Particles of the fullest cell, and pairs that a pass looks at. */
void rind_sph_list_count(const rind_sph_list *list, int64_t *largest_cell, int64_t *pair_slots);

/* Particles of a row's piece are [first, last). */
typedef struct rind_sph_range {
  int first, last;
  double shift[3];
} rind_sph_range;

/* What particles of a cell, given by its place along each axis, see, in the order of their sums. */
int rind_sph_list_ranges(const rind_sph_list *list, const uint32_t cell[3],
                         rind_sph_range range[2 * RIND_SPH_MOST_ROWS]);

/* Densities of the own particles, to list->excess. */
void rind_sph_list_density(rind_sph_list *list, const rind_sph_numbers *numbers, int threads);
/* The same, in the order of the particles, density [num_own]; before the gradient. */
void rind_sph_list_give_density(rind_sph_list *list, rind_type type, void *density, int threads);
/* density [count]: of the particles that are not own. */
void rind_sph_list_take_density(rind_sph_list *list, const double *density);
/* gradient: [num_own] of the given type. After the densities are known. */
void rind_sph_list_gradient(rind_sph_list *list, const rind_sph_numbers *numbers, rind_type type,
                            void *const gradient[3], int threads);
/* Gives num results of each own particle, list->work [slot][num], in the order of the particles. */
void rind_sph_list_give(const rind_sph_list *list, int num, rind_type type, void *const to[3],
                        int threads);
