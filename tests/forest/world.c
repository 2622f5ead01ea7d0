/* world.c - gathers a forest from all ranks and checks that they agree on it. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static void *allocate(size_t count, size_t bytes) {
  void *data = calloc(count > 0 ? count : 1, bytes);
  if (!data) abort();
  return data;
}

/* The items of all ranks in the order of ranks. */
static void *gather(MPI_Comm comm, const void *items, int num_items, size_t bytes, int *num_all) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  int *count = allocate((size_t)size, sizeof *count);
  int *first = allocate((size_t)size, sizeof *first);
  const int mine = num_items * (int)bytes;
  MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, comm);
  int total = 0;
  for (int r = 0; r < size; ++r) {
    first[r] = total;
    total += count[r];
  }
  void *all = allocate((size_t)total, 1);
  MPI_Allgatherv(items, mine, MPI_BYTE, all, count, first, MPI_BYTE, comm);
  free(count);
  free(first);
  *num_all = total / (int)bytes;
  return all;
}

int world_same_block(const rind_block *one, const rind_block *other) {
  return one->global == other->global && one->tree == other->tree && one->level == other->level &&
         memcmp(one->coordinate, other->coordinate, sizeof one->coordinate) == 0 &&
         memcmp(one->lower, other->lower, sizeof one->lower) == 0 &&
         memcmp(one->side, other->side, sizeof one->side) == 0;
}

int world_same_link(const rind_link *one, const rind_link *other) {
  return one->neighbour == other->neighbour && one->region == other->region &&
         one->relation == other->relation &&
         memcmp(one->origin, other->origin, sizeof one->origin) == 0 &&
         memcmp(one->axis, other->axis, sizeof one->axis) == 0 &&
         memcmp(one->flip, other->flip, sizeof one->flip) == 0;
}

static void check_remote(const rind_forest_arrays *arrays, const world *all, int rank) {
  uint8_t *linked = allocate((size_t)arrays->num_remote, 1);
  for (int l = 0; l < arrays->first_link[arrays->num_local]; ++l)
    if (arrays->link[l].neighbour >= arrays->num_local)
      linked[arrays->link[l].neighbour - arrays->num_local] = 1;
  for (int r = 0; r < arrays->num_remote; ++r) {
    const rind_block *block = &arrays->block[arrays->num_local + r];
    CHECK(linked[r], "remote block %d has no link", r);
    CHECK(block->owner != rank, "remote block %d is of this rank", r);
    CHECK(r == 0 || block[-1].global < block->global, "remote blocks %d and %d do not ascend",
          r - 1, r);
    const int found = block->global >= 0 && block->global < all->num_blocks;
    const rind_block *at_owner = found ? &all->block[block->global] : block;
    CHECK(found && world_same_block(block, at_owner) && block->owner == at_owner->owner &&
              block->index == at_owner->index,
          "remote block %d is not as at its owner", r);
  }
  free(linked);
}

void world_gather(const rind_forest *forest, world *all) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  const MPI_Comm comm = rind_context_comm(rind_forest_context(forest));
  const int num_local = arrays->num_local, num_links = arrays->first_link[num_local];
  int *count = allocate((size_t)num_local, sizeof *count);
  world_link *link = allocate((size_t)num_links, sizeof *link);
  for (int b = 0; b < num_local; ++b)
    count[b] = arrays->first_link[b + 1] - arrays->first_link[b];
  for (int l = 0; l < num_links; ++l) {
    link[l].link = arrays->link[l];
    link[l].link.neighbour = 0;
    link[l].neighbour = arrays->block[arrays->link[l].neighbour].global;
  }
  *all = (world){.dim = arrays->dim, .balance = arrays->balance};
  int num_all = 0;
  all->block = gather(comm, arrays->block, num_local, sizeof *all->block, &all->num_blocks);
  all->walls = gather(comm, arrays->walls, num_local, 1, &num_all);
  int *counts = gather(comm, count, num_local, sizeof *counts, &num_all);
  all->first_link = allocate((size_t)all->num_blocks + 1, sizeof *all->first_link);
  for (int b = 0; b < all->num_blocks; ++b)
    all->first_link[b + 1] = all->first_link[b] + counts[b];
  all->link = gather(comm, link, num_links, sizeof *all->link, &num_all);
  CHECK(num_all == all->first_link[all->num_blocks], "%d links are missing",
        all->first_link[all->num_blocks] - num_all);
  CHECK(arrays->num_global == all->num_blocks, "%lld blocks instead of %d",
        (long long)arrays->num_global, all->num_blocks);
  for (int b = 0; b < all->num_blocks; ++b)
    CHECK(all->block[b].global == b, "block %d has number %lld", b,
          (long long)all->block[b].global);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  check_remote(arrays, all, rank);
  free(count);
  free(counts);
  free(link);
}

void world_free(world *all) {
  free(all->block);
  free(all->walls);
  free(all->first_link);
  free(all->link);
  memset(all, 0, sizeof *all);
}

double world_random(uint64_t seed, int32_t tree, int32_t level, const int32_t coordinate[3]) {
  const uint64_t words[6] = {seed,
                             (uint64_t)tree,
                             (uint64_t)level,
                             (uint64_t)coordinate[0],
                             (uint64_t)coordinate[1],
                             (uint64_t)coordinate[2]};
  uint64_t mix = 0x243f6a8885a308d3u;
  for (int i = 0; i < 6; ++i) {
    mix = (mix ^ words[i]) * 0xd6e8feb86659fd93u;
    mix ^= mix >> 32;
  }
  mix = (mix ^ mix >> 29) * 0xd6e8feb86659fd93u;
  return (double)(mix >> 11) * 0x1p-53;
}

int world_splits(const rind_block *block, void *user) {
  const world_splitting *splitting = user;
  return world_random(splitting->seed, block->tree, block->level, block->coordinate) <
         splitting->share;
}
