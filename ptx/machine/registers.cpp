#include "ptx/machine/registers.h"

#include <algorithm>

namespace warpvp::ptx::machine {
namespace {

std::uint64_t product(const std::uint32_t (&n)[3]) { return std::uint64_t{n[0]} * n[1] * n[2]; }

}  // namespace

unsigned registers_without_loss(const ir::Function& f, const SmResources& sm, unsigned registers) {
  std::uint32_t smallest = 32, largest = sm.threads_per_cta;
  if (const std::uint64_t most = product(f.max_threads))
    largest = static_cast<std::uint32_t>(std::min<std::uint64_t>(largest, most));
  if (const std::uint64_t exact = product(f.required_threads))
    smallest = largest = static_cast<std::uint32_t>(std::min<std::uint64_t>(sm.threads_per_cta, exact));
  std::uint32_t most = sm.registers_per_thread;
  if (f.max_registers) most = std::min(most, f.max_registers);
  const auto ctas = [&](std::uint32_t threads, std::uint32_t count) {
    return cta_needs(sm, threads, count, 0, 0).most_ctas;
  };
  const auto as_good = [&](std::uint32_t count) {
    for (std::uint32_t threads = smallest;; threads += 32) {
      threads = std::min(threads, largest);
      if (ctas(threads, count) < ctas(threads, registers)) return false;
      if (threads == largest) return true;
    }
  };
  unsigned result = std::min(registers, most);
  while (result < most && as_good(result + 1)) ++result;
  return result;
}

}  // namespace warpvp::ptx::machine
