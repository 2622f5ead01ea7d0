/* summary.c - prints the figures of a run. */
#include "summary.h"

#include <inttypes.h>
#include <stdio.h>

enum { LEVELS = 32 };

static const char *type_name(const advect_options *o) {
  return o->type == RIND_FLOAT64 ? "f64" : "f32";
}

/* Text into a JSON string. */
static void print_quoted(const char *text) {
  putchar('"');
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text < ' ')
      printf("\\u%04x", (unsigned)*text);
    else
      putchar(*text);
  }
  putchar('"');
}

static void print_json(const advect_summary *s, const advect_options *o, int ranks) {
  printf(
      "{\"program\":\"rind-advect\",\"dim\":%d,\"cells_per_block\":%d,\"type\":\"%s\",\"limiter\":"
      "\"%s\",\"initial\":",
      o->dim, o->cells, type_name(o), limiter_words[o->limiter]);
  print_quoted(o->data != NULL ? o->data : "bell");
  printf(",\"ranks\":%d,\"cells\":%" PRId64 ",\"blocks\":%" PRId64 ",\"level_blocks\":{", ranks,
         s->cells, s->blocks);
  const char *comma = "";
  for (int l = 0; l < LEVELS; ++l)
    if (s->level_blocks[l] > 0) {
      printf("%s\"%d\":%" PRId64, comma, l, s->level_blocks[l]);
      comma = ",";
    }
  printf("},\"steps\":%" PRId64
         ",\"dt\":%.17g,\"courant\":%.6g,\"time\":%.17g,\"l1\":%.17g,\"l2\":%.17g,"
         "\"linf\":%.17g,\"least\":%.17g,\"greatest\":%.17g,\"mass\":%.17g,\"mass_drift\":%.17g,"
         "\"checksum\":\"%016" PRIx64 "\"",
         s->steps, s->dt, s->courant, o->time, s->last.l1, s->last.l2, s->last.linf, s->last.least,
         s->last.greatest, s->last.mass, s->drift, s->checksum);
  printf(",\"set_up_s\":%.6g,\"loop_s\":%.6g,\"fill_s\":[%.6g,%.6g],\"compute_s\":[%.6g,%.6g],"
         "\"output_s\":[%.6g,%.6g],\"ns_per_update\":%.6g",
         s->set_up, s->loop, s->fill[0], s->fill[1], s->compute[0], s->compute[1], s->output[0],
         s->output[1], s->ns_per_update);
  const double us = 1e6 / (double)s->steps;
  printf(",\"space\":\"%s\",\"fused_ghosts\":%s,\"us_step\":%.6g,\"us_fill\":%.6g,"
         "\"us_stencil\":%.6g}\n",
         o->device ? "device" : "host", o->fused_ghosts ? "true" : "false", us * s->loop,
         us * s->fill[1], us * s->compute[1]);
}

static void print_text(const advect_summary *s, const advect_options *o, int ranks,
                       const char *units) {
  printf("rind-advect  %s of ", o->dim == 2 ? "rotation" : "deformation and return");
  if (o->data != NULL)
    printf("%s in %s", o->dataset, o->data);
  else
    printf("a bell");
  printf(", %s, %d rank%s\n", type_name(o), ranks, ranks == 1 ? "" : "s");
  printf("  cells       %" PRId64 " in %" PRId64 " blocks of %d^%d:", s->cells, s->blocks, o->cells,
         o->dim);
  const char *comma = "";
  for (int l = 0; l < LEVELS; ++l)
    if (s->level_blocks[l] > 0) {
      printf("%s %" PRId64 " on level %d", comma, s->level_blocks[l], l);
      comma = ",";
    }
  printf("\n  steps       %" PRId64 " of %.4g to time %g, Courant number %.3g\n", s->steps, s->dt,
         o->time, s->courant);
  printf("  error       L1 %.4e  L2 %.4e  Linf %.4e%s%s\n", s->last.l1, s->last.l2, s->last.linf,
         units[0] != '\0' ? "  " : "", units);
  printf("  range       %.6g to %.6g, at first %.6g to %.6g\n", s->last.least, s->last.greatest,
         s->first.least, s->first.greatest);
  printf("  mass drift  %.3e of %.6e\n", s->drift, s->first.mass);
  printf("  checksum    %016" PRIx64 "\n", s->checksum);
  printf("  seconds     fill %.3f (largest %.3f)  compute %.3f (%.3f)  output %.3f (%.3f)  set-up "
         "%.3f\n",
         s->fill[0], s->fill[1], s->compute[0], s->compute[1], s->output[0], s->output[1],
         s->set_up);
  printf("  speed       %.2f ns a cell and step, both stages, %.3f s in all steps\n",
         s->ns_per_update, s->loop);
}

void summary_print(const advect_summary *summary, const advect_options *options, int ranks,
                   const char *units) {
  if (options->json)
    print_json(summary, options, ranks);
  else
    print_text(summary, options, ranks, units);
  fflush(stdout);
}
