/* forest_geometry.c - links of random bricks against the geometry of all leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "world.h"

/* All in units of the finest level's sides. */
typedef struct leaf {
  int64_t at[3];
  int64_t side;
} leaf;

typedef struct scene {
  int index;
  rind_brick brick;
  world all;
  int finest;
  leaf *leaf;      /* [all.num_blocks] */
  int64_t size[3]; /* of the brick */
} scene;

typedef struct expected {
  int64_t neighbour;
  int region;
  int origin[3];
} expected;

static int trees_along(const rind_brick *brick, int axis) {
  return axis >= brick->dim ? 1 : brick->trees[axis] > 0 ? brick->trees[axis] : 1;
}

/* Where the leaves lie, from their corners in space. */
static void place_leaves(scene *s) {
  const rind_brick *brick = &s->brick;
  for (int b = 0; b < s->all.num_blocks; ++b)
    if (s->all.block[b].level > s->finest) s->finest = s->all.block[b].level;
  for (int a = 0; a < 3; ++a)
    s->size[a] = (int64_t)trees_along(brick, a) << s->finest;
  s->leaf = calloc((size_t)s->all.num_blocks, sizeof *s->leaf);
  double volume = 0;
  for (int b = 0; b < s->all.num_blocks; ++b) {
    const rind_block *block = &s->all.block[b];
    leaf *made = &s->leaf[b];
    made->side = (int64_t)1 << (s->finest - block->level);
    volume += pow((double)made->side, brick->dim);
    for (int a = 0; a < brick->dim; ++a) {
      const int box = brick->upper[a] > brick->lower[a];
      const double tree = box ? (brick->upper[a] - brick->lower[a]) / trees_along(brick, a) : 1;
      const double at = ldexp((block->lower[a] - brick->lower[a]) / tree, s->finest);
      made->at[a] = llround(at);
      CHECK(fabs(at - (double)made->at[a]) < 1e-9 && made->at[a] % made->side == 0,
            "case %d: block %d lies at %.17g along axis %d", s->index, b, block->lower[a], a);
      CHECK((made->at[a] / made->side - block->coordinate[a]) % (1 << block->level) == 0,
            "case %d: block %d lies at %.17g along axis %d with coordinate %d of level %d",
            s->index, b, block->lower[a], a, block->coordinate[a], block->level);
      CHECK(block->side[a] == ldexp(tree, -block->level), "case %d: block %d has side %.17g",
            s->index, b, block->side[a]);
    }
  }
  const double brick_volume =
      (double)s->size[0] * (double)s->size[1] * (brick->dim == 3 ? (double)s->size[2] : 1);
  CHECK(volume == brick_volume, "case %d: the blocks fill %g of %g", s->index, volume,
        brick_volume);
}

/* Bit 0: the leaf covers the layer below the block, bit 1: some of its extent, bit 2: above. */
static int overlaps(int64_t at, int64_t side, int64_t block_at, int64_t block_side) {
  const int64_t end = at + side, block_end = block_at + block_side;
  return (at < block_at && end >= block_at) | (at < block_end && end > block_at) << 1 |
         (at <= block_end && end > block_end) << 2;
}

static int expect_leaf(const scene *s, int b, int n, const int shift[3], expected *found, int num) {
  const leaf *block = &s->leaf[b], *other = &s->leaf[n];
  int bits[3] = {2, 2, 2}, origin[3] = {0, 0, 0};
  for (int a = 0; a < s->brick.dim; ++a) {
    const int64_t at = other->at[a] + shift[a] * s->size[a];
    bits[a] = overlaps(at, other->side, block->at[a], block->side);
    if (bits[a] == 0) return num;
    origin[a] = (int)(2 * (at - block->at[a]) / block->side);
  }
  for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
    if (region == RIND_REGION_SELF) continue;
    if (!(bits[0] >> region % 3 & 1 && bits[1] >> region / 3 % 3 & 1 && bits[2] >> region / 9 & 1))
      continue;
    found[num++] = (expected){n, region, {origin[0], origin[1], origin[2]}};
  }
  return num;
}

static int compare_expected(const void *one, const void *other) {
  const expected *a = one, *b = other;
  if (a->region != b->region) return a->region - b->region;
  for (int i = 2; i >= 0; --i)
    if (a->origin[i] != b->origin[i]) return a->origin[i] - b->origin[i];
  return 0;
}

/* What the geometry says about a block, sorted as links are. */
static int expect_links(const scene *s, int b, expected *found) {
  const int *periodic = s->brick.periodic, dim = s->brick.dim;
  int num = 0, shift[3];
  for (int n = 0; n < s->all.num_blocks; ++n)
    for (shift[2] = dim == 3 && periodic[2] ? -1 : 0; shift[2] <= (dim == 3 && periodic[2]);
         ++shift[2])
      for (shift[1] = periodic[1] ? -1 : 0; shift[1] <= (periodic[1] != 0); ++shift[1])
        for (shift[0] = periodic[0] ? -1 : 0; shift[0] <= (periodic[0] != 0); ++shift[0])
          num = expect_leaf(s, b, n, shift, found, num);
  qsort(found, (size_t)num, sizeof *found, compare_expected);
  return num;
}

static int is_as_expected(const scene *s, int b, const world_link *link, const expected *want) {
  const rind_link *got = &link->link;
  int right = link->neighbour == want->neighbour && got->region == want->region &&
              got->relation == s->all.block[want->neighbour].level - s->all.block[b].level;
  for (int a = 0; a < 3; ++a)
    right = right && got->origin[a] == want->origin[a] && got->axis[a] == a && got->flip[a] == 0;
  return right;
}

static void check_block(const scene *s, int b) {
  enum { MOST = 4096 };
  static expected want[MOST];
  const int num = expect_links(s, b, want);
  const int first = s->all.first_link[b], num_links = s->all.first_link[b + 1] - first;
  CHECK(num == num_links, "case %d: block %d has %d links, %d leaves around", s->index, b,
        num_links, num);
  for (int l = 0; l < num && l < num_links; ++l)
    CHECK(is_as_expected(s, b, &s->all.link[first + l], &want[l]),
          "case %d: link %d of block %d goes to %lld, region %d; %lld, region %d it should be",
          s->index, l, b, (long long)s->all.link[first + l].neighbour,
          s->all.link[first + l].link.region, (long long)want[l].neighbour, want[l].region);
  int walls = 0;
  for (int a = 0; a < s->brick.dim; ++a) {
    if (s->brick.periodic[a]) continue;
    walls |= (s->leaf[b].at[a] == 0) << 2 * a;
    walls |= (s->leaf[b].at[a] + s->leaf[b].side == s->size[a]) << (2 * a + 1);
  }
  CHECK(s->all.walls[b] == walls, "case %d: block %d has walls %x instead of %x", s->index, b,
        s->all.walls[b], walls);
}

static rind_brick random_brick(uint64_t seed, int *max_level, double *share) {
  const int32_t none[3] = {0, 0, 0};
  double draw[12];
  for (int i = 0; i < 12; ++i)
    draw[i] = world_random(seed, i, -1, none);
  rind_brick brick = {.dim = draw[0] < 0.5 ? 2 : 3};
  for (int a = 0; a < brick.dim; ++a) {
    brick.trees[a] = (int)(draw[1 + a] * 4);
    brick.periodic[a] = draw[4 + a] < 0.5;
    if (draw[7] < 0.3) {
      brick.lower[a] = a - 1.5;
      brick.upper[a] = brick.lower[a] + 0.7 * (a + 1);
    }
  }
  brick.level = (int)(draw[8] * 2);
  *max_level = brick.level + (int)(draw[9] * (brick.dim == 2 ? 4 : 3));
  *share = 0.1 + 0.4 * draw[10];
  return brick;
}

static void run_case(rind_context *context, int index) {
  int max_level = 0;
  world_splitting splitting = {.seed = (uint64_t)index};
  scene s = {.index = index};
  s.brick = random_brick(splitting.seed, &max_level, &splitting.share);
  rind_forest *forest = NULL;
  CHECK_OK(rind_forest_create_brick(context, &s.brick, &forest), context);
  if (!forest) return;
  CHECK_OK(rind_forest_refine(forest, max_level, world_splits, &splitting), context);
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  const int size = rind_context_size(context);
  CHECK(arrays->balance == RIND_BALANCE_FULL && arrays->dim == s.brick.dim,
        "case %d: balance %d, dimension %d", index, arrays->balance, arrays->dim);
  CHECK(llabs(arrays->num_local - arrays->num_global / size) <= 1,
        "case %d: %d of %lld blocks on one of %d ranks", index, arrays->num_local,
        (long long)arrays->num_global, size);
  world_gather(forest, &s.all);
  place_leaves(&s);
  for (int b = 0; b < s.all.num_blocks; ++b)
    if (s.all.block[b].owner == rind_context_rank(context)) check_block(&s, b);
  free(s.leaf);
  world_free(&s.all);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  rind_context *context = NULL;
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  const int first = argc > 2 ? atoi(argv[2]) : 0;
  const int num_cases = argc > 1 ? atoi(argv[1]) : 40;
  for (int index = first; index < first + num_cases; ++index)
    run_case(context, index);
  rind_context_destroy(&context);
  return check_end();
}
