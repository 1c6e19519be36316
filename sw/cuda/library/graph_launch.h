#pragma once
// Executables: graphs as they were when they were instantiated, and their launches.

#include <unordered_map>

#include "sw/cuda/library/graph.h"

namespace warpvp::cuda {

/// What becomes of a node: its commands in a stream (kernels, copies, fills), or what it does to events and
/// the program.
Error run_kernel(const NodeWork& work, cudaStream_t stream);
Error run_copy(const NodeWork& work, cudaStream_t stream);
/// As the program puts it into a stream itself: see returns_late (copies.h).
Error copy_in_stream(const NodeWork& work, cudaStream_t stream);
Error run_fill(const NodeWork& work, cudaStream_t stream);
/// What is before it in the stream has ended when the function runs, and the caller waits for it: an order
/// that CUDA allows.
Error run_host(const NodeWork& work, cudaStream_t stream);

struct Executable : Listed<Executable> {
  Graph graph;  ///< child graphs among its nodes
  unsigned long long flags = 0;
  std::unordered_map<const GraphNode*, GraphNode*> copies;  ///< by the nodes that they were made of
  std::vector<cudaStream_t> branches;                       ///< beside the one that it is launched in
  std::vector<cudaEvent_t> events;                          ///< by node, and one more for the beginning
  std::unordered_map<const GraphNode*, std::vector<std::unique_ptr<Executable>>>
      bodies;  ///< of conditional nodes
  ~Executable();
};

Error instantiate(void** executable, void* graph, unsigned long long flags);
Error launch_graph(void* executable, cudaStream_t stream);
Error destroy_executable(void* executable);
Error flags_of(const void* executable, unsigned long long* flags);
/// The node of the executable that was made of this one; kInvalidValue where it is not of that type.
Error find_copy(void* executable, const void* node, NodeType type, GraphNode*& copy);

/// f(node) of the node, if it is of that type, or of the executable's that was made of it.
template <class F>
Error with_node(const void* handle, NodeType type, F&& f) {
  GraphNode* node = nullptr;
  const Error error = find_node(handle, type, node);
  return error != kSuccess ? error : f(*node);
}
template <class F>
Error with_copy(void* executable, const void* handle, NodeType type, F&& f) {
  GraphNode* node = nullptr;
  const Error error = find_copy(executable, handle, type, node);
  return error != kSuccess ? error : f(*node);
}

/// One of any type that does something by itself.
Error set_enabled(void* executable, const void* node, bool enabled);
Error is_enabled(void* executable, const void* node, unsigned* enabled);
/// Takes over what the nodes of another child graph, of the same form, do.
Error update_child(void* executable, const void* node, void* child);

enum class UpdateResult : int { kSuccess = 0, kError = 1, kTopologyChanged = 2, kNodeTypeChanged = 3 };
struct Updated {
  UpdateResult result = UpdateResult::kSuccess;
  GraphNode* node = nullptr;  ///< of the graph, that does not fit
};
/// Takes over what the nodes of a graph of the same form do. kUpdateFailure: it has another form.
Error update_executable(void* executable, void* graph, Updated& updated);

}  // namespace warpvp::cuda
