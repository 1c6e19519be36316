#pragma once
// A plan of cuFFT: what is transformed, the tables it needs, and the launches that do it.

#include <memory>
#include <vector>

#include "sw/cuda/fft/abi.h"
#include "sw/cuda/kernels/device_memory.h"
#include "sw/cuda/kernels/embedded_kernels.h"
#include "sw/kernels/fft/steps.h"

namespace warpvp::cuda::fft {

using namespace fft_kernels;

/// Where a program's numbers are, on one side, if it says so itself (advanced data layout).
struct Embedding {
  bool given = false;
  long long n[3] = {1, 1, 1};  ///< the first does not matter
  long long stride = 1, distance = 1;
};

struct Request {
  cufftType type = CUFFT_C2C;
  long long n[3] = {1, 1, 1};  ///< the last is that of rows
  long long batches = 1;
  Embedding in, out;
};

inline bool is_double(cufftType type) { return type >= CUFFT_Z2Z; }
inline bool from_real(cufftType type) { return type == CUFFT_R2C || type == CUFFT_D2Z; }
inline bool to_real(cufftType type) { return type == CUFFT_C2R || type == CUFFT_Z2D; }

/// Transforms in single (float) or double precision.
class Transforms {
 public:
  virtual ~Transforms() = default;
  /// Bytes of scratch memory that `run` needs.
  virtual std::size_t scratch_bytes() const = 0;
  virtual cufftResult run(CUstream stream, void* in, void* out, bool inverse, void* scratch) const = 0;
};
/// CUFFT_ALLOC_FAILED or another error where the tables cannot be made.
cufftResult make_transforms(const Request& request, std::unique_ptr<Transforms>* made);

/// PTX of sw/kernels/fft.
const char* kernels();

}  // namespace warpvp::cuda::fft
