/* verify_adjoint.h - the invariants of an adjoint. */
#pragma once
#include <schedule_data.h>

/* Not collective. RIND_ERROR_INTERNAL names the first fill or run that breaks one. */
rind_error rind_verify_adjoint(const rind_schedule *schedule);
