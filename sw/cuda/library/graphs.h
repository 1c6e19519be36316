#pragma once
// Graphs: nodes in an order, recorded by capture or made one by one, and launched as often as wanted. All of
// it is the library's: to the simulator a launch of a graph is its commands, put into as many streams as it
// has branches.

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/abi.h"

namespace warpvp::cuda {

/// cudaGraphNodeType.
enum class NodeType : int {
  kKernel = 0,
  kMemcpy = 1,
  kMemset = 2,
  kHost = 3,
  kGraph = 4,
  kEmpty = 5,
  kWait = 6,
  kRecord = 7
};

/// A kernel's launch, with copies of its arguments.
struct KernelCall {
  const void* function = nullptr;
  dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::size_t shared = 0;
  bool cooperative = false;
  std::vector<std::vector<std::uint8_t>> arguments;
};

struct GraphNode {
  NodeType type = NodeType::kEmpty;
  std::vector<GraphNode*> before;          ///< what it waits for
  KernelCall kernel;                       ///< of a kernel node
  std::function<Error(cudaStream_t)> run;  ///< puts it into a stream; empty: nothing is to be done
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< each behind those that it waits for
  GraphNode* add(NodeType type, const std::vector<GraphNode*>& before,
                 std::function<Error(cudaStream_t)> run);
  GraphNode* add_kernel(const KernelCall& call, const std::vector<GraphNode*>& before);
};

/// Copies the arguments as the kernel's parameters have them.
Error read_arguments(const void* function, void** pointers, std::vector<std::vector<std::uint8_t>>& to);
/// Launches it (launch.cpp).
Error launch_now(const KernelCall& call, cudaStream_t stream);

// Capture: what a program puts into a stream that is being captured becomes a node instead.

/// Whether that stream is; cheap where none is.
bool is_captured(cudaStream_t stream);
/// Appends to it.
Error capture(cudaStream_t stream, NodeType type, std::function<Error(cudaStream_t)> run);
Error capture_kernel(cudaStream_t stream, KernelCall call);
/// The event stands for what is in the stream now.
void capture_record(cudaStream_t stream, cudaEvent_t event);
/// Whether the event was recorded in a capture: then the stream joins it, and waits there.
bool capture_wait(cudaStream_t stream, cudaEvent_t event);

}  // namespace warpvp::cuda
