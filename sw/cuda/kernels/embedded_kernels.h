#pragma once
// Kernels that libraries for CUDA programs bring along: PTX of sw/kernels in the library itself, loaded when
// it is wanted, and started through the driver API.

#include <array>
#include <string>

#include "sw/cuda/library/driver_functions.h"

/// Puts the text of sw/kernels/FOLDER/NAME.ptx into this object file, as `NAME_ptx`.
#define WARPVP_EMBED_PTX(folder, name)                                                           \
  asm(".pushsection .rodata\n.global " #name "_ptx\n.hidden " #name "_ptx\n" #name               \
      "_ptx: .incbin \"" WARPVP_KERNELS "/" #folder "/" #name ".ptx\"\n.byte 0\n.popsection\n"); \
  extern "C" __attribute__((visibility("hidden"))) const char name##_ptx[]

namespace warpvp::cuda {

using Grid = std::array<unsigned, 3>;

/// CTAs, or whatever is of `size` each, that cover `of`.
inline unsigned parts(long long of, unsigned size) { return static_cast<unsigned>((of + size - 1) / size); }

/// Makes the primary context current where the thread has none. False if there is no device.
bool have_context();

/// Starts a kernel of the text in a stream; a grid of nothing does nothing. `arguments`: the address of each.
/// Returns what the driver API does; kNoSuchKernel if the text has not this kernel.
inline constexpr CUresult kNoSuchKernel = 500;
CUresult start_kernel(const char* ptx, const std::string& name, const Grid& grid, const Grid& block,
                      CUstream stream, void** arguments);
template <class... Arguments>
CUresult start_kernel(const char* ptx, const std::string& name, const Grid& grid, const Grid& block,
                      CUstream stream, Arguments... arguments) {
  void* all[] = {&arguments...};
  return start_kernel(ptx, name, grid, block, stream, static_cast<void**>(all));
}

/// Copies a result to the host behind what the stream has, and waits for it. Of a stream that is captured the
/// copy becomes part of the graph, and nothing waits.
CUresult copy_result(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);

}  // namespace warpvp::cuda
