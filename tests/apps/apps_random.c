/* apps_random.c - SHA-256, the generator and the normal numbers against known answers. */
#include <check.h>
#include <math.h>
#include <random.h>
#include <sha256.h>
#include <string.h>
#include <ziggurat.h>

enum { MANY = 1 << 20 };

static void check_digest(const void *data, size_t bytes, const char *expected) {
  uint8_t digest[32];
  char text[65];
  app_sha256(data, bytes, digest);
  for (int i = 0; i < 32; ++i)
    snprintf(text + 2 * i, 3, "%02x", digest[i]);
  CHECK(strcmp(text, expected) == 0, "%zu bytes: %s instead of %s", bytes, text, expected);
}

/* Examples of FIPS 180-4 and of NIST's test vectors. */
static void check_digests(void) {
  check_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  check_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  static char many[1000000];
  memset(many, 'a', sizeof many);
  check_digest(many, sizeof many,
               "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void check_numbers(const char *what, const double *got, const double *expected, int count) {
  for (int i = 0; i < count; ++i)
    CHECK(got[i] == expected[i], "%s: number %d is %.17g instead of %.17g", what, i, got[i],
          expected[i]);
}

static void check_scalars(void) {
  static const uint64_t state[4] = {0xa379de7eeeb2a4e8, 0x953dccb6b532b3af, 0xf597b8ff8cfd652a,
                                    0xccd7337c571680d1};
  app_random random;
  app_random_seed(&random, 42);
  for (int w = 0; w < 4; ++w)
    CHECK(random.state[w] == state[w], "word %d is %016llx instead of %016llx", w,
          (unsigned long long)random.state[w], (unsigned long long)state[w]);
  const uint64_t first = app_random_bits(&random);
  CHECK(first == 0xa11cc311cb6acd70, "first draw %016llx", (unsigned long long)first);
  app_random_seed(&random, 1234);
  double two[2];
  app_random_fill(&random, two, 2);
  check_numbers("seed 1234", two, (const double[]){0.32597672886359486, 0.5490511363155669}, 2);
}

/* A seed of more than 32 bits has a second word. */
static void check_seeds(void) {
  app_random small, large;
  app_random_seed(&small, 42);
  app_random_seed(&large, 42 + (UINT64_C(1) << 32));
  CHECK(memcmp(&small, &large, sizeof small) != 0, "the seed's upper half is lost");
}

/* The input of the deposit benchmark. */
static void check_streams(void) {
  static double x[2000], v[2000], target[1024];
  app_random random;
  app_random_seed(&random, 42);
  app_random_fill(&random, x, 2000);
  app_random_fill_normal(&random, v, 2000);
  app_random_fill(&random, target, 1024);
  check_numbers("x", x,
                (const double[]){0.17357457579450741, 0.32166161915780656, 0.25858546995315457}, 3);
  check_numbers(
      "v", v, (const double[]){0.76301029922512598, 0.70359402747763122, -0.14599734645599979}, 3);
  check_numbers("target", target,
                (const double[]){0.33481380615353873, 0.66164361469981403, 0.67826598404600769}, 3);
}

/* 19 numbers: two rounds of eight lanes, then three of the parent's stream. */
static void check_rest(void) {
  double bulk[19];
  app_random random, parent;
  app_random_seed(&random, 7);
  parent = random;
  for (int i = 0; i < 32; ++i)
    app_random_bits(&parent);
  app_random_fill(&random, bulk, 19);
  for (int i = 16; i < 19; ++i) {
    const double expected = app_random_double(&parent);
    CHECK(bulk[i] == expected, "number %d is %.17g instead of %.17g", i, bulk[i], expected);
  }
  CHECK(memcmp(&random, &parent, sizeof random) == 0, "the parents part");
}

/* The rest of fills too short for lanes is drawn one by one. */
static void check_short(void) {
  for (size_t count = 0; count < 8; ++count) {
    double bulk[8], one;
    app_random random, other;
    app_random_seed(&random, 11);
    other = random;
    app_random_fill(&random, bulk, count);
    for (size_t i = 0; i < count; ++i) {
      one = app_random_double(&other);
      CHECK(bulk[i] == one, "%zu of %zu is %.17g instead of %.17g", i, count, bulk[i], one);
    }
    app_random_fill_normal(&random, bulk, count < 7 ? count : 6);
    for (size_t i = 0; i < count && i < 6; ++i) {
      one = app_random_normal(&other);
      CHECK(bulk[i] == one, "normal %zu of %zu is %.17g instead of %.17g", i, count, bulk[i], one);
    }
  }
}

/* The bits of the table (FNV-1a), of a computation in 256 bits, and what the steps are: of equal
 * area, below the curve. */
static void check_table(void) {
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < 256; ++i) {
    uint64_t word[3] = {app_ziggurat[i].inside};
    memcpy(word + 1, &app_ziggurat[i].width, 8);
    memcpy(word + 2, &app_ziggurat[i].height, 8);
    for (int b = 0; b < 24; ++b)
      hash = (hash ^ (word[b / 8] >> b % 8 * 8 & 255)) * 0x100000001b3;
  }
  CHECK(hash == 0x917048bd148e4fec, "the table's hash is %016llx", (unsigned long long)hash);
  CHECK(app_ziggurat[255].width * 0x1p51 == ZIGGURAT_END, "the last step ends at %.17g",
        app_ziggurat[255].width * 0x1p51);
  for (int i = 1; i < 256; ++i) {
    const double x = app_ziggurat[i].width * 0x1p51, height = app_ziggurat[i].height;
    const double area = x * (app_ziggurat[i - 1].height - height);
    CHECK(fabs(area / 0.0049286732339746549 - 1.0) < 1e-11, "step %d has area %.17g", i, area);
    CHECK(fabs(height / exp(-0.5 * x * x) - 1.0) < 1e-15, "step %d has height %.17g", i, height);
    const double before = i > 1 ? app_ziggurat[i - 1].width * 0x1p51 : 0.0;
    CHECK(fabs((double)app_ziggurat[i].inside - before / x * 0x1p51) < 2.0, "step %d: %llu", i,
          (unsigned long long)app_ziggurat[i].inside);
  }
}

/* Moments, and how many lie beyond the last step: 2 erfc-tails, 2.58e-4 of them. */
static void check_moments(void) {
  static double v[MANY];
  app_random random;
  app_random_seed(&random, 3);
  app_random_fill_normal(&random, v, MANY);
  double sum[5] = {0};
  int beyond = 0;
  for (int i = 0; i < MANY; ++i) {
    double power = 1.0;
    for (int p = 0; p < 5; ++p, power *= v[i])
      sum[p] += power / MANY;
    beyond += fabs(v[i]) > ZIGGURAT_END;
  }
  CHECK(fabs(sum[1]) < 5.0 / 1024, "mean %g", sum[1]);
  CHECK(fabs(sum[2] - 1.0) < 5 * sqrt(2.0) / 1024, "variance %g", sum[2]);
  CHECK(fabs(sum[3]) < 5 * sqrt(15.0) / 1024, "third moment %g", sum[3]);
  CHECK(fabs(sum[4] - 3.0) < 5 * sqrt(96.0) / 1024, "fourth moment %g", sum[4]);
  const double expected = erfc(ZIGGURAT_END / sqrt(2.0)) * MANY;
  CHECK(fabs(beyond - expected) < 5 * sqrt(expected), "%d beyond, %g expected", beyond, expected);
}

int main(int argc, char **argv) {
  check_begin(&argc, &argv);
  check_digests();
  check_scalars();
  check_seeds();
  check_streams();
  check_rest();
  check_short();
  check_table();
  check_moments();
  return check_end();
}
