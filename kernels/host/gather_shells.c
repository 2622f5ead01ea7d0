/* gather_shells.c - finds the blocks that take the ghosts of their faces' neighbours alone. */
#include <core.h>
#include <gather.h>
#include <stdlib.h>
#include <string.h>

/* Cells of a row that run together. */
enum { LANES = 4, FACES = RIND_GATHER_FACES };

/* What a face's row looks like. */
typedef struct face_row {
  rind_gather_row row;
  ptrdiff_t shift; /* of those that are there; all have the same */
  bool found;
} face_row;

/* The row of one plane of cells, which takes ghosts that lie alike. */
static rind_gather_row make_row(const rind_gather_frame *frame, int face) {
  const int axis = face / 2;
  static const double weight[2] = {1, 1};
  ptrdiff_t offset[2] = {0, 0};
  rind_gather_row row = {.num_lanes = 1,
                         .num_terms = 2,
                         .num_own_first = 1,
                         .extent = {frame->cells, frame->cells, frame->cells, frame->components},
                         .weight = weight,
                         .offset = offset};
  row.extent[axis] = 1;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    row.to_stride[d] = row.own_stride[d] = row.source_stride[d] = frame->stride[d];
  rind_gather_row_finish(&row, offset, false);
  row.to_offset[0] = face % 2 * (frame->cells - 1) * frame->stride[axis];
  return row;
}

/* True if row is that of the face. */
static bool is_face(const rind_gather_row *row, const face_row *face) {
  const rind_gather_row *wanted = &face->row;
  if (row->body != RIND_GATHER_ADD || !row->takes || row->weight[1] != 1.0 ||
      row->to_offset[0] != wanted->to_offset[0])
    return false;
  for (int d = 0; d < RIND_GATHER_DIMS; ++d)
    if (row->extent[d] != wanted->extent[d] || row->to_stride[d] != wanted->to_stride[d] ||
        row->source_stride[d] != wanted->source_stride[d])
      return false;
  return !face->found || row->offset[1] - row->to_offset[0] == face->shift;
}

/* The order of a batch's fills by face, place[face]; false if a fill is of no face. */
static bool find_shell(const rind_gather *gather, int first, int last, face_row *face,
                       rind_gather_shell *shell, uint8_t *place) {
  *shell = (rind_gather_shell){.to = gather->fill[first].to, .source = {-1, -1, -1, -1, -1, -1}};
  memset(place, FACES, FACES);
  if (last - first > FACES) return false;
  for (int f = first; f < last; ++f) {
    const rind_gather_fill fill = gather->fill[f];
    const rind_gather_row *row = &gather->row[fill.row];
    int of = 0;
    while (of < FACES && !(shell->source[of] < 0 && is_face(row, &face[of])))
      ++of;
    if (of == FACES || fill.to != shell->to) return false;
    shell->source[of] = fill.source;
    place[of] = (uint8_t)(f - first);
    face[of].shift = row->offset[1] - row->to_offset[0];
    face[of].found = true;
  }
  return true;
}

static rind_gather_shell_order make_order(const uint8_t *place) {
  rind_gather_shell_order order = {0};
  for (int face = 2; face < FACES; ++face) {
    order.before_ends[face][0] = place[face] < place[0] ? UINT32_MAX : 0;
    order.before_ends[face][3] = place[face] < place[1] ? UINT32_MAX : 0;
  }
  for (int edge = 0; edge < 4; ++edge) {
    const uint8_t y = (uint8_t)(2 + (edge & 1)), z = (uint8_t)(4 + (edge >> 1));
    order.edge[edge][0] = place[y] < place[z] ? y : z;
    order.edge[edge][1] = place[y] < place[z] ? z : y;
  }
  return order;
}

/* The number of an order, which joins the table if it is new; -1 without memory. */
static int32_t find_order(rind_gather_shells *shells, const rind_gather_shell_order *order) {
  for (int32_t o = 0; o < shells->num_orders; ++o)
    if (memcmp(&shells->order[o], order, sizeof *order) == 0) return o;
  rind_gather_shell_order *moved =
      realloc(shells->order, ((size_t)shells->num_orders + 1) * sizeof *moved);
  if (!moved) return -1;
  shells->order = moved;
  moved[shells->num_orders] = *order;
  return shells->num_orders++;
}

/* The sources of each batch, and its order; false without memory. */
static bool write_shells(const rind_gather *gather, const int *first, int num_batches,
                         face_row *face, rind_gather_shells *shells) {
  for (int b = 0; b < num_batches; ++b) {
    rind_gather_shell *shell = &shells->shell[b];
    uint8_t place[FACES];
    if (!find_shell(gather, first[b], first[b + 1], face, shell, place)) {
      shell->to = -1;
      continue;
    }
    const rind_gather_shell_order order = make_order(place);
    shell->order = find_order(shells, &order);
    if (shell->order < 0) return false;
    ++shells->num_shells;
  }
  for (int f = 0; f < FACES; ++f)
    shells->shift[f] = face[f].shift;
  return true;
}

/* A block's cells of one component, each -0, which changes no sum. */
static bool make_nothing(rind_gather_shells *shells) {
  ptrdiff_t last = 0;
  for (int axis = 0; axis < 3; ++axis)
    last += (shells->frame.cells - 1) * shells->frame.stride[axis];
  shells->num_nothing = (size_t)last + 1;
  shells->nothing = rind_allocate(shells->num_nothing, sizeof *shells->nothing);
  for (size_t i = 0; shells->nothing && i < shells->num_nothing; ++i)
    shells->nothing[i] = -0.0F;
  return shells->nothing != NULL;
}

bool rind_gather_shells_create(const rind_gather *gather, const int *first, int num_batches,
                               const rind_gather_frame *frame, rind_gather_shells **shells) {
  face_row face[FACES];
  *shells = NULL;
  if (frame->stride[0] != 1 || frame->cells % LANES != 0) return true;
  rind_gather_shells *made = rind_allocate(1, sizeof *made);
  if (!made) return false;
  made->frame = *frame;
  for (int f = 0; f < FACES; ++f)
    face[f] = (face_row){.row = make_row(frame, f)};
  made->num_batches = num_batches;
  made->shell = rind_allocate((size_t)num_batches, sizeof *made->shell);
  const bool have = made->shell && write_shells(gather, first, num_batches, face, made) &&
                    (made->num_shells == 0 || make_nothing(made));
  if (have && made->num_shells > 0)
    *shells = made;
  else
    rind_gather_shells_destroy(made);
  return have;
}

size_t rind_gather_shells_bytes(const rind_gather_shells *shells) {
  if (!shells) return 0;
  return sizeof *shells + (size_t)shells->num_batches * sizeof *shells->shell +
         (size_t)shells->num_orders * sizeof *shells->order +
         shells->num_nothing * sizeof *shells->nothing;
}

void rind_gather_shells_destroy(rind_gather_shells *shells) {
  if (!shells) return;
  free(shells->shell);
  free(shells->order);
  free(shells->nothing);
  free(shells);
}
