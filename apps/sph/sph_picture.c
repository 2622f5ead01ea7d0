/* sph_picture.c - draws particles as dots and the loss as a curve. */
#include "sph_picture.h"

#include <math.h>
#include <stdio.h>

#include "picture.h"

/* Pixels. */
enum { PANEL = 320, MARGIN = 24, TITLE = 28, PLOT = 150, LABELS = 56, BAR = 40 };
enum { WIDTH = 2 * PANEL + 3 * MARGIN, HEIGHT = TITLE + PANEL + BAR + TITLE + PLOT + LABELS };

static const app_colour paper = {255, 255, 255}, ink = {32, 32, 40}, pale = {205, 205, 210};

static double clamp(double value) {
  return fmin(fmax(value, 0), 1);
}

static void draw_dot(app_picture *picture, double x, double y, int radius, app_colour colour) {
  for (int j = -radius; j <= radius; ++j)
    for (int i = -radius; i <= radius; ++i)
      if (i * i + j * j <= radius * radius + 1)
        app_draw_pixel(picture, (int)x + i, (int)y + j, colour);
}

/* Colours run from no density to twice the rest density. */
static void draw_view(app_picture *picture, int left, const char *title, const sph_view *view,
                      int64_t count, double length, double rest_density) {
  app_draw_text(picture, left, MARGIN / 2, 1, ink, title);
  const int radius = count <= 1500 ? 3 : count <= 6000 ? 2 : 1;
  for (int64_t i = 0; i < count; ++i) {
    const double x = view->x[i] / length, y = view->y[i] / length;
    draw_dot(picture, left + PANEL * (x - floor(x)), TITLE + PANEL * (1 - (y - floor(y))), radius,
             app_colour_of(clamp(view->density[i] / (2 * rest_density))));
  }
  app_draw_frame(picture, left, TITLE, PANEL, PANEL, ink, 1);
}

static void draw_bar(app_picture *picture, double rest_density) {
  char text[32];
  const int top = TITLE + PANEL + 8;
  for (int i = 0; i < PANEL; ++i)
    app_draw_box(picture, MARGIN + i, top, 1, 10, app_colour_of((double)i / PANEL));
  app_draw_text(picture, MARGIN, top + 16, 1, ink, "0");
  snprintf(text, sizeof text, "%g", rest_density);
  app_draw_text(picture, MARGIN + PANEL / 2 - 4, top + 16, 1, ink, text);
  snprintf(text, sizeof text, "%g", 2 * rest_density);
  app_draw_text(picture, MARGIN + PANEL - app_text_width(text, 1), top + 16, 1, ink, text);
  app_draw_text(picture, 2 * MARGIN + PANEL, top + 2, 1, ink, "density");
}

/* The loss over steps, its axis logarithmic. */
static void draw_curve(app_picture *picture, const double *loss, int num_losses) {
  const int left = MARGIN + 40, top = TITLE + PANEL + BAR + TITLE, width = WIDTH - left - MARGIN;
  double least = loss[0], most = loss[0];
  for (int k = 0; k < num_losses; ++k) {
    least = loss[k] > 0 ? fmin(least, loss[k]) : least;
    most = fmax(most, loss[k]);
  }
  const double low = floor(log10(fmax(least, 1e-300))), high = ceil(log10(fmax(most, 1e-299)));
  const double decades = fmax(high - low, 1), every = ceil(decades / 8);
  app_draw_text(picture, left, top - 14, 1, ink, "loss, by steps");
  for (double decade = low; decade <= high; decade += every) {
    char text[32];
    const int y = top + (int)(PLOT * (high - decade) / decades);
    app_draw_box(picture, left, y, width, 1, pale);
    snprintf(text, sizeof text, "1e%+.0f", decade);
    app_draw_text(picture, MARGIN, y - 3, 1, ink, text);
  }
  int before = 0;
  for (int x = 0; x < width; ++x) {
    const double place = (double)x / fmax(width - 1, 1) * (num_losses - 1);
    const double value = loss[(int)place];
    const int y = top + (int)(PLOT * clamp((high - log10(fmax(value, 1e-300))) / decades));
    const int from = x == 0 ? y : before;
    app_draw_box(picture, left + x, y < from ? y : from, 2, (y < from ? from - y : y - from) + 2,
                 ink);
    before = y;
  }
  app_draw_frame(picture, left, top, width, PLOT + 1, ink, 1);
  char text[32];
  snprintf(text, sizeof text, "%d", num_losses - 1);
  app_draw_text(picture, left, top + PLOT + 8, 1, ink, "0");
  app_draw_text(picture, left + width - app_text_width(text, 1), top + PLOT + 8, 1, ink, text);
}

bool sph_picture_write(const char *path, int64_t count, double length, double rest_density,
                       const sph_view *before, const sph_view *after, const double *loss,
                       int num_losses) {
  app_picture picture;
  if (!app_picture_create(&picture, WIDTH, HEIGHT, paper)) return false;
  draw_view(&picture, MARGIN, "random", before, count, length, rest_density);
  draw_view(&picture, 2 * MARGIN + PANEL, "relaxed", after, count, length, rest_density);
  draw_bar(&picture, rest_density);
  draw_curve(&picture, loss, num_losses);
  const bool good = app_picture_write(&picture, path);
  app_picture_destroy(&picture);
  return good;
}
