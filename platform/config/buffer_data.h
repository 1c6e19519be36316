#pragma once
// The bytes of a launch list's buffers: initial contents, expected contents and their comparison.

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/run_config.h"

namespace warpvp {

/// Contents of a buffer of `count` elements of `type`. `random` is uniform in [min, max) for floats and [min,
/// max] for integers, from `seed`, or from `run_seed` and `name` when `seed` is 0; the same on every host.
/// Throws InputError if a file cannot be read.
std::vector<std::uint8_t> make_contents(const BufferContents& contents, ElementType type, std::uint64_t count,
                                        double min, double max, std::uint64_t seed, std::uint64_t run_seed,
                                        const std::string& name);
/// What the buffer holds before the first launch.
std::vector<std::uint8_t> initial_contents(const std::string& name, const BufferConfig& buffer,
                                           std::uint64_t run_seed);
/// What a check expects in its buffer.
std::vector<std::uint8_t> expected_contents(const CheckConfig& check, const BufferConfig& buffer,
                                            std::uint64_t run_seed);

struct Comparison {
  std::uint64_t elements = 0;
  std::uint64_t differing = 0;
  std::uint64_t first_differing = 0;  ///< element index; meaningful if differing > 0
  std::string message;                ///< one line; empty if nothing differs
};
/// Compares element by element: |got - expected| <= tolerance * max(1, |expected|); two NaNs are equal. Sizes
/// must agree and be whole numbers of elements.
Comparison compare_contents(const std::string& name, ElementType type, const std::vector<std::uint8_t>& got,
                            const std::vector<std::uint8_t>& expected, double tolerance);

}  // namespace warpvp
