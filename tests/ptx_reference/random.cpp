#include "tests/ptx_reference/random.h"

namespace warpvp::reference {

std::uint64_t Random::integer(int width) {
  const std::uint64_t all = width == 64 ? ~0ull : (1ull << width) - 1, top = 1ull << (width - 1);
  switch (below(8)) {
    case 0:
      return below(70);
    case 1:
      return (0 - static_cast<std::uint64_t>(below(70))) & all;
    case 2:
      return (top + below(5) - 2) & all;
    case 3: {
      const std::uint64_t power = 1ull << below(static_cast<unsigned>(width));
      return power - below(2);
    }
    case 4: {
      const std::uint64_t any = bits() & all;
      return any >> below(static_cast<unsigned>(width));
    }
    case 5:
      return (bits() & bits() & all);
    default:
      return bits() & all;
  }
}

std::uint64_t Random::real(int width) {
  const int fraction = width == 32 ? 23 : 52, exponent = width == 32 ? 8 : 11;
  const std::uint64_t sign = (bits() & 1) << (width - 1);
  const std::uint64_t mantissa = bits() & ((1ull << fraction) - 1), bias = (1ull << (exponent - 1)) - 1;
  const std::uint64_t most = 2 * bias + 1;
  const auto made = [&](std::uint64_t e, std::uint64_t m) { return sign | e << fraction | m; };
  switch (below(16)) {
    case 0:
      return sign;  // a zero
    case 1:
      return made(most, 0);
    case 2:
      return made(most, mantissa | 1);  // a NaN with a payload, quiet or not
    case 3:
      return made(0, mantissa);  // subnormal
    case 4:
      return made(0, 1 + below(3));
    case 5: {
      const std::uint64_t m = below(2) != 0 ? (1ull << fraction) - 1 - below(2) : below(2);
      return made(below(2), m);
    }
    case 6:
      return made(most - 1, (1ull << fraction) - 1 - below(2));  // about the greatest
    case 7:  // halves and small integers: ties of conversions
      return made(bias + below(8), (mantissa >> (fraction - 8)) << (fraction - 8));
    case 8: {  // around the limits of integer types
      const std::uint64_t m = below(2) != 0 ? 0 : (1ull << fraction) - 1 - (mantissa & 3);
      const unsigned limit = std::vector<unsigned>{7, 8, 15, 16, 31, 32, 63, 64}[below(8)];
      return made(bias + limit - below(2), m);
    }
    case 9:
      return made(bias, below(4));
    case 10:  // f64 values near the ends of f32
      if (width == 64)
        return made(bias + (below(2) != 0 ? 127 : -static_cast<std::uint64_t>(126 + below(24))), mantissa);
      return made(bias + below(40) - 20, mantissa);
    case 11:  // f64 values that are halfway between f32 values, or nearly
      if (width == 64) {
        const std::uint64_t m = (mantissa & ~((1ull << 30) - 1)) | (1ull << 28) | below(2);
        return made(bias + below(60) - 30, m);
      }
      return made(bias + below(20) - 10, mantissa & ~0xfffull);
    case 12:
      return made(below(static_cast<unsigned>(most)), mantissa);
    default:
      return made(bias + below(16) - 8, mantissa);
  }
}

namespace {

/// The choices of the braces that open at `pattern[i]`; moves `i` to where they close.
std::vector<std::string> choices_at(const std::string& pattern, std::size_t& i) {
  std::vector<std::string> choices(1);
  for (++i; pattern[i] != '}'; ++i) {
    if (pattern[i] == '|') {
      choices.emplace_back();
    } else {
      choices.back() += pattern[i];
    }
  }
  return choices;
}

}  // namespace

std::string choose(Random& random, const std::string& pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{') {
      out += random.of(choices_at(pattern, i));
    } else {
      out += pattern[i];
    }
  }
  return out;
}

std::vector<std::string> expansions(const std::string& pattern) {
  std::vector<std::string> all(1);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      for (std::string& text : all) text += pattern[i];
      continue;
    }
    std::vector<std::string> longer;
    const std::vector<std::string> choices = choices_at(pattern, i);
    for (const std::string& text : all)
      for (const std::string& choice : choices) longer.push_back(text + choice);
    all = std::move(longer);
  }
  return all;
}

}  // namespace warpvp::reference
