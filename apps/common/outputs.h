/* outputs.h - files that a program writes: asked for before it takes hours to find out, and whole
 * or not there. */
#pragma once
#include <stdbool.h>

/* errno's reason why a file cannot be written, or 0; EEXIST if its part cannot, below. plain: for
 * HDF5, so no device or pipe, and no name of more than 200 letters. Leaves what is there as it is,
 * and nothing that was not. */
int app_why_not_written(const char *path, bool plain);

/* Whether two paths, of which either can be written, lead to one file. */
bool app_is_same_output(const char *one, const char *other);

/* Whether either is the other's part, below. */
bool app_is_part_of_output(const char *one, const char *other);

/* The name to write a file under until it is complete: with .part, beside path or the file that a
 * link of that name leads to; path itself if it leads to something that is no plain file. To be
 * ended; NULL, with errno, for a link to nowhere, without memory, or where something of the part's
 * name is in the way. */
char *app_part_begin(const char *path);
/* Frees part. Good: it takes path's place. Else it goes, and path is as it was. Returns whether
 * path is there; errno is that of what failed first. */
bool app_part_end(char *part, const char *path, bool good);
