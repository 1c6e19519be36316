#include "sw/apps/inputs.h"

#include <random>

namespace warpvp::apps {

struct Inputs::Engine : std::mt19937_64 {
  using std::mt19937_64::mt19937_64;
};

Inputs::Inputs(std::uint64_t seed, std::uint64_t salt)
    : engine_(std::make_unique<Engine>(seed * 0x9e3779b97f4a7c15ull + salt * 0xbf58476d1ce4e5b9ull + 1)) {}
Inputs::~Inputs() = default;

std::uint64_t Inputs::next() { return (*engine_)(); }

std::vector<std::int32_t> gnu_rand(std::size_t count) {
  // A ring of 31 words by a multiplicative generator from seed 1, whose words, from the fourth on and round
  // and round, have the word three places before added. The first 310 sums are thrown away.
  constexpr std::size_t kWords = 31, kFirst = kWords + 3, kThrownAway = 310;
  std::vector<std::uint32_t> words(kWords);
  std::uint64_t seed = 1;
  for (std::uint32_t& word : words) {
    word = static_cast<std::uint32_t>(seed);
    seed = seed * 16807 % 0x7fffffff;
  }
  words.insert(words.end(), {words[0], words[1], words[2]});
  while (words.size() < kFirst + kThrownAway + count)
    words.push_back(words[words.size() - kWords] + words[words.size() - 3]);
  std::vector<std::int32_t> out;
  for (std::size_t i = kFirst + kThrownAway; i < words.size(); ++i)
    out.push_back(static_cast<std::int32_t>(words[i] >> 1));
  return out;
}

}  // namespace warpvp::apps
