#pragma once
// The registers of an SM (window regmap::sm): how the work distributor sets it up and hands it CTAs.

#include <cstdint>
#include <functional>
#include <string>

#include "interconnect/launch.h"
#include "interconnect/register_block.h"

namespace warpvp {

/// What the registers do and show. All may be empty: a declaration without an SM behind it.
struct SmRegisterHooks {
  std::function<void(const CtaLaunch&)> launch;
  std::function<void(std::uint32_t launch_id)> kernel_start;
  std::function<void(std::uint32_t bytes)> divide;
  std::function<void(std::uint32_t context)> set_context;
  std::function<void(std::uint64_t base)> set_page_table, set_texture_table, set_local_memory;
  std::function<void(std::uint32_t way)> preempt;
  std::function<void(std::uint32_t state)> resume;
  std::function<void(std::uint32_t on)> functional;
  std::function<void(unsigned kernel_slot, std::uint32_t ctas)> limit;
  std::function<std::uint64_t(unsigned kernel_slot)> instructions;
  std::function<std::uint32_t()> context, shared_bytes, l1_bytes, resident_ctas, resident_warps, waiting_ctas;
};

/// `shared_bytes`: the division at reset.
RegisterBlock make_sm_registers(const SmRegisterHooks& hooks, std::uint32_t shared_bytes);

/// What to say of a CTA of context `came` where the register CONTEXT has `expected`.
std::string wrong_context(std::uint32_t came, std::uint32_t expected);

}  // namespace warpvp
