#include "sw/cuda/fft/plan.h"

WARPVP_EMBED_PTX(fft, fft);

namespace warpvp::cuda::fft {

const char* kernels() { return fft_ptx; }

}  // namespace warpvp::cuda::fft
