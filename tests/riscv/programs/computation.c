/* What a compiler makes of ordinary C, checked against published values. */
#include <stdint.h>

extern volatile uint32_t tohost;

static uint32_t crc32(const uint8_t* data, unsigned bytes) {
  uint32_t crc = ~0u;
  while (bytes--) {
    crc ^= *data++;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1u));
  }
  return ~crc;
}

static unsigned primes_below(unsigned limit) {
  static uint8_t composite[10000];
  unsigned count = 0;
  for (unsigned i = 2; i < limit; ++i) {
    if (composite[i]) continue;
    ++count;
    for (unsigned j = i * i; j < limit; j += i) composite[j] = 1;
  }
  return count;
}

static int32_t values[200];
static void sort(int lo, int hi) {
  if (lo >= hi) return;
  const int32_t pivot = values[(lo + hi) / 2];
  int i = lo, j = hi;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i <= j) {
      const int32_t v = values[i];
      values[i++] = values[j];
      values[j--] = v;
    }
  }
  sort(lo, j);
  sort(i, hi);
}

static unsigned collatz_steps(uint64_t n) {
  unsigned steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

/* FIPS 180-4. */
static void sha256_block(uint32_t h[8], const uint8_t* p) {
  static const uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define R(x, n) ((x) >> (n) | (x) << (32 - (n)))
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; ++i)
    w[i] = (uint32_t)p[4 * i] << 24 | p[4 * i + 1] << 16 | p[4 * i + 2] << 8 | p[4 * i + 3];
  for (int i = 16; i < 64; ++i)
    w[i] = w[i - 16] + (R(w[i - 15], 7) ^ R(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
           (R(w[i - 2], 17) ^ R(w[i - 2], 19) ^ w[i - 2] >> 10);
  for (int i = 0; i < 8; ++i) s[i] = h[i];
  for (int i = 0; i < 64; ++i) {
    const uint32_t t1 =
        s[7] + (R(s[4], 6) ^ R(s[4], 11) ^ R(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
    const uint32_t t2 =
        (R(s[0], 2) ^ R(s[0], 13) ^ R(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i) h[i] += s[i];
}

static int first_failure(void) {
  if (crc32((const uint8_t*)"123456789", 9) != 0xcbf43926u) return 1; /* the check value of CRC-32/ISO-HDLC */
  if (primes_below(10000) != 1229) return 2;
  uint32_t x = 1;
  for (int i = 0; i < 200; ++i) values[i] = (int32_t)(x = x * 1664525u + 1013904223u);
  sort(0, 199);
  for (int i = 1; i < 200; ++i)
    if (values[i - 1] > values[i]) return 3;
  if (collatz_steps(27) != 111) return 4;
  if (collatz_steps(837799) != 524) return 5;
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t block[64] = {'a', 'b', 'c', 0x80};
  block[63] = 24;
  sha256_block(h, block);
  static const uint32_t abc[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                  0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
  for (int i = 0; i < 8; ++i)
    if (h[i] != abc[i]) return 6;
  return 0;
}

void check(void) { tohost = (uint32_t)first_failure() * 2 + 1; }
