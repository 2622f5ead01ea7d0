/* outputs_test.c - a file that programs write is whole or not there, and an old one stays until
 * then.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <check.h>
#include <outputs.h>
#include <picture.h>
#include <random.h>

static bool is_there(const char *path) {
  struct stat there;
  return stat(path, &there) == 0;
}

static void write_old(const char *path) {
  FILE *file = fopen(path, "w");
  CHECK(file && fputs("old", file) >= 0 && fclose(file) == 0, "%s was not written", path);
}

static bool is_old(const char *path) {
  char text[8] = "";
  FILE *file = fopen(path, "r");
  const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  return length == 3 && strcmp(text, "old") == 0;
}

/* Noise does not shrink: 3 bytes a pixel. */
static void check_picture(const char *path, int side, bool fits) {
  app_picture picture;
  app_random random;
  app_random_seed(&random, 5);
  CHECK(app_picture_create(&picture, side, side, (app_colour){0, 0, 0}), "no memory");
  for (int i = 0; i < side * side; ++i) {
    const unsigned value = (unsigned)(0x1000000 * app_random_double(&random));
    app_draw_pixel(&picture, i % side, i / side,
                   (app_colour){(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16)});
  }
  CHECK(app_picture_write(&picture, path) == fits, "side %d: %s", side, strerror(errno));
  CHECK(fits || errno == EFBIG, "side %d: errno %d", side, errno);
  CHECK(is_old(path) == !fits, "side %d: the old file", side);
  app_picture_destroy(&picture);
}

static void check_reasons(const char *path) {
  CHECK(app_why_not_written(path) == 0 && is_old(path), "an old file is not left as it is");
  remove(path);
  CHECK(app_why_not_written(path) == 0 && !is_there(path), "a file that nobody wrote is there");
  CHECK(app_why_not_written(".") == EISDIR, "errno %d", app_why_not_written("."));
  CHECK(app_why_not_written("no/such/file") == ENOENT, "errno %d",
        app_why_not_written("no/such/file"));
  CHECK(app_why_not_written("/dev/null") == 0, "errno %d", app_why_not_written("/dev/null"));
  char *part = app_part_begin("/dev/null");
  CHECK(part && strcmp(part, "/dev/null") == 0, "a device is not written beside: %s", part);
  CHECK(app_part_end(part, "/dev/null", true) && is_there("/dev/null"), "a device is gone");
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const char *path = "outputs_test.png", *part = "outputs_test.png.part";
  const struct rlimit limit = {1 << 16, 1 << 16};
  signal(SIGXFSZ, SIG_IGN);
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0, "no limit");
  write_old(path);
  check_picture(path, 300, false);
  CHECK(!is_there(part), "a part is left");
  check_picture(path, 30, true);
  CHECK(!is_there(part), "a part is left");
  write_old(path);
  check_reasons(path);
  return check_end();
}
