#pragma once
// What the command processor has to know about a kernel: 64 bytes in device memory, written by the loader. A
// dispatch packet's kernel_object is its address; the SMs find the kernel's image through it.

#include <cstdint>

namespace warpvp {

/// Most CTAs of a grid: what the work distributor counts to.
inline constexpr std::uint64_t kMostCtas = std::uint64_t{1} << 40;

struct KernelDescriptor {
  static constexpr std::uint32_t kMagic = 0x4e524b57;  ///< "WKRN"
  std::uint32_t magic = kMagic;
  std::uint32_t registers_per_thread = 0;
  std::uint64_t code_address = 0;
  std::uint32_t code_bytes = 0;
  std::uint32_t param_bytes = 0;  ///< size of the argument block
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t barriers = 0;     ///< named barriers a CTA uses
  std::uint32_t max_threads = 0;  ///< 0: no limit of its own
  std::uint32_t local_bytes_per_thread = 0;
  std::uint64_t image_address = 0;  ///< of the kernel image (docs/kernel-images.md)
  std::uint32_t image_bytes = 0;
  std::uint32_t reserved[3] = {};
};
static_assert(sizeof(KernelDescriptor) == 64);

}  // namespace warpvp
