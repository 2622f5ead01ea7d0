/* sph_times.h - times the calls on a case and says what came of them. */
#pragma once
#include "sph_case.h"

/* Collective. The exit status; complains by itself. */
int sph_times_run(rind_context *context, const sph_options *options, const sph_case *c);
