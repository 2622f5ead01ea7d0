/* outputs_test.c - a file that programs write is whole or not there, and an old one stays until
 * then.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void expect(const char *path, bool plain, int reason) {
  const int got = app_why_not_written(path, plain);
  CHECK(got == reason, "%s%s: errno %d, not %d", path, plain ? ", plain" : "", got, reason);
}

static void check_reasons(const char *path) {
  for (int plain = 0; plain < 2; ++plain) {
    write_old(path);
    expect(path, plain, 0);
    CHECK(is_old(path), "an old file is not left as it is");
    remove(path);
    expect(path, plain, 0);
    CHECK(!is_there(path), "a file that nobody wrote is there");
    expect(".", plain, EISDIR);
    expect("no/such/file", plain, ENOENT);
    expect("/dev/null", plain, plain ? ENOTSUP : 0);
  }
  char *part = app_part_begin("/dev/null");
  CHECK(part && strcmp(part, "/dev/null") == 0, "a device is not written beside: %s", part);
  CHECK(app_part_end(part, "/dev/null", true) && is_there("/dev/null"), "a device is gone");
}

/* Where the part cannot be written, the run would end with nothing. */
static void check_parts(const char *path, const char *part) {
  char longest[256];
  memset(longest, 'a', 255);
  longest[255] = '\0';
  expect(longest, false, ENAMETOOLONG);
  longest[255 - strlen(".part")] = '\0';
  expect(longest, false, 0);
  expect(longest, true, ENAMETOOLONG);
  longest[201] = '\0';
  expect(longest, true, ENAMETOOLONG);
  longest[200] = '\0';
  expect(longest, true, 0);
  write_old(part);
  expect(path, false, 0);
  CHECK(is_old(part), "a part is not left as it is");
  remove(part);
  CHECK(mkdir(part, 0777) == 0, "no folder");
  expect(path, false, EEXIST);
  expect(path, true, EEXIST);
  remove(part);
}

/* A link of the part's name: written through, it would spoil what it leads to. */
static void check_linked_parts(const char *path, const char *part) {
  const char *other = "outputs_test.other";
  write_old(path);
  write_old(other);
  for (int to_itself = 0; to_itself < 2; ++to_itself) {
    CHECK(symlink(to_itself ? path : other, part) == 0, "no link");
    expect(path, false, EEXIST);
    expect(part, false, to_itself ? EEXIST : 0);
    CHECK(app_part_begin(path) == NULL && errno == EEXIST, "a link is a part: errno %d", errno);
    remove(part);
  }
  CHECK(is_old(path) && is_old(other), "an old file is not left as it is");
  remove(path);
  remove(other);
}

static void check_links(const char *path, const char *part) {
  const char *link = "outputs_test.link";
  struct stat there;
  for (int there_is_folder = 0; there_is_folder < 2; ++there_is_folder) {
    remove(path);
    remove(link);
    CHECK(symlink(there_is_folder ? path : "no/such/file", link) == 0, "no link");
    expect(link, false, ENOENT);
    expect(link, true, ENOENT);
    CHECK(app_part_begin(link) == NULL && errno == ENOENT, "errno %d", errno);
  }
  CHECK(!is_there(path), "a file that nobody wrote is there");
  write_old(path);
  expect(link, false, 0);
  expect(link, true, 0);
  CHECK(is_old(path), "an old file is not left as it is");
  CHECK(app_is_same_output(link, path), "a link and its file are one");
  check_picture(link, 300, false);
  CHECK(!is_there(part), "a part is left");
  check_picture(link, 30, true);
  CHECK(lstat(link, &there) == 0 && S_ISLNK(there.st_mode), "the link is gone");
  CHECK(!is_old(path), "where the link leads is the old file");
  CHECK(!is_there(part) && !is_there("outputs_test.link.part"), "a part is left");
  remove(link);
}

static void check_same(const char *path, const char *dotted) {
  for (int is_old = 0; is_old < 2; ++is_old) {
    if (is_old) write_old(path);
    CHECK(app_is_same_output(path, path) && app_is_same_output(path, dotted), "one file is two");
    CHECK(!app_is_same_output(path, "outputs_test.other"), "two files are one");
    remove(path);
  }
  CHECK(!app_is_same_output("/dev/null", "/dev/null"), "a device takes all");
  CHECK(!app_is_part_of_output("/dev/null", "/dev/null"), "a device has no part");
}

static void check_is_part(const char *path, const char *part) {
  const char *link = "outputs_test.link", *dotted = "./outputs_test.png.part";
  for (int is_old = 0; is_old < 2; ++is_old) {
    if (is_old) write_old(path);
    CHECK(app_is_part_of_output(path, part) && app_is_part_of_output(part, path), "%s", part);
    CHECK(app_is_part_of_output(path, dotted) && app_is_part_of_output(dotted, path), "%s", dotted);
    CHECK(!app_is_part_of_output(path, path) && !app_is_part_of_output(path, link), "%s", link);
  }
  CHECK(symlink(path, link) == 0, "no link");
  CHECK(app_is_part_of_output(link, part) && app_is_part_of_output(part, link), "through a link");
  CHECK(!app_is_part_of_output(link, "outputs_test.link.part"), "beside a link");
  remove(link);
  remove(path);
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
  check_reasons(path);
  check_parts(path, part);
  check_linked_parts(path, part);
  check_links(path, part);
  check_same(path, "./outputs_test.png");
  check_is_part(path, part);
  return check_end();
}
