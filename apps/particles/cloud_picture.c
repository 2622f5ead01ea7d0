/* cloud_picture.c - one PNG: the density, seen along the third axis in 3D, and the blocks. */
#include "cloud_picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "status.h"

enum { SIDE = 512, MARGIN = 24, TITLE = 64, BAR = 16, LABELS = 110, DECADES = 4 };

static const app_colour paper = {250, 250, 248}, ink = {40, 40, 44}, pale = {110, 110, 116};

/* What all ranks know of the pixels. */
typedef struct raster {
  double column[SIDE * SIDE]; /* density summed along the third axis */
  double level[SIDE * SIDE];  /* of the block, + 1 */
  double edge[SIDE * SIDE];   /* 1: the lower border of a block */
  double crowd[SIDE * SIDE];  /* particles a unit of the block's volume */
} raster;

static double cell_value(const rind_field *field, int block, int i, int j, int k) {
  const rind_layout *layout = rind_field_layout(field);
  const ptrdiff_t at = i * layout->cell_stride[0] + j * layout->cell_stride[1] +
                       (layout->dim == 3 ? k * layout->cell_stride[2] : 0);
  const void *pointer = rind_field_pointer(field, block);
  return layout->type == RIND_FLOAT64 ? ((const double *)pointer)[at]
                                      : (double)((const float *)pointer)[at];
}

/* Pixel p of an axis, upwards, has its centre at (p + 1/2) / SIDE. */
static int first_pixel(double x) {
  const double p = ceil(x * SIDE - 0.5);
  return p < 0 ? 0 : p > SIDE ? SIDE : (int)p;
}

static void draw_block(raster *r, const rind_particles *particles, const rind_field *density,
                       int b) {
  const rind_layout *layout = rind_field_layout(density);
  const rind_block *block = rind_forest_block(rind_particles_forest(particles), b);
  const int64_t *first = rind_particles_first_in_block(particles);
  const int depth = layout->dim == 3 ? layout->cells : 1;
  const double thick = layout->dim == 3 ? block->side[2] / layout->cells : 1;
  const bool shows =
      layout->dim == 2 || (block->lower[2] <= 0.5 && block->lower[2] + block->side[2] > 0.5);
  const int x0 = first_pixel(block->lower[0]), x1 = first_pixel(block->lower[0] + block->side[0]);
  const int y0 = first_pixel(block->lower[1]), y1 = first_pixel(block->lower[1] + block->side[1]);
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      const int pixel = (SIDE - 1 - y) * SIDE + x;
      const double u = ((x + 0.5) / SIDE - block->lower[0]) / block->side[0] * layout->cells;
      const double v = ((y + 0.5) / SIDE - block->lower[1]) / block->side[1] * layout->cells;
      for (int k = 0; k < depth; ++k)
        r->column[pixel] += thick * cell_value(density, b, (int)u, (int)v, k);
      if (!shows) continue;
      r->level[pixel] += block->level + 1;
      r->edge[pixel] += x == x0 || y == y0;
      r->crowd[pixel] += (double)(first[b + 1] - first[b]) / (block->side[0] * block->side[1]) /
                         (layout->dim == 3 ? block->side[2] : 1);
    }
}

static void draw_density(const raster *r, app_picture *picture, int x, int y, double greatest) {
  for (int i = 0; i < SIDE * SIDE; ++i) {
    const double value = r->column[i] > 0 ? 1 + log10(r->column[i] / greatest) / DECADES : 0;
    app_draw_pixel(picture, x + i % SIDE, y + i / SIDE, app_colour_of(fmax(value, 0)));
  }
  app_draw_frame(picture, x - 1, y - 1, SIDE + 2, SIDE + 2, ink, 1);
}

static void draw_bar(app_picture *picture, int x, int y, double greatest) {
  for (int row = 0; row < SIDE; ++row)
    app_draw_box(picture, x, y + row, BAR, 1, app_colour_of(1 - (row + 0.5) / SIDE));
  app_draw_frame(picture, x - 1, y - 1, BAR + 2, SIDE + 2, ink, 1);
  for (int tick = 0; tick <= DECADES; ++tick) {
    char label[48];
    const int row = y + SIDE - 1 - tick * (SIDE - 1) / DECADES;
    app_draw_box(picture, x + BAR, row, 5, 1, ink);
    snprintf(label, sizeof label, "%.2g", greatest * pow(10, tick - DECADES));
    app_draw_text(picture, x + BAR + 10, row - (tick == DECADES ? 0 : 7), 2, ink, label);
  }
}

static void draw_blocks(const raster *r, app_picture *picture, int x, int y) {
  double most = 0, least = HUGE_VAL;
  for (int i = 0; i < SIDE * SIDE; ++i) {
    most = fmax(most, r->crowd[i]);
    if (r->crowd[i] > 0) least = fmin(least, r->crowd[i]);
  }
  const double range = most > least ? log(most / least) : 1;
  for (int i = 0; i < SIDE * SIDE; ++i) {
    const double value = r->crowd[i] > 0 ? 0.08 + 0.92 * log(r->crowd[i] / least) / range : 0;
    const int px = x + i % SIDE, py = y + i / SIDE;
    app_draw_pixel(picture, px, py, app_colour_of(value));
    if (r->edge[i] > 0) app_draw_blend(picture, px, py, paper, 0.5);
  }
  app_draw_frame(picture, x - 1, y - 1, SIDE + 2, SIDE + 2, ink, 1);
}

static bool draw(const raster *r, const rind_particles *particles, int dim, const char *title,
                 app_picture *picture) {
  char caption[96];
  double greatest = 0, coarsest = 99, finest = 0;
  for (int i = 0; i < SIDE * SIDE; ++i) {
    greatest = fmax(greatest, r->column[i]);
    finest = fmax(finest, r->level[i] - 1);
    coarsest = fmin(coarsest, r->level[i] - 1);
  }
  if (!(greatest > 0)) greatest = 1;
  const int width = 3 * MARGIN + 2 * SIDE + BAR + LABELS, height = TITLE + 28 + SIDE + MARGIN;
  if (!app_picture_create(picture, width, height, paper)) return false;
  const int left = MARGIN, right = 2 * MARGIN + SIDE + BAR + LABELS, top = TITLE + 28;
  app_draw_text(picture, left, 20, 2, ink, title);
  app_draw_text(picture, left, TITLE, 2, pale, dim == 3 ? "density along z" : "density");
  draw_density(r, picture, left, top, greatest);
  draw_bar(picture, left + SIDE + 10, top, greatest);
  snprintf(caption, sizeof caption, "%lld blocks, levels %.0f to %.0f",
           (long long)rind_forest_num_global_blocks(rind_particles_forest(particles)), coarsest,
           finest);
  app_draw_text(picture, right, TITLE, 2, pale, caption);
  draw_blocks(r, picture, right, top);
  return true;
}

static int write(const raster *r, const rind_particles *particles, int dim, const char *title,
                 const char *path, char *message, int length) {
  app_picture picture;
  int status = APP_OK;
  if (!draw(r, particles, dim, title, &picture)) {
    snprintf(message, (size_t)length, "no memory for the picture");
    return APP_MEMORY;
  }
  if (!app_picture_write(&picture, path)) {
    snprintf(message, (size_t)length, "cannot write %s: %s", path,
             errno != 0 ? strerror(errno) : "libpng failed");
    status = APP_IO;
  }
  app_picture_destroy(&picture);
  return status;
}

int cloud_picture_write(MPI_Comm comm, const rind_particles *particles, const rind_field *density,
                        const char *title, const char *path, char *message, int length) {
  int rank = 0, status = APP_OK, has = 0, all_have = 0;
  MPI_Comm_rank(comm, &rank);
  raster *r = calloc(1, sizeof *r);
  has = r != NULL;
  MPI_Allreduce(&has, &all_have, 1, MPI_INT, MPI_MIN, comm);
  if (!all_have) {
    free(r);
    snprintf(message, (size_t)length, "no memory for the picture");
    return APP_MEMORY;
  }
  for (int b = 0; b < rind_field_num_blocks(density); ++b)
    draw_block(r, particles, density, b);
  const int count = (int)(sizeof *r / sizeof(double));
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : r, r, count, MPI_DOUBLE, MPI_SUM, 0, comm);
  if (rank == 0)
    status = write(r, particles, rind_field_layout(density)->dim, title, path, message, length);
  free(r);
  MPI_Bcast(&status, 1, MPI_INT, 0, comm);
  if (status != APP_OK) MPI_Bcast(message, length, MPI_CHAR, 0, comm);
  return status;
}
