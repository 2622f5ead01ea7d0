/* outputs.h - files that a program writes: asked for before it takes hours to find out, and whole
 * or not there. */
#pragma once
#include <stdbool.h>

/* errno's reason why a file cannot be written, or 0. Leaves what is there as it is, and nothing
 * that was not. */
int app_why_not_written(const char *path);

/* The name to write a file under until it is complete: beside path, or path itself if something is
 * there that is no plain file. To be ended; NULL without memory. */
char *app_part_begin(const char *path);
/* Frees part. Good: it becomes path. Else it goes, and path is as it was. Returns whether path is
 * there; errno is that of what failed first. */
bool app_part_end(char *part, const char *path, bool good);
