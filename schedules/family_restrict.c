/* family_restrict.c - the rows of a finer neighbour: the mean of 2^dim fine cells, and in layer 1
 * of faces, if the rules ask for it, the row that makes the fluxes of both sides agree. Boxes are
 * numbered by the neighbour's place in the region, then by the class of their layers. */
#include <core.h>
#include <family.h>

#include <string.h>

/* The phase that follows the rows between blocks. */
enum { FLUX = 1 };

/* The part of the region that one neighbour fills, in the destination's frame. */
typedef struct part {
  int low[3], extent[3];
  int place, num_places; /* among the neighbours of the region, axis 0 fastest */
} part;

static part part_of(const rind_frame *frame) {
  part p = {.num_places = 1};
  for (int a = 0; a < 3; ++a) {
    const bool along = a < frame->dim && frame->direction[a] == 0;
    p.low[a] = along ? frame->start[a] : frame->low[a];
    p.extent[a] = along ? frame->cells / 2 : frame->high[a] - frame->low[a];
    if (!along) continue;
    p.place += p.num_places * (frame->key->origin[a] > 0);
    p.num_places *= 2;
  }
  return p;
}

/* The lower of the two fine cells of every axis in the box's first ghost. */
static void first_child(const rind_frame *frame, const part *p, int at[3]) {
  for (int a = 0; a < 3; ++a)
    at[a] = a < frame->dim ? 2 * (p->low[a] - frame->start[a]) : 0;
}

static rind_error average(const rind_frame *frame, const part *p, int number) {
  const int width = rind_family_width(RIND_FAMILY_AVERAGE, frame->dim);
  int first[3];
  first_child(frame, p, first);
  RIND_TRY(rind_frame_begin(frame, RIND_FAMILY_AVERAGE, number, p->low, p->extent, 1, 2));
  for (int child = 0; child < width; ++child) {
    const int at[3] = {first[0] + (child & 1), first[1] + (child >> 1 & 1),
                       first[2] + (child >> 2)};
    RIND_TRY(rind_frame_add(frame, 1.0 / width, at));
  }
  return RIND_OK;
}

/* Of layer 1 alone: column by column of fine cells the cell at the interface and minus its ghost,
 * then the own cell at the interface. */
static rind_error flux_matched(const rind_frame *frame, const part *p, int number, int normal) {
  const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2;
  const int columns = frame->dim == 3 ? 4 : 2, sign = frame->direction[normal];
  int at[3], low[3];
  RIND_TRY(rind_frame_begin(frame, RIND_FAMILY_FLUX_MATCHED, number, p->low, p->extent, 1, 2));
  frame->set->pattern[frame->set->num_patterns - 1].phase = FLUX;
  first_child(frame, p, low);
  for (int column = 0; column < columns; ++column) {
    memcpy(at, low, sizeof at);
    at[first] += column & 1;
    at[second] += column >> 1;
    at[normal] = sign > 0 ? 0 : frame->cells - 1;
    RIND_TRY(rind_frame_add(frame, 2.0 / columns, at));
    at[normal] -= sign;
    RIND_TRY(rind_frame_add(frame, -2.0 / columns, at));
  }
  memcpy(at, p->low, sizeof at);
  at[normal] -= sign;
  return rind_frame_add_own(frame, 1.0, at);
}

/* Layer 1, and the deeper layers if there are any, in the order of their cells. */
static rind_error split_layers(const rind_frame *frame, const part *p, int normal) {
  const int layers = p->extent[normal], up = frame->direction[normal] > 0;
  part facing = *p, deep = *p;
  facing.extent[normal] = 1;
  deep.extent[normal] = layers - 1;
  if (up)
    ++deep.low[normal];
  else
    facing.low[normal] += layers - 1;
  const int second = p->place + p->num_places;
  if (!up && layers > 1) RIND_TRY(average(frame, &deep, p->place));
  RIND_TRY(flux_matched(frame, &facing, up || layers == 1 ? p->place : second, normal));
  return up && layers > 1 ? average(frame, &deep, second) : RIND_OK;
}

rind_error rind_family_restrict(const rind_frame *frame) {
  const part p = part_of(frame);
  if (frame->set->rules.restriction == RIND_RESTRICTION_FLUX_MATCHED &&
      rind_region_is_face(frame->key->region))
    return split_layers(frame, &p, frame->direction[0] ? 0 : frame->direction[1] ? 1 : 2);
  return average(frame, &p, p.place);
}
