/* launch_touches.c - a table of elements by address, and the operations that touched them. */
#include <launch_touches.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct launch_element {
  const void *at; /* NULL: a free place */
  long reader;    /* an operation, or MANY */
  long writer;
  bool changed;
};

enum { MANY = -1, FIRST_ROOM = 1 << 12 };

static launch_element *place_of(launch_element *elements, size_t room, const void *at) {
  size_t place = (size_t)(((uint64_t)(uintptr_t)at * 0x9e3779b97f4a7c15u) >> 32) & (room - 1);
  while (elements[place].at && elements[place].at != at)
    place = (place + 1) & (room - 1);
  return &elements[place];
}

static void grow(launch_touches *touches) {
  const size_t room = touches->room > 0 ? 2 * touches->room : FIRST_ROOM;
  launch_element *moved = calloc(room, sizeof *moved);
  if (!moved) abort();
  for (size_t e = 0; e < touches->room; ++e)
    if (touches->element[e].at)
      *place_of(moved, room, touches->element[e].at) = touches->element[e];
  free(touches->element);
  touches->element = moved;
  touches->room = room;
}

static launch_element *find(launch_touches *touches, const void *at) {
  if (2 * (touches->count + 1) > touches->room) grow(touches);
  launch_element *element = place_of(touches->element, touches->room, at);
  touches->count += !element->at;
  element->at = at;
  return element;
}

void launch_begin(launch_touches *touches) {
  if (touches->room > 0) memset(touches->element, 0, touches->room * sizeof *touches->element);
  touches->count = 0;
}

void launch_begin_operation(launch_touches *touches) {
  ++touches->operation;
}

void launch_read(launch_touches *touches, const void *at) {
  launch_element *element = find(touches, at);
  touches->races += element->writer != 0 && element->changed;
  element->reader =
      element->reader == 0 || element->reader == touches->operation ? touches->operation : MANY;
}

void launch_write(launch_touches *touches, const void *at, bool changes) {
  launch_element *element = find(touches, at);
  const bool read_elsewhere = element->reader != 0 && element->reader != touches->operation;
  touches->races += element->writer != 0 || (changes && read_elsewhere);
  element->writer = touches->operation;
  element->changed = changes;
}

void launch_touches_free(launch_touches *touches) {
  free(touches->element);
  *touches = (launch_touches){0};
}
