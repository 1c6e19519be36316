// Graphs (graph.h) as the runtime API has them: capture, graphs, and nodes of each kind.

#include <cstring>

#include "sw/cuda/library/graph.h"
#include "sw/cuda/library/graph_abi.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"
#include "sw/cuda/library/program.h"
#include "sw/cuda/library/runtime_copies.h"

using namespace warpvp::cuda;

namespace {

/// As cudaKernelNodeParams.
struct KernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
/// As cudaMemcpyNodeParams.
struct MemcpyNodeParams {
  int flags, reserved[3];
  cudaMemcpy3DParms copyParams;
};
using NodeParams = GraphNodeParams<KernelNodeParams, MemcpyNodeParams>;
static_assert(sizeof(NodeParams) == 256, "as cudaGraphNodeParams");

Error read(const KernelNodeParams* p, KernelCall& call) {
  if (p == nullptr) return kInvalidValue;
  if (p->kernelParams == nullptr && p->extra != nullptr) return kNotSupported;
  return read_call(p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, false, call);
}
Error read(const NodeParams& p, NodeWork& work) {
  if (p.type == static_cast<int>(NodeType::kKernel)) return read(&p.kernel, work.kernel);
  if (p.type == static_cast<int>(NodeType::kMemcpy)) return read_block(&p.copy.copyParams, work.copy);
  return kSuccess;
}

Error set_kernel(GraphNode& node, const KernelNodeParams* parameters) {
  KernelCall call;
  if (const Error error = read(parameters, call)) return error;
  call.what.cooperative = node.work.kernel.what.cooperative;  // an attribute
  node.work.kernel = call;
  return kSuccess;
}
Error set_copy(GraphNode& node, const BlockCopy& what) {
  node.work.copy = what;
  return kSuccess;
}
cudaError_t add_copy(GraphNode** node, void* graph, GraphNode* const* before, std::size_t count,
                     const BlockCopy& what) {
  NodeWork work;
  work.copy = what;
  return done(add_node(graph, before, count, NodeType::kMemcpy, work, node));
}
/// One from or to a variable.
struct SymbolCopy {
  BlockCopy block;
  Error error;
  SymbolCopy(const void* symbol, std::size_t offset, const void* other, std::size_t bytes,
             cudaMemcpyKind kind, bool to_symbol)
      : error(copy_of_symbol(symbol, offset, other, bytes, kind, to_symbol, block)) {}
  Error give(GraphNode& node) const { return error != kSuccess ? error : set_copy(node, block); }
};

}  // namespace

/// The parameters that all functions which add a node begin with.
#define ADDED GraphNode **node, void *graph, GraphNode *const *before, std::size_t count

// ---- capture

WARPVP_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int) {
  return done(begin_capture(stream));
}
WARPVP_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, void* graph,
                                                     GraphNode* const* before, const void* edges,
                                                     std::size_t count, int) {
  const Error error = check_edges(edges, count);
  return done(error != kSuccess ? error : begin_capture_to(stream, graph, before, count));
}
WARPVP_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, void** graph) {
  return done(end_capture(stream, graph));
}
WARPVP_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int* status) {
  if (status == nullptr) return done(kInvalidValue);
  *status = is_captured(stream);  // cudaStreamCaptureStatusActive is 1
  return kSuccess;
}
WARPVP_API cudaError_t cudaThreadExchangeStreamCaptureMode(int*) { return kSuccess; }

// ---- graphs

WARPVP_API cudaError_t cudaGraphCreate(void** graph, unsigned flags) {
  return done(create_graph(flags, graph));
}
WARPVP_API cudaError_t cudaGraphDestroy(void* graph) { return done(destroy_graph(graph)); }
WARPVP_API cudaError_t cudaGraphClone(void** clone, void* graph) { return done(clone_graph(clone, graph)); }
WARPVP_API cudaError_t cudaGraphNodeFindInClone(GraphNode** node, const void* original, void* clone) {
  return done(find_in_clone(node, original, clone));
}
WARPVP_API cudaError_t cudaGraphDestroyNode(void* node) { return done(destroy_node(node)); }
WARPVP_API cudaError_t cudaGraphGetNodes(void* graph, GraphNode** nodes, std::size_t* count) {
  return done(list_nodes(graph, nodes, count, false));
}
WARPVP_API cudaError_t cudaGraphGetRootNodes(void* graph, GraphNode** nodes, std::size_t* count) {
  return done(list_nodes(graph, nodes, count, true));
}
WARPVP_API cudaError_t cudaGraphNodeGetType(const void* node, NodeType* type) {
  return done(type_of(node, type));
}

// ---- kernels

WARPVP_API cudaError_t cudaGraphAddKernelNode(ADDED, const KernelNodeParams* parameters) {
  NodeWork work;
  if (const Error error = read(parameters, work.kernel)) return done(error);
  return done(add_node(graph, before, count, NodeType::kKernel, work, node));
}
WARPVP_API cudaError_t cudaGraphKernelNodeGetParams(void* node, KernelNodeParams* parameters) {
  GraphNode* found = nullptr;
  Error error = find_node(node, NodeType::kKernel, found);
  if (error != kSuccess) return done(error);
  if (parameters == nullptr) return done(kInvalidValue);
  const KernelCall& call = found->work.kernel;
  const KernelOfProgram* const kernel = find_kernel(call.function, error);
  if (kernel == nullptr) return done(error);
  const std::uint32_t *g = call.what.grid, *b = call.what.block;
  *parameters = {const_cast<void*>(call.function),
                 {g[0], g[1], g[2]},
                 {b[0], b[1], b[2]},
                 call.what.dynamic_shared_bytes,
                 argument_pointers(*found, kernel->parameters),
                 nullptr};
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphKernelNodeSetParams(void* node, const KernelNodeParams* parameters) {
  return done(with_node(node, NodeType::kKernel, [&](GraphNode& n) { return set_kernel(n, parameters); }));
}
WARPVP_API cudaError_t cudaGraphExecKernelNodeSetParams(void* executable, const void* node,
                                                        const KernelNodeParams* parameters) {
  return done(with_copy(executable, node, NodeType::kKernel,
                        [&](GraphNode& n) { return set_kernel(n, parameters); }));
}
WARPVP_API cudaError_t cudaGraphKernelNodeSetAttribute(void* node, int attribute, const void* value) {
  return done(
      with_node(node, NodeType::kKernel, [&](GraphNode& n) { return set_attribute(n, attribute, value); }));
}
WARPVP_API cudaError_t cudaGraphKernelNodeGetAttribute(void* node, int attribute, void* value) {
  return done(
      with_node(node, NodeType::kKernel, [&](GraphNode& n) { return get_attribute(n, attribute, value); }));
}
WARPVP_API cudaError_t cudaGraphKernelNodeCopyAttributes(void* from, void* to) {
  return done(copy_attributes(from, to));
}

// ---- copies

WARPVP_API cudaError_t cudaGraphAddMemcpyNode(ADDED, const cudaMemcpy3DParms* parameters) {
  BlockCopy what;
  const Error error = read_block(parameters, what);
  return error != kSuccess ? done(error) : add_copy(node, graph, before, count, what);
}
WARPVP_API cudaError_t cudaGraphAddMemcpyNode1D(ADDED, void* to, const void* from, std::size_t bytes,
                                                cudaMemcpyKind kind) {
  return add_copy(node, graph, before, count, plain_copy(to, from, bytes, kind));
}
WARPVP_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(ADDED, const void* symbol, const void* from,
                                                      std::size_t bytes, std::size_t offset,
                                                      cudaMemcpyKind kind) {
  const SymbolCopy copy(symbol, offset, from, bytes, kind, true);
  return copy.error != kSuccess ? done(copy.error) : add_copy(node, graph, before, count, copy.block);
}
WARPVP_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(ADDED, void* to, const void* symbol,
                                                        std::size_t bytes, std::size_t offset,
                                                        cudaMemcpyKind kind) {
  const SymbolCopy copy(symbol, offset, to, bytes, kind, false);
  return copy.error != kSuccess ? done(copy.error) : add_copy(node, graph, before, count, copy.block);
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeGetParams(void* node, cudaMemcpy3DParms* parameters) {
  return done(
      with_node(node, NodeType::kMemcpy, [&](GraphNode& n) { return write_block(n.work.copy, parameters); }));
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeSetParams(void* node, const cudaMemcpy3DParms* parameters) {
  return done(
      with_node(node, NodeType::kMemcpy, [&](GraphNode& n) { return read_block(parameters, n.work.copy); }));
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeSetParams1D(void* node, void* to, const void* from,
                                                      std::size_t bytes, cudaMemcpyKind kind) {
  return done(with_node(node, NodeType::kMemcpy,
                        [&](GraphNode& n) { return set_copy(n, plain_copy(to, from, bytes, kind)); }));
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(void* node, const void* symbol, const void* from,
                                                            std::size_t bytes, std::size_t offset,
                                                            cudaMemcpyKind kind) {
  return done(with_node(node, NodeType::kMemcpy, [&](GraphNode& n) {
    return SymbolCopy(symbol, offset, from, bytes, kind, true).give(n);
  }));
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(void* node, void* to, const void* symbol,
                                                              std::size_t bytes, std::size_t offset,
                                                              cudaMemcpyKind kind) {
  return done(with_node(node, NodeType::kMemcpy, [&](GraphNode& n) {
    return SymbolCopy(symbol, offset, to, bytes, kind, false).give(n);
  }));
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParams(void* executable, const void* node,
                                                        const cudaMemcpy3DParms* parameters) {
  return done(with_copy(executable, node, NodeType::kMemcpy,
                        [&](GraphNode& n) { return read_block(parameters, n.work.copy); }));
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(void* executable, const void* node, void* to,
                                                          const void* from, std::size_t bytes,
                                                          cudaMemcpyKind kind) {
  return done(with_copy(executable, node, NodeType::kMemcpy,
                        [&](GraphNode& n) { return set_copy(n, plain_copy(to, from, bytes, kind)); }));
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(void* executable, const void* node,
                                                                const void* symbol, const void* from,
                                                                std::size_t bytes, std::size_t offset,
                                                                cudaMemcpyKind kind) {
  return done(with_copy(executable, node, NodeType::kMemcpy, [&](GraphNode& n) {
    return SymbolCopy(symbol, offset, from, bytes, kind, true).give(n);
  }));
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(void* executable, const void* node,
                                                                  void* to, const void* symbol,
                                                                  std::size_t bytes, std::size_t offset,
                                                                  cudaMemcpyKind kind) {
  return done(with_copy(executable, node, NodeType::kMemcpy, [&](GraphNode& n) {
    return SymbolCopy(symbol, offset, to, bytes, kind, false).give(n);
  }));
}

// ---- fills, functions of the program, events

WARPVP_API cudaError_t cudaGraphAddMemsetNode(ADDED, const MemsetParams* parameters) {
  NodeWork work;
  if (const Error error = read(parameters, work.fill)) return done(error);
  return done(add_node(graph, before, count, NodeType::kMemset, work, node));
}
WARPVP_API cudaError_t cudaGraphMemsetNodeGetParams(void* node, MemsetParams* parameters) {
  return done(
      with_node(node, NodeType::kMemset, [&](GraphNode& n) { return write(n.work.fill, parameters); }));
}
WARPVP_API cudaError_t cudaGraphMemsetNodeSetParams(void* node, const MemsetParams* parameters) {
  return done(
      with_node(node, NodeType::kMemset, [&](GraphNode& n) { return read(parameters, n.work.fill); }));
}
WARPVP_API cudaError_t cudaGraphExecMemsetNodeSetParams(void* executable, const void* node,
                                                        const MemsetParams* parameters) {
  return done(with_copy(executable, node, NodeType::kMemset,
                        [&](GraphNode& n) { return read(parameters, n.work.fill); }));
}
WARPVP_API cudaError_t cudaGraphAddHostNode(ADDED, const HostNodeParams* parameters) {
  NodeWork work;
  if (const Error error = read(parameters, work.host)) return done(error);
  return done(add_node(graph, before, count, NodeType::kHost, work, node));
}
WARPVP_API cudaError_t cudaGraphHostNodeGetParams(void* node, HostNodeParams* parameters) {
  return done(with_node(node, NodeType::kHost, [&](GraphNode& n) { return write(n.work.host, parameters); }));
}
WARPVP_API cudaError_t cudaGraphHostNodeSetParams(void* node, const HostNodeParams* parameters) {
  return done(with_node(node, NodeType::kHost, [&](GraphNode& n) { return read(parameters, n.work.host); }));
}
WARPVP_API cudaError_t cudaGraphExecHostNodeSetParams(void* executable, const void* node,
                                                      const HostNodeParams* parameters) {
  return done(with_copy(executable, node, NodeType::kHost,
                        [&](GraphNode& n) { return read(parameters, n.work.host); }));
}
WARPVP_API cudaError_t cudaGraphAddEmptyNode(ADDED) {
  return done(add_node(graph, before, count, NodeType::kEmpty, {}, node));
}
WARPVP_API cudaError_t cudaGraphAddEventRecordNode(ADDED, cudaEvent_t event) {
  NodeWork work;
  const Error error = read(event, work);
  return done(error != kSuccess ? error : add_node(graph, before, count, NodeType::kRecord, work, node));
}
WARPVP_API cudaError_t cudaGraphAddEventWaitNode(ADDED, cudaEvent_t event) {
  NodeWork work;
  const Error error = read(event, work);
  return done(error != kSuccess ? error : add_node(graph, before, count, NodeType::kWait, work, node));
}
WARPVP_API cudaError_t cudaGraphEventRecordNodeGetEvent(void* node, cudaEvent_t* event) {
  return done(with_node(node, NodeType::kRecord, [&](GraphNode& n) { return write(n.work.event, event); }));
}
WARPVP_API cudaError_t cudaGraphEventWaitNodeGetEvent(void* node, cudaEvent_t* event) {
  return done(with_node(node, NodeType::kWait, [&](GraphNode& n) { return write(n.work.event, event); }));
}
WARPVP_API cudaError_t cudaGraphEventRecordNodeSetEvent(void* node, cudaEvent_t event) {
  return done(with_node(node, NodeType::kRecord, [&](GraphNode& n) { return read(event, n.work); }));
}
WARPVP_API cudaError_t cudaGraphEventWaitNodeSetEvent(void* node, cudaEvent_t event) {
  return done(with_node(node, NodeType::kWait, [&](GraphNode& n) { return read(event, n.work); }));
}
WARPVP_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(void* executable, void* node, cudaEvent_t event) {
  return done(
      with_copy(executable, node, NodeType::kRecord, [&](GraphNode& n) { return read(event, n.work); }));
}
WARPVP_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(void* executable, void* node, cudaEvent_t event) {
  return done(
      with_copy(executable, node, NodeType::kWait, [&](GraphNode& n) { return read(event, n.work); }));
}

// ---- graphs in nodes, memory, conditions

WARPVP_API cudaError_t cudaGraphAddChildGraphNode(ADDED, void* child) {
  return done(add_child_node(graph, before, count, child, node));
}
WARPVP_API cudaError_t cudaGraphChildGraphNodeGetGraph(void* node, void** graph) {
  return done(with_node(node, NodeType::kGraph,
                        [&](GraphNode& n) { return write(static_cast<void*>(n.work.child.get()), graph); }));
}
WARPVP_API cudaError_t cudaGraphExecChildGraphNodeSetParams(void* executable, void* node, void* child) {
  return done(update_child(executable, node, child));
}
WARPVP_API cudaError_t cudaGraphAddMemAllocNode(ADDED, MemAllocNodeParams* p) {
  return done(p == nullptr ? kInvalidValue
                           : add_allocation(graph, before, count, p->bytes, &p->address, node));
}
WARPVP_API cudaError_t cudaGraphMemAllocNodeGetParams(void* node, MemAllocNodeParams* p) {
  return done(with_node(node, NodeType::kAllocate, [&](GraphNode& n) { return write(*n.work.memory, p); }));
}
WARPVP_API cudaError_t cudaGraphAddMemFreeNode(ADDED, void* address) {
  return done(add_free(graph, before, count, address, node));
}
WARPVP_API cudaError_t cudaGraphMemFreeNodeGetParams(void* node, void* address) {
  return done(with_node(node, NodeType::kFree, [&](GraphNode& n) {
    return write(reinterpret_cast<void*>(n.work.freed), static_cast<void**>(address));
  }));
}
WARPVP_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  return done(device != 0 ? kInvalidDevice : get_graph_memory(attribute, value));
}
WARPVP_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  return done(device != 0 ? kInvalidDevice : set_graph_memory(attribute, value));
}
WARPVP_API cudaError_t cudaDeviceGraphMemTrim(int device) {
  return done(device == 0 ? kSuccess : kInvalidDevice);
}
WARPVP_API cudaError_t cudaGraphConditionalHandleCreate(std::uint64_t* handle, void* graph, unsigned value,
                                                        unsigned flags) {
  return done(create_condition(graph, value, flags, handle));
}

// ---- nodes of any kind

namespace warpvp::cuda {
cudaError_t add_any_node(ADDED, void* parameters) {
  auto* const p = static_cast<NodeParams*>(parameters);
  NodeWork work;
  if (p == nullptr) return done(kInvalidValue);
  if (const Error error = read(*p, work)) return done(error);
  return done(add_described(graph, before, count, *p, work, node));
}
}  // namespace warpvp::cuda
WARPVP_API cudaError_t cudaGraphNodeSetParams(void* node, NodeParams* p) {
  NodeWork work;
  if (p == nullptr) return done(kInvalidValue);
  if (const Error error = read(*p, work)) return done(error);
  return done(set_described(GraphNode::find(node), *p, work));
}
WARPVP_API cudaError_t cudaGraphExecNodeSetParams(void* executable, void* node, NodeParams* p) {
  NodeWork work;
  GraphNode* copy = nullptr;
  if (p == nullptr) return done(kInvalidValue);
  if (const Error error = find_copy(executable, node, static_cast<NodeType>(p->type), copy))
    return done(error);
  if (const Error error = read(*p, work)) return done(error);
  return done(set_described(copy, *p, work));
}
