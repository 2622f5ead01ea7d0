/* svg.c - draws blocks and cells; y points up in the field's coordinates and down in SVG's. */
#include <svg.h>

#include <math.h>

enum { MARGIN = 14, LINE = 18 };

/* Pale fills of the ranks, in turn. */
static const char *const rank_fill[] = {"#dbe9f6", "#fde7cf", "#dff0dc", "#eadff2",
                                        "#f8dede", "#f3f0cf", "#d9eeee"};
enum { NUM_FILLS = sizeof rank_fill / sizeof *rank_fill };

/* From the field's coordinates to pixels. */
typedef struct frame {
  double x, y; /* lower left corner */
  double scale;
  double height; /* pixels */
} frame;

static frame frame_of(const svg_picture *picture) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < picture->num_items; ++i) {
    const svg_item *item = &picture->item[i];
    low[0] = fmin(low[0], item->x);
    low[1] = fmin(low[1], item->y);
    high[0] = fmax(high[0], item->x + item->w);
    high[1] = fmax(high[1], item->y + item->h);
  }
  const double scale = (picture->width - 2 * MARGIN) / (high[0] - low[0]);
  return (frame){low[0], low[1], scale, (high[1] - low[1]) * scale};
}

static double px(const frame *f, double x) {
  return MARGIN + (x - f->x) * f->scale;
}

static double py(const frame *f, double y) {
  return MARGIN + f->height - (y - f->y) * f->scale;
}

static void rectangle(FILE *file, const frame *f, const svg_item *item, const char *fill,
                      const char *stroke, double line) {
  fprintf(file,
          "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" stroke=\"%s\" "
          "stroke-width=\"%.2f\"/>\n",
          px(f, item->x), py(f, item->y + item->h), item->w * f->scale, item->h * f->scale, fill,
          stroke, line);
}

static void draw_block(FILE *file, const frame *f, const svg_item *item) {
  rectangle(file, f, item, rank_fill[(int)item->number % NUM_FILLS], "#55606b", 1.4);
  const double side = fmin(item->w, item->h) * f->scale;
  if (side < 34) return;
  fprintf(
      file,
      "<text x=\"%.2f\" y=\"%.2f\" font-size=\"11\" fill=\"#55606b\">level %d, rank %d</text>\n",
      px(f, item->x) + 4, py(f, item->y) - 5, (int)item->level, (int)item->number);
}

/* Arrows bend a little, so that those along a row stay apart; x, y to x + w, y + h. */
static void draw_arrow(FILE *file, const frame *f, const svg_item *item) {
  const double x0 = px(f, item->x), y0 = py(f, item->y);
  const double x1 = px(f, item->x + item->w), y1 = py(f, item->y + item->h);
  const double mx = (x0 + x1) / 2 + (y1 - y0) * 0.12, my = (y0 + y1) / 2 - (x1 - x0) * 0.12;
  fprintf(file,
          "<path d=\"M%.2f %.2f Q%.2f %.2f %.2f %.2f\" fill=\"none\" stroke=\"#7a2030\" "
          "stroke-width=\"0.9\" opacity=\"0.55\"/>\n<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2\" "
          "fill=\"#7a2030\"/>\n",
          x0, y0, mx, my, x1, y1, x0, y0);
  fprintf(file,
          "<text x=\"%.2f\" y=\"%.2f\" font-size=\"10\" text-anchor=\"middle\" fill=\"#7a2030\">"
          "%+.4g</text>\n",
          x0, y0 - 5, item->number);
}

static void draw_item(FILE *file, const frame *f, const svg_item *item) {
  switch ((svg_kind)(int)item->kind) {
  case SVG_BLOCK:
    draw_block(file, f, item);
    break;
  case SVG_CELL:
    rectangle(file, f, item, "none", "#9aa5b1", 0.5);
    break;
  case SVG_GHOST:
    rectangle(file, f, item, "none", "#b08a50", 0.5);
    break;
  case SVG_FILLED:
    rectangle(file, f, item, "#f4a259\" fill-opacity=\"0.6", "#b5651d", 1.0);
    break;
  case SVG_OWN:
    rectangle(file, f, item, "#6a994e\" fill-opacity=\"0.6", "#386641", 1.0);
    break;
  case SVG_SOURCE:
    rectangle(file, f, item, "#4a7fb5\" fill-opacity=\"0.55", "#2b5277", 1.0);
    break;
  case SVG_ARROW:
    draw_arrow(file, f, item);
    break;
  }
}

static void draw_legend(FILE *file, const svg_picture *picture, double top) {
  static const struct {
    const char *colour, *text[2];
  } keys[] = {{"#f4a259", {"ghosts that the fill writes", "cells that the row adds to"}},
              {"#4a7fb5", {"cells that its terms read", "ghosts that its terms read"}},
              {"#6a994e", {"own cells that its terms read", "own ghosts that its terms read"}}};
  fprintf(file, "<text x=\"%d\" y=\"%.1f\" font-size=\"13\" fill=\"#222\">%s</text>\n", MARGIN,
          top + LINE, picture->caption);
  for (int k = 0; k < 3; ++k)
    fprintf(file,
            "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" "
            "y=\"%.1f\" font-size=\"12\" fill=\"#222\">%s</text>\n",
            MARGIN + 210 * k, top + LINE + 12, keys[k].colour, MARGIN + 210 * k + 18,
            top + LINE + 22, keys[k].text[picture->adjoint]);
}

bool svg_write(FILE *file, const svg_picture *picture) {
  const frame f = frame_of(picture);
  const double bottom = f.height + 2 * MARGIN, height = bottom + 3 * LINE;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 "
          "%.0f %.0f\" font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" "
          "fill=\"white\"/>\n",
          picture->width, height, picture->width, height);
  for (int kind = SVG_BLOCK; kind <= SVG_ARROW; ++kind)
    for (int i = 0; i < picture->num_items; ++i)
      if ((int)picture->item[i].kind == kind) draw_item(file, &f, &picture->item[i]);
  draw_legend(file, picture, bottom - MARGIN);
  fprintf(file, "</svg>\n");
  return !ferror(file);
}
