/* sph_take_avx2.h - picks the particles near some lanes, four at a time. */
#pragma once
#include <immintrin.h>

#include <sph_pass.h>

#define SPH_AVX2 __attribute__((target("avx2")))

/* Moves those of four doubles whose bit is set to the front, in their order. Halves of doubles. */
static const _Alignas(32) int32_t to_front[16][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7},
    {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7},
    {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {6, 7, 0, 1, 2, 3, 4, 5},
    {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1},
    {0, 1, 2, 3, 4, 5, 6, 7}};

/* How far outside intervals x is, squared. No lane in them is nearer, whatever is rounded. */
RIND_SPH_INLINE SPH_AVX2 __m256d outside_squared_avx2(double lower, double upper, __m256d x) {
  const __m256d below = _mm256_sub_pd(_mm256_set1_pd(lower), x);
  const __m256d above = _mm256_sub_pd(x, _mm256_set1_pd(upper));
  const __m256d most = _mm256_max_pd(_mm256_max_pd(below, above), _mm256_setzero_pd());
  return _mm256_mul_pd(most, most);
}

RIND_SPH_INLINE SPH_AVX2 void put_avx2(double *to, __m256d values, __m256i order) {
  const __m256i moved = _mm256_permutevar8x32_epi32(_mm256_castpd_si256(values), order);
  _mm256_storeu_pd(to, _mm256_castsi256_pd(moved));
}

/* As take_plain. Four are written where fewer are taken; the next ones go over the rest. */
RIND_SPH_INLINE SPH_AVX2 int take_avx2(int dim, bool nearest, bool with_excess,
                                       const rind_sph_list *list, const rind_sph_search *search,
                                       int from, int count, rind_sph_near *near, int num) {
  const __m256d far = _mm256_set1_pd(search->far);
  for (int c = 0; c < count; c += 4) {
    __m256d at[3], square = _mm256_setzero_pd();
    for (int a = 0; a < dim; ++a) {
      const __m256d shift = _mm256_set1_pd(search->range->shift[a]);
      at[a] = _mm256_add_pd(_mm256_loadu_pd(list->at[a] + from + c), shift);
      const __m256d along = outside_squared_avx2(search->lower[a], search->upper[a], at[a]);
      square = a == 0 ? along : _mm256_add_pd(square, along);
    }
    const int there = count - c < 4 ? (1 << (count - c)) - 1 : 15;
    const int is_near = nearest ? 15 : _mm256_movemask_pd(_mm256_cmp_pd(square, far, _CMP_LT_OQ));
    const int taken = there & is_near;
    const __m256i order = _mm256_load_si256((const __m256i *)to_front[taken]);
    for (int a = 0; a < dim; ++a)
      put_avx2(near->at[a] + num, at[a], order);
    if (with_excess) put_avx2(near->excess + num, _mm256_loadu_pd(list->excess + from + c), order);
    num += __builtin_popcount((unsigned)taken);
  }
  return num;
}

#undef SPH_AVX2
