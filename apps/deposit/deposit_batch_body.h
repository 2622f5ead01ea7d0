/* deposit_batch_body.h - batches of particles: find the steps, list the particles that may be hit,
 * run the list in loops without branches. The including file defines DEPOSIT_NAME(word). */
#include <deposit_batch.h>

static void add(deposit_bin *to, uint64_t quanta) {
  to->low += quanta;
  to->high += to->low < quanta;
}

static void deposit(deposit_share *mine, double position, double centre, int t) {
  const deposit_hit hit = deposit_hit_of(position, centre, false);
  const double taper = hit.rest * hit.rest;
  add(&mine->bins[hit.bin], deposit_quanta(taper * (1.0 - hit.fraction)));
  add(&mine->bins[hit.next], deposit_quanta(taper * hit.fraction));
  ++mine->deposits[t];
}

/* Two steps of each particle at most. */
enum { HITS = 2 * DEPOSIT_BATCH };

/* A batch's hits, in arrays that loops without branches run over. */
typedef struct hits {
  uint16_t particle[HITS + 1];
  uint8_t step[HITS + 1];
  double position[HITS], centre[HITS];
  int32_t bin[HITS];
  uint64_t quanta[2][HITS]; /* for its two bins */
  double is_selected[HITS]; /* 1 or 0 */
  double slope[2][HITS];    /* of its two bins */
} hits;

/* Where the particles are, and the window. */
static void place_hits(const deposit_work *work, int64_t first, int count, hits *h) {
  const double *x = work->input.x + first, *v = work->input.v + first;
  for (int l = 0; l < count; ++l) {
    const int i = h->particle[l], t = h->step[l];
    h->position[l] = deposit_position(x[i], v[i], t);
    h->centre[l] = work->centre[t];
  }
}

static void deposit_hits(deposit_share *mine, int count, hits *h, uint8_t *step) {
  for (int l = 0; l < count; ++l) {
    const deposit_hit hit = deposit_hit_of(h->position[l], h->centre[l], true);
    const double taper = hit.is_selected ? hit.rest * hit.rest : 0.0;
    h->quanta[0][l] = deposit_quanta(taper * (1.0 - hit.fraction));
    h->quanta[1][l] = deposit_quanta(taper * hit.fraction);
    h->bin[l] = hit.bin;
    h->is_selected[l] = hit.is_selected ? 1.0 : 0.0;
  }
  for (int l = 0; l < count; ++l) {
    add(&mine->bins[h->bin[l]], h->quanta[0][l]);
    add(&mine->bins[(h->bin[l] + 1) & (DEPOSIT_BINS - 1)], h->quanta[1][l]);
    const int selected = h->is_selected[l] > 0.0, i = h->particle[l], before = step[i];
    mine->deposits[h->step[l]] += selected;
    mine->selected += selected & (before == 0);
    step[i] = (uint8_t)(before | (before ? -selected : selected * h->step[l]));
  }
}

/* A particle that may be anywhere; what its step is. */
static uint8_t deposit_any(deposit_share *mine, double x, double v, const double *centre) {
  bool found = false;
  for (int t = deposit_next_step(x, v, 1, centre); t > 0;
       t = deposit_next_step(x, v, t + 1, centre)) {
    deposit(mine, deposit_position(x, v, t), centre[t], t);
    found = true;
  }
  mine->selected += found;
  return found ? DEPOSIT_SEARCH : 0;
}

/* Lists the steps of particles that have a second one; how many are listed then. */
static int list_rare(const uint16_t *rare, int rares, const int32_t *steps, hits *h, int listed) {
  for (int r = 0; r < rares; ++r) {
    const int one = steps[rare[r]];
    if (one < 0) continue;
    for (int t = one & 63, turn = 0; turn < 2; ++turn, t = one >> 6)
      if (t > 0) {
        h->particle[listed] = rare[r];
        h->step[listed++] = (uint8_t)t;
      }
  }
  return listed;
}

/* Particles [first, first + count), at most DEPOSIT_BATCH. */
static void DEPOSIT_NAME(deposit)(const deposit_work *work, deposit_share *mine, int64_t first,
                                  int count) {
  const double *x = work->input.x + first, *v = work->input.v + first;
  uint8_t *step = work->step + first;
  int32_t steps[DEPOSIT_BATCH];
  uint16_t rare[DEPOSIT_BATCH + 1];
  hits h;
  int listed = 0, rares = 0;
  for (int i = 0; i < count; ++i)
    steps[i] = deposit_quick_steps(x[i], v[i]);
  for (int i = 0; i < count; ++i) {
    const uint32_t one = (uint32_t)steps[i];
    step[i] = 0;
    h.particle[listed] = rare[rares] = (uint16_t)i;
    h.step[listed] = (uint8_t)one;
    listed += one - 1 < 63;
    rares += one > 63;
  }
  listed = list_rare(rare, rares, steps, &h, listed);
  place_hits(work, first, listed, &h);
  deposit_hits(mine, listed, &h, step);
  for (int r = 0; r < rares; ++r) {
    const int i = rare[r];
    if (steps[i] > 0) continue;
    if (isfinite(x[i]) && isfinite(v[i]))
      step[i] = deposit_any(mine, x[i], v[i], work->centre);
    else if (first + i < mine->first_bad)
      mine->first_bad = first + i;
  }
}

static double gradient_at(const deposit_work *work, double position, int t, bool near) {
  const deposit_hit hit = deposit_hit_of(position, work->centre[t], near);
  return hit.is_selected ? deposit_gradient_of(hit, work->slope[hit.bin], work->slope[hit.next])
                         : 0.0;
}

static double gradient_of_any(const deposit_work *work, double x, double v) {
  const int steps = deposit_quick_steps(x, v);
  double sum = 0.0;
  if (steps > 63) {
    const int first = steps & 63, second = steps >> 6;
    if (first > 0) sum = gradient_at(work, deposit_position(x, v, first), first, true);
    return sum + gradient_at(work, deposit_position(x, v, second), second, true);
  }
  for (int t = deposit_next_step(x, v, 1, work->centre); t > 0;
       t = deposit_next_step(x, v, t + 1, work->centre))
    sum += gradient_at(work, deposit_position(x, v, t), t, false);
  return sum;
}

static void DEPOSIT_NAME(gradient)(const deposit_work *work, int64_t first, int count,
                                   double *gradient) {
  const double *x = work->input.x + first, *v = work->input.v + first;
  const uint8_t *step = work->step + first;
  uint16_t other[DEPOSIT_BATCH + 1];
  hits h;
  int listed = 0, others = 0;
  for (int i = 0; i < count; ++i) {
    gradient[i] = 0.0;
    h.particle[listed] = (uint16_t)i;
    h.step[listed] = step[i];
    other[others] = (uint16_t)i;
    listed += (uint8_t)(step[i] - 1) < DEPOSIT_SEARCH - 1;
    others += step[i] == DEPOSIT_SEARCH;
  }
  place_hits(work, first, listed, &h);
  for (int l = 0; l < listed; ++l)
    h.bin[l] = deposit_hit_of(h.position[l], h.centre[l], true).bin;
  for (int l = 0; l < listed; ++l) {
    h.slope[0][l] = work->slope[h.bin[l]];
    h.slope[1][l] = work->slope[(h.bin[l] + 1) & (DEPOSIT_BINS - 1)];
  }
  for (int l = 0; l < listed; ++l)
    h.slope[0][l] = deposit_gradient_of(deposit_hit_of(h.position[l], h.centre[l], true),
                                        h.slope[0][l], h.slope[1][l]);
  for (int l = 0; l < listed; ++l)
    gradient[h.particle[l]] = h.slope[0][l];
  for (int o = 0; o < others; ++o)
    gradient[other[o]] = gradient_of_any(work, x[other[o]], v[other[o]]);
}

const deposit_batches DEPOSIT_NAME(deposit_batches) = {DEPOSIT_NAME(deposit),
                                                       DEPOSIT_NAME(gradient)};
