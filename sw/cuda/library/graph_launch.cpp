#include "sw/cuda/library/graph_launch.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/program.h"
#include "sw/cuda/library/shared_memory.h"

namespace warpvp::cuda {

namespace {

/// What of a launch decides whether it can be made, but for its grid.
using Shape = std::array<std::uint64_t, 5>;
Shape shape_of(const Launch& what) {
  return {what.kernel, what.block[0], what.block[1], what.block[2], what.dynamic_shared_bytes};
}
struct AcceptedShapes {
  std::mutex mutex;
  std::set<Shape> shapes;
};
AcceptedShapes& accepted() {
  static auto* const all = new AcceptedShapes;  // never destroyed: programs launch at their very end
  return *all;
}

/// Launches like this one have been made: nothing can be wrong with it.
bool is_accepted(const Launch& what) {
  constexpr std::uint64_t kMostCtas = 1u << 20, kMostOfYAndZ = 65535;  // that no device minds
  const std::uint64_t x = what.grid[0], y = what.grid[1], z = what.grid[2];
  if (x > kMostCtas || y > kMostOfYAndZ || z > kMostOfYAndZ) return false;
  if (x * y * z == 0 || x * y * z > kMostCtas || what.cooperative != 0) return false;
  const std::lock_guard lock(accepted().mutex);
  return accepted().shapes.count(shape_of(what)) != 0;
}
void note_accepted(const Launch& what) {
  const std::lock_guard lock(accepted().mutex);
  accepted().shapes.insert(shape_of(what));
}

}  // namespace

Error run_kernel(const NodeWork& work, cudaStream_t stream) {
  Launch what = work.kernel.what;
  if (const Error error = find_stream(stream, what.stream)) return error;
  std::vector<std::uint8_t> arguments = work.kernel.arguments;
  translate(arguments.data(), arguments.size());
  prepare_managed_variables();
  Writer message;
  message.put(what).put_bytes(arguments.data(), arguments.size());
  if (is_accepted(what)) return Connection::instance().post(Call::kLaunch, message);
  const Error error = Connection::instance().call(Call::kLaunch, message).error;
  if (error == kSuccess) note_accepted(what);
  return error;
}
Error run_copy(const NodeWork& work, cudaStream_t stream) {
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  return copy_block(work.copy, id, false);
}
Error copy_in_stream(const NodeWork& work, cudaStream_t stream) {
  const CopySide &to = work.copy.to, &from = work.copy.from;
  if (const Error error = run_copy(work, stream)) return error;
  if (to.array != nullptr) return kSuccess;
  cudaMemcpyKind kind = work.copy.kind;
  if (from.array != nullptr) kind = on_device(to.memory) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  return returns_late(to.memory, from.memory, kind) ? synchronize_stream(stream) : kSuccess;
}
Error run_fill(const NodeWork& work, cudaStream_t stream) {
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  return fill_block(work.fill, id, false);
}
Error run_host(const NodeWork& work, cudaStream_t stream) {
  if (const Error error = synchronize_stream(stream)) return error;
  work.host.function(work.host.data);
  return kSuccess;
}

namespace {

Error launch(Executable& executable, cudaStream_t stream);

Error run_conditional(Executable& executable, const GraphNode& node, cudaStream_t stream) {
  const Conditional& what = *node.work.conditional;
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  auto& bodies = executable.bodies.at(&node);
  for (;;) {
    unsigned value = 0;
    if (const Error error = what.condition->read(id, value)) return error;
    const std::size_t body = what.type == ConditionalType::kSwitch ? value : value != 0 ? 0 : 1;
    const bool loops = what.type == ConditionalType::kWhile;
    if (body >= bodies.size()) return kSuccess;
    if (const Error error = launch(*bodies[body], stream)) return error;
    if (!loops) return kSuccess;
  }
}

Error run(Executable& executable, const GraphNode& node, cudaStream_t stream) {
  if (!node.enabled) return kSuccess;
  switch (node.type) {
    case NodeType::kKernel:
      return run_kernel(node.work, stream);
    case NodeType::kMemcpy:
      return run_copy(node.work, stream);
    case NodeType::kMemset:
      return run_fill(node.work, stream);
    case NodeType::kHost:
      return run_host(node.work, stream);
    case NodeType::kWait:
      return stream_waits(stream, node.work.event);
    case NodeType::kRecord:
      return record_event(node.work.event, stream);
    case NodeType::kConditional:
      return run_conditional(executable, node, stream);
    case NodeType::kGraph:     // its nodes are the executable's own
    case NodeType::kAllocate:  // as long as the graph
    case NodeType::kFree:
    case NodeType::kEmpty:
      break;
  }
  return kSuccess;
}

/// A node goes on in the stream of the first node that it waits for, if nobody has yet; else in one of its
/// own.
Error launch(Executable& executable, cudaStream_t stream) {
  const auto& nodes = executable.graph.nodes;
  while (executable.events.size() < nodes.size() + 1) {
    cudaEvent_t event{};
    if (const Error error = create_event(kUntimedEvent, &event)) return error;
    executable.events.push_back(event);
  }
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  for (const auto& condition : executable.graph.conditions)
    if (const Error error = condition->reset(id)) return error;
  const cudaEvent_t begin = executable.events.back();
  std::unordered_map<const GraphNode*, std::pair<std::size_t, cudaStream_t>>
      placed;  // and where its event is
  std::unordered_map<const GraphNode*, bool> followed;
  std::size_t used = 0;
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
    if (i == 0) {
      own = stream;
      // Other branches begin where this one does.
      if (const Error error = record_event(begin, stream)) return error;
    } else if (behind == nullptr) {
      if (used == executable.branches.size()) {
        cudaStream_t branch{};
        if (const Error error = create_stream(kNonBlockingStream, 0, &branch)) return error;
        executable.branches.push_back(branch);
      }
      own = executable.branches[used++];
      if (const Error error = stream_waits(own, begin)) return error;
    }
    for (const GraphNode* other : node.before)
      if (other != behind)
        if (const Error error = stream_waits(own, executable.events[placed[other].first])) return error;
    if (const Error error = run(executable, node, own)) return error;
    placed[&node] = {i, own};
    if (nodes.size() > 1)
      if (const Error error = record_event(executable.events[i], own)) return error;
  }
  // What follows in the stream waits for all.
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!followed[nodes[i].get()] && placed[nodes[i].get()].second != stream)
      if (const Error error = stream_waits(stream, executable.events[i])) return error;
  return kSuccess;
}

/// Copies the nodes, those of child graphs between two that stand for the child's begin and its end.
void flatten(const Graph& from, Executable& to, const std::vector<GraphNode*>& before) {
  for (const auto& node : from.nodes) {
    std::vector<GraphNode*> behind;
    for (const GraphNode* other : node->before) behind.push_back(to.copies.at(other));
    if (behind.empty()) behind = before;
    NodeWork work = node->work;
    GraphNode* copy = nullptr;
    if (node->type == NodeType::kGraph) {
      GraphNode* begin = nullptr;
      add_node(&to.graph, behind.data(), behind.size(), NodeType::kEmpty, {}, &begin);
      const std::size_t first = to.graph.nodes.size();
      flatten(*work.child, to, {begin});
      behind = {begin};
      for (std::size_t i = first; i < to.graph.nodes.size(); ++i) behind.push_back(to.graph.nodes[i].get());
    }
    add_node(&to.graph, behind.data(), behind.size(), node->type, std::move(work), &copy);
    to.copies[node.get()] = copy;
    if (node->type != NodeType::kConditional) continue;
    for (const auto& body : node->work.conditional->bodies) {
      auto made = std::make_unique<Executable>();
      made->graph.conditions = body->conditions;
      flatten(*body, *made, {});
      to.bodies[copy].push_back(std::move(made));
    }
  }
}

/// In which node, if any, the graphs differ in form.
Updated compare(const Graph& old, const Graph& now) {
  if (old.nodes.size() != now.nodes.size()) return {UpdateResult::kTopologyChanged, nullptr};
  std::unordered_map<const GraphNode*, const GraphNode*> pairs;
  for (std::size_t i = 0; i < old.nodes.size(); ++i) {
    const GraphNode &a = *old.nodes[i], &b = *now.nodes[i];
    auto* const node = const_cast<GraphNode*>(&b);
    if (a.type != b.type) return {UpdateResult::kNodeTypeChanged, node};
    pairs[&a] = &b;
    bool same = a.before.size() == b.before.size();
    for (std::size_t j = 0; same && j < a.before.size(); ++j) same = pairs[a.before[j]] == b.before[j];
    if (!same) return {UpdateResult::kTopologyChanged, node};
  }
  return {};
}

}  // namespace

Executable::~Executable() {
  for (cudaStream_t stream : branches) destroy_stream(stream);
  for (cudaEvent_t event : events) destroy_event(event);
}

Error instantiate(void** executable, void* graph, unsigned long long flags) {
  const Graph* const from = Graph::find(graph);
  if (from == nullptr || executable == nullptr) return kInvalidValue;
  auto made = std::make_unique<Executable>();
  made->flags = flags;
  made->graph.conditions = from->conditions;
  flatten(*from, *made, {});
  *executable = made.release();
  return kSuccess;
}
Error launch_graph(void* handle, cudaStream_t stream) {
  Executable* const executable = Executable::find(handle);
  return executable == nullptr ? kInvalidValue : launch(*executable, stream);
}
Error destroy_executable(void* handle) {
  const Executable* const executable = Executable::find(handle);
  if (executable == nullptr) return kInvalidValue;
  delete executable;
  return kSuccess;
}
Error flags_of(const void* handle, unsigned long long* flags) {
  const Executable* const executable = Executable::find(handle);
  if (executable == nullptr || flags == nullptr) return kInvalidValue;
  *flags = executable->flags;
  return kSuccess;
}

namespace {
Error find_any_copy(void* handle, const void* node, GraphNode*& copy) {
  const Executable* const executable = Executable::find(handle);
  if (executable == nullptr || node == nullptr) return kInvalidValue;
  const auto found = executable->copies.find(static_cast<const GraphNode*>(node));
  if (found == executable->copies.end()) return kInvalidValue;
  copy = found->second;
  return kSuccess;
}
Error find_switched(void* handle, const void* node, GraphNode*& copy) {
  if (const Error error = find_any_copy(handle, node, copy)) return error;
  const NodeType type = copy->type;
  return type == NodeType::kKernel || type == NodeType::kMemcpy || type == NodeType::kMemset ? kSuccess
                                                                                             : kInvalidValue;
}
}  // namespace

Error find_copy(void* executable, const void* node, NodeType type, GraphNode*& copy) {
  if (const Error error = find_any_copy(executable, node, copy)) return error;
  return copy->type == type ? kSuccess : kInvalidValue;
}
Error set_enabled(void* executable, const void* node, bool enabled) {
  GraphNode* copy = nullptr;
  if (const Error error = find_switched(executable, node, copy)) return error;
  copy->enabled = enabled;
  return kSuccess;
}
Error is_enabled(void* executable, const void* node, unsigned* enabled) {
  GraphNode* copy = nullptr;
  if (const Error error = find_switched(executable, node, copy)) return error;
  if (enabled == nullptr) return kInvalidValue;
  *enabled = copy->enabled;
  return kSuccess;
}

Error update_child(void* handle, const void* node, void* child) {
  GraphNode* copy = nullptr;
  const Graph* const now = Graph::find(child);
  if (const Error error = find_copy(handle, node, NodeType::kGraph, copy)) return error;
  const Graph& old = *copy->work.child;
  if (now == nullptr || compare(old, *now).result != UpdateResult::kSuccess) return kInvalidValue;
  auto& copies = Executable::find(handle)->copies;
  for (std::size_t i = 0; i < old.nodes.size(); ++i)
    copies.at(old.nodes[i].get())->work = now->nodes[i]->work;
  return kSuccess;
}

Error update_executable(void* handle, void* graph, Updated& updated) {
  Executable* const executable = Executable::find(handle);
  const Graph* const now = Graph::find(graph);
  if (executable == nullptr || now == nullptr) return kInvalidValue;
  if (!executable->bodies.empty()) return kNotSupported;
  Executable other;
  flatten(*now, other, {});
  updated = compare(executable->graph, other.graph);
  if (updated.node != nullptr) {
    const auto original = std::find_if(other.copies.begin(), other.copies.end(),
                                       [&](const auto& pair) { return pair.second == updated.node; });
    updated.node = original == other.copies.end() ? nullptr : const_cast<GraphNode*>(original->first);
  }
  if (updated.result != UpdateResult::kSuccess) return kUpdateFailure;
  const auto &nodes = executable->graph.nodes, &others = other.graph.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // The nodes of the child that it was made of are those that `copies` knows.
    const std::shared_ptr<Graph> child = nodes[i]->work.child;
    nodes[i]->work = others[i]->work;
    nodes[i]->work.child = child;
  }
  return kSuccess;
}

}  // namespace warpvp::cuda
