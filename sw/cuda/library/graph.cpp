#include "sw/cuda/library/graph.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/graph_abi.h"

namespace warpvp::cuda {

namespace {

constexpr std::size_t kEdgeBytes = 8;    // of cudaGraphEdgeData
constexpr unsigned kAssignsDefault = 1;  // cudaGraphCondAssignDefault

Error allocate_device(std::size_t bytes, std::uint64_t& address) {
  Writer arguments;
  arguments.put(static_cast<std::uint64_t>(bytes));
  Answer answer = Connection::instance().call(Call::kAllocate, arguments);
  if (answer.error == kSuccess) address = answer.in.get<std::uint64_t>();
  return answer.error;
}
void free_device(std::uint64_t address) {
  Writer arguments;
  arguments.put(address);
  Connection::instance().call(Call::kFree, arguments);
}

/// Addresses of GraphMemory.
struct Addresses {
  std::mutex mutex;
  std::set<std::uint64_t> all;
  GraphMemoryUse use;
};
Addresses& addresses() {
  static auto* const one = new Addresses;
  return *one;
}

/// Conditions by handle.
struct Conditions {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::weak_ptr<Condition>> all;
};
Conditions& conditions() {
  static auto* const one = new Conditions;
  return *one;
}

GraphNode* append(Graph& graph, NodeType type, std::vector<GraphNode*> before, NodeWork work) {
  auto node = std::make_unique<GraphNode>();
  node->type = type;
  node->graph = &graph;
  node->before = std::move(before);
  node->work = std::move(work);
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

/// A graph of a node's own. Whatever has it may change it, so copies of the node get copies.
std::shared_ptr<Graph> copy_owned(const Graph& from) {
  auto copy = std::make_shared<Graph>();
  copy->owned = true;
  copy->conditions = from.conditions;
  copy_nodes(from, *copy, {});
  return copy;
}

bool contains(const Graph& graph, std::initializer_list<NodeType> types) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
    return std::count(types.begin(), types.end(), node->type) != 0 ||
           (node->work.child != nullptr && contains(*node->work.child, types));
  });
}

/// The nodes that handles stand for, all of them of this graph.
Error find_nodes(const Graph& graph, GraphNode* const* handles, std::size_t count,
                 std::vector<GraphNode*>& nodes) {
  if (count != 0 && handles == nullptr) return kInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* const node = GraphNode::find(handles[i]);
    if (node == nullptr || node->graph != &graph) return kInvalidValue;
    nodes.push_back(node);
  }
  return kSuccess;
}

Error put_list(const std::vector<GraphNode*>& all, GraphNode** nodes, std::size_t* count) {
  if (count == nullptr) return kInvalidValue;
  if (nodes == nullptr) {
    *count = all.size();
    return kSuccess;
  }
  for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < all.size() ? all[i] : nullptr;
  *count = std::min(*count, all.size());
  return kSuccess;
}

}  // namespace

GraphMemory::GraphMemory(std::uint64_t address, std::size_t bytes) : address_(address), bytes_(bytes) {
  const std::lock_guard<std::mutex> lock(addresses().mutex);
  addresses().all.insert(address);
  addresses().use.now += bytes;
  addresses().use.most = std::max(addresses().use.most, addresses().use.now);
}
GraphMemory::~GraphMemory() {
  {
    const std::lock_guard<std::mutex> lock(addresses().mutex);
    addresses().all.erase(address_);
    addresses().use.now -= bytes_;
  }
  free_device(address_);
}
Error GraphMemory::allocate(std::size_t bytes, std::shared_ptr<GraphMemory>& made) {
  std::uint64_t address = 0;
  if (bytes == 0) return kInvalidValue;
  const Error error = allocate_device(bytes, address);
  if (error == kSuccess) made.reset(new GraphMemory(address, bytes));
  return error;
}
bool is_graph_memory(const void* address) {
  const std::lock_guard<std::mutex> lock(addresses().mutex);
  return addresses().all.count(address_of(address)) != 0;
}
GraphMemoryUse graph_memory_use() {
  const std::lock_guard<std::mutex> lock(addresses().mutex);
  return addresses().use;
}
// Nothing is kept back, so that as much is reserved (2, 3) as is used (0, 1).
Error get_graph_memory(int attribute, void* value) {
  if (value == nullptr || attribute < 0 || attribute > 3) return kInvalidValue;
  const GraphMemoryUse use = graph_memory_use();
  *static_cast<std::uint64_t*>(value) = attribute % 2 == 0 ? use.now : use.most;
  return kSuccess;
}
Error set_graph_memory(int attribute, const void* value) {
  if (value == nullptr || (attribute != 1 && attribute != 3)) return kInvalidValue;
  const std::lock_guard<std::mutex> lock(addresses().mutex);
  addresses().use.most = addresses().use.now;
  return kSuccess;
}

Condition::Condition(std::uint64_t handle, unsigned value, bool assigns)
    : handle_(handle), value_(value), assigns_(assigns) {}
Condition::~Condition() { free_device(handle_); }
std::shared_ptr<Condition> Condition::find(std::uint64_t handle) {
  const std::lock_guard<std::mutex> lock(conditions().mutex);
  const auto found = conditions().all.find(handle);
  return found == conditions().all.end() ? nullptr : found->second.lock();
}
Error Condition::create(unsigned value, bool assigns, std::shared_ptr<Condition>& made) {
  std::uint64_t handle = 0;
  if (const Error error = allocate_device(sizeof value, handle)) return error;
  made.reset(new Condition(handle, value, assigns));
  {
    const std::lock_guard<std::mutex> lock(conditions().mutex);
    conditions().all[handle] = made;
  }
  // Without a value of its own it begins with none, until a kernel sets it.
  return fill(handle, 0, sizeof value, kLegacyStream, true);
}
Error Condition::reset(std::uint64_t stream) const {
  if (!assigns_) return kSuccess;
  return copy(reinterpret_cast<void*>(handle_), &value_, sizeof value_, cudaMemcpyHostToDevice, stream,
              false);
}
Error Condition::read(std::uint64_t stream, unsigned& value) const {
  return copy(&value, reinterpret_cast<void*>(handle_), sizeof value, cudaMemcpyDeviceToHost, stream, true);
}

// ---- nodes

Error add_node(void* graph, GraphNode* const* before, std::size_t count, NodeType type, NodeWork work,
               GraphNode** node) {
  Graph* const to = Graph::find(graph);
  std::vector<GraphNode*> behind;
  if (to == nullptr || node == nullptr) return kInvalidValue;
  if (const Error error = find_nodes(*to, before, count, behind)) return error;
  *node = append(*to, type, std::move(behind), std::move(work));
  return kSuccess;
}

Error add_child_node(void* graph, GraphNode* const* before, std::size_t count, void* child,
                     GraphNode** node) {
  const Graph* const from = Graph::find(child);
  if (from == nullptr || child == graph) return kInvalidValue;
  if (contains(*from, {NodeType::kAllocate, NodeType::kFree, NodeType::kConditional})) return kNotSupported;
  NodeWork work;
  work.child = copy_owned(*from);
  return add_node(graph, before, count, NodeType::kGraph, std::move(work), node);
}

Error add_allocation(void* graph, GraphNode* const* before, std::size_t count, std::size_t bytes,
                     void** address, GraphNode** node) {
  NodeWork work;
  if (address == nullptr) return kInvalidValue;
  if (const Error error = GraphMemory::allocate(bytes, work.memory)) return error;
  *address = reinterpret_cast<void*>(work.memory->address());
  return add_node(graph, before, count, NodeType::kAllocate, std::move(work), node);
}
Error add_free(void* graph, GraphNode* const* before, std::size_t count, void* address, GraphNode** node) {
  NodeWork work;
  work.freed = address_of(address);
  if (!is_graph_memory(address)) return kInvalidValue;
  return add_node(graph, before, count, NodeType::kFree, std::move(work), node);
}

Error create_condition(void* graph, unsigned value, unsigned flags, std::uint64_t* handle) {
  Graph* const of = Graph::find(graph);
  if (of == nullptr || handle == nullptr || flags > kAssignsDefault) return kInvalidValue;
  std::shared_ptr<Condition> made;
  if (const Error error = Condition::create(value, flags == kAssignsDefault, made)) return error;
  *handle = made->handle();
  of->conditions.push_back(std::move(made));
  return kSuccess;
}

Error add_conditional_node(void* graph, GraphNode* const* before, std::size_t count, std::uint64_t handle,
                           int type, unsigned size, void*** bodies, GraphNode** node) {
  if (bodies == nullptr || type < 0 || type > static_cast<int>(ConditionalType::kSwitch))
    return kInvalidValue;
  auto made = std::make_shared<Conditional>();
  made->condition = Condition::find(handle);
  made->type = static_cast<ConditionalType>(type);
  const unsigned most = made->type == ConditionalType::kIf      ? 2
                        : made->type == ConditionalType::kWhile ? 1
                                                                : ~0u;
  if (size == 0 || size > most || made->condition == nullptr) return kInvalidValue;
  for (unsigned i = 0; i < size; ++i) {
    made->bodies.push_back(std::make_shared<Graph>());
    made->bodies.back()->owned = true;
    made->handles.push_back(made->bodies.back().get());
  }
  NodeWork work;
  work.conditional = made;
  if (const Error error = add_node(graph, before, count, NodeType::kConditional, std::move(work), node))
    return error;
  *bodies = made->handles.data();
  return kSuccess;
}

Error find_node(const void* handle, NodeType type, GraphNode*& node) {
  node = GraphNode::find(handle);
  return node != nullptr && node->type == type ? kSuccess : kInvalidValue;
}

Error destroy_node(void* handle) {
  GraphNode* const node = GraphNode::find(handle);
  if (node == nullptr) return kInvalidValue;
  auto& nodes = node->graph->nodes;
  for (const auto& other : nodes)
    other->before.erase(std::remove(other->before.begin(), other->before.end(), node), other->before.end());
  nodes.erase(std::find_if(nodes.begin(), nodes.end(), [node](const auto& n) { return n.get() == node; }));
  return kSuccess;
}

Error type_of(const void* handle, NodeType* type) {
  const GraphNode* const node = GraphNode::find(handle);
  if (node == nullptr || type == nullptr) return kInvalidValue;
  *type = node->type;
  return kSuccess;
}

// ---- graphs

Error create_graph(unsigned flags, void** graph) {
  if (graph == nullptr || flags != 0) return kInvalidValue;
  *graph = new Graph;
  return kSuccess;
}
Error destroy_graph(void* graph) {
  const Graph* const found = Graph::find(graph);
  if (found == nullptr || found->owned) return kInvalidValue;
  delete found;
  return kSuccess;
}

void copy_nodes(const Graph& from, Graph& to, const std::vector<GraphNode*>& before) {
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : from.nodes) {
    std::vector<GraphNode*> behind;
    for (const GraphNode* other : node->before) behind.push_back(copies.at(other));
    NodeWork work = node->work;
    if (work.child != nullptr) work.child = copy_owned(*work.child);
    GraphNode* const copy = append(to, node->type, behind.empty() ? before : behind, std::move(work));
    copy->original = node.get();
    copies[node.get()] = copy;
  }
}

Error clone_graph(void** clone, void* graph) {
  const Graph* const from = Graph::find(graph);
  if (from == nullptr || clone == nullptr) return kInvalidValue;
  if (contains(*from, {NodeType::kAllocate, NodeType::kFree, NodeType::kConditional})) return kNotSupported;
  auto* const made = new Graph;
  copy_nodes(*from, *made, {});
  *clone = made;
  return kSuccess;
}
Error find_in_clone(GraphNode** node, const void* original, void* clone) {
  const Graph* const in = Graph::find(clone);
  if (in == nullptr || node == nullptr || original == nullptr) return kInvalidValue;
  for (const auto& copy : in->nodes)
    if (copy->original == original) return *node = copy.get(), kSuccess;
  return kInvalidValue;
}

Error add_dependencies(void* handle, GraphNode* const* from, GraphNode* const* to, std::size_t count) {
  Graph* const graph = Graph::find(handle);
  std::vector<GraphNode*> first, then;
  if (graph == nullptr) return kInvalidValue;
  if (const Error error = find_nodes(*graph, from, count, first)) return error;
  if (const Error error = find_nodes(*graph, to, count, then)) return error;
  std::unordered_map<const GraphNode*, std::vector<GraphNode*>> old;
  for (const auto& node : graph->nodes) old[node.get()] = node->before;
  const auto restore = [&] {
    for (const auto& node : graph->nodes) node->before = old[node.get()];
  };
  for (std::size_t i = 0; i < count; ++i) {
    auto& before = then[i]->before;
    if (std::count(before.begin(), before.end(), first[i]) != 0) return restore(), kInvalidValue;
    before.push_back(first[i]);
  }
  // Each behind those that it waits for; a circle leaves some over. Those that have been placed stay, as the
  // old order allows that, too.
  std::vector<std::unique_ptr<GraphNode>>& nodes = graph->nodes;
  std::unordered_set<const GraphNode*> placed;
  while (placed.size() < nodes.size()) {
    const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(placed.size());
    const auto next = std::find_if(begin, nodes.end(), [&](const auto& node) {
      return std::all_of(node->before.begin(), node->before.end(),
                         [&](const GraphNode* other) { return placed.count(other) != 0; });
    });
    if (next == nodes.end()) return restore(), kInvalidValue;
    placed.insert(next->get());
    std::rotate(begin, next, next + 1);
  }
  return kSuccess;
}

Error remove_dependencies(void* handle, GraphNode* const* from, GraphNode* const* to, std::size_t count) {
  Graph* const graph = Graph::find(handle);
  std::vector<GraphNode*> first, then;
  if (graph == nullptr) return kInvalidValue;
  if (const Error error = find_nodes(*graph, from, count, first)) return error;
  if (const Error error = find_nodes(*graph, to, count, then)) return error;
  for (std::size_t i = 0; i < count; ++i) {
    auto& before = then[i]->before;
    const auto edge = std::find(before.begin(), before.end(), first[i]);
    if (edge == before.end()) return kInvalidValue;
    before.erase(edge);
  }
  return kSuccess;
}

// ---- lists

Error list_nodes(void* handle, GraphNode** nodes, std::size_t* count, bool roots_alone) {
  const Graph* const graph = Graph::find(handle);
  if (graph == nullptr) return kInvalidValue;
  std::vector<GraphNode*> all;
  for (const auto& node : graph->nodes)
    if (!roots_alone || node->before.empty()) all.push_back(node.get());
  return put_list(all, nodes, count);
}
Error list_edges(void* handle, GraphNode** from, GraphNode** to, std::size_t* count) {
  const Graph* const graph = Graph::find(handle);
  if (graph == nullptr || count == nullptr || (from == nullptr) != (to == nullptr)) return kInvalidValue;
  std::vector<GraphNode*> first, then;
  for (const auto& node : graph->nodes)
    for (GraphNode* const other : node->before) first.push_back(other), then.push_back(node.get());
  std::size_t room = *count;
  if (const Error error = put_list(first, from, &room)) return error;
  return put_list(then, to, count);
}
Error list_before(const void* handle, GraphNode** nodes, std::size_t* count) {
  const GraphNode* const node = GraphNode::find(handle);
  return node == nullptr ? kInvalidValue : put_list(node->before, nodes, count);
}
Error list_behind(const void* handle, GraphNode** nodes, std::size_t* count) {
  const GraphNode* const node = GraphNode::find(handle);
  if (node == nullptr) return kInvalidValue;
  std::vector<GraphNode*> all;
  for (const auto& other : node->graph->nodes)
    if (std::count(other->before.begin(), other->before.end(), node) != 0) all.push_back(other.get());
  return put_list(all, nodes, count);
}

// ---- attributes

namespace {
constexpr int kAccessPolicy = 1, kCooperative = 2, kClusterDimension = 4, kPriority = 8;
constexpr std::size_t kAttributeBytes = 64;
}  // namespace

Error set_attribute(GraphNode& node, int attribute, const void* value) {
  unsigned words[3];
  if (value == nullptr) return kInvalidValue;
  std::memcpy(words, value, sizeof words);
  switch (attribute) {
    case kCooperative:
      node.work.kernel.what.cooperative = words[0] != 0;
      return kSuccess;
    case kAccessPolicy:  // what the L2 keeps is its own choice, and kernels of a graph are equally urgent
    case kPriority:
      return kSuccess;
    case kClusterDimension:
      return words[0] == 1 && words[1] == 1 && words[2] == 1 ? kSuccess : kNotSupported;
    default:
      return kNotSupported;
  }
}
Error copy_attributes(const void* from, const void* to) {
  GraphNode *first = nullptr, *second = nullptr;
  if (const Error error = find_node(from, NodeType::kKernel, first)) return error;
  if (const Error error = find_node(to, NodeType::kKernel, second)) return error;
  second->work.kernel.what.cooperative = first->work.kernel.what.cooperative;
  return kSuccess;
}
Error get_attribute(const GraphNode& node, int attribute, void* value) {
  if (value == nullptr) return kInvalidValue;
  std::memset(value, 0, kAttributeBytes);
  const unsigned cooperative = node.work.kernel.what.cooperative, one[] = {1, 1, 1};
  if (attribute == kCooperative) std::memcpy(value, &cooperative, sizeof cooperative);
  if (attribute == kClusterDimension) std::memcpy(value, one, sizeof one);
  return kSuccess;
}

Error check_edges(const void* edges, std::size_t count) {
  if (edges == nullptr) return kSuccess;
  const auto* const bytes = static_cast<const unsigned char*>(edges);
  const bool plain = std::all_of(bytes, bytes + count * kEdgeBytes, [](unsigned char b) { return b == 0; });
  return plain ? kSuccess : kNotSupported;
}
void clear_edges(void* edges, std::size_t count) {
  if (edges != nullptr) std::memset(edges, 0, count * kEdgeBytes);
}

}  // namespace warpvp::cuda
