#include "sw/cuda/library/graph_capture.h"

#include <algorithm>
#include <atomic>
#include <map>

namespace warpvp::cuda {

namespace {

struct Capture {
  std::uint64_t id = 0;
  std::uint64_t origin = 0;  ///< stream that it began in
  Graph* graph = nullptr;
  bool new_graph = true;                                  ///< made for it
  bool spoilt = false;                                    ///< by what cannot be captured
  std::map<std::uint64_t, std::vector<GraphNode*>> ends;  ///< by stream: what comes next waits for these
};

struct Captures {
  std::mutex mutex;
  std::atomic<unsigned> under_way{0};
  std::uint64_t begun = 0;
  std::vector<std::unique_ptr<Capture>> all;
  std::map<cudaEvent_t, std::pair<Capture*, std::vector<GraphNode*>>> events;

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

void join(std::vector<GraphNode*>& ends, GraphNode* node) {
  if (std::find(ends.begin(), ends.end(), node) == ends.end()) ends.push_back(node);
}

Error begin(cudaStream_t stream, Graph* graph, GraphNode* const* before, std::size_t count) {
  // The legacy stream stands for all others, which a capture cannot.
  if (stream == nullptr || stream == kLegacyHandle) return kUnsupportedCapture;
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  if (captures().of(id) != nullptr) return kIllegalState;
  auto capture = std::make_unique<Capture>();
  capture->id = ++captures().begun;
  capture->origin = id;
  capture->new_graph = graph == nullptr;
  auto& ends = capture->ends[id];
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* const node = GraphNode::find(before[i]);
    if (node == nullptr || node->graph != graph) return kInvalidValue;
    join(ends, node);
  }
  capture->graph = capture->new_graph ? new Graph : graph;
  captures().all.push_back(std::move(capture));
  ++captures().under_way;
  return kSuccess;
}

}  // namespace

bool is_captured(cudaStream_t stream) {
  std::uint64_t id = 0;
  if (captures().under_way == 0 || find_stream(stream, id) != kSuccess) return false;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  return captures().of(id) != nullptr;
}

Error capture(cudaStream_t stream, NodeType type, NodeWork work) {
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  if (capture == nullptr) return kIllegalState;
  std::vector<GraphNode*>& ends = capture->ends[id];
  GraphNode* node = nullptr;
  if (const Error error = add_node(capture->graph, ends.data(), ends.size(), type, std::move(work), &node))
    return error;
  ends = {node};
  return kSuccess;
}

void capture_record(cudaStream_t stream, cudaEvent_t event) {
  std::uint64_t id = 0;
  if (find_stream(stream, id) != kSuccess) return;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  if (capture != nullptr) captures().events[event] = {capture, capture->ends[id]};
}

bool capture_wait(cudaStream_t stream, cudaEvent_t event) {
  std::uint64_t id = 0;
  if (captures().under_way == 0 || find_stream(stream, id) != kSuccess) return false;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  const auto found = captures().events.find(event);
  if (found == captures().events.end()) return false;
  for (GraphNode* const node : found->second.second) join(found->second.first->ends[id], node);
  found->second.first->ends[id];  // joined, with nothing to wait for
  return true;
}

Error refuse_captured(cudaStream_t stream) {
  std::uint64_t id = 0;
  if (captures().under_way == 0 || find_stream(stream, id) != kSuccess) return kSuccess;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  if (capture == nullptr) return kSuccess;
  capture->spoilt = true;
  return kUnsupportedCapture;
}

Error begin_capture(cudaStream_t stream) { return begin(stream, nullptr, nullptr, 0); }
Error begin_capture_to(cudaStream_t stream, void* graph, GraphNode* const* before, std::size_t count) {
  Graph* const to = Graph::find(graph);
  if (to == nullptr || (count != 0 && before == nullptr)) return kInvalidValue;
  return begin(stream, to, before, count);
}
Error end_capture(cudaStream_t stream, void** graph) {
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  if (capture == nullptr) return kIllegalState;
  if (graph == nullptr && capture->new_graph) return kInvalidValue;
  if (capture->origin != id) return kUnmatchedCapture;
  const Error error = capture->spoilt ? kSpoiltCapture : kSuccess;
  if (graph != nullptr) *graph = error == kSuccess ? capture->graph : nullptr;
  if (error != kSuccess && capture->new_graph) delete capture->graph;
  for (auto event = captures().events.begin(); event != captures().events.end();)
    event = event->second.first == capture ? captures().events.erase(event) : std::next(event);
  captures().all.erase(std::find_if(captures().all.begin(), captures().all.end(),
                                    [capture](const auto& other) { return other.get() == capture; }));
  --captures().under_way;
  return error;
}

Error capture_info(cudaStream_t stream, CaptureInfo& info) {
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  if (capture == nullptr) return kSuccess;
  const std::vector<GraphNode*>& ends = capture->ends[id];
  info = {true, capture->id, capture->graph, ends.data(), ends.size()};
  return kSuccess;
}

Error update_capture(cudaStream_t stream, GraphNode* const* nodes, std::size_t count, bool replaces) {
  std::uint64_t id = 0;
  if (count != 0 && nodes == nullptr) return kInvalidValue;
  if (const Error error = find_stream(stream, id)) return error;
  const std::lock_guard<std::mutex> lock(captures().mutex);
  Capture* const capture = captures().of(id);
  if (capture == nullptr) return kIllegalState;
  std::vector<GraphNode*> ends = replaces ? std::vector<GraphNode*>{} : capture->ends[id];
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* const node = GraphNode::find(nodes[i]);
    if (node == nullptr || node->graph != capture->graph) return kInvalidValue;
    join(ends, node);
  }
  capture->ends[id] = ends;
  return kSuccess;
}

}  // namespace warpvp::cuda
