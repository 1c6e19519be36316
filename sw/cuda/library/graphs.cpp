#include "sw/cuda/library/graphs.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

namespace {

struct Capture {
  std::uint64_t origin = 0;  ///< stream that it began in
  Graph* graph = nullptr;
  std::unordered_map<std::uint64_t, std::vector<GraphNode*>>
      ends;  ///< by stream: what comes next waits for these
};

struct Captures {
  std::mutex mutex;
  std::atomic<unsigned> under_way{0};
  std::vector<std::unique_ptr<Capture>> all;
  std::unordered_map<cudaEvent_t, std::pair<Capture*, std::vector<GraphNode*>>> events;

  Capture* of(std::uint64_t stream) {
    for (const auto& capture : all)
      if (capture->ends.count(stream) != 0) return capture.get();
    return nullptr;
  }
};
Captures& captures() {
  static auto* const all = new Captures;
  return *all;
}

}  // namespace

GraphNode* Graph::add(NodeType type, const std::vector<GraphNode*>& before,
                      std::function<Error(cudaStream_t)> run) {
  auto node = std::make_unique<GraphNode>();
  node->type = type;
  node->before = before;
  node->run = std::move(run);
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

GraphNode* Graph::add_kernel(const KernelCall& call, const std::vector<GraphNode*>& before) {
  GraphNode* const node = add(NodeType::kKernel, before, {});
  node->kernel = call;
  return node;
}

Error read_arguments(const void* function, void** pointers, std::vector<std::vector<std::uint8_t>>& to) {
  Error error;
  const KernelOfProgram* const kernel = find_kernel(function, error);
  if (kernel == nullptr) return error;
  to.clear();
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
    const auto* const bytes = static_cast<const std::uint8_t*>(pointers[i]);
    to.emplace_back(bytes, bytes + kernel->parameters[i]);
  }
  return kSuccess;
}

bool is_captured(cudaStream_t stream) {
  if (captures().under_way == 0) return false;
  const std::uint64_t id = stream_id(stream);
  const std::lock_guard<std::mutex> lock(captures().mutex);
  return captures().of(id) != nullptr;
}

Error capture(cudaStream_t stream, NodeType type, std::function<Error(cudaStream_t)> run) {
  const std::uint64_t id = stream_id(stream);
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  capture->ends[id] = {capture->graph->add(type, capture->ends[id], std::move(run))};
  return kSuccess;
}

Error capture_kernel(cudaStream_t stream, KernelCall call) {
  const std::uint64_t id = stream_id(stream);
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  capture->ends[id] = {capture->graph->add_kernel(call, capture->ends[id])};
  return kSuccess;
}

void capture_record(cudaStream_t stream, cudaEvent_t event) {
  const std::uint64_t id = stream_id(stream);
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  captures().events[event] = {capture, capture->ends[id]};
}

bool capture_wait(cudaStream_t stream, cudaEvent_t event) {
  if (captures().under_way == 0) return false;
  const std::uint64_t id = stream_id(stream);
  const std::lock_guard<std::mutex> lock(captures().mutex);
  const auto found = captures().events.find(event);
  if (found == captures().events.end()) return false;
  std::vector<GraphNode*>& ends = found->second.first->ends[id];
  for (GraphNode* const node : found->second.second)
    if (std::find(ends.begin(), ends.end(), node) == ends.end()) ends.push_back(node);
  return true;
}

}  // namespace warpvp::cuda

using namespace warpvp::cuda;

namespace {

constexpr int kNotCapturing = 0, kCapturing = 1;            // cudaStreamCaptureStatus
constexpr Error kIllegalCapture = static_cast<Error>(901);  // cudaErrorStreamCaptureInvalidated
constexpr Error kUpdateFailure = static_cast<Error>(910);   // cudaErrorGraphExecUpdateFailure

/// What cudaGraphInstantiate makes: the graph as it was then, and what its launches need.
struct Executable {
  Graph graph;
  std::unordered_map<const GraphNode*, GraphNode*> copies;  ///< by the nodes that they were made of
  std::vector<cudaStream_t> branches;                       ///< beside the one that it is launched in
  std::vector<cudaEvent_t> events;                          ///< by node, and one more for the beginning
};

Graph* of(void* graph) { return static_cast<Graph*>(graph); }

}  // namespace

WARPVP_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned);
WARPVP_API cudaError_t cudaStreamDestroy(cudaStream_t);
WARPVP_API cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
WARPVP_API cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*)(void*), void*);
WARPVP_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned);
WARPVP_API cudaError_t cudaEventDestroy(cudaEvent_t);
WARPVP_API cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
WARPVP_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms*, cudaStream_t);

namespace {

/// Copies the nodes of `from` behind those of `to`, behind `before` where they wait for nothing.
void append(const Graph& from, Graph& to, const std::vector<GraphNode*>& before,
            std::unordered_map<const GraphNode*, GraphNode*>& copies) {
  for (const auto& node : from.nodes) {
    std::vector<GraphNode*> behind;
    for (const GraphNode* other : node->before) behind.push_back(copies.at(other));
    GraphNode* const copy = to.add(node->type, behind.empty() ? before : behind, node->run);
    copy->kernel = node->kernel;
    copies[node.get()] = copy;
  }
}

Error run(const GraphNode& node, cudaStream_t stream) {
  if (node.type == NodeType::kKernel) return launch_now(node.kernel, stream);
  return node.run ? node.run(stream) : kSuccess;
}

/// A node goes on in the stream of the first node that it waits for, if nobody has yet; else in one of its
/// own.
Error launch(Executable& executable, cudaStream_t stream) {
  const auto& nodes = executable.graph.nodes;
  while (executable.events.size() < nodes.size() + 1) {
    cudaEvent_t event{};
    if (const Error error = static_cast<Error>(cudaEventCreateWithFlags(&event, 2))) return error;
    executable.events.push_back(event);
  }
  const cudaEvent_t begin = executable.events.back();
  std::unordered_map<const GraphNode*, std::pair<std::size_t, cudaStream_t>>
      placed;  // and where its event is
  std::unordered_map<const GraphNode*, bool> followed;
  std::size_t used = 0;
  bool first = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const GraphNode& node = *nodes[i];
    cudaStream_t own{};
    const GraphNode* behind = nullptr;
    for (const GraphNode* other : node.before) {
      if (followed[other]) continue;
      behind = other;
      own = placed[other].second;
      followed[other] = true;
      break;
    }
    if (behind == nullptr) {
      if (first) {
        own = stream;
      } else {
        if (used == executable.branches.size()) {
          cudaStream_t branch{};
          if (const Error error = static_cast<Error>(cudaStreamCreateWithFlags(&branch, 1))) return error;
          executable.branches.push_back(branch);
        }
        own = executable.branches[used++];
        cudaStreamWaitEvent(own, begin, 0);
      }
    }
    if (first) {
      // Other branches begin where this one does.
      cudaEventRecord(begin, stream);
      first = false;
    }
    for (const GraphNode* other : node.before)
      if (other != behind) cudaStreamWaitEvent(own, executable.events[placed[other].first], 0);
    if (const Error error = run(node, own)) return error;
    placed[&node] = {i, own};
    if (nodes.size() > 1) cudaEventRecord(executable.events[i], own);
  }
  // What follows in the stream waits for all.
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!followed[nodes[i].get()] && placed[nodes[i].get()].second != stream)
      cudaStreamWaitEvent(stream, executable.events[i], 0);
  return kSuccess;
}

std::vector<GraphNode*> list(GraphNode* const* nodes, std::size_t count) {
  return std::vector<GraphNode*>(nodes, nodes + (nodes == nullptr ? 0 : count));
}

/// As cudaKernelNodeParams.
struct KernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
/// As cudaMemsetParams.
struct MemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
};
/// As cudaHostNodeParams.
struct HostNodeParams {
  void (*fn)(void*);
  void* userData;
};

Error read(const KernelNodeParams& p, KernelCall& call) {
  if (p.kernelParams == nullptr && p.extra != nullptr) return kNotSupported;
  call.function = p.func;
  call.grid = p.gridDim;
  call.block = p.blockDim;
  call.shared = p.sharedMemBytes;
  return read_arguments(p.func, p.kernelParams, call.arguments);
}
std::function<Error(cudaStream_t)> copy_of(void* to, const void* from, std::size_t bytes,
                                           cudaMemcpyKind kind) {
  return [=](cudaStream_t stream) { return copy(to, from, bytes, kind, stream_id(stream), false); };
}
std::function<Error(cudaStream_t)> host_of(const HostNodeParams& p) {
  return
      [p](cudaStream_t stream) { return static_cast<Error>(cudaLaunchHostFunc(stream, p.fn, p.userData)); };
}
/// Elements of one byte only, or of equal bytes.
Error read(const MemsetParams& p, std::function<Error(cudaStream_t)>& to) {
  const unsigned byte = p.value & 0xff;
  if ((p.elementSize == 2 && (p.value & 0xffff) != byte * 0x101) ||
      (p.elementSize == 4 && p.value != byte * 0x01010101u))
    return kNotSupported;
  const std::size_t width = p.width * p.elementSize;
  to = [p, byte, width](cudaStream_t stream) {
    return fill_rows(p.dst, p.height > 1 ? p.pitch : width, static_cast<int>(byte), width, p.height,
                     stream_id(stream), false);
  };
  return kSuccess;
}

/// The node of the executable that was made of this one.
Error node_of(Executable* executable, const GraphNode* node, GraphNode*& copy) {
  const auto found = executable->copies.find(node);
  if (found == executable->copies.end()) return kInvalidValue;
  copy = found->second;
  return kSuccess;
}

Error instantiate(void** executable, void* graph) {
  auto made = std::make_unique<Executable>();
  append(*of(graph), made->graph, {}, made->copies);
  *executable = made.release();
  return kSuccess;
}

/// Each `to` waits for its `from`.
Error add_order(Graph& graph, GraphNode* const* from, GraphNode* const* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i]->before.push_back(from[i]);
  // Each behind those that it waits for; a circle leaves some over.
  std::vector<std::unique_ptr<GraphNode>>& nodes = graph.nodes;
  for (std::size_t placed = 0; placed < nodes.size(); ++placed) {
    const auto next =
        std::find_if(nodes.begin() + static_cast<std::ptrdiff_t>(placed), nodes.end(), [&](const auto& node) {
          return std::all_of(node->before.begin(), node->before.end(), [&](const GraphNode* other) {
            return std::any_of(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(placed),
                               [other](const auto& n) { return n.get() == other; });
          });
        });
    if (next == nodes.end()) return kInvalidValue;
    std::rotate(nodes.begin() + static_cast<std::ptrdiff_t>(placed), next, next + 1);
  }
  return kSuccess;
}

/// Takes over what nodes of a graph of the same form do. `result`: 0, or 1 where it has another form.
Error update(Executable& executable, const Graph& graph, int* result) {
  const auto &nodes = executable.graph.nodes, &others = graph.nodes;
  bool alike = nodes.size() == others.size();
  for (std::size_t i = 0; alike && i < nodes.size(); ++i)
    alike = nodes[i]->type == others[i]->type && nodes[i]->before.size() == others[i]->before.size();
  if (result != nullptr) *result = alike ? 0 : 1;
  if (!alike) return kUpdateFailure;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i]->kernel = others[i]->kernel;
    nodes[i]->run = others[i]->run;
  }
  return kSuccess;
}

}  // namespace

// ---- capture

WARPVP_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int) {
  if (stream == nullptr || stream == kLegacyHandle)
    return done(static_cast<Error>(900));  // it cannot be captured
  if (is_captured(stream)) return done(kIllegalCapture);
  const std::uint64_t id = stream_id(stream);
  auto capture = std::make_unique<Capture>();
  capture->origin = id;
  capture->graph = new Graph;
  capture->ends[id];
  const std::lock_guard<std::mutex> lock(captures().mutex);
  captures().all.push_back(std::move(capture));
  ++captures().under_way;
  return kSuccess;
}
WARPVP_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, void** graph) {
  const std::uint64_t id = stream_id(stream);
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  if (capture == nullptr || capture->origin != id) return done(kIllegalCapture);
  *graph = capture->graph;
  for (auto event = captures().events.begin(); event != captures().events.end();)
    event = event->second.first == capture ? captures().events.erase(event) : std::next(event);
  captures().all.erase(std::find_if(captures().all.begin(), captures().all.end(),
                                    [capture](const auto& other) { return other.get() == capture; }));
  --captures().under_way;
  return kSuccess;
}
WARPVP_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int* status) {
  *status = stream != nullptr && is_captured(stream) ? kCapturing : kNotCapturing;
  return kSuccess;
}
WARPVP_API cudaError_t cudaThreadExchangeStreamCaptureMode(int*) { return kSuccess; }

// ---- graphs and their nodes

WARPVP_API cudaError_t cudaGraphCreate(void** graph, unsigned) {
  *graph = new Graph;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphDestroy(void* graph) {
  delete of(graph);
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphClone(void** clone, void* graph) {
  auto* const made = new Graph;
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  append(*of(graph), *made, {}, copies);
  *clone = made;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddKernelNode(GraphNode** node, void* graph, GraphNode* const* before,
                                              std::size_t count, const KernelNodeParams* parameters) {
  KernelCall call;
  if (const Error error = read(*parameters, call)) return done(error);
  *node = of(graph)->add_kernel(call, list(before, count));
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddMemcpyNode1D(GraphNode** node, void* graph, GraphNode* const* before,
                                                std::size_t count, void* to, const void* from,
                                                std::size_t bytes, cudaMemcpyKind kind) {
  *node = of(graph)->add(NodeType::kMemcpy, list(before, count), copy_of(to, from, bytes, kind));
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddMemcpyNode(GraphNode** node, void* graph, GraphNode* const* before,
                                              std::size_t count, const cudaMemcpy3DParms* parameters) {
  *node = of(graph)->add(NodeType::kMemcpy, list(before, count), [kept = *parameters](cudaStream_t stream) {
    return static_cast<Error>(cudaMemcpy3DAsync(&kept, stream));
  });
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddMemsetNode(GraphNode** node, void* graph, GraphNode* const* before,
                                              std::size_t count, const MemsetParams* parameters) {
  std::function<Error(cudaStream_t)> run;
  if (const Error error = read(*parameters, run)) return done(error);
  *node = of(graph)->add(NodeType::kMemset, list(before, count), run);
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddHostNode(GraphNode** node, void* graph, GraphNode* const* before,
                                            std::size_t count, const HostNodeParams* parameters) {
  *node = of(graph)->add(NodeType::kHost, list(before, count), host_of(*parameters));
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddEmptyNode(GraphNode** node, void* graph, GraphNode* const* before,
                                             std::size_t count) {
  *node = of(graph)->add(NodeType::kEmpty, list(before, count), {});
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddEventRecordNode(GraphNode** node, void* graph, GraphNode* const* before,
                                                   std::size_t count, cudaEvent_t event) {
  *node = of(graph)->add(NodeType::kRecord, list(before, count), [event](cudaStream_t stream) {
    return static_cast<Error>(cudaEventRecord(event, stream));
  });
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphAddEventWaitNode(GraphNode** node, void* graph, GraphNode* const* before,
                                                 std::size_t count, cudaEvent_t event) {
  *node = of(graph)->add(NodeType::kWait, list(before, count), [event](cudaStream_t stream) {
    return static_cast<Error>(cudaStreamWaitEvent(stream, event, 0));
  });
  return kSuccess;
}
/// Its nodes become the graph's own, between two that stand for its begin and its end.
WARPVP_API cudaError_t cudaGraphAddChildGraphNode(GraphNode** node, void* graph, GraphNode* const* before,
                                                  std::size_t count, void* child) {
  GraphNode* const begin = of(graph)->add(NodeType::kEmpty, list(before, count), {});
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  append(*of(child), *of(graph), {begin}, copies);
  std::vector<GraphNode*> ends = {begin};
  for (const auto& [original, copy] : copies) ends.push_back(copy);
  std::sort(ends.begin() + 1, ends.end());
  *node = of(graph)->add(NodeType::kGraph, ends, {});
  return kSuccess;
}
#if WARPVP_CUDART >= 13
WARPVP_API cudaError_t cudaGraphAddDependencies(void* graph, GraphNode* const* from, GraphNode* const* to,
                                                const void* edges, std::size_t count) {
  return done(edges == nullptr ? add_order(*of(graph), from, to, count) : kNotSupported);
}
#else
WARPVP_API cudaError_t cudaGraphAddDependencies(void* graph, GraphNode* const* from, GraphNode* const* to,
                                                std::size_t count) {
  return done(add_order(*of(graph), from, to, count));
}
#endif
WARPVP_API cudaError_t cudaGraphGetNodes(void* graph, GraphNode** nodes, std::size_t* count) {
  const std::size_t all = of(graph)->nodes.size();
  for (std::size_t i = 0; nodes != nullptr && i < std::min(*count, all); ++i)
    nodes[i] = of(graph)->nodes[i].get();
  *count = nodes == nullptr ? all : std::min(*count, all);
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphGetRootNodes(void* graph, GraphNode** nodes, std::size_t* count) {
  std::size_t found = 0;
  for (const auto& node : of(graph)->nodes) {
    if (!node->before.empty()) continue;
    if (nodes != nullptr && found < *count) nodes[found] = node.get();
    ++found;
  }
  *count = found;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphNodeGetType(const GraphNode* node, NodeType* type) {
  *type = node->type;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNodeParams* parameters) {
  return done(node->type == NodeType::kKernel ? read(*parameters, node->kernel) : kInvalidValue);
}

// ---- executables

#if WARPVP_CUDART >= 12
WARPVP_API cudaError_t cudaGraphInstantiate(void** executable, void* graph, unsigned long long) {
  return done(instantiate(executable, graph));
}
#else
WARPVP_API cudaError_t cudaGraphInstantiate(void** executable, void* graph, void*, char*, std::size_t) {
  return done(instantiate(executable, graph));
}
#endif
WARPVP_API cudaError_t cudaGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  return done(instantiate(executable, graph));
}
WARPVP_API cudaError_t cudaGraphLaunch(void* executable, cudaStream_t stream) {
  return done(launch(*static_cast<Executable*>(executable), stream));
}
WARPVP_API cudaError_t cudaGraphUpload(void*, cudaStream_t) { return kSuccess; }
WARPVP_API cudaError_t cudaGraphExecDestroy(void* executable) {
  auto* const all = static_cast<Executable*>(executable);
  for (cudaStream_t stream : all->branches) cudaStreamDestroy(stream);
  for (cudaEvent_t event : all->events) cudaEventDestroy(event);
  delete all;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphExecKernelNodeSetParams(void* executable, const GraphNode* node,
                                                        const KernelNodeParams* parameters) {
  GraphNode* copy = nullptr;
  if (const Error error = node_of(static_cast<Executable*>(executable), node, copy)) return done(error);
  return cudaGraphKernelNodeSetParams(copy, parameters);
}
WARPVP_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(void* executable, const GraphNode* node, void* to,
                                                          const void* from, std::size_t bytes,
                                                          cudaMemcpyKind kind) {
  GraphNode* copy = nullptr;
  if (const Error error = node_of(static_cast<Executable*>(executable), node, copy)) return done(error);
  copy->run = copy_of(to, from, bytes, kind);
  return kSuccess;
}
WARPVP_API cudaError_t cudaGraphExecMemsetNodeSetParams(void* executable, const GraphNode* node,
                                                        const MemsetParams* parameters) {
  GraphNode* copy = nullptr;
  if (const Error error = node_of(static_cast<Executable*>(executable), node, copy)) return done(error);
  return done(read(*parameters, copy->run));
}
WARPVP_API cudaError_t cudaGraphExecHostNodeSetParams(void* executable, const GraphNode* node,
                                                      const HostNodeParams* parameters) {
  GraphNode* copy = nullptr;
  if (const Error error = node_of(static_cast<Executable*>(executable), node, copy)) return done(error);
  copy->run = host_of(*parameters);
  return kSuccess;
}
#if WARPVP_CUDART >= 12
/// `result` begins with what came of it.
WARPVP_API cudaError_t cudaGraphExecUpdate(void* executable, void* graph, int* result) {
  return done(update(*static_cast<Executable*>(executable), *of(graph), result));
}
#else
WARPVP_API cudaError_t cudaGraphExecUpdate(void* executable, void* graph, GraphNode**, int* result) {
  return done(update(*static_cast<Executable*>(executable), *of(graph), result));
}
#endif
