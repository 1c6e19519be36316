// Nodes of graphs as the driver API describes them.

#include "sw/cuda/library/driver_copies.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/graph_abi.h"
#include "sw/cuda/library/graph_launch.h"

using namespace warpvp::cuda;

namespace {

static_assert(sizeof(CUgraphNodeParams) == 256, "as CUgraphNodeParams");

CUresult checked(Error error) {
  const Error first = in_context();
  return first != kSuccess ? first : driver_error(error);
}

Error read(const CUDA_KERNEL_NODE_PARAMS* p, CUfunction function, KernelCall& call) {
  const Launch shape = {0,
                        0,
                        {p->gridDimX, p->gridDimY, p->gridDimZ},
                        {p->blockDimX, p->blockDimY, p->blockDimZ},
                        p->sharedMemBytes,
                        call.what.cooperative};  // an attribute, which stays
  KernelCall made;
  const Error error = read_call(function, shape, p->kernelParams, p->extra, made);
  if (error == kSuccess) call = made;
  return error;
}
Error read(const CUDA_KERNEL_NODE_PARAMS* p, KernelCall& call) {
  return p == nullptr ? kInvalidValue : read(p, p->func, call);
}
/// A kernel may be given instead of its function.
Error read(const CUDA_KERNEL_NODE_PARAMS_v2* p, KernelCall& call) {
  if (p == nullptr) return kInvalidValue;
  return read(&p->first, p->first.func != nullptr ? p->first.func : reinterpret_cast<CUfunction>(p->kern),
              call);
}
Error write(GraphNode& node, CUDA_KERNEL_NODE_PARAMS* p) {
  const KernelCall& call = node.work.kernel;
  const DriverKernel* const kernel = find_driver_kernel(call.function);
  if (p == nullptr || kernel == nullptr) return kInvalidValue;
  std::vector<std::size_t> bytes;
  for (const auto& parameter : kernel->parameters) bytes.push_back(parameter.bytes);
  const std::uint32_t *g = call.what.grid, *b = call.what.block;
  auto* const function = const_cast<CUfunction>(static_cast<const CUfunc_st*>(call.function));
  *p = {function,
        g[0],
        g[1],
        g[2],
        b[0],
        b[1],
        b[2],
        call.what.dynamic_shared_bytes,
        argument_pointers(node, bytes),
        nullptr};
  return kSuccess;
}
Error read(const CUgraphNodeParams& p, NodeWork& work) {
  if (p.type == static_cast<int>(NodeType::kKernel)) return read(&p.kernel, work.kernel);
  if (p.type == static_cast<int>(NodeType::kMemcpy)) return read_block(&p.copy.copyParams, work.copy);
  return kSuccess;
}

/// Adds a node whose work is read from its parameters, if they are right.
CUresult add(Error read, CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,
             NodeType type, const NodeWork& work) {
  return checked(read != kSuccess ? read : add_node(graph, before, count, type, work, node));
}

}  // namespace

/// The parameters that all functions which add a node begin with.
#define ADDED CUgraphNode *node, CUgraph graph, const CUgraphNode *before, std::size_t count

// ---- kernels

WARPVP_API CUresult cuGraphAddKernelNode_v2(ADDED, const CUDA_KERNEL_NODE_PARAMS_v2* p) {
  NodeWork work;
  const Error error = read(p, work.kernel);
  return add(error, node, graph, before, count, NodeType::kKernel, work);
}
WARPVP_API CUresult cuGraphAddKernelNode(ADDED, const CUDA_KERNEL_NODE_PARAMS* p) {
  NodeWork work;
  const Error error = read(p, work.kernel);
  return add(error, node, graph, before, count, NodeType::kKernel, work);
}
WARPVP_API CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* p) {
  return checked(with_node(node, NodeType::kKernel, [&](GraphNode& n) { return write(n, p); }));
}
WARPVP_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* p) {
  if (p == nullptr) return kInvalidValue;
  *p = {};
  return cuGraphKernelNodeGetParams(node, &p->first);
}
WARPVP_API CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
  return checked(with_node(node, NodeType::kKernel, [&](GraphNode& n) { return read(p, n.work.kernel); }));
}
WARPVP_API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* p) {
  return checked(with_node(node, NodeType::kKernel, [&](GraphNode& n) { return read(p, n.work.kernel); }));
}
WARPVP_API CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                   const CUDA_KERNEL_NODE_PARAMS* p) {
  return checked(
      with_copy(executable, node, NodeType::kKernel, [&](GraphNode& n) { return read(p, n.work.kernel); }));
}
WARPVP_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                                      const CUDA_KERNEL_NODE_PARAMS_v2* p) {
  return checked(
      with_copy(executable, node, NodeType::kKernel, [&](GraphNode& n) { return read(p, n.work.kernel); }));
}
WARPVP_API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute, const void* value) {
  return checked(
      with_node(node, NodeType::kKernel, [&](GraphNode& n) { return set_attribute(n, attribute, value); }));
}
WARPVP_API CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, int attribute, void* value) {
  return checked(
      with_node(node, NodeType::kKernel, [&](GraphNode& n) { return get_attribute(n, attribute, value); }));
}
WARPVP_API CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return checked(copy_attributes(from, to));
}

// ---- copies, fills, functions of the program, events

WARPVP_API CUresult cuGraphAddMemcpyNode(ADDED, const CUDA_MEMCPY3D* p, CUcontext) {
  NodeWork work;
  const Error error = read_block(p, work.copy);
  return add(error, node, graph, before, count, NodeType::kMemcpy, work);
}
WARPVP_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* p) {
  return checked(
      with_node(node, NodeType::kMemcpy, [&](GraphNode& n) { return write_block(n.work.copy, p); }));
}
WARPVP_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* p) {
  return checked(
      with_node(node, NodeType::kMemcpy, [&](GraphNode& n) { return read_block(p, n.work.copy); }));
}
WARPVP_API CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                   const CUDA_MEMCPY3D* p, CUcontext) {
  return checked(with_copy(executable, node, NodeType::kMemcpy,
                           [&](GraphNode& n) { return read_block(p, n.work.copy); }));
}
WARPVP_API CUresult cuGraphAddMemsetNode(ADDED, const MemsetParams* p, CUcontext) {
  NodeWork work;
  const Error error = read(p, work.fill);
  return add(error, node, graph, before, count, NodeType::kMemset, work);
}
WARPVP_API CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, MemsetParams* p) {
  return checked(with_node(node, NodeType::kMemset, [&](GraphNode& n) { return write(n.work.fill, p); }));
}
WARPVP_API CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const MemsetParams* p) {
  return checked(with_node(node, NodeType::kMemset, [&](GraphNode& n) { return read(p, n.work.fill); }));
}
WARPVP_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                   const MemsetParams* p, CUcontext) {
  return checked(
      with_copy(executable, node, NodeType::kMemset, [&](GraphNode& n) { return read(p, n.work.fill); }));
}
WARPVP_API CUresult cuGraphAddHostNode(ADDED, const HostNodeParams* p) {
  NodeWork work;
  const Error error = read(p, work.host);
  return add(error, node, graph, before, count, NodeType::kHost, work);
}
WARPVP_API CUresult cuGraphHostNodeGetParams(CUgraphNode node, HostNodeParams* p) {
  return checked(with_node(node, NodeType::kHost, [&](GraphNode& n) { return write(n.work.host, p); }));
}
WARPVP_API CUresult cuGraphHostNodeSetParams(CUgraphNode node, const HostNodeParams* p) {
  return checked(with_node(node, NodeType::kHost, [&](GraphNode& n) { return read(p, n.work.host); }));
}
WARPVP_API CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                 const HostNodeParams* p) {
  return checked(
      with_copy(executable, node, NodeType::kHost, [&](GraphNode& n) { return read(p, n.work.host); }));
}
WARPVP_API CUresult cuGraphAddEmptyNode(ADDED) {
  return add(kSuccess, node, graph, before, count, NodeType::kEmpty, {});
}
WARPVP_API CUresult cuGraphAddEventRecordNode(ADDED, CUevent event) {
  NodeWork work;
  const Error error = read(event, work);
  return add(error, node, graph, before, count, NodeType::kRecord, work);
}
WARPVP_API CUresult cuGraphAddEventWaitNode(ADDED, CUevent event) {
  NodeWork work;
  const Error error = read(event, work);
  return add(error, node, graph, before, count, NodeType::kWait, work);
}
WARPVP_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return checked(
      with_node(node, NodeType::kRecord, [&](GraphNode& n) { return write(n.work.event, event); }));
}
WARPVP_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return checked(with_node(node, NodeType::kWait, [&](GraphNode& n) { return write(n.work.event, event); }));
}
WARPVP_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return checked(with_node(node, NodeType::kRecord, [&](GraphNode& n) { return read(event, n.work); }));
}
WARPVP_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return checked(with_node(node, NodeType::kWait, [&](GraphNode& n) { return read(event, n.work); }));
}
WARPVP_API CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node,
                                                       CUevent event) {
  return checked(
      with_copy(executable, node, NodeType::kRecord, [&](GraphNode& n) { return read(event, n.work); }));
}
WARPVP_API CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node,
                                                     CUevent event) {
  return checked(
      with_copy(executable, node, NodeType::kWait, [&](GraphNode& n) { return read(event, n.work); }));
}

// ---- graphs in nodes, memory

WARPVP_API CUresult cuGraphAddChildGraphNode(ADDED, CUgraph child) {
  return checked(add_child_node(graph, before, count, child, node));
}
WARPVP_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return checked(with_node(node, NodeType::kGraph, [&](GraphNode& n) {
    return write(static_cast<CUgraph>(n.work.child.get()), graph);
  }));
}
WARPVP_API CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                       CUgraph child) {
  return checked(update_child(executable, node, child));
}
WARPVP_API CUresult cuGraphAddMemAllocNode(ADDED, MemAllocNodeParams* p) {
  if (p == nullptr) return kInvalidValue;
  return checked(add_allocation(graph, before, count, p->bytes, &p->address, node));
}
WARPVP_API CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, MemAllocNodeParams* p) {
  return checked(
      with_node(node, NodeType::kAllocate, [&](GraphNode& n) { return write(*n.work.memory, p); }));
}
WARPVP_API CUresult cuGraphAddMemFreeNode(ADDED, CUdeviceptr address) {
  return checked(add_free(graph, before, count, reinterpret_cast<void*>(address), node));
}
WARPVP_API CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* address) {
  return checked(with_node(node, NodeType::kFree, [&](GraphNode& n) {
    return write(static_cast<CUdeviceptr>(n.work.freed), address);
  }));
}

// ---- nodes of any kind

WARPVP_API CUresult cuGraphAddNode(ADDED, CUgraphNodeParams* p) {
  NodeWork work;
  if (p == nullptr) return kInvalidValue;
  if (const Error error = read(*p, work)) return driver_error(error);
  return checked(add_described(graph, before, count, *p, work, node));
}
WARPVP_API CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                      const CUgraphEdgeData* edges, std::size_t count, CUgraphNodeParams* p) {
  if (const Error error = check_edges(edges, count)) return error;
  return cuGraphAddNode(node, graph, before, count, p);
}
WARPVP_API CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* p) {
  NodeWork work;
  if (p == nullptr) return kInvalidValue;
  if (const Error error = read(*p, work)) return driver_error(error);
  return checked(set_described(GraphNode::find(node), *p, work));
}
WARPVP_API CUresult cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraphNodeParams* p) {
  NodeWork work;
  if (p == nullptr) return kInvalidValue;
  if (const Error error = read(*p, work)) return driver_error(error);
  return checked(with_copy(executable, node, static_cast<NodeType>(p->type),
                           [&](GraphNode& n) { return set_described(&n, *p, work); }));
}
