/* sph_study.h - a relaxation from random particles, with its picture and file. */
#pragma once
#include <rind/sph.h>

#include "sph_case.h"

/* With the case's particles in sph, on the host in double. The exit status; complains by itself. */
int sph_study_run(rind_context *context, rind_sph *sph, const sph_options *options, sph_case *c);
