/* sph_study.h - a relaxation from random particles, with its picture and file. */
#pragma once
#include <rind/sph.h>

#include "sph_case.h"

/* On one rank, in plain arrays on the host in double. The exit status; complains by itself. */
int sph_study_run(rind_context *context, const sph_options *options, sph_case *c);
