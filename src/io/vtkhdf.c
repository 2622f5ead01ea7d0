/* vtkhdf.c - fields of a forest as one VTKHDF file (OverlappingAMR 1.0) that all ranks write. */
#include <rind/io.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amr_boxes.h"
#include "hdf5_write.h"
#include "new_file.h"

enum { LONGEST_NAME = 64 };
/* Values are staged in pieces of about this size, the same number of pieces on all ranks. */
static const size_t stage_bytes = (size_t)32 << 20;

typedef struct writer {
  const rind_forest *forest;
  rind_context *context;
  const rind_named_field *fields;
  int num_fields;
  rind_amr_boxes boxes;
  int64_t block_cells; /* of an unpadded block */
  rind_new_file file;
} writer;

/* What is stored of each cell: a field, or a number of its block. */
typedef enum column_kind { COLUMN_FIELD, COLUMN_LEVEL, COLUMN_OWNER } column_kind;

/* Caller's mistakes. */
static rind_error check_name(const writer *w, int f) {
  const char *name = w->fields[f].name;
  if (name == NULL)
    return rind_context_fail(w->context, RIND_ERROR_INVALID, "field %d has no name", f);
  size_t length = 0;
  while (length <= LONGEST_NAME && (isalnum((unsigned char)name[length]) || name[length] == '_'))
    ++length;
  if (length == 0 || length > LONGEST_NAME || name[length] != '\0')
    return rind_context_fail(w->context, RIND_ERROR_INVALID,
                             "field %d is named \"%.80s\", should be 1 to %d letters, digits or _",
                             f, name, LONGEST_NAME);
  bool taken = strcmp(name, "level") == 0 || strcmp(name, "owner") == 0;
  for (int other = 0; other < f; ++other)
    taken = taken || strcmp(name, w->fields[other].name) == 0;
  if (taken)
    return rind_context_fail(w->context, RIND_ERROR_INVALID, "field %d is named %s, which is taken",
                             f, name);
  return RIND_OK;
}

static rind_error check_field(const writer *w, int f) {
  if (w->fields[f].field == NULL)
    return rind_context_fail(w->context, RIND_ERROR_INVALID, "field %s is NULL", w->fields[f].name);
  const rind_layout *layout = rind_field_layout(w->fields[f].field);
  const int cells = rind_field_layout(w->fields[0].field)->cells;
  const int num_blocks = rind_forest_num_blocks(w->forest);
  if (rind_field_num_blocks(w->fields[f].field) != num_blocks)
    return rind_context_fail(w->context, RIND_ERROR_MISMATCH,
                             "field %s has %d blocks, the forest %d", w->fields[f].name,
                             rind_field_num_blocks(w->fields[f].field), num_blocks);
  if (layout->dim != rind_forest_dim(w->forest))
    return rind_context_fail(w->context, RIND_ERROR_MISMATCH,
                             "field %s has dimension %d, the forest %d", w->fields[f].name,
                             layout->dim, rind_forest_dim(w->forest));
  if (layout->cells != cells)
    return rind_context_fail(w->context, RIND_ERROR_MISMATCH,
                             "field %s has %d cells a block and axis, field %s %d",
                             w->fields[f].name, layout->cells, w->fields[0].name, cells);
  if (layout->space != RIND_HOST)
    return rind_context_fail(w->context, RIND_ERROR_UNSUPPORTED,
                             "field %s is in device memory; copy it to the host first",
                             w->fields[f].name);
  return RIND_OK;
}

static rind_error check_arguments(writer *w, const char *path) {
  rind_error error = rind_new_file_name(w->context, path, &w->file);
  if (error != RIND_OK) return error;
  if (w->fields == NULL || w->num_fields < 1)
    return rind_context_fail(w->context, RIND_ERROR_INVALID,
                             "there are %d fields, should be at least 1", w->num_fields);
  for (int f = 0; f < w->num_fields; ++f) {
    error = check_name(w, f);
    if (error == RIND_OK) error = check_field(w, f);
    if (error != RIND_OK) return error;
  }
  return rind_forest_check(w->forest);
}

/* Bytes of all datasets. */
static int64_t data_bytes(const writer *w) {
  int64_t cell_bytes = 2 * (int64_t)sizeof(int32_t), blocks = 0;
  for (int f = 0; f < w->num_fields; ++f) {
    const rind_layout *layout = rind_field_layout(w->fields[f].field);
    cell_bytes += (int64_t)rind_type_bytes(layout->type) * layout->components;
  }
  for (int l = 0; l < w->boxes.num_levels; ++l)
    blocks += w->boxes.level[l].num_global;
  return blocks * (w->block_cells * cell_bytes + 6 * (int64_t)sizeof(int32_t));
}

/* Copies a block's interior, x fastest, the components of a cell together. */
static void pack_field(const rind_field *field, int block, void *to) {
  const rind_layout *layout = rind_field_layout(field);
  const size_t bytes = rind_type_bytes(layout->type);
  const char *from = rind_field_pointer(field, block);
  char *out = to;
  const int depth = layout->dim == 3 ? layout->cells : 1;
  for (int k = 0; k < depth; ++k)
    for (int j = 0; j < layout->cells; ++j)
      for (int i = 0; i < layout->cells; ++i)
        for (int c = 0; c < layout->components; ++c, out += bytes)
          memcpy(out,
                 from +
                     (ptrdiff_t)bytes * (i * layout->cell_stride[0] + j * layout->cell_stride[1] +
                                         k * layout->cell_stride[2] + c * layout->component_stride),
                 bytes);
}

static void pack_block(const writer *w, column_kind kind, const rind_field *field, int block,
                       void *to) {
  if (kind == COLUMN_FIELD) {
    pack_field(field, block, to);
    return;
  }
  const rind_block *at = rind_forest_block(w->forest, block);
  int32_t *out = to;
  for (int64_t i = 0; i < w->block_cells; ++i)
    out[i] = kind == COLUMN_LEVEL ? at->level : at->owner;
}

/* One dataset of a level's CellData, piece by piece. */
static rind_error write_column(const writer *w, hid_t group, int l, column_kind kind,
                               const char *name, const rind_field *field) {
  const rind_amr_level *level = &w->boxes.level[l];
  rind_hdf5_table table = {H5T_STD_I32LE, H5T_NATIVE_INT32,
                           (hsize_t)(level->num_global * w->block_cells), 1, -1};
  size_t bytes = sizeof(int32_t);
  if (kind == COLUMN_FIELD) {
    const rind_layout *layout = rind_field_layout(field);
    const bool is_double = layout->type == RIND_FLOAT64;
    table.file_type = is_double ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    table.memory_type = is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    table.columns = (hsize_t)layout->components;
    bytes = rind_type_bytes(layout->type) * (size_t)layout->components;
  }
  const size_t block_bytes = bytes * (size_t)w->block_cells;
  int piece = (int)(stage_bytes / block_bytes), most = level->num_local;
  if (piece < 1) piece = 1;
  if (piece > level->num_local) piece = level->num_local;
  char *stage = malloc((size_t)piece * block_bytes + 1);
  rind_error error = RIND_OK;
  if (stage == NULL)
    error = rind_context_fail(w->context, RIND_ERROR_MEMORY, "no memory for %zu bytes of a file",
                              (size_t)piece * block_bytes);
  else if (!rind_hdf5_table_create(group, name, &table))
    error = rind_new_file_fail(&w->file, name);
  int pieces = piece > 0 ? (most + piece - 1) / piece : 0;
  MPI_Allreduce(MPI_IN_PLACE, &pieces, 1, MPI_INT, MPI_MAX, rind_context_comm(w->context));
  error = rind_context_agree(w->context, error);
  bool written = true;
  for (int p = 0, done = 0; error == RIND_OK && p < pieces; ++p) {
    const int count = most - done < piece ? most - done : piece;
    for (int b = 0; b < count; ++b)
      pack_block(w, kind, field, level->block[done + b], stage + (size_t)b * block_bytes);
    written =
        rind_hdf5_table_write(&table, (hsize_t)((level->first_global + done) * w->block_cells),
                              (hsize_t)(count * w->block_cells), stage) &&
        written;
    done += count;
  }
  if (table.dataset >= 0) written = H5Dclose(table.dataset) >= 0 && written;
  free(stage);
  if (error != RIND_OK) return error;
  return rind_context_agree(w->context, written ? RIND_OK : rind_new_file_fail(&w->file, name));
}

/* AMRBox of a level. */
static rind_error write_boxes(const writer *w, hid_t group, int l) {
  const rind_amr_level *level = &w->boxes.level[l];
  rind_hdf5_table table = {H5T_STD_I32LE, H5T_NATIVE_INT32, (hsize_t)level->num_global, 6, -1};
  int32_t *box = malloc((size_t)level->num_local * 6 * sizeof *box + 1);
  rind_error error = RIND_OK;
  if (box == NULL)
    error = rind_context_fail(w->context, RIND_ERROR_MEMORY, "no memory for %d boxes",
                              level->num_local);
  else if (!rind_hdf5_table_create(group, "AMRBox", &table))
    error = rind_new_file_fail(&w->file, "AMRBox");
  error = rind_context_agree(w->context, error);
  bool written = true;
  if (error == RIND_OK) {
    for (int b = 0; b < level->num_local; ++b)
      rind_amr_boxes_box(&w->boxes, w->forest, l, b, box + 6 * (size_t)b);
    written =
        rind_hdf5_table_write(&table, (hsize_t)level->first_global, (hsize_t)level->num_local, box);
  }
  if (table.dataset >= 0) written = H5Dclose(table.dataset) >= 0 && written;
  free(box);
  if (error != RIND_OK) return error;
  return rind_context_agree(w->context, written ? RIND_OK : rind_new_file_fail(&w->file, "AMRBox"));
}

static rind_error write_level(const writer *w, hid_t parent, int l) {
  char name[32];
  snprintf(name, sizeof name, "Level%d", l);
  const hid_t group = rind_hdf5_group(parent, name);
  hid_t cell_data = -1;
  bool made = group >= 0 && rind_hdf5_put_double(group, "Spacing", 3, w->boxes.level[l].spacing);
  /* ParaView 5.11 complains where the empty ones are missing. */
  static const char *const empty[] = {"PointData", "FieldData"};
  for (int e = 0; made && e < 2; ++e) {
    const hid_t other = rind_hdf5_group(group, empty[e]);
    made = other >= 0 && H5Gclose(other) >= 0;
  }
  if (made) cell_data = rind_hdf5_group(group, "CellData");
  rind_error error = rind_context_agree(
      w->context, made && cell_data >= 0 ? RIND_OK : rind_new_file_fail(&w->file, name));
  if (error == RIND_OK) error = write_boxes(w, group, l);
  for (int f = 0; error == RIND_OK && f < w->num_fields; ++f)
    error = write_column(w, cell_data, l, COLUMN_FIELD, w->fields[f].name, w->fields[f].field);
  if (error == RIND_OK) error = write_column(w, cell_data, l, COLUMN_LEVEL, "level", NULL);
  if (error == RIND_OK) error = write_column(w, cell_data, l, COLUMN_OWNER, "owner", NULL);
  if (cell_data >= 0) H5Gclose(cell_data);
  if (group >= 0) H5Gclose(group);
  return error;
}

static rind_error write_file(const writer *w) {
  static const int32_t version[2] = {1, 0};
  const hid_t file = rind_hdf5_create(w->file.part, rind_context_comm(w->context));
  const hid_t root = file >= 0 ? rind_hdf5_group(file, "VTKHDF") : -1;
  const bool made = root >= 0 && rind_hdf5_put_int32(root, "Version", 2, version) &&
                    rind_hdf5_put_text(root, "Type", "OverlappingAMR") &&
                    rind_hdf5_put_text(root, "GridDescription", "XYZ") &&
                    rind_hdf5_put_double(root, "Origin", 3, w->boxes.origin);
  rind_error error = rind_context_agree(
      w->context, made ? RIND_OK : rind_new_file_fail(&w->file, "HDF5 cannot create it"));
  for (int l = 0; error == RIND_OK && l < w->boxes.num_levels; ++l)
    error = write_level(w, root, l);
  bool closed = root < 0 || H5Gclose(root) >= 0;
  closed = (file < 0 || H5Fclose(file) >= 0) && closed;
  if (error != RIND_OK) return error;
  return rind_context_agree(
      w->context, closed ? RIND_OK : rind_new_file_fail(&w->file, "HDF5 cannot close it"));
}

rind_error rind_write_vtkhdf(const rind_forest *forest, const char *path,
                             const rind_named_field *fields, int num_fields) {
  if (forest == NULL) return RIND_ERROR_INVALID;
  writer w = {.forest = forest,
              .context = rind_forest_context(forest),
              .fields = fields,
              .num_fields = num_fields};
  rind_error error = rind_context_agree(w.context, check_arguments(&w, path));
  if (error != RIND_OK) return error;
  const int cells = rind_field_layout(fields[0].field)->cells;
  w.block_cells = (int64_t)cells * cells * (rind_forest_dim(forest) == 3 ? cells : 1);
  error = rind_amr_boxes_create(forest, cells, &w.boxes);
  if (error != RIND_OK) return error;
  error = rind_new_file_begin(&w.file, data_bytes(&w) + 1);
  if (error == RIND_OK) {
    H5E_auto2_t print;
    void *print_data;
    H5Eget_auto2(H5E_DEFAULT, &print, &print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    error = rind_new_file_end(&w.file, write_file(&w));
    H5Eset_auto2(H5E_DEFAULT, print, print_data);
  }
  rind_amr_boxes_destroy(&w.boxes);
  return error;
}
