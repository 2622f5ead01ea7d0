/* progress.c - a progress bar or plain lines on rank 0's stderr. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 40 };
/* Seconds between two pictures of the bar, and between two plain lines. */
static const double bar_interval = 0.2, line_interval = 5;

const char *const app_progress_words[] = {"auto", "plain", "bar", "none", NULL};
const char app_progress_help[] = "on stderr; auto: a bar on a terminal, or what RIND_PROGRESS says";

static app_progress_mode resolve(app_progress_mode mode) {
  if (mode != APP_PROGRESS_AUTO) return mode;
  const char *asked = getenv("RIND_PROGRESS");
  for (int i = APP_PROGRESS_PLAIN; asked != NULL && app_progress_words[i] != NULL; ++i)
    if (strcmp(asked, app_progress_words[i]) == 0) return (app_progress_mode)i;
  return isatty(STDERR_FILENO) ? APP_PROGRESS_BAR : APP_PROGRESS_NONE;
}

void app_progress_begin(app_progress *progress, MPI_Comm comm, app_progress_mode mode,
                        const char *what) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  progress->mode = rank == 0 ? resolve(mode) : APP_PROGRESS_NONE;
  progress->what = what;
  progress->begun = MPI_Wtime();
  progress->shown = progress->begun;
}

void app_progress_show(app_progress *progress, long done, long total) {
  if (progress->mode == APP_PROGRESS_NONE || total <= 0) return;
  const double now = MPI_Wtime();
  const double interval = progress->mode == APP_PROGRESS_BAR ? bar_interval : line_interval;
  if (now - progress->shown < interval && done < total) return;
  progress->shown = now;
  const double part = (double)done / (double)total;
  const double left = part > 0 ? (now - progress->begun) * (1 - part) / part : 0;
  if (progress->mode == APP_PROGRESS_PLAIN) {
    fprintf(stderr, "%s: %ld of %ld, %.0f s left\n", progress->what, done, total, left);
    return;
  }
  char bar[BAR + 1];
  const int filled = (int)(part * BAR);
  for (int i = 0; i < BAR; ++i)
    bar[i] = i < filled ? '#' : '.';
  bar[BAR] = '\0';
  fprintf(stderr, "\r%s [%s] %3.0f %%, %.0f s left \033[K", progress->what, bar, 100 * part, left);
  fflush(stderr);
}

void app_progress_end(app_progress *progress) {
  if (progress->mode == APP_PROGRESS_BAR) fputs("\r\033[K", stderr);
  progress->mode = APP_PROGRESS_NONE;
}
