#include "interconnect/policy_context.h"

#include <fmt/format.h>

#include <cctype>
#include <stdexcept>
#include <utility>

namespace warpvp {

PolicyRegisters PolicyRegisters::none(std::string block) {
  PolicyRegisters registers;
  registers.absent_ = std::move(block);
  return registers;
}

PolicyRegisters PolicyRegisters::window(std::string kind, std::uint64_t base, std::uint64_t bytes,
                                        Take take) {
  for (char& c : kind) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return {bytes, [take = std::move(take), kind = std::move(kind), base](RegisterSpec spec) {
            spec.name = kind + "_" + spec.name;
            spec.offset += base;
            take(std::move(spec));
          }};
}

void PolicyRegisters::add(RegisterSpec spec) const {
  if (!absent_.empty())
    throw std::logic_error(fmt::format(
        "register {}: {} is not on the register bus, so its policies have none", spec.name, absent_));
  const std::uint64_t last =
      spec.offset + (spec.count - 1) * spec.stride + std::uint64_t{spec.width} * spec.repeat;
  if (take_ && last > bytes_)
    throw std::logic_error(fmt::format(
        "register {} ends at byte {} of its policy's window; allowed: up to {}", spec.name, last, bytes_));
  if (take_) take_(std::move(spec));
}

}  // namespace warpvp
