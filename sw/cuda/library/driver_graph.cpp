// Graphs (graph.h) as the driver API has them: capture, graphs and executables.

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/graph.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"

using namespace warpvp::cuda;

namespace {
constexpr unsigned kReplaces = 1;  // CU_STREAM_SET_CAPTURE_DEPENDENCIES

CUresult checked(Error error) {
  const Error first = initialized();
  return first != kSuccess ? first : driver_error(error);
}
/// A list of dependencies, and that they are plain.
CUresult listed(Error error, CUgraphEdgeData* edges, const std::size_t* count) {
  if (error == kSuccess) clear_edges(edges, *count);
  return checked(error);
}
CUresult get_capture_info(CUstream stream, int* status, unsigned long long* id, CUgraph* graph,
                          CUgraphNode const** before, const CUgraphEdgeData** edges, std::size_t* count) {
  CaptureInfo info;
  if (const Error error = in_context()) return error;
  if (status == nullptr) return kInvalidValue;
  if (const Error error = capture_info(stream, info)) return driver_error(error);
  *status = info.capturing;
  if (!info.capturing) return kSuccess;
  if (id != nullptr) *id = info.id;
  if (graph != nullptr) *graph = info.graph;
  if (before != nullptr) *before = info.ends;
  if (edges != nullptr) *edges = nullptr;  // all are plain
  if (count != nullptr) *count = info.count;
  return kSuccess;
}
}  // namespace

// ---- capture

WARPVP_API CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  if (const Error error = in_context()) return error;
  return driver_error(begin_capture(stream));
}
WARPVP_API CUresult cuStreamBeginCapture(CUstream stream) { return cuStreamBeginCapture_v2(stream, 0); }
WARPVP_API CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* before,
                                                const CUgraphEdgeData* edges, std::size_t count, int) {
  if (const Error error = in_context()) return error;
  const Error error = check_edges(edges, count);
  return driver_error(error != kSuccess ? error : begin_capture_to(stream, graph, before, count));
}
WARPVP_API CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  if (const Error error = in_context()) return error;
  return driver_error(end_capture(stream, graph));
}
WARPVP_API CUresult cuStreamIsCapturing(CUstream stream, int* status) {
  return get_capture_info(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
WARPVP_API CUresult cuStreamGetCaptureInfo(CUstream stream, int* status, unsigned long long* id) {
  return get_capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
WARPVP_API CUresult cuStreamGetCaptureInfo_v2(CUstream stream, int* status, unsigned long long* id,
                                              CUgraph* graph, CUgraphNode const** before,
                                              std::size_t* count) {
  return get_capture_info(stream, status, id, graph, before, nullptr, count);
}
WARPVP_API CUresult cuStreamGetCaptureInfo_v3(CUstream stream, int* status, unsigned long long* id,
                                              CUgraph* graph, CUgraphNode const** before,
                                              const CUgraphEdgeData** edges, std::size_t* count) {
  return get_capture_info(stream, status, id, graph, before, edges, count);
}
WARPVP_API CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, const CUgraphNode* nodes,
                                                         const CUgraphEdgeData* edges, std::size_t count,
                                                         unsigned flags) {
  if (const Error error = in_context()) return error;
  if (const Error error = check_edges(edges, count)) return error;
  if (flags > kReplaces) return kInvalidValue;
  return driver_error(update_capture(stream, nodes, count, flags == kReplaces));
}
WARPVP_API CUresult cuStreamUpdateCaptureDependencies(CUstream stream, const CUgraphNode* nodes,
                                                      std::size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, nodes, nullptr, count, flags);
}
WARPVP_API CUresult cuThreadExchangeStreamCaptureMode(int*) { return initialized(); }

// ---- graphs

WARPVP_API CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return checked(create_graph(flags, graph));
}
WARPVP_API CUresult cuGraphDestroy(CUgraph graph) { return checked(destroy_graph(graph)); }
WARPVP_API CUresult cuGraphClone(CUgraph* clone, CUgraph graph) { return checked(clone_graph(clone, graph)); }
WARPVP_API CUresult cuGraphNodeFindInClone(CUgraphNode* node, CUgraphNode original, CUgraph clone) {
  return checked(find_in_clone(node, original, clone));
}
WARPVP_API CUresult cuGraphDestroyNode(CUgraphNode node) { return checked(destroy_node(node)); }
WARPVP_API CUresult cuGraphNodeGetType(CUgraphNode node, NodeType* type) {
  return checked(type_of(node, type));
}
WARPVP_API CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return checked(list_nodes(graph, nodes, count, false));
}
WARPVP_API CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return checked(list_nodes(graph, nodes, count, true));
}
WARPVP_API CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                                       CUgraphEdgeData* edges, std::size_t* count) {
  return listed(list_edges(graph, from, to, count), edges, count);
}
WARPVP_API CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
WARPVP_API CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes,
                                                  CUgraphEdgeData* edges, std::size_t* count) {
  return listed(list_before(node, nodes, count), edges, count);
}
WARPVP_API CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
  return cuGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}
WARPVP_API CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes,
                                                    CUgraphEdgeData* edges, std::size_t* count) {
  return listed(list_behind(node, nodes, count), edges, count);
}
WARPVP_API CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
  return cuGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}
WARPVP_API CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                              const CUgraphEdgeData* edges, std::size_t count) {
  if (const Error error = check_edges(edges, count)) return error;
  return checked(add_dependencies(graph, from, to, count));
}
WARPVP_API CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                           std::size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
WARPVP_API CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from,
                                                 const CUgraphNode* to, const CUgraphEdgeData* edges,
                                                 std::size_t count) {
  if (const Error error = check_edges(edges, count)) return error;
  return checked(remove_dependencies(graph, from, to, count));
}
WARPVP_API CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                              std::size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
WARPVP_API CUresult cuGraphConditionalHandleCreate(std::uint64_t* handle, CUgraph graph, CUcontext,
                                                   unsigned value, unsigned flags) {
  if (const Error error = in_context()) return error;
  return driver_error(create_condition(graph, value, flags, handle));
}
WARPVP_API CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, void* value) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  return driver_error(get_graph_memory(attribute, value));
}
WARPVP_API CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute, void* value) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  return driver_error(set_graph_memory(attribute, value));
}
WARPVP_API CUresult cuDeviceGraphMemTrim(CUdevice device) {
  const Error error = initialized();
  return error != kSuccess ? error : check_device(device);
}

// ---- executables

WARPVP_API CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                                unsigned long long flags) {
  return checked(instantiate(executable, graph, flags));
}
WARPVP_API CUresult cuGraphInstantiate_v2(CUgraphExec* executable, CUgraph graph, CUgraphNode* node, char*,
                                          std::size_t) {
  if (node != nullptr) *node = nullptr;
  return cuGraphInstantiateWithFlags(executable, graph, 0);
}
WARPVP_API CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, CUgraphNode* node, char* log,
                                       std::size_t bytes) {
  return cuGraphInstantiate_v2(executable, graph, node, log, bytes);
}
WARPVP_API CUresult cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                                 CUDA_GRAPH_INSTANTIATE_PARAMS* p) {
  if (p == nullptr) return kInvalidValue;
  const CUresult error = cuGraphInstantiateWithFlags(executable, graph, p->flags);
  p->hErrNode_out = nullptr;
  p->result_out = error != kSuccess;
  return error;
}
WARPVP_API CUresult cuGraphExecGetFlags(CUgraphExec executable, unsigned long long* flags) {
  return checked(flags_of(executable, flags));
}
WARPVP_API CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return checked(destroy_executable(executable));
}
WARPVP_API CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  if (const Error error = in_context()) return error;
  return driver_error(launch_graph(executable, stream));
}
WARPVP_API CUresult cuGraphUpload(CUgraphExec executable, CUstream) {
  if (const Error error = in_context()) return error;
  return Executable::find(executable) != nullptr ? kSuccess : kInvalidValue;
}
WARPVP_API CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned enabled) {
  return checked(set_enabled(executable, node, enabled != 0));
}
WARPVP_API CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned* enabled) {
  return checked(is_enabled(executable, node, enabled));
}
WARPVP_API CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                                         CUgraphExecUpdateResultInfo* info) {
  Updated updated{UpdateResult::kError, nullptr};
  const Error error = update_executable(executable, graph, updated);
  if (info != nullptr) *info = {static_cast<int>(updated.result), updated.node, nullptr};
  return checked(error);
}
WARPVP_API CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode* node, int* result) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult error = cuGraphExecUpdate_v2(executable, graph, &info);
  if (node != nullptr) *node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}
