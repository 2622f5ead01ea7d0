/* test_print.c - the text of schedules for tiny forests against golden files.
 *
 * test_print DIRECTORY [write]: where the files are; write makes them anew, to be read by you. */
#include <check.h>
#include <rind/schedule.h>

#include <stdbool.h>
#include <string.h>

#include "hand_forest.h"

static rind_context *context;

/* All of a file as text, NULL if it cannot be read. */
static char *read_all(FILE *file) {
  if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
  const long size = ftell(file);
  char *text = size < 0 ? NULL : malloc((size_t)size + 1);
  rewind(file);
  if (text) text[fread(text, 1, (size_t)size, file)] = '\0';
  return text;
}

static int line_of(const char *text, const char *at) {
  int line = 1;
  for (; text < at; ++text)
    line += *text == '\n';
  return line;
}

static void compare(const char *path, const char *text) {
  FILE *file = fopen(path, "r");
  char *golden = read_all(file);
  CHECK(golden, "%s cannot be read", path);
  if (file) fclose(file);
  if (!golden) return;
  size_t same = 0;
  while (text[same] != '\0' && text[same] == golden[same])
    ++same;
  CHECK(text[same] == golden[same], "%s differs from line %d on", path, line_of(text, text + same));
  free(golden);
}

static void check_text(const char *directory, const char *name, bool write,
                       const rind_schedule *schedule) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.txt", directory, name);
  FILE *file = write ? fopen(path, "w+") : tmpfile();
  CHECK(file, "no file for %s", name);
  if (!file) return;
  CHECK_OK(rind_schedule_print(schedule, file), context);
  char *text = read_all(file);
  if (text && !write) compare(path, text);
  free(text);
  fclose(file);
}

/* A forest of hand_forest_grid and what is asked of its schedule. */
typedef struct tiny {
  const char *name;
  int dim;
  int blocks[3];
  int periodic[3];
  unsigned refined;
  unsigned turn; /* 0: no */
  int cells, ghosts;
  rind_rules rules;
} tiny;

static const rind_wall component_walls[2][6] = {
    {RIND_WALL_DIRICHLET, RIND_WALL_LINEAR, RIND_WALL_EVEN, RIND_WALL_FUNCTION},
    {RIND_WALL_ODD, RIND_WALL_NEUMANN, RIND_WALL_NONE, RIND_WALL_CONSTANT}};

static const tiny cases[] = {
    {"periodic_block", 3, {1, 1, 1}, {1, 1, 1}, 0, 0, 2, 1, {.regions = RIND_REGIONS_ALL}},
    {"refined_pair", 2, {2, 1, 1}, {0, 0, 0}, 1, 0, 4, 1, {.regions = RIND_REGIONS_ALL}},
    {"turned_pair",
     3,
     {2, 1, 1},
     {0, 0, 0},
     1,
     5,
     2,
     1,
     {.interpolation = RIND_INTERPOLATION_INJECTION, .regions = RIND_REGIONS_FACES}},
    {"flux_pair",
     2,
     {2, 1, 1},
     {0, 0, 0},
     1,
     0,
     4,
     2,
     {.interpolation = RIND_INTERPOLATION_CONSERVATIVE,
      .restriction = RIND_RESTRICTION_FLUX_MATCHED,
      .regions = RIND_REGIONS_FACES}},
    {"walled_block",
     2,
     {1, 1, 1},
     {0, 0, 0},
     0,
     0,
     4,
     2,
     {.num_components = 2, .component_wall = component_walls}},
};

static void test_case(const char *directory, bool write, const tiny *of) {
  hand_forest layout;
  rind_forest *forest = NULL;
  rind_schedule *schedule = NULL;
  hand_forest_grid(&layout, of->dim, of->blocks, of->periodic, of->refined);
  if (of->turn) hand_forest_turn(&layout, of->turn);
  CHECK_OK(hand_forest_create(context, &layout, &forest), context);
  if (!forest) return;
  CHECK_OK(rind_schedule_create(forest, of->cells, of->ghosts, &of->rules, &schedule), context);
  if (schedule) {
    CHECK_OK(rind_schedule_verify(schedule), context);
    check_text(directory, of->name, write, schedule);
    CHECK_ERROR(rind_schedule_print(schedule, NULL), RIND_ERROR_INVALID, context);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
      setvbuf(full, NULL, _IONBF, 0);
      CHECK_ERROR(rind_schedule_print(schedule, full), RIND_ERROR_IO, context);
      fclose(full);
    }
  }
  CHECK_ERROR(rind_schedule_print(NULL, stdout), RIND_ERROR_INVALID, context);
  rind_schedule_destroy(&schedule);
  rind_forest_destroy(&forest);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  CHECK(argc >= 2, "usage: test_print DIRECTORY [write]");
  CHECK_OK(rind_context_create(MPI_COMM_WORLD, NULL, &context), NULL);
  const bool write = argc == 3 && strcmp(argv[2], "write") == 0;
  for (size_t c = 0; argc >= 2 && c < sizeof cases / sizeof *cases; ++c)
    test_case(argv[1], write, &cases[c]);
  for (int f = 0; f < RIND_NUM_FAMILIES; ++f)
    CHECK(strcmp(rind_family_name((rind_family)f), "unknown") != 0, "family %d", f);
  CHECK(strcmp(rind_family_name(RIND_FAMILY_COARSE_ONLY), "coarse_only") == 0, "%s",
        rind_family_name(RIND_FAMILY_COARSE_ONLY));
  CHECK(strcmp(rind_family_name(RIND_NUM_FAMILIES), "unknown") == 0, "%s",
        rind_family_name(RIND_NUM_FAMILIES));
  rind_context_destroy(&context);
  return check_end();
}
