/* adjoint_schedules.c - exchanges are made of schedules that fill: an adjoint one is refused, on
 * one rank as on all, and what refuses one field for several names the call that would do. */
#include <check.h>
#include <exchange_refuse.h>

static const rind_exchange_options with_adjoint = {.adjoint = true};

/* The scene with another schedule. */
static scene with_schedule(const scene *s, rind_schedule *schedule) {
  scene other = *s;
  other.schedule = schedule;
  return other;
}

static void check_refused(const scene *s, const rind_layout *layout) {
  rind_schedule *adjoint = NULL;
  rind_exchange *exchange = NULL;
  const rind_layout layouts[2] = {*layout, *layout};
  CHECK_OK(rind_schedule_adjoint(s->schedule, &adjoint), s->context);
  const scene turned = with_schedule(s, adjoint);
  refuse_create(&turned, layout, NULL, RIND_ERROR_INVALID);
  refuse_create(&turned, layout, &with_adjoint, RIND_ERROR_INVALID);
  refuse_fields(&turned, layouts, 2, &with_adjoint, RIND_ERROR_INVALID);
  const int last = rind_context_size(s->context) - 1;
  const scene mixed =
      with_schedule(s, rind_context_rank(s->context) == last ? adjoint : s->schedule);
  refuse_create(&mixed, layout, &with_adjoint, RIND_ERROR_INVALID);
  rind_schedule_destroy(&adjoint);
  CHECK_OK(rind_exchange_create(s->schedule, layout, &with_adjoint, &exchange), s->context);
  rind_exchange_destroy(&exchange);
}

/* The text of the last error ends with the name of the right call. */
static void check_names(const scene *s, const char *call) {
  const char *text = rind_last_error(s->context), *space = strrchr(text, ' ');
  CHECK(space && strcmp(space + 1, call) == 0, "\"%s\" does not end with %s", text, call);
}

static void check_single(const scene *s, const rind_layout *layout) {
  rind_field *field[2] = {NULL, NULL};
  rind_exchange *exchange = NULL;
  const rind_layout layouts[2] = {*layout, *layout};
  for (int f = 0; f < 2; ++f)
    CHECK_OK(rind_field_create(s->forest, layout, &field[f]), s->context);
  CHECK_OK(rind_exchange_create_fields(s->schedule, layouts, 2, &with_adjoint, &exchange),
           s->context);
  CHECK_ERROR(rind_fill(exchange, field[0]), RIND_ERROR_MISMATCH, s->context);
  check_names(s, "rind_fill_fields");
  CHECK_ERROR(rind_fill_end(exchange, field[0]), RIND_ERROR_MISMATCH, s->context);
  check_names(s, "rind_fill_fields");
  CHECK_ERROR(rind_fill_adjoint(exchange, field[0]), RIND_ERROR_MISMATCH, s->context);
  check_names(s, "rind_fill_fields_adjoint");
  CHECK_ERROR(rind_fill_adjoint_end(exchange, field[0]), RIND_ERROR_MISMATCH, s->context);
  check_names(s, "rind_fill_fields_adjoint");
  CHECK_OK(rind_fill_fields_adjoint(exchange, field), s->context);
  rind_exchange_destroy(&exchange);
  for (int f = 0; f < 2; ++f)
    rind_field_destroy(&field[f]);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  for (int number = 0; number < 2; ++number) {
    scene s;
    scene_create(MPI_COMM_WORLD, number, 1, NULL, &s);
    const rind_layout layout = {.cells = s.cells, .ghosts = s.ghosts, .components = 2};
    check_refused(&s, &layout);
    check_single(&s, &layout);
    scene_destroy(&s);
  }
  return check_end();
}
