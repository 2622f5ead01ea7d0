/* rind/field.h - cell data on the blocks of a forest: layout, storage and strides.
 *
 * A field holds, for each local block of a forest, cells^dim interior cells and ghosts layers
 * around them, components values a cell. Cell (i, j, k), counted from the first interior cell
 * (ghosts are negative or >= cells), of component c in block b is the element
 *
 *     pointer(b) [ i*cell_stride[0] + j*cell_stride[1] + k*cell_stride[2] + c*component_stride ]
 *
 * where pointer(b) is the address of component 0 of interior cell (0, 0, 0). In 2D, k is 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <rind/context.h>
#include <rind/error.h>
#include <rind/export.h>

typedef struct rind_field rind_field;
struct rind_forest;

typedef enum rind_type { RIND_FLOAT64 = 0, RIND_FLOAT32 = 1 } rind_type;
typedef enum rind_space { RIND_HOST = 0, RIND_DEVICE = 1 } rind_space;
/* Packed: one array, block last. Blocks: one allocation a block. */
typedef enum rind_storage { RIND_PACKED = 0, RIND_BLOCKS = 1 } rind_storage;
/* Outermost: all cells of component 0, then of component 1 (inside a block). */
typedef enum rind_component_order {
  RIND_COMPONENTS_OUTERMOST = 0,
  RIND_COMPONENTS_INNERMOST = 1
} rind_component_order;

/* Strides are in elements and positive. A stride of 0 is worked out: tight, x fastest, past all
 * that the strides inside it step over, be they given or worked out. */
typedef struct rind_layout {
  int dim;        /* 2 or 3 */
  int cells;      /* interior cells a block and axis */
  int ghosts;     /* ghost layers on every side */
  int components; /* values a cell */
  rind_type type;
  rind_space space;
  rind_storage storage;
  rind_component_order order;
  ptrdiff_t cell_stride[3];
  ptrdiff_t component_stride;
  ptrdiff_t block_stride; /* packed storage: from block to block */
} rind_layout;

RIND_BEGIN_DECLS

/* Checks the sizes and works out every stride that is 0.
 * RIND_ERROR_INVALID for a bad size, or strides one of which does not step over all that the
 * smaller ones reach, so that cells can meet; RIND_ERROR_OVERFLOW where a block or num_blocks
 * blocks exceed the address space; the layout is unchanged then. */
RIND_API rind_error rind_layout_complete(rind_context *context, int num_blocks,
                                         rind_layout *layout);
/* Elements of one padded block, gaps of wide strides included. */
RIND_API size_t rind_layout_block_elements(const rind_layout *layout);
/* Elements from a block's first stored element to component 0 of interior cell (0, 0, 0). */
RIND_API ptrdiff_t rind_layout_interior_offset(const rind_layout *layout);
/* Bytes of an element: 8 or 4. */
RIND_API size_t rind_type_bytes(rind_type type);

/* Collective. Allocates a field of zeros on the forest's local blocks. Borrows forest, which must
 * outlive *field. layout->dim 0 means the forest's. */
RIND_API rind_error rind_field_create(const struct rind_forest *forest, const rind_layout *layout,
                                      rind_field **field);
/* Collective. The caller's array of at least num_elements elements, whose first element is the
 * first ghost of block 0; RIND_ERROR_MISMATCH if the blocks need more. Borrows forest and data. */
RIND_API rind_error rind_field_wrap_packed(const struct rind_forest *forest,
                                           const rind_layout *layout, void *data,
                                           size_t num_elements, rind_field **field);
/* Collective. The caller's arrays, one a block [num_blocks], each beginning with its first ghost.
 * Copies the list of pointers; borrows forest and the arrays. */
RIND_API rind_error rind_field_wrap_blocks(const struct rind_forest *forest,
                                           const rind_layout *layout, void *const *data,
                                           int num_blocks, rind_field **field);
/* Frees what was allocated, never the caller's memory. Accepts NULL. */
RIND_API void rind_field_destroy(rind_field **field);

/* The complete layout, strides included. Borrowed. */
RIND_API const rind_layout *rind_field_layout(const rind_field *field);
/* Number of local blocks. */
RIND_API int rind_field_num_blocks(const rind_field *field);
/* Address of component 0 of interior cell (0, 0, 0) of a block, in the field's space. NULL if the
 * block does not exist. */
RIND_API void *rind_field_pointer(const rind_field *field, int block);
/* Copies interiors and ghosts between two fields of the same forest, cells, ghosts and components;
 * type, space, storage and order may differ. */
RIND_API rind_error rind_field_copy(const rind_field *from, rind_field *to);

RIND_END_DECLS
