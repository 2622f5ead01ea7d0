/* status.c - library errors as exit statuses. */
#include "status.h"

app_status app_status_of(rind_error error) {
  switch (error) {
  case RIND_ERROR_OK:
    return APP_OK;
  case RIND_ERROR_INVALID:
  case RIND_ERROR_MISMATCH:
  case RIND_ERROR_UNBALANCED:
  case RIND_ERROR_OVERFLOW:
  case RIND_ERROR_UNSUPPORTED:
    return APP_USAGE;
  case RIND_ERROR_FORMAT:
    return APP_INPUT;
  case RIND_ERROR_IO:
    return APP_IO;
  case RIND_ERROR_MEMORY:
    return APP_MEMORY;
  case RIND_ERROR_DEVICE:
    return APP_DEVICE;
  default:
    return APP_WRONG;
  }
}
