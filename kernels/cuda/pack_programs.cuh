/* pack_programs.cuh - programs of blocks as tasks of warps, with their tables, on the host. */
#pragma once
#include <program_task.cuh>

#include <cstring>

namespace {

/* The tables on the host; what is NULL is only counted. */
struct packing {
  int64_t num_tasks, num_terms, num_weights;
  task *tasks;
  int32_t *term;
  double *weight;
  int *first_term; /* [num_sums]: where a slice, or a group of plain ones, begins in term */
};

int smaller(int a, int b) {
  return a < b ? a : b;
}

bool is_plain(const rind_program_sum &sum) {
  return sum.first_weight < 0;
}

/* Terms of a plain sum beside the cell itself. */
int beside(const rind_program_sum &sum) {
  return sum.num_terms - 1;
}

/* A slice of sums: its cells, and its terms beside them, filled up to num_terms. */
void pack_slice(const rind_programs *from, int slice, int num_terms, packing *to) {
  const rind_program_sum &sum = from->sum[slice];
  const int there = beside(sum);
  if (to->term) {
    int32_t *term = to->term + to->num_terms;
    memcpy(term, from->cell + sum.first_cell, lanes * sizeof *term);
    memcpy(term + lanes, from->term + sum.first_term + lanes,
           (size_t)(lanes * there) * sizeof *term);
    for (int n = lanes * (1 + there); n < lanes * (1 + num_terms); ++n)
      term[n] = rind_program_term(RIND_PROGRAM_NONE, false, 0);
    if (!is_plain(sum))
      memcpy(to->weight + to->num_terms + lanes, from->weight + sum.first_weight + lanes,
             (size_t)(lanes * there) * sizeof(double));
  }
  to->num_terms += lanes * (1 + (int64_t)num_terms);
}

/* Terms that each of a sum's lanes has. */
int rounds(const rind_programs *from, const rind_program_sum &sum) {
  const int share = lanes_a_sum(from->adds);
  return (sum.num_terms + share - 1) / share;
}

/* Elements of term for each part of a slice, as many parts as lanes share a sum. */
int part_size(const rind_programs *from, const rind_program_sum &sum) {
  return lanes * (1 + rounds(from, sum));
}

/* One of these parts: its cells, and their terms. */
void pack_part(const rind_programs *from, const rind_program_sum &sum, int part, packing *to) {
  const int share = lanes_a_sum(from->adds);
  for (int l = 0; to->term && l < lanes; ++l) {
    const int at = lanes / share * part + l / share;
    int32_t *term = to->term + to->num_terms + l;
    double *weight = to->weight + to->num_terms + l;
    term[0] = from->cell[sum.first_cell + at];
    for (int r = 1; r <= rounds(from, sum); ++r) {
      const int t = share * (r - 1) + l % share;
      const bool there = t < sum.num_terms;
      term[lanes * r] = there ? from->term[sum.first_term + lanes * t + at]
                              : rind_program_term(RIND_PROGRAM_NONE, false, 0);
      weight[lanes * r] = there ? from->weight[sum.first_weight + lanes * t + at] : 0.0;
    }
  }
  to->num_terms += part_size(from, sum);
}

bool has_cells(const rind_programs *from, const rind_program_sum &sum, int part) {
  return from->cell[sum.first_cell + lanes / lanes_a_sum(from->adds) * part] !=
         RIND_PROGRAM_NO_CELL;
}

/* How many plain sums from the first on one task takes, and their terms. */
int group_plain(const rind_programs *from, int first, int end, int *num_terms) {
  int count = 0;
  *num_terms = 0;
  while (first + count < end && is_plain(from->sum[first + count])) {
    const int terms = beside(from->sum[first + count]);
    const int most = terms > *num_terms ? terms : *num_terms;
    if (count == (most <= 2 ? plain_at_once : long_plain_at_once) ||
        (most > 2 && count > long_plain_at_once))
      break;
    *num_terms = most;
    ++count;
  }
  return count;
}

/* How many short sums from the first on one task takes, and their terms; 0: it is a longer one. */
int group_short(const rind_programs *from, int first, int end, int *num_terms) {
  int count = 0;
  *num_terms = 0;
  while (from->adds && first + count < end && count < short_at_once &&
         beside(from->sum[first + count]) <= short_terms) {
    const int terms = beside(from->sum[first + count]);
    if (terms > *num_terms) *num_terms = terms;
    ++count;
  }
  return count;
}

void add_task(const task &made, packing *to) {
  if (to->tasks) to->tasks[to->num_tasks] = made;
  ++to->num_tasks;
}

/* Slices that one task takes. */
void pack_group(const rind_programs *from, int first, int count, int num_terms, packing *to) {
  to->first_term[first] = (int)to->num_terms;
  for (int s = first; s < first + count; ++s)
    pack_slice(from, s, num_terms, to);
}

/* The sums of a program from first on, plain ones or others. */
void pack_program(const rind_programs *from, int first, int num_sums, bool plain, packing *to) {
  const int end = first + num_sums;
  int s = first;
  for (int terms, count; (count = group_plain(from, s, end, &terms)) > 0; s += count)
    if (plain) pack_group(from, s, count, terms, to);
  for (int terms, count; !plain && (count = group_short(from, s, end, &terms)) > 0; s += count)
    pack_group(from, s, count, terms, to);
  for (; s < end && !plain; ++s) {
    to->first_term[s] = (int)to->num_terms;
    for (int part = 0; part < lanes_a_sum(from->adds); ++part)
      pack_part(from, from->sum[s], part, to);
  }
}

/* Each program once, whichever item has it; those with weights first. num_sums [from->num_sums]:
 * of the program that begins there, or 0. */
void pack_sums(const rind_programs *from, const int *num_sums, packing *to) {
  to->num_terms = 0;
  for (int s = 0; s < from->num_sums; ++s)
    if (num_sums[s] > 0) pack_program(from, s, num_sums[s], false, to);
  to->num_weights = to->num_terms;
  for (int s = 0; s < from->num_sums; ++s)
    if (num_sums[s] > 0) pack_program(from, s, num_sums[s], true, to);
}

/* Tasks of slices_at_once slices each. */
void pack_slices(kind of, int first, int num_slices, int slices_at_once,
                 const rind_program_item &item, packing *to) {
  for (int s = 0; s < num_slices; s += slices_at_once)
    add_task(make_task(of, first + lanes * s, smaller(num_slices - s, slices_at_once), 0, item),
             to);
}

void pack_item_sums(const rind_programs *from, const rind_program_item &item, packing *to) {
  const int end = item.first_sum + item.num_sums;
  int s = item.first_sum;
  for (int terms, count; (count = group_plain(from, s, end, &terms)) > 0; s += count)
    add_task(make_task(kind_plain, to->first_term[s], count, terms, item), to);
  for (int terms, count; (count = group_short(from, s, end, &terms)) > 0; s += count)
    add_task(make_task(kind_short, to->first_term[s], count, terms, item), to);
  for (; s < end; ++s)
    for (int part = 0; part < lanes_a_sum(from->adds); ++part)
      if (has_cells(from, from->sum[s], part))
        add_task(make_task(kind_sum, to->first_term[s] + part * part_size(from, from->sum[s]), 1,
                           rounds(from, from->sum[s]), item),
                 to);
}

void pack_item(const rind_programs *from, const rind_program_item &item, packing *to) {
  pack_slices(kind_copies, item.first_move, item.num_moves, copies_at_once, item, to);
  pack_item_sums(from, item, to);
  pack_slices(kind_pairs, item.first_pair, item.num_pairs, pairs_at_once, item, to);
}

/* The tasks of some neighbours along the curve by turns: they read the same lines of memory. room:
 * for their tasks, once these are counted. */
void pack_neighbours(const rind_programs *from, int first, int count, task *room, packing *to) {
  int begin[RIND_PROGRAM_NEIGHBOURS + 1] = {0}, most = 0;
  packing apart = *to;
  apart.tasks = room;
  apart.num_tasks = 0;
  for (int i = 0; i < count; ++i) {
    pack_item(from, from->item[first + i], &apart);
    begin[i + 1] = (int)apart.num_tasks;
    if (begin[i + 1] - begin[i] > most) most = begin[i + 1] - begin[i];
  }
  for (int n = 0; n < most && room; ++n)
    for (int i = 0; i < count; ++i)
      if (begin[i] + n < begin[i + 1]) add_task(room[begin[i] + n], to);
  if (!room) to->num_tasks += apart.num_tasks;
}

void pack_items(const rind_programs *from, task *room, packing *to) {
  to->num_tasks = 0;
  for (int i = 0; i < from->num_items; i += RIND_PROGRAM_NEIGHBOURS)
    pack_neighbours(from, i, smaller(from->num_items - i, RIND_PROGRAM_NEIGHBOURS), room, to);
}

} // namespace
