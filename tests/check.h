/* check.h - the test harness: checks record and never jump, cases end in agreement of all ranks.
 *
 *     int main(int argc, char **argv) {
 *       check_begin(&argc, &argv);
 *       CHECK(a == b, "a is %d, b %d", a, b);
 *       return check_end();
 *     }
 */
#pragma once
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHECK_SKIPPED = 77, CHECK_SHOWN = 20, CHECK_SECONDS = 900 };

/* One pair a program: weak, so that helpers in other files count into it. */
__attribute__((weak)) long check_passed, check_failed;

#define CHECK(condition, ...)                                                                      \
  do {                                                                                             \
    if (condition) {                                                                               \
      ++check_passed;                                                                              \
    } else if (++check_failed <= CHECK_SHOWN) {                                                    \
      int check_rank = 0;                                                                          \
      MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);                                                  \
      fprintf(stderr, "%s:%d: rank %d: %s: ", __FILE__, __LINE__, check_rank, #condition);         \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
    }                                                                                              \
  } while (0)

/* A call that must return the given rind_error. */
#define CHECK_ERROR(call, expected, context)                                                       \
  do {                                                                                             \
    const rind_error check_got = (call);                                                           \
    CHECK(check_got == (expected), "%s instead of %s: %s", rind_error_name(check_got),             \
          rind_error_name(expected), rind_last_error(context));                                    \
  } while (0)
#define CHECK_OK(call, context) CHECK_ERROR(call, RIND_OK, context)

/* A watchdog: a test that hangs says so and dies. */
static inline void check_begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  alarm(CHECK_SECONDS);
}

/* Collective: rank 0 prints the counts of all ranks; the exit status is 1 if any check failed. */
static inline int check_end(void) {
  long counts[2] = {check_passed, check_failed}, sums[2] = {0, 0};
  int rank = 0;
  MPI_Allreduce(counts, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%ld passed, %ld failed\n", sums[0], sums[1]);
  MPI_Finalize();
  return sums[1] > 0 || sums[0] == 0;
}
