/* outputs.h - files that a program writes: asked for before it takes hours to find out, and whole
 * or not there. */
#pragma once
#include <stdbool.h>

/* errno's reason why a file cannot be written, or 0. plain: a device or pipe will not do, as HDF5
 * cannot write there. Leaves what is there as it is, and nothing that was not. */
int app_why_not_written(const char *path, bool plain);

/* Whether two paths, of which either can be written, lead to one file. */
bool app_is_same_output(const char *one, const char *other);

/* The name to write a file under until it is complete: beside path, or path itself if something is
 * there that is no plain file. To be ended; NULL without memory. */
char *app_part_begin(const char *path);
/* Frees part. Good: it becomes path. Else it goes, and path is as it was. Returns whether path is
 * there; errno is that of what failed first. */
bool app_part_end(char *part, const char *path, bool good);
