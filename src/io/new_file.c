/* new_file.c - finds where a file goes, makes it beside that place and renames it when complete. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".part";

rind_error rind_new_file_fail(const rind_new_file *file, const char *what) {
  return rind_context_fail(file->context, RIND_ERROR_IO, "cannot write %s: %s", file->path, what);
}

/* Letters of a path after its folder. */
static size_t name_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return strlen(slash != NULL ? slash + 1 : path);
}

rind_error rind_new_file_name(rind_context *context, const char *path, rind_new_file *file) {
  file->context = context;
  if (path == NULL || path[0] == '\0')
    return rind_context_fail(context, RIND_ERROR_INVALID, "the path is empty");
  if (strlen(path) + sizeof ending > sizeof file->part)
    return rind_context_fail(context, RIND_ERROR_INVALID, "the path has %zu letters, at most %zu",
                             strlen(path), sizeof file->part - sizeof ending);
  if (name_length(path) > RIND_LONGEST_NAME)
    return rind_context_fail(context, RIND_ERROR_INVALID,
                             "the file's name has %zu letters, at most %d", name_length(path),
                             RIND_LONGEST_NAME);
  strcpy(file->path, path);
  return RIND_OK;
}

/* What is there must be a plain file: the new one takes its place. Links lead to it. */
static rind_error find_place(rind_new_file *file) {
  struct stat there;
  if (stat(file->path, &there) == 0 && !S_ISREG(there.st_mode))
    return rind_new_file_fail(file,
                              S_ISDIR(there.st_mode) ? strerror(EISDIR) : "it is not a plain file");
  const bool is_link = lstat(file->path, &there) == 0 && S_ISLNK(there.st_mode);
  char *target = is_link ? realpath(file->path, NULL) : NULL;
  if (is_link && target == NULL) return rind_new_file_fail(file, strerror(errno));
  const char *place = is_link ? target : file->path;
  const bool fits =
      strlen(place) + sizeof ending <= sizeof file->part && name_length(place) <= RIND_LONGEST_NAME;
  if (fits) {
    strcpy(file->place, place);
    strcat(strcpy(file->part, place), ending);
  }
  free(target);
  return fits ? RIND_OK : rind_new_file_fail(file, strerror(ENAMETOOLONG));
}

/* Of rank 0. A plain file of the part's name is left by a run that was killed. */
static rind_error make_part(rind_new_file *file, int64_t bytes) {
  struct stat there;
  const rind_error error = find_place(file);
  if (error != RIND_OK) return error;
  if (lstat(file->part, &there) == 0 && !S_ISREG(there.st_mode))
    return rind_new_file_fail(file, "its name with .part is taken");
  const int handle = open(file->part, O_CREAT | O_TRUNC | O_WRONLY, 0666);
  if (handle < 0) return rind_new_file_fail(file, strerror(errno));
  const int failure = posix_fallocate(handle, 0, (off_t)bytes);
  close(handle);
  /* Some file systems cannot say. */
  if (failure == 0 || failure == EOPNOTSUPP || failure == EINVAL) return RIND_OK;
  unlink(file->part);
  return rind_new_file_fail(file, strerror(failure));
}

rind_error rind_new_file_begin(rind_new_file *file, int64_t bytes) {
  const bool first = rind_context_rank(file->context) == 0;
  const rind_error error =
      rind_context_agree(file->context, first ? make_part(file, bytes) : RIND_OK);
  if (error == RIND_OK)
    MPI_Bcast(file->part, sizeof file->part, MPI_CHAR, 0, rind_context_comm(file->context));
  return error;
}

rind_error rind_new_file_end(const rind_new_file *file, rind_error error) {
  const bool first = rind_context_rank(file->context) == 0;
  rind_error moved = RIND_OK;
  if (first && error == RIND_OK && rename(file->part, file->place) != 0)
    moved = rind_new_file_fail(file, strerror(errno));
  if (first && (error != RIND_OK || moved != RIND_OK)) unlink(file->part);
  return error != RIND_OK ? error : rind_context_agree(file->context, moved);
}
