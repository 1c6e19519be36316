#pragma once
// What an SM has to give to CTAs, and what a CTA takes: the rules of CUDA's occupancy calculation (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability", and the toolkit's cuda_occupancy.h),
// in one place for the work distributor's bookkeeping, the runtime's launch checks and `warpvp ptx`. The
// defaults are those of compute capability 7.0.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"

namespace warpvp {

/// Resources of one SM.
struct SmResources {
  std::uint32_t ctas = 32;
  std::uint32_t warps = 64;
  std::uint32_t threads = 2048;
  std::uint32_t registers = 65536;
  std::uint32_t register_unit = 256;  ///< registers are dealt to a warp in multiples of this
  std::uint32_t register_banks = 4;   ///< the file is split evenly; a warp's registers lie in one part
  std::uint32_t shared_bytes = 98304;
  std::uint32_t shared_bytes_per_cta = 98304;
  std::uint32_t shared_unit = 256;  ///< shared memory is dealt to a CTA in multiples of this
  /// What shared memory can have of an array that it divides with the L1; empty: always shared_bytes.
  std::vector<std::uint32_t> shared_options_kib;
  std::string shared_grows = "anytime";
  std::uint32_t barriers = 512;  ///< named barriers
  std::uint32_t threads_per_cta = 1024;
  std::uint32_t registers_per_thread = 255;

  /// L1 and shared memory divide one array by what kernels need.
  bool adaptive() const { return !shared_options_kib.empty(); }
  /// Shared memory may take from the L1 while CTAs are resident.
  bool grows_anytime() const { return shared_grows == "anytime"; }
  /// Bytes of the smallest division with at least `bytes` of shared memory; the greatest there is when none
  /// has.
  std::uint32_t division_for(std::uint64_t bytes) const {
    for (std::uint32_t kib : shared_options_kib)
      if (std::uint64_t{kib} * 1024 >= bytes) return kib * 1024;
    return shared_bytes;
  }

  void fields(FieldVisitor& v) {
    v.field("ctas", ctas, "", "CTA slots.", Constraint::range(1, 1024));
    v.field("warps", warps, "", "Warp slots.", Constraint::range(1, 1024));
    v.field("threads", threads, "", "Threads resident at once.", Constraint::range(32, 32768));
    v.field("registers", registers, "", "32-bit registers in the register file.",
            Constraint::range(256, 16777216));
    v.field("register_unit", register_unit, "", "Registers are dealt to a warp in multiples of this.",
            Constraint::pow2(1, 65536));
    v.field("register_banks", register_banks, "",
            "Equal parts of the register file; all registers of one warp lie in one part.",
            Constraint::range(1, 64));
    v.field("shared_bytes", shared_bytes, "bytes", "Shared memory.", Constraint::range(0, 16777216));
    v.field("shared_bytes_per_cta", shared_bytes_per_cta, "bytes", "Most shared memory one CTA can have.",
            Constraint::range(0, 16777216));
    v.field("shared_unit", shared_unit, "bytes", "Shared memory is dealt to a CTA in multiples of this.",
            Constraint::pow2(1, 65536));
    v.field("shared_options_kib", shared_options_kib, "KiB",
            "Sizes that shared memory can have of the array that it divides with the L1, ascending, the last "
            "one equal to shared_bytes; empty: always shared_bytes. An SM takes the smallest that lets each "
            "running kernel reach its occupancy.",
            Constraint::range(0, 16384));
    v.field("shared_grows", shared_grows,
            "When a kernel that needs more shared memory than the division has gets it: anytime, at the L1's "
            "expense, or when_empty, after the SM's CTAs have ended.",
            Constraint::words({"anytime", "when_empty"}));
    bool ascending = true;
    for (std::size_t i = 1; i < shared_options_kib.size(); ++i)
      ascending = ascending && shared_options_kib[i - 1] < shared_options_kib[i];
    v.require(ascending, "shared_options_kib", "must be ascending");
    v.require(
        !adaptive() || shared_options_kib.back() * 1024 == shared_bytes, "shared_options_kib",
        "the last one must be resources.shared_bytes; for a fixed division set shared_options_kib: [] and "
        "memory.l1.unified_kib: 0");
    v.field("barriers", barriers, "", "Named barriers of all resident CTAs together.",
            Constraint::range(1, 65536));
    v.field("threads_per_cta", threads_per_cta, "", "Most threads in one CTA.", Constraint::range(32, 4096));
    v.field("registers_per_thread", registers_per_thread, "",
            "Most registers one thread can be given; a kernel that needs more is counted with this number.",
            Constraint::range(16, 65535));
    v.require(threads_per_cta <= threads && threads_per_cta <= warps * 32, "threads_per_cta",
              "a CTA of this size does not fit the SM's threads and warps");
    v.require(shared_bytes_per_cta <= shared_bytes, "shared_bytes_per_cta",
              "more than the SM's shared_bytes");
  }
};

/// What one CTA of a kernel takes from an SM, rounded to the units of allocation.
struct CtaNeeds {
  std::uint32_t threads = 0, warps = 0, registers = 0, shared_bytes = 0, barriers = 0;
  std::uint32_t most_ctas = 0;  ///< CTAs of this kernel that fit an otherwise empty SM: its occupancy
  const char* limited_by = "";  ///< the resource that sets most_ctas
};

/// What the CTAs that are on an SM have taken of it together.
struct SmUse {
  std::uint32_t ctas = 0, warps = 0, threads = 0, registers = 0, shared_bytes = 0, barriers = 0;

  bool has_room(const SmResources& sm, const CtaNeeds& cta) const {
    return ctas < sm.ctas && warps + cta.warps <= sm.warps && threads + cta.threads <= sm.threads &&
           registers + cta.registers <= sm.registers && shared_bytes + cta.shared_bytes <= sm.shared_bytes &&
           barriers + cta.barriers <= sm.barriers;
  }
  void take(const CtaNeeds& cta) { change(cta, 1); }
  void give_back(const CtaNeeds& cta) { change(cta, ~0u); }

 private:
  void change(const CtaNeeds& cta, std::uint32_t sign) {  // modulo 2^32
    ctas += sign;
    warps += sign * cta.warps;
    threads += sign * cta.threads;
    registers += sign * cta.registers;
    shared_bytes += sign * cta.shared_bytes;
    barriers += sign * cta.barriers;
  }
};

/// `shared_bytes`: static and dynamic together.
inline CtaNeeds cta_needs(const SmResources& sm, std::uint32_t threads, std::uint32_t registers_per_thread,
                          std::uint32_t shared_bytes, std::uint32_t barriers) {
  const auto round_up = [](std::uint64_t v, std::uint64_t unit) { return (v + unit - 1) / unit * unit; };
  const std::uint32_t given = std::min(std::max(registers_per_thread, 1u), sm.registers_per_thread);
  const std::uint64_t warp_registers = round_up(std::uint64_t{given} * 32, sm.register_unit);
  CtaNeeds n;
  n.warps = (threads + 31) / 32;
  n.threads = n.warps * 32;
  n.registers = static_cast<std::uint32_t>(std::min<std::uint64_t>(n.warps * warp_registers, 0xffffffffu));
  n.shared_bytes = static_cast<std::uint32_t>(round_up(shared_bytes, sm.shared_unit));
  n.barriers = barriers;
  if (threads == 0 || threads > sm.threads_per_cta) {
    n.limited_by = "threads per CTA";
    return n;
  }
  if (shared_bytes > sm.shared_bytes_per_cta) {
    n.limited_by = "shared memory per CTA";
    return n;
  }
  n.most_ctas = sm.ctas;
  n.limited_by = "CTA slots";
  const auto limit = [&](std::uint64_t ctas, const char* what) {
    if (ctas >= n.most_ctas) return;
    n.most_ctas = static_cast<std::uint32_t>(ctas);
    n.limited_by = what;
  };
  limit(sm.warps / n.warps, "warps");
  limit(sm.threads / n.threads, "threads");
  // Each part of the register file holds a whole number of warps.
  limit(sm.registers / sm.register_banks / warp_registers * sm.register_banks / n.warps, "registers");
  if (n.shared_bytes > 0) limit(sm.shared_bytes / n.shared_bytes, "shared memory");
  if (n.barriers > 0) limit(sm.barriers / n.barriers, "barriers");
  return n;
}

}  // namespace warpvp
