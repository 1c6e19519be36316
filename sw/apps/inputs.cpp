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

}  // namespace warpvp::apps
