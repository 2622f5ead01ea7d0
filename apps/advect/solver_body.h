/* solver_body.h - the arithmetic of a step for one type. Included twice, with REAL and NAME(x).
 *
 * Cells are next to each other along axis 0. */

static inline REAL NAME(slope)(REAL a, REAL b, bool limited) {
  if (!limited) return (a + b) / 2;
  /* van Albada, van Leer, Roberts, Astron. Astrophys. 108, 1982. */
  const REAL product = a * b, tiny = (REAL)1e-30;
  return product > 0 ? product * (a + b) / (a * a + b * b + tiny) : 0;
}

/* Fluxes times dt through the faces of cells low .. high - 1 across an axis. */
static inline void NAME(fluxes)(const box_shape *shape, int axis, const REAL *cells,
                                const REAL *rates, REAL dt, bool limited, REAL *restrict flux) {
  const ptrdiff_t next = shape->stride[axis];
  int high[3] = {shape->high[0], shape->high[1], shape->high[2]};
  ++high[axis];
  for (int k = shape->low[2]; k < high[2]; ++k)
    for (int j = shape->low[1]; j < high[1]; ++j) {
      const REAL *row = cells + j * shape->stride[1] + k * shape->stride[2];
      const size_t first = face_index(shape, axis, 0, j, k);
      const REAL *row_rates = rates + first;
      REAL *row_flux = flux + first;
      for (int i = shape->low[0]; i < high[0]; ++i) {
        const REAL far_left = row[i - 2 * next], left = row[i - next];
        const REAL right = row[i], far_right = row[i + next];
        const REAL step = right - left, rate = row_rates[i] * dt;
        const REAL from_left = left + NAME(slope)(left - far_left, step, limited) / 2;
        const REAL from_right = right - NAME(slope)(step, far_right - right, limited) / 2;
        row_flux[i] = (rate > 0 ? rate : 0) * from_left + (rate < 0 ? rate : 0) * from_right;
      }
    }
}

/* out = cells - divergence, or with old its mean with old. out may be old, never cells. */
static inline void NAME(advance)(const box_shape *shape, int dim, const REAL *cells,
                                 const REAL *old, REAL *const flux[3], REAL *out) {
  for (int k = shape->low[2]; k < shape->high[2]; ++k)
    for (int j = shape->low[1]; j < shape->high[1]; ++j) {
      const ptrdiff_t row = j * shape->stride[1] + k * shape->stride[2];
      const REAL *x = flux[0] + face_index(shape, 0, 0, j, k);
      const REAL *y = flux[1] + face_index(shape, 1, 0, j, k);
      const REAL *z = flux[2] + face_index(shape, 2, 0, j, k);
      const ptrdiff_t above = (ptrdiff_t)shape->cells;
      const ptrdiff_t behind = dim == 3 ? (ptrdiff_t)shape->cells * shape->cells : 0;
      for (int i = shape->low[0]; i < shape->high[0]; ++i) {
        REAL change = (x[i + 1] - x[i]) + (y[i + above] - y[i]);
        if (dim == 3) change += z[i + behind] - z[i];
        const REAL value = cells[row + i] - change;
        out[row + i] = old != NULL ? (old[row + i] + value) / 2 : value;
      }
    }
}

static void NAME(update)(const box_shape *shape, int dim, const void *cells, const void *old,
                         const void *rates, double dt, bool limited, void *scratch, void *out) {
  REAL *flux[3] = {scratch, scratch, scratch};
  for (int a = 0; a < dim; ++a) {
    flux[a] = (REAL *)scratch + a * shape->axis_faces;
    NAME(fluxes)
    (shape, a, cells, (const REAL *)rates + a * shape->axis_faces, (REAL)dt, limited, flux[a]);
  }
  NAME(advance)(shape, dim, cells, old, flux, out);
}
