/* ziggurat.h - the table of the normal numbers: 256 steps of equal area below exp(-x^2 / 2). */
#pragma once
#include <stdint.h>

/* Where the last step ends and the tail begins. */
#define ZIGGURAT_END 3.6541528853610088

/* Step i reaches to x_i = width 2^51; magnitudes below inside, of 2^51, are below the curve. Step 0
 * is the last one's, and stands for the tail as well. */
typedef struct app_ziggurat_step {
  uint64_t inside; /* 2^51 x_{i-1} / x_i, rounded down */
  double width;
  double height; /* exp(-x_i^2 / 2) */
} app_ziggurat_step;

extern const app_ziggurat_step app_ziggurat[256];
