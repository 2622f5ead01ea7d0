/* status.h - exit statuses that all programs share. */
#pragma once
#include <rind/error.h>

typedef enum app_status {
  APP_OK = 0,
  APP_WRONG = 1,  /* a wrong result, or a fault of ours */
  APP_USAGE = 2,  /* options, or what they ask for */
  APP_INPUT = 3,  /* an input file does not hold what it should */
  APP_IO = 4,     /* a file could not be read or written */
  APP_MEMORY = 5, /* out of memory */
  APP_DEVICE = 6  /* a device call failed */
} app_status;

/* The status that stands for a library error. */
app_status app_status_of(rind_error error);
