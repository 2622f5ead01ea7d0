/* quicklook.c - puts rasters, titles and a colour bar together. */
#include "quicklook.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "raster.h"
#include "status.h"

/* Pixels. */
enum {
  MARGIN = 28,
  TITLE = 40,
  CAPTION = 26,
  BAR = 22,
  BAR_LABELS = 96,
  PANEL_2D = 512,
  PANEL_3D = 288
};

static const app_colour paper = {255, 255, 255}, ink = {32, 32, 40}, pale = {110, 110, 120};

struct quicklook {
  const rind_forest *forest;     /* borrowed */
  const advect_problem *problem; /* borrowed */
  MPI_Comm comm;
  int rank, num_views, coarsest, finest;
  advect_raster view[3];
  size_t num_pixels;                /* of all views */
  double *value[QUICKLOOK_MOMENTS]; /* [num_pixels], whole on rank 0 */
  double *block;                    /* [num_pixels] */
  double time[QUICKLOOK_MOMENTS];
};

static size_t view_offset(const quicklook *look, int view) {
  size_t offset = 0;
  for (int p = 0; p < view; ++p)
    offset += (size_t)look->view[p].width * (size_t)look->view[p].height;
  return offset;
}

/* Whole pixels a cell where that comes near the wanted size. */
static int panel_pixels(double cells, double wanted) {
  if (cells > 1.5 * wanted) return (int)wanted;
  return (int)(cells * fmax(1, rint(wanted / cells)));
}

static void choose_views(quicklook *look) {
  static const int axes[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
  const advect_problem *problem = look->problem;
  int levels[2] = {-1000, -1000};
  for (int b = 0; b < rind_forest_num_blocks(look->forest); ++b) {
    const int level = rind_forest_block(look->forest, b)->level;
    if (-level > levels[0]) levels[0] = -level;
    if (level > levels[1]) levels[1] = level;
  }
  MPI_Allreduce(MPI_IN_PLACE, levels, 2, MPI_INT, MPI_MAX, look->comm);
  look->coarsest = -levels[0];
  look->finest = levels[1];
  double side = 0, widest = 0;
  for (int b = 0; b < rind_forest_num_blocks(look->forest); ++b) {
    const rind_block *block = rind_forest_block(look->forest, b);
    side = fmax(side, ldexp(block->side[0], block->level));
  }
  MPI_Allreduce(MPI_IN_PLACE, &side, 1, MPI_DOUBLE, MPI_MAX, look->comm);
  for (int a = 0; a < problem->dim; ++a)
    widest = fmax(widest, problem->extent[a]);
  const double cell = ldexp(side, -look->finest) / problem->cells;
  const int pixels = panel_pixels(rint(widest / cell), problem->dim == 2 ? PANEL_2D : PANEL_3D);
  look->num_views = problem->dim == 2 ? 1 : 3;
  for (int p = 0; p < look->num_views; ++p) {
    const raster_view view = {axes[p][0], axes[p][1], axes[p][2]};
    look->view[p] =
        (advect_raster){(int)rint(pixels * problem->extent[view.right] / widest),
                        (int)rint(pixels * problem->extent[view.up] / widest),
                        (int)fmax(1, rint(pixels * cell / widest)), view, problem_cut(problem)};
  }
  look->num_pixels = view_offset(look, look->num_views);
}

quicklook *quicklook_create(MPI_Comm comm, const rind_forest *forest,
                            const advect_problem *problem) {
  quicklook *look = calloc(1, sizeof *look);
  int room = look != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, comm);
  if (!room) {
    free(look);
    return NULL;
  }
  look->forest = forest;
  look->problem = problem;
  look->comm = comm;
  MPI_Comm_rank(comm, &look->rank);
  choose_views(look);
  for (int m = 0; m < QUICKLOOK_MOMENTS; ++m) {
    look->value[m] = malloc((look->num_pixels + 1) * sizeof *look->value[m]);
    room = room && look->value[m] != NULL;
  }
  look->block = malloc((look->num_pixels + 1) * sizeof *look->block);
  room = room && look->block != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, comm);
  if (!room) quicklook_destroy(&look);
  return look;
}

void quicklook_destroy(quicklook **look) {
  if (*look == NULL) return;
  for (int m = 0; m < QUICKLOOK_MOMENTS; ++m)
    free((*look)->value[m]);
  free((*look)->block);
  free(*look);
  *look = NULL;
}

/* Each pixel was painted by one rank at most; the others left -infinity there. */
static void collect(const quicklook *look, double *pixels) {
  if (look->rank == 0)
    MPI_Reduce(MPI_IN_PLACE, pixels, (int)look->num_pixels, MPI_DOUBLE, MPI_MAX, 0, look->comm);
  else
    MPI_Reduce(pixels, NULL, (int)look->num_pixels, MPI_DOUBLE, MPI_MAX, 0, look->comm);
}

void quicklook_capture(quicklook *look, const advect_solver *solver, int moment, double t) {
  double *pixels = look->value[moment];
  look->time[moment] = t;
  for (size_t i = 0; i < look->num_pixels; ++i)
    pixels[i] = -HUGE_VAL;
  for (int p = 0; p < look->num_views; ++p)
    raster_values(&look->view[p], look->forest, look->problem, solver,
                  pixels + view_offset(look, p));
  collect(look, pixels);
}

/* Light from the upper left: how much brighter a pixel of a relief is. reach is the width of its
 * cell: slopes are taken from cell to cell. */
static double light(const advect_raster *raster, const double *pixels, int row, int column,
                    int reach, double range) {
  const int last_row = raster->height - 1, last_column = raster->width - 1;
  const int left = column > reach ? column - reach : 0, up = row > reach ? row - reach : 0;
  const int right = column + reach < last_column ? column + reach : last_column;
  const int down = row + reach < last_row ? row + reach : last_row;
  const double *middle = pixels + row * raster->width;
  const double along = (middle[right] - middle[left]) / (right - left);
  const double downhill =
      (pixels[down * raster->width + column] - pixels[up * raster->width + column]) / (down - up);
  const double slope = (along + downhill) / range * raster->width;
  /* Steep is dark or bright, never black or white. */
  return 1 + 0.38 * slope / (4 + fabs(slope));
}

static app_colour scaled(app_colour colour, double by) {
  return (app_colour){(uint8_t)fmin(colour.r * by + 0.5, 255),
                      (uint8_t)fmin(colour.g * by + 0.5, 255),
                      (uint8_t)fmin(colour.b * by + 0.5, 255)};
}

static void draw_values(const quicklook *look, app_picture *picture, int x, int y, int moment,
                        int view) {
  const advect_raster *raster = &look->view[view];
  const double *pixels = look->value[moment] + view_offset(look, view);
  const double *blocks = look->block + view_offset(look, view);
  double least, greatest;
  problem_range(look->problem, &least, &greatest);
  const double range = greatest > least ? greatest - least : 1;
  for (int row = 0; row < raster->height; ++row)
    for (int column = 0; column < raster->width; ++column) {
      const int i = row * raster->width + column;
      app_colour colour = app_colour_of((pixels[i] - least) / range);
      if (look->problem->data != NULL)
        colour =
            scaled(colour, light(raster, pixels, row, column,
                                 raster->cell << (look->finest - raster_level(blocks[i])), range));
      app_draw_pixel(picture, x + column, y + row, colour);
      if (look->problem->dim == 3 && raster_is_edge(blocks[i]))
        app_draw_blend(picture, x + column, y + row, paper, 0.18);
    }
  app_draw_frame(picture, x - 1, y - 1, raster->width + 2, raster->height + 2, ink, 1);
}

/* Blocks coloured by rank, finer ones stronger. */
static void draw_blocks(const quicklook *look, app_picture *picture, int x, int y) {
  const advect_raster *raster = &look->view[0];
  for (int row = 0; row < raster->height; ++row)
    for (int column = 0; column < raster->width; ++column) {
      const double code = look->block[row * raster->width + column];
      if (!(code > 0)) continue;
      const int depth = raster_level(code) - look->coarsest;
      const app_colour colour = app_colour_of_index(raster_owner(code));
      app_draw_pixel(picture, x + column, y + row, scaled(colour, pow(0.86, depth)));
      if (raster_is_edge(code)) app_draw_blend(picture, x + column, y + row, ink, 0.55);
    }
  app_draw_frame(picture, x - 1, y - 1, raster->width + 2, raster->height + 2, ink, 1);
}

static void draw_bar(const quicklook *look, app_picture *picture, int x, int y, int height) {
  double least, greatest;
  char label[48];
  const advect_problem *problem = look->problem;
  problem_range(problem, &least, &greatest);
  for (int row = 0; row < height; ++row)
    app_draw_box(picture, x, y + row, BAR, 1, app_colour_of(1 - (row + 0.5) / height));
  app_draw_frame(picture, x - 1, y - 1, BAR + 2, height + 2, ink, 1);
  for (int tick = 0; tick <= 4; ++tick) {
    const int row = y + height - 1 - tick * (height - 1) / 4;
    app_draw_box(picture, x + BAR, row, 5, 1, ink);
    snprintf(label, sizeof label, "%.4g", least + (greatest - least) * tick / 4);
    app_draw_text(picture, x + BAR + 10, row - 7, 2, ink, label);
  }
  if (problem->data != NULL && problem->data->units[0] != '\0')
    app_draw_text(picture, x, y - 20, 2, pale, problem->data->units);
}

static void draw_moment(const quicklook *look, app_picture *picture, int x, int y, int moment,
                        int view) {
  static const char axis_name[] = "xyz";
  char caption[64];
  if (look->problem->dim == 2)
    snprintf(caption, sizeof caption, "t = %.3g", look->time[moment]);
  else
    snprintf(caption, sizeof caption, "t = %.3g, along %c", look->time[moment],
             axis_name[look->view[view].view.along]);
  app_draw_text(picture, x, y - 20, 2, pale, caption);
  draw_values(look, picture, x, y, moment, view);
}

/* 2D: two by two panels; 3D: a row a moment, a column a view. */
static bool draw(const quicklook *look, const char *title, app_picture *picture) {
  const bool flat = look->problem->dim == 2;
  const int columns = flat ? 2 : 3, rows = flat ? 2 : QUICKLOOK_MOMENTS;
  int wide = 0, high = 0;
  for (int p = 0; p < look->num_views; ++p) {
    wide = wide > look->view[p].width ? wide : look->view[p].width;
    high = high > look->view[p].height ? high : look->view[p].height;
  }
  const int across = wide + MARGIN, down = high + CAPTION + MARGIN / 2;
  const int width = MARGIN + columns * across + BAR + BAR_LABELS;
  const int height = TITLE + rows * down + MARGIN;
  if (!app_picture_create(picture, width, height, paper)) return false;
  app_draw_text(picture, MARGIN, 18, 2, ink, title);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const int x = MARGIN + column * across, y = TITLE + row * down + CAPTION;
      const int moment = flat ? 2 * row + column : row;
      if (moment < QUICKLOOK_MOMENTS) {
        draw_moment(look, picture, x, y, moment, flat ? 0 : column);
      } else {
        char caption[96];
        int size;
        MPI_Comm_size(look->comm, &size);
        snprintf(caption, sizeof caption, "%lld blocks, levels %d to %d, %d rank%s",
                 (long long)rind_forest_num_global_blocks(look->forest), look->coarsest,
                 look->finest, size, size == 1 ? "" : "s");
        app_draw_text(picture, x, y - 20, 2, pale, caption);
        draw_blocks(look, picture, x, y);
      }
    }
  draw_bar(look, picture, MARGIN + columns * across, TITLE + CAPTION,
           rows * down - CAPTION - MARGIN / 2);
  return true;
}

int quicklook_write(quicklook *look, const char *title, const char *path, char *message,
                    int length) {
  for (size_t i = 0; i < look->num_pixels; ++i)
    look->block[i] = 0;
  for (int p = 0; p < look->num_views; ++p)
    raster_blocks(&look->view[p], look->forest, look->problem, look->block + view_offset(look, p));
  collect(look, look->block);
  int status = APP_OK;
  if (look->rank == 0) {
    app_picture picture;
    if (!draw(look, title, &picture)) {
      snprintf(message, (size_t)length, "no memory for the picture");
      status = APP_MEMORY;
    } else {
      if (!app_picture_write(&picture, path)) {
        snprintf(message, (size_t)length, "cannot write %s: %s", path,
                 errno != 0 ? strerror(errno) : "libpng failed");
        status = APP_IO;
      }
      app_picture_destroy(&picture);
    }
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, look->comm);
  if (status != APP_OK) MPI_Bcast(message, length, MPI_CHAR, 0, look->comm);
  return status;
}
