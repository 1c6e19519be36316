#pragma once
// What the SMs know of kernels: programs decoded from the images in device memory (ptx/image). One for all
// SMs of a device, as the same bytes give the same program; that it decodes once is the host's gain and shows
// nowhere.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interconnect/device_memory.h"
#include "ptx/program.h"

namespace warpvp {

class KernelImages {
 public:
  explicit KernelImages(DeviceMemory& memory) : memory_(memory) {}

  struct Found {
    std::shared_ptr<const ptx::Program> program;
    std::string problem;  ///< where there is no program: why, in one line
  };
  /// The program of the kernel whose descriptor lies at `kernel_object`, for CTAs of `launch`. Descriptor and
  /// image are read for the first CTA of each launch that is later than those before; a launch that has begun
  /// keeps its program, whatever is written there. Image bytes that have not changed give the same Program.
  /// May be called by several threads.
  Found find(std::uint64_t kernel_object, std::uint32_t launch);

 private:
  struct Image {
    std::vector<std::uint8_t> bytes;
    std::shared_ptr<const ptx::Program> program;
  };
  struct Kernel {
    std::uint32_t checked = 0;  ///< the latest launch for which memory was read
    /// By the first launch that has it, ascending.
    std::vector<std::pair<std::uint32_t, std::shared_ptr<const ptx::Program>>> programs;
  };

  std::shared_ptr<const ptx::Program> decode(std::uint64_t kernel_object);

  DeviceMemory& memory_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Kernel> kernels_;  // by kernel object
  std::unordered_map<std::uint64_t, Image> images_;    // by address
};

}  // namespace warpvp
