/* forest_links.c - finds the neighbours of every block, on this rank and on others. */
#include <forest_links.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <block_exchange.h>
#include <core.h>
#include <neighbour.h>

typedef struct builder {
  rind_context *context;
  const rind_tree_mesh *mesh;
  rind_block *block; /* [num_local + num_remote] */
  int num_local;
  int num_remote; /* candidates, later those that have links */
  rind_neighbourhood around;
  rind_block_target *target;
  int num_targets;
  int max_targets;
  rind_link *link;
  int32_t num_links;
  int32_t max_links;
  int32_t *first_link; /* [num_local + 1] */
  uint8_t *walls;      /* [num_local] */
  bool faces_only;
  bool corner_fault; /* a region over an edge or corner has blocks two levels away */
  bool irregular;
} builder;

static void *allocate(size_t count, size_t bytes) {
  return calloc(count > 0 ? count : 1, bytes);
}

static void direction_of(int region, int o[3]) {
  o[0] = region % 3 - 1;
  o[1] = region / 3 % 3 - 1;
  o[2] = region / 9 - 1;
}

static bool is_region(int dim, int region) {
  return region != RIND_REGION_SELF && (dim == 3 || region / 9 == 1);
}

/* The face that o crosses, or -1 if it crosses several. */
static int face_of(const int o[3]) {
  int face = -1;
  for (int a = 0; a < 3; ++a) {
    if (o[a] == 0) continue;
    if (face >= 0) return -1;
    face = 2 * a + (o[a] > 0);
  }
  return face;
}

static bool add_target(builder *b, int rank, int block) {
  for (int t = b->num_targets - 1; t >= 0 && b->target[t].block == block; --t)
    if (b->target[t].rank == rank) return true;
  if (b->num_targets == b->max_targets) {
    if (b->max_targets > INT_MAX / 4) return false;
    const int more = 2 * b->max_targets + 64;
    rind_block_target *target = realloc(b->target, (size_t)more * sizeof *target);
    if (!target) return false;
    b->target = target;
    b->max_targets = more;
  }
  b->target[b->num_targets++] = (rind_block_target){.rank = rank, .block = block};
  return true;
}

/* The owners of what touches the block at a position that is not all local. */
static bool add_owners(builder *b, int block, const rind_position *at, const int o[3]) {
  const rind_tree_mesh *mesh = b->mesh;
  const int rank = rind_context_rank(b->context);
  const bool splits = at->level < mesh->max_level;
  for (int child = 0; child < 1 << mesh->dim; ++child) {
    if (!rind_child_touches(mesh->dim, child, o)) continue;
    rind_position part = *at;
    if (splits) rind_position_child(at, mesh->dim, child, &part);
    const int owner = mesh->find_owner(mesh->self, part.tree, part.level, part.coordinate);
    if (owner != rank && !add_target(b, owner, block)) return false;
    if (!splits) break;
  }
  return true;
}

/* The blocks that other ranks need, by the neighbours that are not found on this one. */
static rind_error find_targets(builder *b) {
  for (int block = 0; block < b->num_local; ++block) {
    for (int region = 0; region < RIND_NUM_REGIONS; ++region) {
      if (!is_region(b->mesh->dim, region)) continue;
      int o[3];
      direction_of(region, o);
      rind_position at;
      rind_neighbours found;
      if (!rind_neighbourhood_position(&b->around, &b->block[block], o, &at)) continue;
      if (rind_neighbourhood_look_up(&b->around, &at, o, &found)) continue;
      RIND_REQUIRE(b->context, add_owners(b, block, &at, o), RIND_ERROR_MEMORY,
                   "no memory for a list of %d blocks that other ranks need", b->num_targets);
    }
  }
  return RIND_OK;
}

static int compare_blocks(const void *one, const void *other) {
  const rind_block *a = one, *b = other;
  return (a->global > b->global) - (a->global < b->global);
}

/* Appends the blocks of other ranks in global order. */
static rind_error add_remote(builder *b, rind_block *received, int num_received) {
  if (num_received == 0) return RIND_OK;
  RIND_REQUIRE(b->context, num_received <= INT_MAX - 1 - b->num_local, RIND_ERROR_OVERFLOW,
               "%d local and %d remote blocks: at most %d together", b->num_local, num_received,
               INT_MAX - 1);
  const size_t num_blocks = (size_t)b->num_local + (size_t)num_received;
  rind_block *block = realloc(b->block, num_blocks * sizeof *block);
  RIND_REQUIRE(b->context, block, RIND_ERROR_MEMORY, "no memory for %zu blocks", num_blocks);
  b->block = block;
  for (int r = 0; r < num_received; ++r) {
    received[r].global = b->mesh->first_global[received[r].owner] + received[r].index;
    rind_tree_mesh_place(b->mesh, &received[r]);
  }
  qsort(received, (size_t)num_received, sizeof *received, compare_blocks);
  memcpy(block + b->num_local, received, (size_t)num_received * sizeof *received);
  b->num_remote = num_received;
  rind_neighbourhood_close(&b->around);
  RIND_REQUIRE(b->context, rind_neighbourhood_open(b->mesh, block, (int)num_blocks, &b->around),
               RIND_ERROR_MEMORY, "no memory for a table of %zu blocks", num_blocks);
  return RIND_OK;
}

static rind_error find_remote(builder *b) {
  rind_error error = RIND_OK;
  b->block = b->block ? b->block : allocate(1, sizeof *b->block);
  if (!b->block || !rind_neighbourhood_open(b->mesh, b->block, b->num_local, &b->around))
    error = rind_context_fail(b->context, RIND_ERROR_MEMORY, "no memory for a table of %d blocks",
                              b->num_local);
  if (rind_context_size(b->context) == 1) return error;
  rind_block *received = NULL;
  int num_received = 0;
  if (error == RIND_OK) error = find_targets(b);
  error = rind_block_exchange(b->context, error, b->block, b->target, b->num_targets, &received,
                              &num_received);
  if (error == RIND_OK) error = add_remote(b, received, num_received);
  free(received);
  return error;
}

/* Room for all links of one more block. */
static rind_error reserve_links(builder *b) {
  if (b->max_links - b->num_links >= RIND_MAX_LINKS) return RIND_OK;
  RIND_REQUIRE(b->context, b->num_links <= INT32_MAX - RIND_MAX_LINKS, RIND_ERROR_OVERFLOW,
               "the %d blocks of a rank have more than %d links: use more ranks", b->num_local,
               INT32_MAX - RIND_MAX_LINKS);
  const int64_t guess = b->num_links + b->num_links / 2 + (b->mesh->dim == 2 ? 9 : 28) * 64;
  const int64_t more = guess > INT32_MAX ? INT32_MAX : guess;
  rind_link *link = realloc(b->link, (size_t)more * sizeof *link);
  RIND_REQUIRE(b->context, link, RIND_ERROR_MEMORY, "no memory for %lld links", (long long)more);
  b->link = link;
  b->max_links = (int32_t)more;
  return RIND_OK;
}

static void add_links(builder *b, int region, const rind_position *at,
                      const rind_neighbours *found) {
  for (int i = 0; i < found->num_blocks; ++i) {
    rind_link link = {.neighbour = found->block[i],
                      .region = (int8_t)region,
                      .relation = (int8_t)found->relation};
    memcpy(link.origin, found->origin[i], sizeof link.origin);
    memcpy(link.axis, at->axis, sizeof link.axis);
    memcpy(link.flip, at->flip, sizeof link.flip);
    b->link[b->num_links++] = link;
  }
}

static rind_error link_region(builder *b, int block, int region) {
  int o[3];
  direction_of(region, o);
  const int face = face_of(o);
  if (b->faces_only && face < 0) return RIND_OK;
  rind_position at;
  if (!rind_neighbourhood_position(&b->around, &b->block[block], o, &at)) {
    if (face >= 0) b->walls[block] |= (uint8_t)(1 << face);
    return RIND_OK;
  }
  rind_neighbours found;
  if (rind_neighbourhood_look_up(&b->around, &at, o, &found)) {
    add_links(b, region, &at, &found);
    return RIND_OK;
  }
  const rind_block *self = &b->block[block];
  RIND_REQUIRE(
      b->context,
      face<0, RIND_ERROR_UNBALANCED,
           "block %lld (tree %d, level %d, at %d %d %d) has no neighbour of level %d to %d "
           "across its %s face of axis %d: balance the mesh 2:1, at least across faces",
           (long long)self->global, self->tree, self->level, self->coordinate[0],
           self->coordinate[1], self->coordinate[2], self->level> 0
          ? self->level - 1
          : 0,
      self->level + 1, face % 2 ? "upper" : "lower", face / 2);
  b->corner_fault = true;
  return RIND_OK;
}

static rind_error link_blocks(builder *b) {
  b->num_links = 0;
  for (int block = 0; block < b->num_local; ++block) {
    RIND_TRY(reserve_links(b));
    b->walls[block] = 0;
    b->first_link[block] = b->num_links;
    for (int region = 0; region < RIND_NUM_REGIONS; ++region)
      if (is_region(b->mesh->dim, region)) RIND_TRY(link_region(b, block, region));
  }
  b->first_link[b->num_local] = b->num_links;
  b->irregular = b->around.irregular;
  return RIND_OK;
}

static rind_error link_all(builder *b) {
  b->first_link = allocate((size_t)b->num_local + 1, sizeof *b->first_link);
  b->walls = allocate((size_t)b->num_local, sizeof *b->walls);
  RIND_REQUIRE(b->context, b->first_link && b->walls, RIND_ERROR_MEMORY,
               "no memory for the links of %d blocks", b->num_local);
  return link_blocks(b);
}

/* Keeps links across faces only unless the forest is balanced across edges and corners too. */
static rind_error judge_balance(builder *b) {
  int flags[2] = {b->corner_fault, b->irregular};
  if (MPI_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_MAX, rind_context_comm(b->context)) !=
      MPI_SUCCESS)
    return rind_context_fail(b->context, RIND_ERROR_MPI, "MPI_Allreduce of the balance failed");
  b->faces_only = flags[0] || (flags[1] && !b->mesh->is_balanced(b->mesh->self));
  return b->faces_only ? link_blocks(b) : RIND_OK;
}

/* Drops the remote blocks that no link names. */
static rind_error drop_unlinked(builder *b) {
  int *place = allocate((size_t)b->num_remote, sizeof *place);
  RIND_REQUIRE(b->context, place, RIND_ERROR_MEMORY, "no memory for %d remote blocks",
               b->num_remote);
  for (int l = 0; l < b->num_links; ++l)
    if (b->link[l].neighbour >= b->num_local) place[b->link[l].neighbour - b->num_local] = 1;
  int kept = 0;
  for (int r = 0; r < b->num_remote; ++r) {
    if (!place[r]) continue;
    b->block[b->num_local + kept] = b->block[b->num_local + r];
    place[r] = b->num_local + kept++;
  }
  for (int l = 0; l < b->num_links; ++l)
    if (b->link[l].neighbour >= b->num_local)
      b->link[l].neighbour = place[b->link[l].neighbour - b->num_local];
  b->num_remote = kept;
  free(place);
  return RIND_OK;
}

/* Less memory for the same items; the old one if there is no less. */
static void *shrink(void *data, size_t count, size_t bytes) {
  void *less = realloc(data, (count > 0 ? count : 1) * bytes);
  return less ? less : data;
}

rind_error rind_forest_links_build(rind_context *context, const rind_tree_mesh *mesh,
                                   rind_block *local, int num_local, rind_forest_arrays *arrays) {
  builder b = {.context = context, .mesh = mesh, .block = local, .num_local = num_local};
  const int rank = rind_context_rank(context);
  for (int i = 0; i < num_local; ++i) {
    local[i].owner = rank;
    local[i].index = i;
    local[i].global = mesh->first_global[rank] + i;
    rind_tree_mesh_place(mesh, &local[i]);
  }
  rind_error error = find_remote(&b);
  if (error == RIND_OK) error = link_all(&b);
  error = rind_context_agree(context, error);
  if (error == RIND_OK) {
    error = judge_balance(&b);
    if (error == RIND_OK) error = drop_unlinked(&b);
    error = rind_context_agree(context, error);
  }
  rind_neighbourhood_close(&b.around);
  free(b.target);
  const size_t num_blocks = (size_t)b.num_local + (size_t)b.num_remote;
  const rind_forest_arrays made = {.dim = mesh->dim,
                                   .balance = b.faces_only ? RIND_BALANCE_FACES : RIND_BALANCE_FULL,
                                   .num_local = num_local,
                                   .num_remote = b.num_remote,
                                   .num_global = mesh->first_global[rind_context_size(context)],
                                   .block = b.block ? shrink(b.block, num_blocks, sizeof *b.block)
                                                    : NULL,
                                   .first_link = b.first_link,
                                   .link = shrink(b.link, (size_t)b.num_links, sizeof *b.link),
                                   .walls = b.walls};
  if (error == RIND_OK)
    *arrays = made;
  else
    rind_forest_links_free(&(rind_forest_arrays){.block = made.block,
                                                 .first_link = made.first_link,
                                                 .link = made.link,
                                                 .walls = made.walls});
  return error;
}

void rind_forest_links_free(rind_forest_arrays *arrays) {
  free((void *)arrays->block);
  free((void *)arrays->first_link);
  free((void *)arrays->link);
  free((void *)arrays->walls);
  memset(arrays, 0, sizeof *arrays);
}
