#pragma once
// Parameters of graph nodes as both APIs lay them out.

#include <cstddef>
#include <cstdint>

#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/graph.h"

namespace warpvp::cuda {

/// cudaMemsetParams; CUDA_MEMSET_NODE_PARAMS, behind which a context may follow.
struct MemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
};
/// cudaHostNodeParams, CUDA_HOST_NODE_PARAMS.
struct HostNodeParams {
  void (*fn)(void*);
  void* userData;
};
/// cudaMemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS.
struct MemAllocNodeParams {
  char pool[88];
  const void* access;
  std::size_t accesses, bytes;
  void* address;
};
/// cudaConditionalNodeParams; CUDA_CONDITIONAL_NODE_PARAMS, behind which a context follows.
struct ConditionalNodeParams {
  std::uint64_t handle;
  int type;
  unsigned size;
  void** bodies;
};
/// cudaChildGraphNodeParams.
struct ChildGraphNodeParams {
  void* graph;
  int ownership;
};
/// cudaGraphNodeParams and CUgraphNodeParams; K and C: of kernels and of copies.
template <class K, class C>
struct GraphNodeParams {
  int type;
  int reserved0[3];
  union {
    long long room[29];
    K kernel;
    C copy;
    MemsetParams memset;
    HostNodeParams host;
    ChildGraphNodeParams child;
    cudaEvent_t event;
    MemAllocNodeParams allocation;
    void* freed;
    ConditionalNodeParams conditional;
  };
  long long reserved1;
};

inline Error read(const MemsetParams* p, Fill& fill) {
  if (p == nullptr || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return kInvalidValue;
  fill = {p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
  return kSuccess;
}
inline Error write(const Fill& fill, MemsetParams* p) {
  if (p == nullptr) return kInvalidValue;
  *p = {fill.at, fill.pitch, fill.value, fill.element, fill.width, fill.height};
  return kSuccess;
}
inline Error read(const HostNodeParams* p, HostCall& host) {
  if (p == nullptr || p->fn == nullptr) return kInvalidValue;
  host = {p->fn, p->userData};
  return kSuccess;
}
inline Error write(const HostCall& host, HostNodeParams* p) {
  if (p == nullptr) return kInvalidValue;
  *p = {host.function, host.data};
  return kSuccess;
}
inline Error read(cudaEvent_t event, NodeWork& work) {
  EventObject found;
  const Error error = find(event, found);
  if (error == kSuccess) work.event = event;
  return error;
}
template <class T>
Error write(const T& value, T* to) {
  if (to == nullptr) return kInvalidValue;
  *to = value;
  return kSuccess;
}
inline Error write(const GraphMemory& memory, MemAllocNodeParams* p) {
  if (p == nullptr) return kInvalidValue;
  *p = {};
  p->bytes = memory.bytes();
  p->address = reinterpret_cast<void*>(memory.address());
  return kSuccess;
}
/// Attributes of a kernel node, by their numbers (cudaLaunchAttributeID).
Error set_attribute(GraphNode& node, int attribute, const void* value);
Error get_attribute(const GraphNode& node, int attribute, void* value);
Error copy_attributes(const void* from, const void* to);

/// Where the bytes of each argument are, for a program that asks: until the node's parameters change.
template <class Sizes>
void** argument_pointers(GraphNode& node, const Sizes& sizes) {
  node.argument_pointers.clear();
  std::size_t at = 0;
  for (const std::size_t bytes : sizes) {
    node.argument_pointers.push_back(node.work.kernel.arguments.data() + at);
    at += bytes;
  }
  return node.argument_pointers.data();
}

/// What a node of one of these types does, as cudaGraphAddNode describes it, kernels and copies apart: those
/// are `work` already. `handled`: whether it was added.
template <class Params>
Error add_described(void* graph, GraphNode* const* before, std::size_t count, Params& p, NodeWork work,
                    GraphNode** node) {
  const auto type = static_cast<NodeType>(p.type);
  Error error = kSuccess;
  switch (type) {
    case NodeType::kKernel:
    case NodeType::kMemcpy:
    case NodeType::kEmpty:
      break;
    case NodeType::kMemset:
      error = read(&p.memset, work.fill);
      break;
    case NodeType::kHost:
      error = read(&p.host, work.host);
      break;
    case NodeType::kWait:
    case NodeType::kRecord:
      error = read(p.event, work);
      break;
    case NodeType::kGraph:
      return p.child.ownership != 0 ? kNotSupported
                                    : add_child_node(graph, before, count, p.child.graph, node);
    case NodeType::kAllocate:
      return add_allocation(graph, before, count, p.allocation.bytes, &p.allocation.address, node);
    case NodeType::kFree:
      return add_free(graph, before, count, p.freed, node);
    case NodeType::kConditional:
      return add_conditional_node(graph, before, count, p.conditional.handle, p.conditional.type,
                                  p.conditional.size, &p.conditional.bodies, node);
    default:
      return kNotSupported;
  }
  return error != kSuccess ? error : add_node(graph, before, count, type, std::move(work), node);
}
/// Gives a node other work of its type; the same apart from kernels and copies.
template <class Params>
Error set_described(GraphNode* node, Params& p, NodeWork work) {
  if (node == nullptr || static_cast<int>(node->type) != p.type) return kInvalidValue;
  Error error = kSuccess;
  switch (node->type) {
    case NodeType::kKernel:
    case NodeType::kMemcpy:
      break;
    case NodeType::kMemset:
      error = read(&p.memset, work.fill);
      break;
    case NodeType::kHost:
      error = read(&p.host, work.host);
      break;
    case NodeType::kWait:
    case NodeType::kRecord:
      error = read(p.event, work);
      break;
    default:
      return kNotSupported;
  }
  if (error == kSuccess) node->work = std::move(work);
  return error;
}

}  // namespace warpvp::cuda
