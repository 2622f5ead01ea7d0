/* outputs.c - tries whether files can be written. */
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
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
