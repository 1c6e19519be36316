#pragma once
// The kernels of cuRAND's functions.

#include "sw/cuda/rand/generator.h"

namespace warpvp::cuda::rand {

/// PTX of sw/kernels/rand.
const char* kernels();

}  // namespace warpvp::cuda::rand
