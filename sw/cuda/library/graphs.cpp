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

// cudaLaunchAttributeID
constexpr int kAccessPolicy = 1, kCooperative = 2, kClusterDimension = 4, kPriority = 8;

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

/// The node, or that of the executable that was made of it.
Error find_either(void* executable, const void* node, NodeType type, GraphNode*& found) {
  return executable != nullptr ? find_copy(executable, node, type, found) : find_node(node, type, found);
}
cudaError_t set_kernel(void* executable, const void* node, const KernelNodeParams* parameters) {
  GraphNode* found = nullptr;
  KernelCall call;
  if (const Error error = find_either(executable, node, NodeType::kKernel, found)) return done(error);
  if (const Error error = read(parameters, call)) return done(error);
  call.what.cooperative = found->work.kernel.what.cooperative;  // an attribute
  found->work.kernel = call;
  return kSuccess;
}
cudaError_t set_copy(void* executable, const void* node, const BlockCopy& what) {
  GraphNode* found = nullptr;
  if (const Error error = find_either(executable, node, NodeType::kMemcpy, found)) return done(error);
  found->work.copy = what;
  return kSuccess;
}
cudaError_t set_copy(void* executable, const void* node, const cudaMemcpy3DParms* parameters) {
  BlockCopy what;
  const Error error = read_block(parameters, what);
  return error != kSuccess ? done(error) : set_copy(executable, node, what);
}
cudaError_t set_fill(void* executable, const void* node, const MemsetParams* parameters) {
  GraphNode* found = nullptr;
  if (const Error error = find_either(executable, node, NodeType::kMemset, found)) return done(error);
  return done(read(parameters, found->work.fill));
}
cudaError_t set_host(void* executable, const void* node, const HostNodeParams* parameters) {
  GraphNode* found = nullptr;
  if (const Error error = find_either(executable, node, NodeType::kHost, found)) return done(error);
  return done(read(parameters, found->work.host));
}
cudaError_t set_event(void* executable, const void* node, NodeType type, cudaEvent_t event) {
  GraphNode* found = nullptr;
  NodeWork work;
  if (const Error error = find_either(executable, node, type, found)) return done(error);
  if (const Error error = read(event, work)) return done(error);
  found->work.event = event;
  return kSuccess;
}
cudaError_t get_event(const void* node, NodeType type, cudaEvent_t* event) {
  GraphNode* found = nullptr;
  if (const Error error = find_node(node, type, found)) return done(error);
  if (event == nullptr) return done(kInvalidValue);
  *event = found->work.event;
  return kSuccess;
}
cudaError_t set_symbol(void* executable, const void* node, const void* symbol, std::size_t offset,
                       const void* other, std::size_t bytes, cudaMemcpyKind kind, bool to_symbol) {
  BlockCopy what;
  const Error error = copy_of_symbol(symbol, offset, other, bytes, kind, to_symbol, what);
  return error != kSuccess ? done(error) : set_copy(executable, node, what);
}
cudaError_t add_copy(GraphNode** node, void* graph, GraphNode* const* before, std::size_t count,
                     const BlockCopy& what) {
  NodeWork work;
  work.copy = what;
  return done(add_node(graph, before, count, NodeType::kMemcpy, work, node));
}
cudaError_t add_symbol(GraphNode** node, void* graph, GraphNode* const* before, std::size_t count,
                       const void* symbol, std::size_t offset, const void* other, std::size_t bytes,
                       cudaMemcpyKind kind, bool to_symbol) {
  BlockCopy what;
  const Error error = copy_of_symbol(symbol, offset, other, bytes, kind, to_symbol, what);
  return error != kSuccess ? done(error) : add_copy(node, graph, before, count, what);
}
cudaError_t add_event(GraphNode** node, void* graph, GraphNode* const* before, std::size_t count,
                      NodeType type, cudaEvent_t event) {
  NodeWork work;
  const Error error = read(event, work);
  return done(error != kSuccess ? error : add_node(graph, before, count, type, work, node));
}

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
  return set_kernel(nullptr, node, parameters);
}
WARPVP_API cudaError_t cudaGraphExecKernelNodeSetParams(void* executable, const void* node,
                                                        const KernelNodeParams* parameters) {
  if (executable == nullptr) return done(kInvalidValue);
  return set_kernel(executable, node, parameters);
}
WARPVP_API cudaError_t cudaGraphKernelNodeSetAttribute(void* node, int attribute, const void* value) {
  GraphNode* found = nullptr;
  if (const Error error = find_node(node, NodeType::kKernel, found)) return done(error);
  unsigned words[3];
  if (value == nullptr) return done(kInvalidValue);
  std::memcpy(words, value, sizeof words);
  if (attribute == kCooperative) found->work.kernel.what.cooperative = words[0] != 0;
  const bool one = words[0] == 1 && words[1] == 1 && words[2] == 1;
  // What the L2 keeps and what is more urgent of a graph's kernels has no effect.
  const bool known = attribute == kCooperative || attribute == kAccessPolicy || attribute == kPriority ||
                     (attribute == kClusterDimension && one);
  return done(known ? kSuccess : kNotSupported);
}
WARPVP_API cudaError_t cudaGraphKernelNodeGetAttribute(void* node, int attribute, void* value) {
  GraphNode* found = nullptr;
  if (const Error error = find_node(node, NodeType::kKernel, found)) return done(error);
  if (value == nullptr) return done(kInvalidValue);
  std::memset(value, 0, 64);
  const unsigned cooperative = found->work.kernel.what.cooperative, one[] = {1, 1, 1};
  if (attribute == kCooperative) std::memcpy(value, &cooperative, sizeof cooperative);
  if (attribute == kClusterDimension) std::memcpy(value, one, sizeof one);
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphKernelNodeCopyAttributes(void* from, void* to) {
  GraphNode *first = nullptr, *second = nullptr;
  if (const Error error = find_node(from, NodeType::kKernel, first)) return done(error);
  if (const Error error = find_node(to, NodeType::kKernel, second)) return done(error);
  second->work.kernel.what.cooperative = first->work.kernel.what.cooperative;
  return kSuccess;
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
  return add_symbol(node, graph, before, count, symbol, offset, from, bytes, kind, true);
}
WARPVP_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(ADDED, void* to, const void* symbol,
                                                        std::size_t bytes, std::size_t offset,
                                                        cudaMemcpyKind kind) {
  return add_symbol(node, graph, before, count, symbol, offset, to, bytes, kind, false);
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeGetParams(void* node, cudaMemcpy3DParms* parameters) {
  GraphNode* found = nullptr;
  const Error error = find_node(node, NodeType::kMemcpy, found);
  return done(error != kSuccess ? error : write_block(found->work.copy, parameters));
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeSetParams(void* node, const cudaMemcpy3DParms* parameters) {
  return set_copy(nullptr, node, parameters);
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeSetParams1D(void* node, void* to, const void* from,
                                                      std::size_t bytes, cudaMemcpyKind kind) {
  return set_copy(nullptr, node, plain_copy(to, from, bytes, kind));
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(void* node, const void* symbol, const void* from,
                                                            std::size_t bytes, std::size_t offset,
                                                            cudaMemcpyKind kind) {
  return set_symbol(nullptr, node, symbol, offset, from, bytes, kind, true);
}
WARPVP_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(void* node, void* to, const void* symbol,
                                                              std::size_t bytes, std::size_t offset,
                                                              cudaMemcpyKind kind) {
  return set_symbol(nullptr, node, symbol, offset, to, bytes, kind, false);
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParams(void* executable, const void* node,
                                                        const cudaMemcpy3DParms* parameters) {
  return executable == nullptr ? done(kInvalidValue) : set_copy(executable, node, parameters);
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(void* executable, const void* node, void* to,
                                                          const void* from, std::size_t bytes,
                                                          cudaMemcpyKind kind) {
  if (executable == nullptr) return done(kInvalidValue);
  return set_copy(executable, node, plain_copy(to, from, bytes, kind));
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(void* executable, const void* node,
                                                                const void* symbol, const void* from,
                                                                std::size_t bytes, std::size_t offset,
                                                                cudaMemcpyKind kind) {
  if (executable == nullptr) return done(kInvalidValue);
  return set_symbol(executable, node, symbol, offset, from, bytes, kind, true);
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(void* executable, const void* node,
                                                                  void* to, const void* symbol,
                                                                  std::size_t bytes, std::size_t offset,
                                                                  cudaMemcpyKind kind) {
  if (executable == nullptr) return done(kInvalidValue);
  return set_symbol(executable, node, symbol, offset, to, bytes, kind, false);
}

// ---- fills, functions of the program, events

WARPVP_API cudaError_t cudaGraphAddMemsetNode(ADDED, const MemsetParams* parameters) {
  NodeWork work;
  if (const Error error = read(parameters, work.fill)) return done(error);
  return done(add_node(graph, before, count, NodeType::kMemset, work, node));
}
WARPVP_API cudaError_t cudaGraphMemsetNodeGetParams(void* node, MemsetParams* parameters) {
  GraphNode* found = nullptr;
  const Error error = find_node(node, NodeType::kMemset, found);
  return done(error != kSuccess ? error : write(found->work.fill, parameters));
}
WARPVP_API cudaError_t cudaGraphMemsetNodeSetParams(void* node, const MemsetParams* parameters) {
  return set_fill(nullptr, node, parameters);
}
WARPVP_API cudaError_t cudaGraphExecMemsetNodeSetParams(void* executable, const void* node,
                                                        const MemsetParams* parameters) {
  return executable == nullptr ? done(kInvalidValue) : set_fill(executable, node, parameters);
}
WARPVP_API cudaError_t cudaGraphAddHostNode(ADDED, const HostNodeParams* parameters) {
  NodeWork work;
  if (const Error error = read(parameters, work.host)) return done(error);
  return done(add_node(graph, before, count, NodeType::kHost, work, node));
}
WARPVP_API cudaError_t cudaGraphHostNodeGetParams(void* node, HostNodeParams* parameters) {
  GraphNode* found = nullptr;
  const Error error = find_node(node, NodeType::kHost, found);
  return done(error != kSuccess ? error : write(found->work.host, parameters));
}
WARPVP_API cudaError_t cudaGraphHostNodeSetParams(void* node, const HostNodeParams* parameters) {
  return set_host(nullptr, node, parameters);
}
WARPVP_API cudaError_t cudaGraphExecHostNodeSetParams(void* executable, const void* node,
                                                      const HostNodeParams* parameters) {
  return executable == nullptr ? done(kInvalidValue) : set_host(executable, node, parameters);
}
WARPVP_API cudaError_t cudaGraphAddEmptyNode(ADDED) {
  return done(add_node(graph, before, count, NodeType::kEmpty, {}, node));
}
WARPVP_API cudaError_t cudaGraphAddEventRecordNode(ADDED, cudaEvent_t event) {
  return add_event(node, graph, before, count, NodeType::kRecord, event);
}
WARPVP_API cudaError_t cudaGraphAddEventWaitNode(ADDED, cudaEvent_t event) {
  return add_event(node, graph, before, count, NodeType::kWait, event);
}
WARPVP_API cudaError_t cudaGraphEventRecordNodeGetEvent(void* node, cudaEvent_t* event) {
  return get_event(node, NodeType::kRecord, event);
}
WARPVP_API cudaError_t cudaGraphEventWaitNodeGetEvent(void* node, cudaEvent_t* event) {
  return get_event(node, NodeType::kWait, event);
}
WARPVP_API cudaError_t cudaGraphEventRecordNodeSetEvent(void* node, cudaEvent_t event) {
  return set_event(nullptr, node, NodeType::kRecord, event);
}
WARPVP_API cudaError_t cudaGraphEventWaitNodeSetEvent(void* node, cudaEvent_t event) {
  return set_event(nullptr, node, NodeType::kWait, event);
}
WARPVP_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(void* executable, void* node, cudaEvent_t event) {
  return executable == nullptr ? done(kInvalidValue) : set_event(executable, node, NodeType::kRecord, event);
}
WARPVP_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(void* executable, void* node, cudaEvent_t event) {
  return executable == nullptr ? done(kInvalidValue) : set_event(executable, node, NodeType::kWait, event);
}

// ---- graphs in nodes, memory, conditions

WARPVP_API cudaError_t cudaGraphAddChildGraphNode(ADDED, void* child) {
  return done(add_child_node(graph, before, count, child, node));
}
WARPVP_API cudaError_t cudaGraphChildGraphNodeGetGraph(void* node, void** graph) {
  GraphNode* found = nullptr;
  if (const Error error = find_node(node, NodeType::kGraph, found)) return done(error);
  if (graph == nullptr) return done(kInvalidValue);
  *graph = found->work.child.get();
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphExecChildGraphNodeSetParams(void* executable, void* node, void* child) {
  return done(update_child(executable, node, child));
}
WARPVP_API cudaError_t cudaGraphAddMemAllocNode(ADDED, MemAllocNodeParams* p) {
  return done(p == nullptr ? kInvalidValue
                           : add_allocation(graph, before, count, p->bytes, &p->address, node));
}
WARPVP_API cudaError_t cudaGraphMemAllocNodeGetParams(void* node, MemAllocNodeParams* p) {
  GraphNode* found = nullptr;
  if (const Error error = find_node(node, NodeType::kAllocate, found)) return done(error);
  if (p == nullptr) return done(kInvalidValue);
  *p = {};
  p->bytes = found->work.memory->bytes();
  p->address = reinterpret_cast<void*>(found->work.memory->address());
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddMemFreeNode(ADDED, void* address) {
  return done(add_free(graph, before, count, address, node));
}
WARPVP_API cudaError_t cudaGraphMemFreeNodeGetParams(void* node, void* address) {
  GraphNode* found = nullptr;
  if (const Error error = find_node(node, NodeType::kFree, found)) return done(error);
  if (address == nullptr) return done(kInvalidValue);
  *static_cast<void**>(address) = reinterpret_cast<void*>(found->work.freed);
  return kSuccess;
}
WARPVP_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  if (device != 0) return done(kInvalidDevice);
  if (value == nullptr || attribute < 0 || attribute > 3) return done(kInvalidValue);
  const GraphMemoryUse use = graph_memory_use();  // nothing is kept back: as much is reserved as is used
  *static_cast<std::uint64_t*>(value) = attribute % 2 == 0 ? use.now : use.most;
  return kSuccess;
}
WARPVP_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  if (device != 0) return done(kInvalidDevice);
  if (value == nullptr || (attribute != 1 && attribute != 3)) return done(kInvalidValue);
  restart_most_graph_memory();
  return kSuccess;
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
