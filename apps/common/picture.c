/* picture.c - drawing into RGB pictures, and PNG files of them. */
#include "picture.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "letters.h"
#include "outputs.h"

bool app_picture_create(app_picture *picture, int width, int height, app_colour background) {
  picture->width = width;
  picture->height = height;
  picture->rgb = malloc((size_t)width * (size_t)height * 3);
  if (picture->rgb == NULL) return false;
  app_draw_box(picture, 0, 0, width, height, background);
  return true;
}

void app_picture_destroy(app_picture *picture) {
  free(picture->rgb);
  picture->rgb = NULL;
}

static bool write_png(const app_picture *picture, const char *path) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = (png_uint_32)picture->width;
  image.height = (png_uint_32)picture->height;
  image.format = PNG_FORMAT_RGB;
  FILE *file = fopen(path, "wb");
  if (file == NULL) return false;
  const bool written =
      png_image_write_to_stdio(&image, file, 0, picture->rgb, 0, NULL) != 0 && fflush(file) == 0;
  const bool closed = fclose(file) == 0;
  return written && closed;
}

bool app_picture_write(const app_picture *picture, const char *path) {
  errno = 0;
  char *part = app_part_begin(path);
  return part != NULL && app_part_end(part, path, write_png(picture, part));
}

void app_draw_blend(app_picture *picture, int x, int y, app_colour colour, double alpha) {
  if (x < 0 || y < 0 || x >= picture->width || y >= picture->height) return;
  uint8_t *p = picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
  p[0] = (uint8_t)(p[0] + alpha * (colour.r - p[0]) + 0.5);
  p[1] = (uint8_t)(p[1] + alpha * (colour.g - p[1]) + 0.5);
  p[2] = (uint8_t)(p[2] + alpha * (colour.b - p[2]) + 0.5);
}

void app_draw_pixel(app_picture *picture, int x, int y, app_colour colour) {
  if (x < 0 || y < 0 || x >= picture->width || y >= picture->height) return;
  uint8_t *p = picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
  p[0] = colour.r;
  p[1] = colour.g;
  p[2] = colour.b;
}

void app_draw_box(app_picture *picture, int x, int y, int width, int height, app_colour colour) {
  for (int j = y; j < y + height; ++j)
    for (int i = x; i < x + width; ++i)
      app_draw_pixel(picture, i, j, colour);
}

void app_draw_frame(app_picture *picture, int x, int y, int width, int height, app_colour colour,
                    double alpha) {
  for (int i = x; i < x + width; ++i) {
    app_draw_blend(picture, i, y, colour, alpha);
    app_draw_blend(picture, i, y + height - 1, colour, alpha);
  }
  for (int j = y + 1; j < y + height - 1; ++j) {
    app_draw_blend(picture, x, j, colour, alpha);
    app_draw_blend(picture, x + width - 1, j, colour, alpha);
  }
}

void app_draw_text(app_picture *picture, int x, int y, int scale, app_colour colour,
                   const char *text) {
  for (; *text != '\0'; ++text, x += (APP_LETTER_WIDTH + 1) * scale) {
    const char *letter = app_letter(*text);
    for (int j = 0; j < APP_LETTER_HEIGHT; ++j)
      for (int i = 0; i < APP_LETTER_WIDTH; ++i)
        if (letter[j * APP_LETTER_WIDTH + i] == '#')
          app_draw_box(picture, x + i * scale, y + j * scale, scale, scale, colour);
  }
}

int app_text_width(const char *text, int scale) {
  const int letters = (int)strlen(text);
  return letters > 0 ? ((APP_LETTER_WIDTH + 1) * letters - 1) * scale : 0;
}

app_colour app_colour_of(double value) {
  /* Ten stops of viridis, a map of even perceived lightness by S. van der Walt and N. Smith
   * (2015, CC0; bids.github.io/colormap), at 0, 1/9, .., 1. */
  static const app_colour stop[] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142},
                                    {38, 130, 142}, {31, 158, 137}, {53, 183, 121}, {109, 205, 89},
                                    {180, 222, 44}, {253, 231, 37}};
  if (!(value > 0)) return stop[0];
  if (value >= 1) return stop[9];
  const double place = value * 9;
  const int i = (int)place;
  const double t = place - i;
  return (app_colour){(uint8_t)(stop[i].r + t * (stop[i + 1].r - stop[i].r) + 0.5),
                      (uint8_t)(stop[i].g + t * (stop[i + 1].g - stop[i].g) + 0.5),
                      (uint8_t)(stop[i].b + t * (stop[i + 1].b - stop[i].b) + 0.5)};
}

app_colour app_colour_of_index(int i) {
  static const app_colour light[] = {{166, 206, 227}, {251, 205, 141}, {178, 223, 138},
                                     {226, 181, 216}, {244, 165, 150}, {222, 215, 150},
                                     {150, 214, 204}, {205, 205, 205}};
  return light[i % 8];
}
