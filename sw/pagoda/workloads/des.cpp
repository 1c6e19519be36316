#include "sw/pagoda/workloads/des.h"

#include <utility>

namespace warpvp::pagoda {

namespace {

// Tables of FIPS 46-3: numbers of bits, 1 for the most significant one.
constexpr std::uint8_t kInitial[64] = {58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4,
                                       62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
                                       57, 49, 41, 33, 25, 17, 9,  1, 59, 51, 43, 35, 27, 19, 11, 3,
                                       61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};
constexpr std::uint8_t kExpansion[48] = {32, 1,  2,  3,  4,  5,  4,  5,  6,  7,  8,  9,  8,  9,  10, 11,
                                         12, 13, 12, 13, 14, 15, 16, 17, 16, 17, 18, 19, 20, 21, 20, 21,
                                         22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1};
constexpr std::uint8_t kPermutation[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                                           2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};
constexpr std::uint8_t kChoice1[56] = {57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18,
                                       10, 2,  59, 51, 43, 35, 27, 19, 11, 3,  60, 52, 44, 36,
                                       63, 55, 47, 39, 31, 23, 15, 7,  62, 54, 46, 38, 30, 22,
                                       14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
constexpr std::uint8_t kChoice2[48] = {14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
                                       26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
                                       51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
constexpr std::uint8_t kShifts[16] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};
constexpr std::uint8_t kBoxes[8][64] = {
    {14, 4,  13, 1, 2,  15, 11, 8, 3, 10, 6, 12, 5,  9,  0,  7,  0,  15, 7,  4,  14, 2,
     13, 1,  10, 6, 12, 11, 9,  5, 3, 8,  4, 1,  14, 8,  13, 6,  2,  11, 15, 12, 9,  7,
     3,  10, 5,  0, 15, 12, 8,  2, 4, 9,  1, 7,  5,  11, 3,  14, 10, 0,  6,  13},
    {15, 1,  8,  14, 6,  11, 3,  4, 9,  7,  2, 13, 12, 0,  5,  10, 3,  13, 4,  7, 15, 2,
     8,  14, 12, 0,  1,  10, 6,  9, 11, 5,  0, 14, 7,  11, 10, 4,  13, 1,  5,  8, 12, 6,
     9,  3,  2,  15, 13, 8,  10, 1, 3,  15, 4, 2,  11, 6,  7,  12, 0,  5,  14, 9},
    {10, 0,  9,  14, 6, 3,  15, 5,  1,  13, 12, 7, 11, 4,  2,  8,  13, 7, 0,  9, 3, 4,
     6,  10, 2,  8,  5, 14, 12, 11, 15, 1,  13, 6, 4,  9,  8,  15, 3,  0, 11, 1, 2, 12,
     5,  10, 14, 7,  1, 10, 13, 0,  6,  9,  8,  7, 4,  15, 14, 3,  11, 5, 2,  12},
    {7, 13, 14, 3, 0, 6,  9, 10, 1,  2, 8,  5, 11, 12, 4,  15, 13, 8,  11, 5, 6, 15,
     0, 3,  4,  7, 2, 12, 1, 10, 14, 9, 10, 6, 9,  0,  12, 11, 7,  13, 15, 1, 3, 14,
     5, 2,  8,  4, 3, 15, 0, 6,  10, 1, 13, 8, 9,  4,  5,  11, 12, 7,  2,  14},
    {2,  12, 4, 1,  7,  10, 11, 6, 8, 5,  3, 15, 13, 0,  14, 9,  14, 11, 2,  12, 4,  7,
     13, 1,  5, 0,  15, 10, 3,  9, 8, 6,  4, 2,  1,  11, 10, 13, 7,  8,  15, 9,  12, 5,
     6,  3,  0, 14, 11, 8,  12, 7, 1, 14, 2, 13, 6,  15, 0,  9,  10, 4,  5,  3},
    {12, 1,  10, 15, 9,  2,  6, 8,  0, 13, 3,  4,  14, 7,  5, 11, 10, 15, 4, 2, 7, 12,
     9,  5,  6,  1,  13, 14, 0, 11, 3, 8,  9,  14, 15, 5,  2, 8,  12, 3,  7, 0, 4, 10,
     1,  13, 11, 6,  4,  3,  2, 12, 9, 5,  15, 10, 11, 14, 1, 7,  6,  0,  8, 13},
    {4, 11, 2,  14, 15, 0,  8,  13, 3, 12, 9,  7, 5,  10, 6,  1,  13, 0,  11, 7,  4, 9,
     1, 10, 14, 3,  5,  12, 2,  15, 8, 6,  1,  4, 11, 13, 12, 3,  7,  14, 10, 15, 6, 8,
     0, 5,  9,  2,  6,  11, 13, 8,  1, 4,  10, 7, 9,  5,  0,  15, 14, 2,  3,  12},
    {13, 2, 8,  4, 6, 15, 11, 1,  10, 9,  3, 14, 5,  0,  12, 7,  1,  15, 13, 8, 10, 3,
     7,  4, 12, 5, 6, 11, 0,  14, 9,  2,  7, 11, 4,  1,  9,  12, 14, 2,  0,  6, 10, 13,
     15, 3, 5,  8, 2, 1,  14, 7,  4,  10, 8, 13, 15, 12, 9,  0,  3,  5,  6,  11}};

/// The bits of `v` (of `width` bits) that the table names, in its order.
template <unsigned Count>
std::uint64_t choose(std::uint64_t v, unsigned width, const std::uint8_t (&table)[Count]) {
  std::uint64_t out = 0;
  for (const std::uint8_t bit : table) out = out << 1 | (v >> (width - bit) & 1);
  return out;
}

std::uint32_t rotate_left(std::uint32_t v, unsigned by) { return v << by | v >> (32 - by); }

/// What box `box` makes of six bits: the outer two choose its row.
std::uint32_t substitute(unsigned box, unsigned bits) {
  return kBoxes[box][(bits >> 5 << 1 | (bits & 1)) * 16 + (bits >> 1 & 15)];
}

/// The 48 bits of each round's key.
std::array<std::uint64_t, 16> round_keys(std::uint64_t key) {
  const std::uint64_t chosen = choose(key, 64, kChoice1);
  std::uint64_t c = chosen >> 28, d = chosen & 0xfffffff;
  std::array<std::uint64_t, 16> out{};
  for (unsigned round = 0; round < 16; ++round) {
    c = (c << kShifts[round] | c >> (28 - kShifts[round])) & 0xfffffff;
    d = (d << kShifts[round] | d >> (28 - kShifts[round])) & 0xfffffff;
    out[round] = choose(c << 28 | d, 56, kChoice2);
  }
  return out;
}

std::uint64_t des_by_standard(std::uint64_t key, std::uint64_t block, bool decrypt) {
  const std::array<std::uint64_t, 16> keys = round_keys(key);
  const std::uint64_t permuted = choose(block, 64, kInitial);
  auto left = static_cast<std::uint32_t>(permuted >> 32), right = static_cast<std::uint32_t>(permuted);
  for (unsigned round = 0; round < 16; ++round) {
    const std::uint64_t mixed = choose(right, 32, kExpansion) ^ keys[decrypt ? 15 - round : round];
    std::uint64_t boxes = 0;
    for (unsigned box = 0; box < 8; ++box)
      boxes = boxes << 4 | substitute(box, static_cast<unsigned>(mixed >> (42 - 6 * box) & 63));
    const auto next = left ^ static_cast<std::uint32_t>(choose(boxes, 32, kPermutation));
    left = right;
    right = next;
  }
  const std::uint64_t last = std::uint64_t{right} << 32 | left;
  std::uint64_t out = 0;
  for (unsigned bit = 0; bit < 64; ++bit) out |= (last >> (63 - bit) & 1) << (64 - kInitial[bit]);
  return out;
}

std::uint32_t round_of(const TripleDesTables& t, const unsigned (&key)[2], std::uint32_t half) {
  const std::uint32_t odd = rotate_left(half, 28) ^ key[0], even = half ^ key[1];
  std::uint32_t out = 0;
  for (unsigned pair = 0; pair < 4; ++pair) {
    out |= t.boxes[2 * pair][odd >> (24 - 8 * pair) & 63];
    out |= t.boxes[2 * pair + 1][even >> (24 - 8 * pair) & 63];
  }
  return out;
}

}  // namespace

TripleDesTables triple_des_tables(const std::array<std::uint64_t, 3>& keys) {
  TripleDesTables t{};
  for (unsigned box = 0; box < 8; ++box) {
    for (unsigned bits = 0; bits < 64; ++bits) {
      const std::uint64_t placed = std::uint64_t{substitute(box, bits)} << (28 - 4 * box);
      t.boxes[box][bits] = rotate_left(static_cast<std::uint32_t>(choose(placed, 32, kPermutation)), 1);
    }
  }
  for (unsigned pass = 0; pass < 3; ++pass) {
    const std::array<std::uint64_t, 16> rounds = round_keys(keys[pass]);
    for (unsigned round = 0; round < 16; ++round) {
      const std::uint64_t key = rounds[pass == 1 ? 15 - round : round];
      for (unsigned box = 0; box < 8; ++box)
        t.keys[pass][round][box % 2] |= static_cast<unsigned>(key >> (42 - 6 * box) & 63)
                                        << (24 - 8 * (box / 2));
    }
  }
  return t;
}

std::uint64_t triple_des(const TripleDesTables& tables, std::uint64_t block) {
  const std::uint64_t permuted = choose(block, 64, kInitial);
  std::uint32_t left = rotate_left(static_cast<std::uint32_t>(permuted >> 32), 1);
  std::uint32_t right = rotate_left(static_cast<std::uint32_t>(permuted), 1);
  for (const auto& pass : tables.keys) {
    for (unsigned round = 0; round < 16; round += 2) {
      left ^= round_of(tables, pass[round], right);
      right ^= round_of(tables, pass[round + 1], left);
    }
    std::swap(left, right);
  }
  const std::uint64_t last = std::uint64_t{rotate_left(left, 31)} << 32 | rotate_left(right, 31);
  std::uint64_t out = 0;
  for (unsigned bit = 0; bit < 64; ++bit) out |= (last >> (63 - bit) & 1) << (64 - kInitial[bit]);
  return out;
}

std::uint64_t triple_des_by_standard(const std::array<std::uint64_t, 3>& keys, std::uint64_t block) {
  return des_by_standard(keys[2], des_by_standard(keys[1], des_by_standard(keys[0], block, false), true),
                         false);
}

}  // namespace warpvp::pagoda
