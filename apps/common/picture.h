/* picture.h - RGB pictures: rectangles, lines, small text, colours of values, PNG files. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct app_colour {
  uint8_t r, g, b;
} app_colour;

typedef struct app_picture {
  int width, height; /* pixels */
  uint8_t *rgb;      /* [height][width][3], from the top row down */
} app_picture;

/* False if there is no memory. */
bool app_picture_create(app_picture *picture, int width, int height, app_colour background);
void app_picture_destroy(app_picture *picture);
/* False, with errno set or 0, if the file could not be written. */
bool app_picture_write(const app_picture *picture, const char *path);

/* Everything below leaves pixels outside the picture alone. */
void app_draw_pixel(app_picture *picture, int x, int y, app_colour colour);
/* Moves a pixel towards colour: alpha 0 nothing, 1 all the way. */
void app_draw_blend(app_picture *picture, int x, int y, app_colour colour, double alpha);
void app_draw_box(app_picture *picture, int x, int y, int width, int height, app_colour colour);
/* The outline, one pixel wide. */
void app_draw_frame(app_picture *picture, int x, int y, int width, int height, app_colour colour,
                    double alpha);
/* Letters are 5 x 7 pixels times scale, on a pitch of 6; (x, y) is the upper left corner. */
void app_draw_text(app_picture *picture, int x, int y, int scale, app_colour colour,
                   const char *text);
/* Pixels that the text is wide. */
int app_text_width(const char *text, int scale);

/* The colour of a value in [0, 1], from dark blue over green to yellow (viridis). */
app_colour app_colour_of(double value);
/* A light colour for the i-th of a set of things. */
app_colour app_colour_of_index(int i);
