/* progress.h - how far a program is, on rank 0's stderr: a bar on a terminal, plain lines, or
 * nothing.
 *
 * A rank cannot see the launcher's terminal: below mpiexec isatty(2) is never true. So "auto" asks
 * the environment variable RIND_PROGRESS (bar, plain or none), which scripts that call mpiexec set,
 * and without it draws a bar only where stderr is a terminal. */
#pragma once
#include <mpi.h>
#include <stdbool.h>

typedef enum app_progress_mode {
  APP_PROGRESS_AUTO,
  APP_PROGRESS_PLAIN,
  APP_PROGRESS_BAR,
  APP_PROGRESS_NONE
} app_progress_mode;

/* "auto", "plain", "bar", "none", NULL: the words of --progress. */
extern const char *const app_progress_words[];
extern const char app_progress_help[];

typedef struct app_progress {
  app_progress_mode mode; /* NONE on all ranks but 0 */
  const char *what;
  double begun, shown; /* seconds */
} app_progress;

void app_progress_begin(app_progress *progress, MPI_Comm comm, app_progress_mode mode,
                        const char *what);
/* done of total steps; cheap, shows something a few times a second at most. */
void app_progress_show(app_progress *progress, long done, long total);
/* Clears the bar. */
void app_progress_end(app_progress *progress);
