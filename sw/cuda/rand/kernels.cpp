#include "sw/cuda/rand/generator.h"

WARPVP_EMBED_PTX(rand, generate);

namespace warpvp::cuda::rand {

const char* kernels() { return generate_ptx; }

}  // namespace warpvp::cuda::rand
