/* forest_fuzz.c - damaged .inp texts: bytes flipped, cut, doubled, huge numbers; no crash, and
 * either a mesh that holds together or a line about what is wrong. */
#include <check.h>
#include <inp.h>

#include <string.h>

static const char sound[] =
    "*Heading\n** two cubes\n*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n"
    "7,1,1,1\n8,0,1,1\n9,0,0,2\n10,1,0,2\n11,1,1,2\n12,0,1,2\n*ELEMENT, TYPE=C3D8R, ELSET=all\n"
    "1,1,2,3,4,5,6,7,8\n2,5,6,7,8,\n9,10,11,12\n";

enum { ROOM = 2 * sizeof sound + 64 };

static unsigned long long state = 88172645463325252ull;

static size_t draw(size_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (size_t)(state % below);
}

/* One or more damages; returns the new size. */
static size_t damage(char *text, size_t size) {
  static const char *const insertions[] = {"99999999999999999999",
                                           "-1",
                                           "1e308",
                                           "*ELEMENT,TYPE=S4\n",
                                           ",,",
                                           "\n",
                                           "*NODE\n",
                                           "2147483648"};
  for (size_t n = 1 + draw(4); n > 0 && size > 0; --n) {
    const size_t at = draw(size), kind = draw(5);
    const char *word = insertions[draw(sizeof insertions / sizeof *insertions)];
    if (kind == 0) {
      text[at] = (char)draw(256);
    } else if (kind == 1) {
      text[at] = "0123456789,*\n "[draw(14)];
    } else if (kind == 2) {
      size = at;
    } else if (kind == 3) {
      const size_t length = draw(size - at);
      memmove(text + at, text + at + length, size - at - length);
      size -= length;
    } else if (size + strlen(word) < ROOM) {
      memmove(text + at + strlen(word), text + at, size - at);
      memcpy(text + at, word, strlen(word));
      size += strlen(word);
    }
  }
  return size;
}

static int holds_together(const rind_inp *inp) {
  if (inp->num_elements < 1 || (inp->dim != 2 && inp->dim != 3)) return 0;
  for (long c = 0; c < (long)inp->num_elements << inp->dim; ++c)
    if (inp->corner[c] < 0 || inp->corner[c] >= inp->num_nodes) return 0;
  return 1;
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  const long texts = argc > 1 ? atol(argv[1]) : 20000;
  long read = 0, refused = 0;
  for (long t = 0; t < texts; ++t) {
    char *text = malloc(ROOM), message[RIND_INP_TEXT];
    memcpy(text, sound, sizeof sound);
    const size_t size = t == 0 ? sizeof sound - 1 : damage(text, sizeof sound - 1);
    char *exact = malloc(size + 1); /* so that a read beyond the end is seen */
    memcpy(exact, text, size);
    exact[size] = '\0';
    rind_inp inp;
    const rind_error error = rind_inp_parse(exact, size, &inp, message);
    if (error == RIND_OK) {
      CHECK(holds_together(&inp), "text %ld: a corner is no node", t);
      ++read;
    } else {
      CHECK(error == RIND_ERROR_FORMAT && message[0] && !inp.corner && !inp.node, "text %ld: %s", t,
            rind_error_name(error));
      ++refused;
    }
    CHECK(t > 0 || error == RIND_OK, "the sound text: %s", message);
    rind_inp_free(&inp);
    free(exact);
    free(text);
  }
  CHECK(read > texts / 100 && refused > texts / 2, "%ld read, %ld refused", read, refused);
  return check_end();
}
