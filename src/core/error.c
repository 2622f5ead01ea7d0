/* error.c - names and texts of errors, and the version. */
#include <rind/error.h>

#include <stddef.h>

static const char *const names[RIND_NUM_ERRORS] = {
#define NAME(name, text) "RIND_ERROR_" #name,
    RIND_ERROR_LIST(NAME)
#undef NAME
};

static const char *const texts[RIND_NUM_ERRORS] = {
#define TEXT(name, text) text,
    RIND_ERROR_LIST(TEXT)
#undef TEXT
};

const char *rind_error_name(rind_error error) {
  return (unsigned)error < RIND_NUM_ERRORS ? names[error] : "unknown error";
}

const char *rind_error_text(rind_error error) {
  return (unsigned)error < RIND_NUM_ERRORS ? texts[error] : "unknown error";
}

#define AS_TEXT(x) #x
#define VERSION(major, minor, patch) AS_TEXT(major) "." AS_TEXT(minor) "." AS_TEXT(patch)

const char *rind_version(void) {
  return VERSION(RIND_VERSION_MAJOR, RIND_VERSION_MINOR, RIND_VERSION_PATCH);
}
