/* outputs.h - whether files can be written, asked before it takes hours to find out. */
#pragma once

/* errno's reason why a file cannot be written, or 0. Leaves what is there as it is, and nothing
 * that was not. */
int app_why_not_written(const char *path);
