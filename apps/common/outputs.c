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

/* Of a file that is to be made; one that is there, left by a run that was killed, is made anew. */
static int why_not_made(const char *path) {
  struct stat there;
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (file >= 0) {
    close(file);
    unlink(path);
    return 0;
  }
  if (errno != EEXIST) return errno;
  if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) return EISDIR;
  return access(path, W_OK) == 0 ? 0 : errno;
}

/* Of a link to what is not there yet. */
static int why_not_through(const char *link) {
  const int file = open(link, O_WRONLY | O_CREAT, 0666);
  if (file < 0) return errno;
  close(file);
  char *target = realpath(link, NULL);
  if (target != NULL) unlink(target);
  free(target);
  return 0;
}

int app_why_not_written(const char *path, bool plain) {
  struct stat there, link;
  const bool is_there = stat(path, &there) == 0;
  if (!is_there && errno != ENOENT) return errno;
  if (is_there && S_ISDIR(there.st_mode)) return EISDIR;
  if (is_there && plain && !S_ISREG(there.st_mode)) return ENOTSUP;
  if (is_there && access(path, W_OK) != 0) return errno;
  if (!is_there && lstat(path, &link) == 0) return plain ? ENOENT : why_not_through(path);
  char *target = is_there && plain ? realpath(path, NULL) : NULL;
  char *part = app_part_begin(target != NULL ? target : path);
  const int reason = part == NULL ? ENOMEM : strcmp(part, path) != 0 ? why_not_made(part) : 0;
  free(part);
  free(target);
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
