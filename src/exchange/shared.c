/* shared.c - numbers of an exchange that all ranks must give alike. */
#include <exchange_data.h>

#include <stdio.h>

enum { MAX_NUMBERS = 11 };

typedef struct shared_number {
  const char *what;
  int64_t number;
} shared_number;

/* One reduction: the numbers must be the same on all ranks. label says of which field or vector, or
 * is empty. */
static rind_error check_numbers(rind_context *context, const char *label,
                                const shared_number *shared, int count) {
  int64_t extreme[2 * MAX_NUMBERS];
  for (int i = 0; i < count; ++i) {
    extreme[i] = shared[i].number;
    extreme[count + i] = -shared[i].number;
  }
  const int code =
      MPI_Allreduce(MPI_IN_PLACE, extreme, 2 * count, MPI_INT64_T, MPI_MAX, context->comm);
  RIND_REQUIRE(context, code == MPI_SUCCESS, RIND_ERROR_MPI, "MPI_Allreduce failed");
  for (int i = 0; i < count; ++i)
    RIND_REQUIRE(context, extreme[i] == -extreme[count + i], RIND_ERROR_MISMATCH,
                 "ranks make the exchange with %lld to %lld %s%s: alike it must be on all of them",
                 (long long)-extreme[count + i], (long long)extreme[i], shared[i].what, label);
  return RIND_OK;
}

static int64_t phase_kinds(const rind_schedule *schedule) {
  int64_t kinds = 0;
  for (int p = 0; p < schedule->num_phases; ++p)
    kinds |= (int64_t)1 << schedule->phase[p].kind;
  return kinds;
}

rind_error rind_exchange_check_shared(rind_exchange *exchange, const int *vector) {
  const rind_schedule *schedule = exchange->schedule;
  const rind_exchange_options *options = &exchange->options;
  const shared_number whole[MAX_NUMBERS] = {
      {"cells a block and axis", schedule->cells},
      {"ghost layers", schedule->ghosts},
      {"as the dimension", schedule->dim},
      {"phases", schedule->num_phases},
      {"as the mask of phases", phase_kinds(schedule)},
      {"fields", exchange->num_fields},
      {"vectors", options->num_vectors},
      {"bytes as the longest message", (int64_t)options->max_message_bytes},
      {"as the option adjoint", options->adjoint},
      {"as the adjoint's method", options->adjoint ? options->adjoint_method : 0},
      {"as the mask of families", (int64_t)options->families}};
  char label[32] = "";
  RIND_TRY(check_numbers(exchange->context, label, whole, MAX_NUMBERS));
  for (int f = 0; f < exchange->num_fields; ++f) {
    const rind_layout *layout = &exchange->field[f].layout;
    const shared_number of_field[2] = {{"components a cell", layout->components},
                                       {"as the type", layout->type}};
    snprintf(label, sizeof label, " of field %d", f);
    RIND_TRY(check_numbers(exchange->context, label, of_field, 2));
  }
  for (int v = 0; v < options->num_vectors; ++v) {
    const shared_number of_vector = {"as the first component", vector[v]};
    snprintf(label, sizeof label, " of vector %d", v);
    RIND_TRY(check_numbers(exchange->context, label, &of_vector, 1));
  }
  return RIND_OK;
}
