/* outputs.c - tries whether files can be written, and writes them beside the old ones. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".part";
/* Letters, as rind_write_vtkhdf takes them. */
enum { LONGEST_HDF5_NAME = 200 };

/* Beside the plain file that path leads to, or path itself if it leads to something else. NULL with
 * errno for a link to nowhere, or EEXIST if what has the part's name is no file of a killed run. */
static char *part_of(const char *path) {
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) return strdup(path);
  const bool is_link = lstat(path, &there) == 0 && S_ISLNK(there.st_mode);
  char *place = is_link ? realpath(path, NULL) : strdup(path);
  char *part = place != NULL ? malloc(strlen(place) + sizeof ending) : NULL;
  if (part != NULL) strcat(strcpy(part, place), ending);
  free(place);
  if (part == NULL || lstat(part, &there) != 0 || S_ISREG(there.st_mode)) return part;
  free(part);
  errno = EEXIST;
  return NULL;
}

/* Of a file that is to be made; one that is there is made anew. */
static int why_not_made(const char *path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (file < 0) return errno != EEXIST || access(path, W_OK) != 0 ? errno : 0;
  close(file);
  unlink(path);
  return 0;
}

int app_why_not_written(const char *path, bool plain) {
  struct stat there;
  const bool is_there = stat(path, &there) == 0;
  if (!is_there && errno != ENOENT) return errno;
  if (is_there && S_ISDIR(there.st_mode)) return EISDIR;
  if (is_there && plain && !S_ISREG(there.st_mode)) return ENOTSUP;
  if (is_there && access(path, W_OK) != 0) return errno;
  char *part = part_of(path);
  if (part == NULL) return errno;
  const char *slash = strrchr(part, '/'), *name = slash != NULL ? slash + 1 : part;
  int reason = 0;
  if (plain && strlen(name) + 1 - sizeof ending > LONGEST_HDF5_NAME)
    reason = ENAMETOOLONG;
  else if (strcmp(part, path) != 0)
    reason = why_not_made(part);
  free(part);
  return reason;
}

/* The folder of a path, and the name in it. */
static const char *look_at_folder(const char *path, struct stat *folder) {
  const char *slash = strrchr(path, '/');
  const size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  char *name = malloc(length + 2);
  if (name == NULL) return NULL;
  memcpy(name, path, length);
  strcpy(name + length, ".");
  const bool is_there = stat(name, folder) == 0;
  free(name);
  return is_there ? path + length : NULL;
}

bool app_is_same_output(const char *one, const char *other) {
  struct stat a, b;
  if (stat(one, &a) == 0 && stat(other, &b) == 0)
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  const char *name_a = look_at_folder(one, &a), *name_b = look_at_folder(other, &b);
  return name_a != NULL && name_b != NULL && strcmp(name_a, name_b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

bool app_is_part_of_output(const char *one, const char *other) {
  char *a = part_of(one), *b = part_of(other);
  const bool is_part = (a != NULL && strcmp(a, one) != 0 && app_is_same_output(a, other)) ||
                       (b != NULL && strcmp(b, other) != 0 && app_is_same_output(one, b));
  free(a);
  free(b);
  return is_part;
}

char *app_part_begin(const char *path) {
  return part_of(path);
}

bool app_part_end(char *part, const char *path, bool good) {
  if (strcmp(part, path) != 0) {
    char *place = good ? strndup(part, strlen(part) + 1 - sizeof ending) : NULL;
    good = place != NULL && rename(part, place) == 0;
    const int reason = errno;
    if (!good) unlink(part);
    free(place);
    errno = reason;
  }
  free(part);
  return good;
}
