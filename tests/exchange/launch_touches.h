/* launch_touches.h - who touches which element in one launch, whose operations run in any order. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct launch_element launch_element;

/* All zero: no launch yet. */
typedef struct launch_touches {
  launch_element *element; /* [room], by address */
  size_t room, count;
  long operation; /* the one that runs now, from 1 on */
  long races;     /* elements that one operation changes and another touches, or one twice */
} launch_touches;

void launch_begin(launch_touches *touches);
void launch_begin_operation(launch_touches *touches);
void launch_read(launch_touches *touches, const void *at);
/* changes: not just what was there. */
void launch_write(launch_touches *touches, const void *at, bool changes);
void launch_touches_free(launch_touches *touches);
