/* matrix_file_full.c - a matrix that has no room on the disk: an error with its reason, and no
 * file. */
#define _DEFAULT_SOURCE
#include <bench_matrix_file.h>
#include <check.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void check_size(const char *path, int64_t rows, bool fits) {
  const bench_matrix_size size = {rows, 100, rows};
  const bench_matrix_note note = {"dim", 3};
  bench_matrix_file file;
  struct stat there;
  errno = 0;
  const bool made = bench_matrix_file_create(path, &size, &note, 1, &file);
  CHECK(made == fits, "%lld rows: %d", (long long)rows, made);
  CHECK(fits || errno == EFBIG, "%lld rows: errno %d", (long long)rows, errno);
  int64_t values[2] = {5, 7};
  CHECK(!fits || bench_matrix_file_write(&file, BENCH_INDICES, rows - 2, 2, values),
        "the last indices");
  CHECK(bench_matrix_file_close(&file), "closing");
  CHECK((stat(path, &there) == 0) == fits, "%lld rows: a file, or none", (long long)rows);
  if (fits) remove(path);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const struct rlimit one_mebibyte = {1 << 20, 1 << 20};
  const char *path = argc > 1 ? argv[1] : "matrix_file_full.h5";
  signal(SIGXFSZ, SIG_IGN);
  CHECK(setrlimit(RLIMIT_FSIZE, &one_mebibyte) == 0, "no limit");
  check_size(path, 1000, true);
  check_size(path, 1000000, false);
  return check_end();
}
