// Functions of graphs whose parameters differ from version to version of the runtime, and executables. Lists
// of dependencies came to have data of each (cudaGraphEdgeData): in CUDA 12 under a name of its own.

#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace warpvp::cuda {
cudaError_t add_any_node(GraphNode** node, void* graph, GraphNode* const* before, std::size_t count,
                         void* parameters);
}

#if WARPVP_CUDART >= 13
#define WITH_EDGES(name) name
#else
#define WITH_EDGES(name) name##_v2
#endif

WARPVP_API cudaError_t WITH_EDGES(cudaGraphAddDependencies)(void* graph, GraphNode* const* from,
                                                            GraphNode* const* to, const void* edges,
                                                            std::size_t count) {
  const Error error = check_edges(edges, count);
  return done(error != kSuccess ? error : add_dependencies(graph, from, to, count));
}
WARPVP_API cudaError_t WITH_EDGES(cudaGraphRemoveDependencies)(void* graph, GraphNode* const* from,
                                                               GraphNode* const* to, const void* edges,
                                                               std::size_t count) {
  const Error error = check_edges(edges, count);
  return done(error != kSuccess ? error : remove_dependencies(graph, from, to, count));
}
WARPVP_API cudaError_t WITH_EDGES(cudaGraphGetEdges)(void* graph, GraphNode** from, GraphNode** to,
                                                     void* edges, std::size_t* count) {
  const Error error = list_edges(graph, from, to, count);
  if (error == kSuccess) clear_edges(edges, *count);
  return done(error);
}
WARPVP_API cudaError_t WITH_EDGES(cudaGraphNodeGetDependencies)(void* node, GraphNode** nodes, void* edges,
                                                                std::size_t* count) {
  const Error error = list_before(node, nodes, count);
  if (error == kSuccess) clear_edges(edges, *count);
  return done(error);
}
WARPVP_API cudaError_t WITH_EDGES(cudaGraphNodeGetDependentNodes)(void* node, GraphNode** nodes, void* edges,
                                                                  std::size_t* count) {
  const Error error = list_behind(node, nodes, count);
  if (error == kSuccess) clear_edges(edges, *count);
  return done(error);
}
WARPVP_API cudaError_t WITH_EDGES(cudaGraphAddNode)(GraphNode** node, void* graph, GraphNode* const* before,
                                                    const void* edges, std::size_t count, void* parameters) {
  const Error error = check_edges(edges, count);
  return error != kSuccess ? done(error) : add_any_node(node, graph, before, count, parameters);
}
WARPVP_API cudaError_t WITH_EDGES(cudaStreamUpdateCaptureDependencies)(cudaStream_t stream,
                                                                       GraphNode* const* nodes,
                                                                       const void* edges, std::size_t count,
                                                                       unsigned flags) {
  const Error error = check_edges(edges, count);
  if (error != kSuccess || flags > 1) return done(error != kSuccess ? error : kInvalidValue);
  return done(update_capture(stream, nodes, count, flags == 1));
}

namespace {
cudaError_t get_capture_info(cudaStream_t stream, int* status, unsigned long long* id, void** graph,
                             GraphNode* const** before, const void** edges, std::size_t* count) {
  CaptureInfo info;
  if (status == nullptr) return done(kInvalidValue);
  if (const Error error = capture_info(stream, info)) return done(error);
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

#if WARPVP_CUDART >= 13
WARPVP_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int* status, unsigned long long* id,
                                                void** graph, GraphNode* const** before, const void** edges,
                                                std::size_t* count) {
  return get_capture_info(stream, status, id, graph, before, edges, count);
}
#else
WARPVP_API cudaError_t cudaGraphAddDependencies(void* graph, GraphNode* const* from, GraphNode* const* to,
                                                std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
WARPVP_API cudaError_t cudaGraphRemoveDependencies(void* graph, GraphNode* const* from, GraphNode* const* to,
                                                   std::size_t count) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
WARPVP_API cudaError_t cudaGraphGetEdges(void* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}
WARPVP_API cudaError_t cudaGraphNodeGetDependencies(void* node, GraphNode** nodes, std::size_t* count) {
  return cudaGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}
WARPVP_API cudaError_t cudaGraphNodeGetDependentNodes(void* node, GraphNode** nodes, std::size_t* count) {
  return cudaGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}
WARPVP_API cudaError_t cudaGraphAddNode(GraphNode** node, void* graph, GraphNode* const* before,
                                        std::size_t count, void* parameters) {
  return add_any_node(node, graph, before, count, parameters);
}
WARPVP_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, GraphNode* const* nodes,
                                                           std::size_t count, unsigned flags) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, nullptr, count, flags);
}
WARPVP_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int* status, unsigned long long* id) {
  return get_capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
WARPVP_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int* status, unsigned long long* id,
                                                   void** graph, GraphNode* const** before,
                                                   std::size_t* count) {
  return get_capture_info(stream, status, id, graph, before, nullptr, count);
}
WARPVP_API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, int* status, unsigned long long* id,
                                                   void** graph, GraphNode* const** before,
                                                   const void** edges, std::size_t* count) {
  return get_capture_info(stream, status, id, graph, before, edges, count);
}
#endif

// ---- executables

#if WARPVP_CUDART >= 12
WARPVP_API cudaError_t cudaGraphInstantiate(void** executable, void* graph, unsigned long long flags) {
  return done(instantiate(executable, graph, flags));
}
/// As cudaGraphExecUpdateResultInfo.
struct UpdateResultInfo {
  UpdateResult result;
  GraphNode *node, *from;
};
WARPVP_API cudaError_t cudaGraphExecUpdate(void* executable, void* graph, UpdateResultInfo* info) {
  Updated updated{UpdateResult::kError, nullptr};
  const Error error = update_executable(executable, graph, updated);
  if (info != nullptr) *info = {updated.result, updated.node, nullptr};
  return done(error);
}
#else
WARPVP_API cudaError_t cudaGraphInstantiate(void** executable, void* graph, GraphNode** node, char*,
                                            std::size_t) {
  if (node != nullptr) *node = nullptr;
  return done(instantiate(executable, graph, 0));
}
WARPVP_API cudaError_t cudaGraphExecUpdate(void* executable, void* graph, GraphNode** node,
                                           UpdateResult* result) {
  Updated updated{UpdateResult::kError, nullptr};
  const Error error = update_executable(executable, graph, updated);
  if (node != nullptr) *node = updated.node;
  if (result != nullptr) *result = updated.result;
  return done(error);
}
#endif
WARPVP_API cudaError_t cudaGraphInstantiateWithFlags(void** executable, void* graph,
                                                     unsigned long long flags) {
  return done(instantiate(executable, graph, flags));
}
/// As cudaGraphInstantiateParams.
struct InstantiateParams {
  unsigned long long flags;
  cudaStream_t upload;
  GraphNode* error_node;
  int result;  // 0: it was
};
WARPVP_API cudaError_t cudaGraphInstantiateWithParams(void** executable, void* graph, InstantiateParams* p) {
  if (p == nullptr) return done(kInvalidValue);
  const Error error = instantiate(executable, graph, p->flags);
  p->error_node = nullptr;
  p->result = error != kSuccess;
  return done(error);
}
WARPVP_API cudaError_t cudaGraphExecGetFlags(void* executable, unsigned long long* flags) {
  return done(flags_of(executable, flags));
}
WARPVP_API cudaError_t cudaGraphNodeSetEnabled(void* executable, void* node, unsigned enabled) {
  return done(set_enabled(executable, node, enabled != 0));
}
WARPVP_API cudaError_t cudaGraphNodeGetEnabled(void* executable, void* node, unsigned* enabled) {
  return done(is_enabled(executable, node, enabled));
}
WARPVP_API cudaError_t cudaGraphLaunch(void* executable, cudaStream_t stream) {
  return done(launch_graph(executable, stream));
}
WARPVP_API cudaError_t cudaGraphUpload(void* executable, cudaStream_t) {
  return done(Executable::find(executable) != nullptr ? kSuccess : kInvalidValue);
}
WARPVP_API cudaError_t cudaGraphExecDestroy(void* executable) { return done(destroy_executable(executable)); }
