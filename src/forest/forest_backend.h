/* forest_backend.h - the mesh behind a forest, for the library's own files. */
#pragma once
#include <rind/forest.h>

/* All NULL for forests made from arrays. Borrowed. */
const rind_forest_backend *rind_forest_get_backend(const rind_forest *forest);
