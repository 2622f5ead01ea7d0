/* forest_field.c - fields on the local blocks of a forest. */
#include <core.h>
#include <rind/field.h>
#include <rind/forest.h>

#include <stdint.h>

/* The layout with the forest's dimension, checked against it. */
static rind_error forest_layout(const rind_forest *forest, const rind_layout *layout,
                                rind_layout *made) {
  rind_context *context = rind_forest_context(forest);
  RIND_TRY(rind_forest_check(forest));
  RIND_REQUIRE(context, layout, RIND_ERROR_INVALID, "the layout is NULL");
  *made = *layout;
  if (made->dim == 0) made->dim = rind_forest_dim(forest);
  RIND_REQUIRE(context, made->dim == rind_forest_dim(forest), RIND_ERROR_MISMATCH,
               "the layout has dimension %d, the forest %d", made->dim, rind_forest_dim(forest));
  return rind_layout_complete(context, rind_forest_num_blocks(forest), made);
}

/* Agrees on the error; a field made on this rank goes when another rank failed. */
static rind_error agree(rind_context *context, rind_error error, rind_field *made,
                        rind_field **field) {
  error = rind_context_agree(context, error);
  if (error != RIND_OK)
    rind_field_destroy(&made);
  else
    *field = made;
  return error;
}

static rind_error make(const rind_forest *forest, const rind_layout *layout, void *packed,
                       void *const *blocks, rind_field **made) {
  return rind_field_make(rind_forest_context(forest), forest, rind_forest_revision(forest),
                         rind_forest_num_blocks(forest), layout, packed, blocks, made);
}

rind_error rind_field_create(const rind_forest *forest, const rind_layout *layout,
                             rind_field **field) {
  if (!forest) return RIND_ERROR_INVALID;
  rind_context *context = rind_forest_context(forest);
  rind_layout complete;
  rind_field *made = NULL;
  rind_error error = RIND_CHECK_RESULT(context, field);
  if (error == RIND_OK) error = forest_layout(forest, layout, &complete);
  if (error == RIND_OK) error = make(forest, &complete, NULL, NULL, &made);
  return agree(context, error, made, field);
}

static rind_error check_aligned(rind_context *context, rind_type type, const void *data) {
  const size_t bytes = rind_type_bytes(type);
  RIND_REQUIRE(context, (uintptr_t)data % bytes == 0, RIND_ERROR_INVALID,
               "an array at %p: a multiple of %zu bytes it must be", data, bytes);
  return RIND_OK;
}

/* Elements that num_blocks blocks reach in one array. */
static size_t packed_elements(const rind_layout *layout, int num_blocks) {
  if (num_blocks == 0) return 0;
  return (size_t)(num_blocks - 1) * (size_t)layout->block_stride +
         rind_layout_block_elements(layout);
}

static rind_error check_packed(const rind_forest *forest, const rind_layout *layout,
                               const void *data, size_t num_elements) {
  rind_context *context = rind_forest_context(forest);
  const int num_blocks = rind_forest_num_blocks(forest);
  RIND_REQUIRE(context, layout->storage == RIND_PACKED, RIND_ERROR_INVALID,
               "the layout's storage is RIND_BLOCKS: RIND_PACKED it must be for one array");
  RIND_REQUIRE(context, data || num_blocks == 0, RIND_ERROR_INVALID, "data is NULL for %d blocks",
               num_blocks);
  const size_t needed = packed_elements(layout, num_blocks);
  RIND_REQUIRE(context, num_elements >= needed, RIND_ERROR_MISMATCH,
               "the array has %zu elements, %d blocks need %zu", num_elements, num_blocks, needed);
  return check_aligned(context, layout->type, data);
}

rind_error rind_field_wrap_packed(const rind_forest *forest, const rind_layout *layout, void *data,
                                  size_t num_elements, rind_field **field) {
  if (!forest) return RIND_ERROR_INVALID;
  rind_context *context = rind_forest_context(forest);
  rind_layout complete;
  rind_field *made = NULL;
  rind_error error = RIND_CHECK_RESULT(context, field);
  if (error == RIND_OK) error = forest_layout(forest, layout, &complete);
  if (error == RIND_OK) error = check_packed(forest, &complete, data, num_elements);
  if (error == RIND_OK) error = make(forest, &complete, data, NULL, &made);
  return agree(context, error, made, field);
}

static rind_error check_blocks(const rind_forest *forest, const rind_layout *layout,
                               void *const *data, int num_blocks) {
  rind_context *context = rind_forest_context(forest);
  RIND_REQUIRE(context, layout->storage == RIND_BLOCKS, RIND_ERROR_INVALID,
               "the layout's storage is RIND_PACKED: RIND_BLOCKS it must be for one array a block");
  RIND_REQUIRE(context, num_blocks == rind_forest_num_blocks(forest), RIND_ERROR_MISMATCH,
               "there are %d arrays, the forest has %d local blocks", num_blocks,
               rind_forest_num_blocks(forest));
  RIND_REQUIRE(context, data || num_blocks == 0, RIND_ERROR_INVALID, "data is NULL for %d blocks",
               num_blocks);
  for (int block = 0; block < num_blocks; ++block) {
    RIND_REQUIRE(context, data[block], RIND_ERROR_INVALID, "the array of block %d is NULL", block);
    RIND_TRY(check_aligned(context, layout->type, data[block]));
  }
  return RIND_OK;
}

rind_error rind_field_wrap_blocks(const rind_forest *forest, const rind_layout *layout,
                                  void *const *data, int num_blocks, rind_field **field) {
  if (!forest) return RIND_ERROR_INVALID;
  rind_context *context = rind_forest_context(forest);
  rind_layout complete;
  rind_field *made = NULL;
  rind_error error = RIND_CHECK_RESULT(context, field);
  if (error == RIND_OK) error = forest_layout(forest, layout, &complete);
  if (error == RIND_OK) error = check_blocks(forest, &complete, data, num_blocks);
  if (error == RIND_OK) error = make(forest, &complete, NULL, data, &made);
  return agree(context, error, made, field);
}
