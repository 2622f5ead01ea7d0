/* weights.c - the one-dimensional weights of docs/rows.md, as correctly rounded quotients. */
#include <rows.h>

/* [parity][shift + 1][tap]; exact in binary. */
static const double quadratic[2][3][3] = {
    {{-3.0 / 32.0, 7.0 / 16.0, 21.0 / 32.0},
     {5.0 / 32.0, 15.0 / 16.0, -3.0 / 32.0},
     {45.0 / 32.0, -9.0 / 16.0, 5.0 / 32.0}},
    {{5.0 / 32.0, -9.0 / 16.0, 45.0 / 32.0},
     {-3.0 / 32.0, 15.0 / 16.0, 5.0 / 32.0},
     {21.0 / 32.0, 7.0 / 16.0, -3.0 / 32.0}},
};

/* [layer - 1][own, U1, U2]. */
static const double facing[2][3] = {
    {5.0 / 21.0, 5.0 / 6.0, -1.0 / 14.0},
    {-1.0 / 7.0, 1.0, 1.0 / 7.0},
};

const double *rind_weights_quadratic(int parity, int shift) {
  return quadratic[parity][shift + 1];
}

const double *rind_weights_facing(int layer) {
  return facing[layer - 1];
}
