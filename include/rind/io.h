/* rind/io.h - files that other programs open (target Rind::io). */
#pragma once
#include <rind/field.h>
#include <rind/forest.h>

typedef struct rind_named_field {
  const char *name; /* 1 to 64 letters, digits and _; each once, not "level" or "owner" */
  const rind_field *field;
} rind_named_field;

RIND_BEGIN_DECLS

/* Collective. Writes the interiors of the fields as one VTKHDF file (OverlappingAMR, version 1.0),
 * which ParaView 5.11 and later open; names end in .hdf (or .vtkhdf from 5.12 on). All fields are
 * of forest, have the same number of cells and are on the host. Blocks appear in global order
 * within their level. Also stored: cell data "level" and "owner" (int32); but for owners the file
 * does not depend on the number of ranks. Source: docs.vtk.org, VTKHDF file format. The trees must
 * be axis-aligned boxes of one size (bricks): RIND_ERROR_UNSUPPORTED otherwise. RIND_ERROR_IO names
 * the path. An old file stays until the new one is complete; links are followed, devices and pipes
 * refused; the file's name has at most 200 letters. */
RIND_API rind_error rind_write_vtkhdf(const rind_forest *forest, const char *path,
                                      const rind_named_field *fields, int num_fields);

RIND_END_DECLS
