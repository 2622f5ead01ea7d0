/* outputs.c - tries whether files can be written, and writes them beside the old ones. */
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int app_why_not_written(const char *path) {
  struct stat there;
  if (stat(path, &there) == 0) {
    if (S_ISDIR(there.st_mode)) return EISDIR;
    return access(path, W_OK) == 0 ? 0 : errno;
  }
  if (errno != ENOENT) return errno;
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  /* A link to what is not there yet. */
  if (file < 0) return errno == EEXIST ? 0 : errno;
  close(file);
  unlink(path);
  return 0;
}

char *app_part_begin(const char *path) {
  static const char ending[] = ".part";
  struct stat there;
  char *part = malloc(strlen(path) + sizeof ending);
  if (part == NULL) return NULL;
  strcpy(part, path);
  if (lstat(path, &there) != 0 || S_ISREG(there.st_mode)) strcat(part, ending);
  return part;
}

bool app_part_end(char *part, const char *path, bool good) {
  if (strcmp(part, path) != 0) {
    if (good) good = rename(part, path) == 0;
    const int reason = errno;
    if (!good) unlink(part);
    errno = reason;
  }
  free(part);
  return good;
}
