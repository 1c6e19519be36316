#pragma once
// Triple DES on the CPU: the tables that a key gives, shared with device code, and encryption by them.

#include <array>
#include <cstdint>

#include "sw/kernels/pagoda/task_arguments.h"

namespace warpvp::pagoda {

/// Tables for encryption with three keys, each of eight bytes, the first byte in the most significant place;
/// parity bits are not looked at.
TripleDesTables triple_des_tables(const std::array<std::uint64_t, 3>& keys);

/// One block of eight bytes, the first in the most significant place.
std::uint64_t triple_des(const TripleDesTables& tables, std::uint64_t block);

/// The same without tables, step by step as FIPS 46-3 and SP 800-67 have it: what the tables are tested
/// against.
std::uint64_t triple_des_by_standard(const std::array<std::uint64_t, 3>& keys, std::uint64_t block);

}  // namespace warpvp::pagoda
