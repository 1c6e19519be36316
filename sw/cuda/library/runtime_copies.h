#pragma once
// Copies of blocks as the runtime API describes them.

#include "sw/cuda/library/arrays.h"

namespace warpvp::cuda {

/// kInvalidResourceHandle: an array is none.
Error read_block(const cudaMemcpy3DParms* parameters, BlockCopy& what);
Error write_block(const BlockCopy& what, cudaMemcpy3DParms* parameters);
/// Puts it into the stream, or into the graph that that is captured for.
cudaError_t put_copy(const BlockCopy& what, cudaStream_t stream);
/// A copy between two places of which each is a run of bytes, one of them in a variable.
Error copy_of_symbol(const void* symbol, std::size_t offset, const void* other, std::size_t bytes,
                     cudaMemcpyKind kind, bool to_symbol, BlockCopy& what);

/// A launch as a node has it.
struct KernelCall;
Error read_call(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                bool cooperative, KernelCall& call);

}  // namespace warpvp::cuda
