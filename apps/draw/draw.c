/* draw.c - rind-draw: a picture of a 2D forest and of one fill of its schedule or of the adjoint.
 */
#include <cli.h>
#include <demand.h>
#include <draw_items.h>
#include <ending.h>
#include <outputs.h>
#include <rind/forest_p4est.h>
#include <rind/rind.h>
#include <status.h>
#include <words.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 1000000, BLOCK_TEXT = 120 /* bytes of a block in a file, about */ };

static const char *const refine_words[] = {"corner", "half", "middle", "none", NULL};
static const char *const region_words[] = {"lower-left",  "lower", "lower-right", "left",
                                           "self",        "right", "upper-left",  "upper",
                                           "upper-right", NULL};
static const char *const wall_words[] = {"none", "even", "odd", "constant", "linear", NULL};

typedef struct options {
  int trees[3], periodic[3], level, levels, refine;
  int cells, ghosts, interpolation, restriction, wall;
  int block, region, box;
  bool adjoint;
  double width;
  const char *output;
} options;

static void describe(const rind_schedule *schedule, const rind_fill_view *view, char *caption) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(rind_schedule_forest(schedule));
  snprintf(caption, DRAW_CAPTION, "%s%s: %d terms; block %lld, region %s, box %d",
           rind_schedule_is_adjoint(schedule) ? "adjoint of " : "", rind_family_name(view->family),
           view->num_terms, (long long)arrays->block[view->block].global,
           region_words[view->region - 9], view->number);
}

/* Collective. Draws the chosen fill on the rank that has it; false if none has. Rows of an adjoint
 * for the cells of one block are many ranks': of these the one with the last block's ghosts. */
static bool add_chosen(draw_items *items, const rind_schedule *schedule, const options *o,
                       char *caption) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(rind_schedule_forest(schedule));
  int64_t mine = -1, last;
  rind_fill_view view;
  rind_term_view term;
  int f = 0;
  for (; mine < 0 && f < rind_schedule_num_fills(schedule); ++f)
    if (rind_schedule_fill(schedule, f, &view) == RIND_OK &&
        arrays->block[view.block].global == o->block && view.region == 9 + o->region &&
        view.number == o->box &&
        rind_schedule_term(schedule, f, view.num_terms - 1, &term) == RIND_OK)
      mine = term.block >= 0 ? arrays->block[term.block].global : o->block;
  MPI_Allreduce(&mine, &last, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (mine >= 0 && mine == last) {
    draw_add_fill(items, schedule, f - 1, &view);
    describe(schedule, &view, caption);
  }
  return last >= 0;
}

/* Collective. Boxes of the chosen block's region: the number of the last that has terms, + 1. */
static int count_boxes(const rind_schedule *schedule, const options *o) {
  const rind_forest_arrays *arrays = rind_forest_get_arrays(rind_schedule_forest(schedule));
  rind_fill_view view;
  int boxes = 0;
  for (int f = 0; f < rind_schedule_num_fills(schedule); ++f)
    if (rind_schedule_fill(schedule, f, &view) == RIND_OK &&
        arrays->block[view.block].global == o->block && view.region == 9 + o->region &&
        view.num_terms > 0)
      boxes = view.number + 1 > boxes ? view.number + 1 : boxes;
  MPI_Allreduce(MPI_IN_PLACE, &boxes, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return boxes;
}

/* Collective. Why there is no chosen fill. */
static void complain_of_choice(const rind_schedule *schedule, const options *o) {
  const int64_t blocks = rind_forest_num_global_blocks(rind_schedule_forest(schedule));
  const int boxes = count_boxes(schedule, o);
  const char *region = region_words[o->region];
  if (o->block >= blocks)
    app_complain(MPI_COMM_WORLD, "rind-draw", "--block is %d, there are %lld: 0 to %lld", o->block,
                 (long long)blocks, (long long)blocks - 1);
  else if (boxes == 0)
    app_complain(MPI_COMM_WORLD, "rind-draw", "block %d has no fill in region %s", o->block,
                 region);
  else
    app_complain(MPI_COMM_WORLD, "rind-draw",
                 "--box is %d, region %s of block %d has boxes 0 to %d", o->box, region, o->block,
                 boxes - 1);
}

static int splits(const rind_block *block, void *user) {
  const options *o = user;
  const double x = block->lower[0] + block->side[0] / 2, y = block->lower[1] + block->side[1] / 2;
  const double across = o->trees[0] > 0 ? o->trees[0] : 1, up = o->trees[1] > 0 ? o->trees[1] : 1;
  switch (o->refine) {
  case 0:
    return block->lower[0] == 0 && block->lower[1] == 0;
  case 1:
    return x < across / 2;
  case 2:
    return hypot(x - across / 2, y - up / 2) < 0.3 * fmin(across, up);
  default:
    return 0;
  }
}

/* More than a picture should have. */
static rind_error check_blocks(rind_context *context, double blocks) {
  if (blocks <= MOST_BLOCKS) return RIND_OK;
  return rind_context_fail(context, RIND_ERROR_INVALID,
                           "%.15g blocks or more would take %.4g bytes of picture, up to %d are "
                           "drawn: ask for less with --trees, --level or --levels",
                           blocks, blocks * BLOCK_TEXT, MOST_BLOCKS);
}

/* Nothing is made before it is known that it can be drawn. */
static rind_error make_forest(rind_context *context, options *o, rind_forest **forest) {
  rind_brick brick = {.dim = 2, .level = o->level};
  for (int a = 0; a < 2; ++a) {
    brick.trees[a] = o->trees[a];
    brick.periodic[a] = o->periodic[a];
  }
  const int finest = o->level + o->levels;
  rind_error error = check_blocks(context, app_uniform_blocks(2, o->trees, o->level));
  if (error == RIND_OK) error = rind_forest_create_brick(context, &brick, forest);
  if (error != RIND_OK || o->levels == 0) return error;
  error = check_blocks(context, app_refined_blocks(*forest, finest, splits, o, MOST_BLOCKS + 1));
  return error == RIND_OK ? rind_forest_refine(*forest, finest, splits, o) : error;
}

static rind_error make_schedule(rind_context *context, options *o, rind_forest **forest,
                                rind_schedule **schedule) {
  rind_rules rules = {.interpolation = (rind_interpolation)o->interpolation,
                      .restriction = (rind_restriction)o->restriction};
  for (int w = 0; w < 4; ++w)
    rules.wall[w] = (rind_wall)o->wall;
  rind_error error = make_forest(context, o, forest);
  if (error == RIND_OK)
    error = rind_schedule_create(*forest, o->cells, o->ghosts, &rules, schedule);
  if (error != RIND_OK || !o->adjoint) return error;
  rind_schedule *forward = *schedule;
  *schedule = NULL;
  error = rind_schedule_adjoint(forward, schedule);
  rind_schedule_destroy(&forward);
  return error;
}

static bool write_file(const svg_picture *picture, const char *path) {
  char *part = app_part_begin(path);
  FILE *file = part ? fopen(part, "w") : NULL;
  const bool written = file && svg_write(file, picture);
  const bool closed = file && fclose(file) == 0;
  return part && app_part_end(part, path, written && closed);
}

static int save(rind_context *context, const options *o, const draw_items *all,
                const char *caption) {
  int status = APP_OK;
  if (rind_context_rank(context) == 0) {
    const svg_picture picture = {all->item, all->num, rind_context_size(context),
                                 o->width,  caption,  o->adjoint};
    if (!write_file(&picture, o->output)) {
      app_complain(MPI_COMM_WORLD, "rind-draw", "cannot write %s: %s", o->output, strerror(errno));
      status = APP_IO;
    } else {
      printf("%s: %s\n", o->output, caption);
    }
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return status;
}

static int draw(rind_context *context, options *o) {
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  draw_items mine = {0}, all = {0};
  char caption[DRAW_CAPTION] = {0};
  const rind_error error = make_schedule(context, o, &forest, &schedule);
  int status = app_status_of(error);
  if (error == RIND_OK) {
    draw_add_blocks(&mine, forest, rind_context_rank(context));
    if (!add_chosen(&mine, schedule, o, caption)) {
      complain_of_choice(schedule, o);
      status = APP_USAGE;
    } else if (draw_collect(MPI_COMM_WORLD, &mine, &all, caption)) {
      status = save(context, o, &all, caption);
    } else {
      app_complain(MPI_COMM_WORLD, "rind-draw", "no memory for the picture");
      status = APP_MEMORY;
    }
  } else {
    app_complain(MPI_COMM_WORLD, "rind-draw", "%s", rind_last_error(context));
  }
  free(mine.item);
  free(all.item);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
  return status;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  options o = {.trees = {1, 1, 1},
               .level = 1,
               .levels = 1,
               .cells = 4,
               .ghosts = 1,
               .block = 0,
               .region = 5,
               .width = 720,
               .output = "schedule.svg"};
  static const int axes = 2;
  const app_option table[] = {
      {"trees", APP_INT3, o.trees, .min = 1, .max = 64, .help = "trees along the axes",
       .axes = &axes},
      {"periodic", APP_INT3, o.periodic, .max = 1, .help = "1: the axis is periodic",
       .axes = &axes},
      {"level", APP_INT, &o.level, .max = 6, .help = "uniform refinement to begin with"},
      {"levels", APP_INT, &o.levels, .max = 6, .help = "levels more in the refined region",
       .needs = {"refine"}},
      {"refine", APP_WORD, &o.refine, .words = refine_words, .help = "the refined region",
       .needs = {"levels"}},
      {"cells", APP_INT, &o.cells, .min = 2, .max = 64, .help = "cells a block and axis, even"},
      {"ghosts", APP_INT, &o.ghosts, .min = 1, .max = 32, .help = "ghost layers"},
      {"interpolation", APP_WORD, &o.interpolation, .words = app_interpolation_words,
       .help = "rows of fine ghosts", .needs = {"refine", "levels"}},
      {"restriction", APP_WORD, &o.restriction, .words = app_restriction_words,
       .help = "rows of coarse ghosts", .needs = {"refine", "levels"}},
      {"wall", APP_WORD, &o.wall, .words = wall_words, .help = "what all walls do",
       .needs = {"!periodic=1"}},
      {"block", APP_INT, &o.block, .max = 1e9, .help = "global number of the chosen fill's block"},
      {"region", APP_WORD, &o.region, .words = region_words, .help = "of the chosen fill"},
      {"box", APP_INT, &o.box, .max = 1e6, .help = "number of the chosen fill in its region"},
      {"adjoint", APP_FLAG, &o.adjoint,
       .help = "a row of the adjoint: block of the cells, region of the ghosts"},
      {"width", APP_DOUBLE, &o.width, .min = 100, .max = 10000, .help = "of the picture, pixels"},
      {"output", APP_OUTPUT, &o.output, .help = "SVG file"},
  };
  const app_usage usage = {"rind-draw", "draws a 2D forest and one fill of its schedule as SVG",
                           table, (int)(sizeof table / sizeof *table),
                           .epilogue = "Example: mpiexec -n 2 rind-draw --refine middle --level 2 "
                                       "--block 2 --region right --box 1"};
  int status = APP_OK;
  if (app_parse(MPI_COMM_WORLD, &usage, argc, argv, &status)) {
    rind_context *context = NULL;
    if (rind_context_create(MPI_COMM_WORLD, NULL, &context) == RIND_OK)
      status = draw(context, &o);
    else
      status = APP_MEMORY;
    rind_context_destroy(&context);
  }
  return app_end(MPI_COMM_WORLD, "rind-draw", status);
}
