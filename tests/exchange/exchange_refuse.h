/* exchange_refuse.h - exchanges that must not come about: the error and its text. In a header,
 * because each program counts its own checks. */
#pragma once
#include <check.h>
#include <exchange_scene.h>

#include <string.h>

/* Collective calls give all ranks the same code and text. */
static inline void check_same_text(const rind_context *context, rind_error error) {
  char text[1024] = {0};
  strncpy(text, rind_last_error(context), sizeof text - 1);
  int code = (int)error;
  MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(code == (int)error && strcmp(text, rind_last_error(context)) == 0,
        "rank 0 says \"%s\", this one \"%s\"", text, rind_last_error(context));
  CHECK(text[0] && !strchr(text, '\n'), "not one line: \"%s\"", text);
}

/* Collective. An exchange of several fields must not come about. */
static inline void refuse_fields(const scene *s, const rind_layout *layouts, int num_fields,
                                 const rind_exchange_options *options, rind_error expected) {
  rind_exchange *exchange = NULL;
  const rind_error got =
      rind_exchange_create_fields(s->schedule, layouts, num_fields, options, &exchange);
  CHECK(got == expected, "%s instead of %s: %s", rind_error_name(got), rind_error_name(expected),
        rind_last_error(s->context));
  CHECK(!exchange, "an exchange in spite of %s", rind_error_name(got));
  check_same_text(s->context, got);
  rind_exchange_destroy(&exchange);
}

/* The same for one field. */
static inline void refuse_create(const scene *s, const rind_layout *layout,
                                 const rind_exchange_options *options, rind_error expected) {
  rind_exchange *exchange = NULL;
  const rind_error got = rind_exchange_create(s->schedule, layout, options, &exchange);
  CHECK(got == expected, "%s instead of %s: %s", rind_error_name(got), rind_error_name(expected),
        rind_last_error(s->context));
  CHECK(!exchange, "an exchange in spite of %s", rind_error_name(got));
  check_same_text(s->context, got);
  rind_exchange_destroy(&exchange);
}
