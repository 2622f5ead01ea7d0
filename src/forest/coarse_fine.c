/* coarse_fine.c - lists the faces where levels meet, for refluxing and the like. */
#include <core.h>
#include <rind/forest.h>

/* The axis of a face region, -1 for a corner. */
static int face_axis(int region, bool *upper) {
  int axis = -1;
  for (int a = 0, rest = region; a < 3; ++a, rest /= 3) {
    const int o = rest % 3 - 1;
    if (o == 0) continue;
    if (axis >= 0) return -1;
    axis = a;
    *upper = o > 0;
  }
  return axis;
}

static rind_coarse_fine_face face_of(const rind_link *link, int block, int axis, bool upper) {
  const int here = 2 * axis + upper;
  /* The neighbour touches with the opposite side, counted in its own axes. */
  const bool there_upper = link->flip[axis] ? upper : !upper;
  const int there = 2 * link->axis[axis] + there_upper;
  if (link->relation > 0)
    return (rind_coarse_fine_face){block, link->neighbour, (int8_t)here, (int8_t)there};
  return (rind_coarse_fine_face){link->neighbour, block, (int8_t)there, (int8_t)here};
}

rind_error rind_forest_coarse_fine_faces(const rind_forest *forest, int max,
                                         rind_coarse_fine_face *faces, int *num) {
  if (!forest) return RIND_ERROR_INVALID;
  rind_context *context = rind_forest_context(forest);
  RIND_REQUIRE(context, num, RIND_ERROR_INVALID, "num is NULL");
  RIND_REQUIRE(context, max >= 0 && (faces || max == 0), RIND_ERROR_INVALID,
               "room for %d faces%s: at least 0 it must be, and an array for more", max,
               faces ? "" : " at NULL");
  const rind_forest_arrays *arrays = rind_forest_get_arrays(forest);
  int count = 0;
  for (int b = 0; b < arrays->num_local; ++b)
    for (int l = arrays->first_link[b]; l < arrays->first_link[b + 1]; ++l) {
      const rind_link *link = &arrays->link[l];
      bool upper = false;
      const int axis = link->relation == 0 ? -1 : face_axis(link->region, &upper);
      /* Two local blocks: the coarse one lists the face. */
      if (axis < 0 || (link->relation < 0 && link->neighbour < arrays->num_local)) continue;
      if (count < max) faces[count] = face_of(link, b, axis, upper);
      ++count;
    }
  *num = count;
  return RIND_OK;
}
