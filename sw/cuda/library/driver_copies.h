#pragma once
// Copies of blocks and launches as the driver API describes them.

#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/driver_abi.h"
#include "sw/cuda/library/graph.h"

namespace warpvp::cuda {

/// kInvalidValue: a side is none, or narrower than the block.
Error read_block(const CUDA_MEMCPY3D* what, BlockCopy& block);
Error write_block(const BlockCopy& block, CUDA_MEMCPY3D* what);

/// A launch as a node has it; its arguments one by one, or packed as `extra` says.
Error read_call(CUfunction function, const Launch& shape, void** arguments, void** extra, KernelCall& call);

}  // namespace warpvp::cuda
