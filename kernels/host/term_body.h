/* term_body.h - one term's sweep over a box, for one pair of types: partial sums are kept in the
 * destination. Included by term_by_term.c after defining
 *     TERM_TO, TERM_FROM    types of the destination's and of the term's cells
 *     TERM_NAME             the function */

static void TERM_NAME(const rind_gather_row *row, TERM_TO *to, const TERM_FROM *from,
                      const ptrdiff_t *stride, double weight, bool begins) {
  for (int l = 0; l < row->extent[3]; ++l)
    for (int k = 0; k < row->extent[2]; ++k)
      for (int j = 0; j < row->extent[1]; ++j) {
        TERM_TO *t = to + l * row->to_stride[3] + k * row->to_stride[2] + j * row->to_stride[1];
        const TERM_FROM *f = from + l * stride[3] + k * stride[2] + j * stride[1];
        const ptrdiff_t to_stride = row->to_stride[0], from_stride = stride[0];
        if (begins)
          for (int i = 0; i < row->extent[0]; ++i)
            t[i * to_stride] = (TERM_TO)(weight * (double)f[i * from_stride]);
        else
          for (int i = 0; i < row->extent[0]; ++i)
            t[i * to_stride] =
                (TERM_TO)((double)t[i * to_stride] + weight * (double)f[i * from_stride]);
      }
}

#undef TERM_TO
#undef TERM_FROM
#undef TERM_NAME
