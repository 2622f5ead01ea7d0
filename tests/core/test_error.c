/* test_error.c - names and texts of errors, the version. */
#include <check.h>
#include <rind/rind.h>

#include <string.h>

static const char *const expected_names[] = {
#define NAME(name, text) "RIND_ERROR_" #name,
    RIND_ERROR_LIST(NAME)
#undef NAME
};

static void check_names(void) {
  CHECK(RIND_OK == 0, "RIND_OK is %d", RIND_OK);
  CHECK(RIND_NUM_ERRORS == sizeof expected_names / sizeof *expected_names, "%d errors",
        RIND_NUM_ERRORS);
  for (int e = 0; e < RIND_NUM_ERRORS; ++e) {
    const char *name = rind_error_name((rind_error)e), *text = rind_error_text((rind_error)e);
    CHECK(strcmp(name, expected_names[e]) == 0, "error %d is called %s", e, name);
    CHECK(strlen(text) > 0 && !strchr(text, '\n'), "the text of %s is \"%s\"", name, text);
    for (int other = 0; other < e; ++other) {
      CHECK(strcmp(name, rind_error_name((rind_error)other)) != 0, "%s twice", name);
      CHECK(strcmp(text, rind_error_text((rind_error)other)) != 0, "\"%s\" twice", text);
    }
  }
}

static void check_outside(void) {
  const int outside[] = {-1, RIND_NUM_ERRORS, 1 << 20};
  for (int i = 0; i < 3; ++i) {
    const rind_error error = (rind_error)outside[i];
    CHECK(strcmp(rind_error_name(error), "unknown error") == 0, "%d: %s", outside[i],
          rind_error_name(error));
    CHECK(strlen(rind_error_text(error)) > 0, "no text for %d", outside[i]);
  }
}

static void check_version(void) {
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", RIND_VERSION_MAJOR, RIND_VERSION_MINOR,
           RIND_VERSION_PATCH);
  CHECK(strcmp(rind_version(), text) == 0, "library %s, header %s", rind_version(), text);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  check_names();
  check_outside();
  check_version();
  return check_end();
}
