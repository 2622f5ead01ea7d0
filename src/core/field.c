/* field.c - fields on a number of blocks: memory, pointers, copies between layouts and spaces. */
#include <core.h>
#include <device_memory.h>

#include <stdlib.h>
#include <string.h>

static rind_error allocate_data(rind_field *field) {
  const size_t bytes = rind_type_bytes(field->layout.type);
  const size_t block_elements = rind_layout_block_elements(&field->layout);
  field->owns_data = true;
  if (field->layout.storage == RIND_PACKED) {
    const size_t blocks_before = field->num_blocks > 0 ? (size_t)field->num_blocks - 1 : 0;
    const size_t elements =
        field->num_blocks > 0 ? blocks_before * (size_t)field->layout.block_stride + block_elements
                              : 0;
    return rind_space_allocate(field->context, field->layout.space, elements * bytes,
                               &field->allocation);
  }
  for (int block = 0; block < field->num_blocks; ++block)
    RIND_TRY(rind_space_allocate(field->context, field->layout.space, block_elements * bytes,
                                 &field->block_data[block]));
  return RIND_OK;
}

static void set_pointers(rind_field *field) {
  const size_t bytes = rind_type_bytes(field->layout.type);
  const size_t interior = (size_t)rind_layout_interior_offset(&field->layout) * bytes;
  const size_t step = (size_t)field->layout.block_stride * bytes;
  for (int block = 0; block < field->num_blocks; ++block) {
    if (field->layout.storage == RIND_PACKED)
      field->block_data[block] = (char *)field->allocation + (size_t)block * step;
    field->pointer[block] = (char *)field->block_data[block] + interior;
  }
}

/* The table of blocks that kernels read. */
static rind_error copy_pointers(rind_field *field) {
  const size_t bytes = (size_t)field->num_blocks * sizeof *field->pointer;
  void *table = NULL;
  RIND_TRY(rind_space_allocate(field->context, RIND_DEVICE, bytes, &table));
  field->device_pointer = table;
  const int code = rind_device_copy(table, field->pointer, bytes);
  RIND_REQUIRE(field->context, code == 0, RIND_ERROR_DEVICE,
               "the table of %d blocks could not be copied: %s", field->num_blocks,
               rind_device_error_text(code));
  return RIND_OK;
}

rind_error rind_field_make(rind_context *context, const struct rind_forest *forest,
                           int64_t revision, int num_blocks, const rind_layout *layout,
                           void *packed, void *const *blocks, rind_field **field) {
  rind_layout complete = *layout;
  RIND_TRY(rind_layout_complete(context, num_blocks, &complete));
  rind_field *made = rind_allocate(1, sizeof *made);
  RIND_REQUIRE(context, made, RIND_ERROR_MEMORY, "no memory for a field");
  made->context = context;
  made->forest = forest;
  made->revision = revision;
  made->num_blocks = num_blocks;
  made->layout = complete;
  made->pointer = rind_allocate((size_t)num_blocks, sizeof *made->pointer);
  made->block_data = rind_allocate((size_t)num_blocks, sizeof *made->block_data);
  const int before = rind_context_enter_device(context, complete.space);
  rind_error error = RIND_OK;
  if (!made->pointer || !made->block_data)
    error = rind_context_fail(context, RIND_ERROR_MEMORY, "no memory for a field of %d blocks",
                              num_blocks);
  else if (packed)
    made->allocation = packed;
  else if (blocks)
    memcpy(made->block_data, blocks, (size_t)num_blocks * sizeof *blocks);
  else
    error = allocate_data(made);
  if (error == RIND_OK) {
    set_pointers(made);
    if (complete.space == RIND_DEVICE) error = copy_pointers(made);
  }
  rind_context_leave_device(before);
  if (error != RIND_OK) {
    rind_field_destroy(&made);
    return error;
  }
  *field = made;
  return RIND_OK;
}

void rind_field_destroy(rind_field **field) {
  if (!field || !*field) return;
  rind_field *gone = *field;
  if (gone->owns_data && gone->layout.storage == RIND_PACKED)
    rind_space_free(gone->layout.space, gone->allocation);
  if (gone->owns_data && gone->layout.storage == RIND_BLOCKS && gone->block_data)
    for (int block = 0; block < gone->num_blocks; ++block)
      rind_space_free(gone->layout.space, gone->block_data[block]);
  rind_space_free(RIND_DEVICE, gone->device_pointer);
  free(gone->pointer);
  free(gone->block_data);
  free(gone);
  *field = NULL;
}

const rind_layout *rind_field_layout(const rind_field *field) {
  return field ? &field->layout : NULL;
}

int rind_field_num_blocks(const rind_field *field) {
  return field ? field->num_blocks : 0;
}

void *rind_field_pointer(const rind_field *field, int block) {
  if (!field || block < 0 || block >= field->num_blocks) return NULL;
  return field->pointer[block];
}

static double load(const void *data, rind_type type, ptrdiff_t element) {
  return type == RIND_FLOAT64 ? ((const double *)data)[element]
                              : (double)((const float *)data)[element];
}

static void store(void *data, rind_type type, ptrdiff_t element, double value) {
  if (type == RIND_FLOAT64)
    ((double *)data)[element] = value;
  else
    ((float *)data)[element] = (float)value;
}

/* One padded block between two host layouts; the addresses are those of interior cell (0, 0, 0). */
static void copy_block(const rind_layout *from_layout, const void *from,
                       const rind_layout *to_layout, void *to) {
  const int first = -from_layout->ghosts, end = from_layout->cells + from_layout->ghosts;
  const bool solid = from_layout->dim == 3;
  for (int c = 0; c < from_layout->components; ++c)
    for (int k = solid ? first : 0; k < (solid ? end : 1); ++k)
      for (int j = first; j < end; ++j) {
        const ptrdiff_t from_row = c * from_layout->component_stride +
                                   k * (solid ? from_layout->cell_stride[2] : 0) +
                                   j * from_layout->cell_stride[1];
        const ptrdiff_t to_row = c * to_layout->component_stride +
                                 k * (solid ? to_layout->cell_stride[2] : 0) +
                                 j * to_layout->cell_stride[1];
        for (int i = first; i < end; ++i)
          store(to, to_layout->type, to_row + i * to_layout->cell_stride[0],
                load(from, from_layout->type, from_row + i * from_layout->cell_stride[0]));
      }
}

static rind_error copy_bytes(rind_context *context, void *to, const void *from, size_t bytes) {
  const int code = rind_device_copy(to, from, bytes);
  RIND_REQUIRE(context, code == 0, RIND_ERROR_DEVICE, "a copy of %zu bytes failed: %s", bytes,
               rind_device_error_text(code));
  return RIND_OK;
}

/* Blocks of the device pass through host memory of the same layout: stage holds a block of from,
 * then one of to. What lies between the cells of the destination survives. */
static rind_error copy_staged(const rind_field *from, rind_field *to, char *stage) {
  const size_t from_bytes =
      rind_layout_block_elements(&from->layout) * rind_type_bytes(from->layout.type);
  const size_t to_bytes =
      rind_layout_block_elements(&to->layout) * rind_type_bytes(to->layout.type);
  char *const to_stage = stage + (from_bytes + 15) / 16 * 16;
  const char *from_cell = stage + (size_t)rind_layout_interior_offset(&from->layout) *
                                      rind_type_bytes(from->layout.type);
  char *to_cell = to_stage + (size_t)rind_layout_interior_offset(&to->layout) *
                                 rind_type_bytes(to->layout.type);
  for (int block = 0; block < from->num_blocks; ++block) {
    RIND_TRY(copy_bytes(from->context, stage, from->block_data[block], from_bytes));
    RIND_TRY(copy_bytes(to->context, to_stage, to->block_data[block], to_bytes));
    copy_block(&from->layout, from_cell, &to->layout, to_cell);
    RIND_TRY(copy_bytes(to->context, to->block_data[block], to_stage, to_bytes));
  }
  return RIND_OK;
}

rind_error rind_field_copy(const rind_field *from, rind_field *to) {
  if (!from && !to) return RIND_ERROR_INVALID;
  rind_context *context = to ? to->context : from->context;
  RIND_REQUIRE(context, from && to, RIND_ERROR_INVALID, "%s is NULL", from ? "to" : "from");
  const rind_layout *a = &from->layout, *b = &to->layout;
  RIND_REQUIRE(context, from->forest == to->forest && from->revision == to->revision,
               RIND_ERROR_MISMATCH, "the fields belong to different forests or revisions of one");
  RIND_REQUIRE(context,
               a->cells == b->cells && a->ghosts == b->ghosts && a->components == b->components,
               RIND_ERROR_MISMATCH,
               "from has %d cells, %d ghosts, %d components, to has %d, %d, %d: equal they must be",
               a->cells, a->ghosts, a->components, b->cells, b->ghosts, b->components);
  if (from == to) return RIND_OK;
  if (a->space == RIND_HOST && b->space == RIND_HOST) {
    for (int block = 0; block < from->num_blocks; ++block)
      copy_block(a, from->pointer[block], b, to->pointer[block]);
    return RIND_OK;
  }
  RIND_TRY(rind_context_wait(context));
  const size_t bytes = rind_layout_block_elements(a) * rind_type_bytes(a->type) + 16 +
                       rind_layout_block_elements(b) * rind_type_bytes(b->type);
  char *stage = rind_allocate(bytes, 1);
  RIND_REQUIRE(context, stage, RIND_ERROR_MEMORY, "no %zu bytes to copy a field through", bytes);
  const int before = rind_context_enter_device(context, RIND_DEVICE);
  const rind_error error = copy_staged(from, to, stage);
  rind_context_leave_device(before);
  free(stage);
  return error;
}
