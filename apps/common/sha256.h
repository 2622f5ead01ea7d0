/* sha256.h - the SHA-256 digest of a few bytes (FIPS 180-4). */
#pragma once
#include <stddef.h>
#include <stdint.h>

void app_sha256(const void *data, size_t bytes, uint8_t digest[32]);
