#pragma once
// How many CTAs of a kernel fit an SM, by the rules of the CUDA occupancy calculator (CUDA C++ Programming
// Guide, "Multiprocessor Level" and "Technical Specifications per Compute Capability").

#include <cstdint>
#include <string>

namespace warpvp::ptx {

/// What an SM has. The defaults are those of compute capability 7.0.
struct SmLimits {
  std::uint32_t max_threads = 2048;
  std::uint32_t max_warps = 64;
  std::uint32_t max_ctas = 32;
  std::uint32_t max_threads_per_cta = 1024;
  std::uint32_t registers = 65536;  ///< 32-bit registers
  std::uint32_t max_registers_per_thread = 255;
  std::uint32_t register_unit = 256;  ///< registers a warp is given at a time
  std::uint32_t warp_unit = 4;        ///< register-file partitions; each holds whole warps
  std::uint32_t shared_bytes = 98304;
  std::uint32_t max_shared_per_cta = 98304;
  std::uint32_t shared_unit = 256;    ///< shared memory is given in units of so many bytes
  std::uint32_t reserved_shared = 0;  ///< bytes every CTA takes beside its own
  std::uint32_t barriers = 0;         ///< named barriers of the SM; 0: not a limit
};

/// What a CTA needs.
struct CtaNeeds {
  std::uint32_t threads = 1;
  std::uint32_t registers_per_thread = 1;
  std::uint32_t shared_bytes = 0;  ///< static and dynamic
  std::uint32_t barriers = 0;
};

enum class Limiter : std::uint8_t { kCtas, kWarps, kRegisters, kShared, kBarriers };
const char* limiter_name(Limiter l);

struct Occupancy {
  std::uint32_t ctas = 0;   ///< per SM; 0: such a CTA can never run
  std::uint32_t warps = 0;  ///< per SM
  Limiter limiter = Limiter::kCtas;
  std::uint32_t by_ctas = 0, by_warps = 0, by_registers = 0, by_shared = 0,
                by_barriers = 0;  ///< each limit alone
};

/// Registers a warp of the kernel occupies.
std::uint32_t registers_per_warp(const SmLimits& sm, std::uint32_t registers_per_thread);

Occupancy occupancy(const SmLimits& sm, const CtaNeeds& cta);

}  // namespace warpvp::ptx
