#pragma once
// Graphs: nodes in an order, recorded by capture (graph_capture.h) or made one by one, and launched as often
// as wanted (graph_launch.h). All of it is the libraries' and the same for both APIs: to the simulator a
// launch of a graph is its commands, put into as many streams as it has branches.

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/objects.h"
#include "sw/cuda/protocol.h"

namespace warpvp::cuda {

/// cudaGraphNodeType, CUgraphNodeType.
enum class NodeType : int {
  kKernel = 0,
  kMemcpy = 1,
  kMemset = 2,
  kHost = 3,
  kGraph = 4,
  kEmpty = 5,
  kWait = 6,
  kRecord = 7,
  kAllocate = 10,
  kFree = 11,
  kConditional = 13
};

/// A kernel's launch, with copies of its arguments.
struct KernelCall {
  const void* function = nullptr;       ///< the handle that the program knows it by
  Launch what;                          ///< its stream is that of the launch
  std::vector<std::uint8_t> arguments;  ///< each one's bytes, end to end
};

/// A function of the program. As cudaHostNodeParams.
struct HostCall {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
};

/// Memory of a node that allocates: it is there from the node's making on, at one address, until neither a
/// graph nor an executable has the node.
class GraphMemory {
 public:
  static Error allocate(std::size_t bytes, std::shared_ptr<GraphMemory>& made);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  std::uint64_t address() const { return address_; }
  std::size_t bytes() const { return bytes_; }

 private:
  GraphMemory(std::uint64_t address, std::size_t bytes);
  std::uint64_t address_;
  std::size_t bytes_;
};
/// An address that a node allocates: to give it back is for the graph alone.
bool is_graph_memory(const void* address);
/// Bytes that nodes have now, and had at most since that was last asked to begin anew.
struct GraphMemoryUse {
  std::uint64_t now = 0, most = 0;
};
GraphMemoryUse graph_memory_use();
/// By number (cudaGraphMemAttributeType); what is set is that the most of it is counted anew.
Error get_graph_memory(int attribute, void* value);
Error set_graph_memory(int attribute, const void* value);

/// What decides about conditional nodes: a word of device memory, whose address is the handle. Kernels write
/// it (cudaGraphSetConditional).
class Condition {
 public:
  static Error create(unsigned value, bool assigns, std::shared_ptr<Condition>& made);
  /// nullptr: the handle is none, or none any more.
  static std::shared_ptr<Condition> find(std::uint64_t handle);
  ~Condition();
  Condition(const Condition&) = delete;
  std::uint64_t handle() const { return handle_; }
  /// Gives it the value that it has when a graph begins, where it has one.
  Error reset(std::uint64_t stream) const;
  /// What it is once all is done that is in the stream.
  Error read(std::uint64_t stream, unsigned& value) const;

 private:
  Condition(std::uint64_t handle, unsigned value, bool assigns);
  std::uint64_t handle_;
  unsigned value_;
  bool assigns_;
};

/// What handles of a type are found by: objects that are there.
template <class T>
class Listed {
 public:
  Listed() {
    const std::lock_guard<std::mutex> lock(mutex());
    all().insert(this);
  }
  Listed(const Listed&) = delete;
  ~Listed() {
    const std::lock_guard<std::mutex> lock(mutex());
    all().erase(this);
  }
  /// nullptr: the handle is none, or none any more.
  static T* find(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex());
    auto* const listed = static_cast<const Listed*>(static_cast<const T*>(handle));
    return all().count(listed) != 0 ? static_cast<T*>(const_cast<void*>(handle)) : nullptr;
  }

 private:
  // Never destroyed: programs call at their very end.
  static std::mutex& mutex() {
    static auto* const one = new std::mutex;
    return *one;
  }
  static std::unordered_set<const Listed*>& all() {
    static auto* const set = new std::unordered_set<const Listed*>;
    return *set;
  }
};

struct Graph;

enum class ConditionalType : int { kIf = 0, kWhile = 1, kSwitch = 2 };
/// cudaConditionalNodeParams.
struct Conditional {
  std::shared_ptr<Condition> condition;
  ConditionalType type = ConditionalType::kIf;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<void*> handles;  ///< of the bodies, as programs get them
};

/// What a node does; of its type's members the others are unused.
struct NodeWork {
  KernelCall kernel;
  BlockCopy copy;
  Fill fill;
  HostCall host;
  cudaEvent_t event = nullptr;
  std::shared_ptr<GraphMemory> memory;
  std::uint64_t freed = 0;  ///< address that a node frees
  std::shared_ptr<Graph> child;
  std::shared_ptr<Conditional> conditional;
};

struct GraphNode : Listed<GraphNode> {
  NodeType type = NodeType::kEmpty;
  Graph* graph = nullptr;
  std::vector<GraphNode*> before;       ///< what it waits for
  const GraphNode* original = nullptr;  ///< that it was copied from
  NodeWork work;
  bool enabled = true;                   ///< of an executable's; others do nothing
  std::vector<void*> argument_pointers;  ///< to the kernel's arguments, once a program has asked for them
};

struct Graph : Listed<Graph> {
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< each behind those that it waits for
  std::vector<std::shared_ptr<Condition>> conditions;
  bool owned = false;  ///< by a node: it goes with that, and cannot be destroyed
};

/// A new node of the graph, with what it does; kInvalidValue where the graph is none, or something that it
/// waits for is not a node of it.
Error add_node(void* graph, GraphNode* const* before, std::size_t count, NodeType type, NodeWork work,
               GraphNode** node);
/// With a copy of the child. kNotSupported where that has nodes that allocate, or conditional ones.
Error add_child_node(void* graph, GraphNode* const* before, std::size_t count, void* child, GraphNode** node);
/// One that allocates, and one that frees what such a one has allocated.
Error add_allocation(void* graph, GraphNode* const* before, std::size_t count, std::size_t bytes,
                     void** address, GraphNode** node);
Error add_free(void* graph, GraphNode* const* before, std::size_t count, void* address, GraphNode** node);
/// `bodies`: where the empty graphs are found that the node may run.
Error add_conditional_node(void* graph, GraphNode* const* before, std::size_t count, std::uint64_t handle,
                           int type, unsigned size, void*** bodies, GraphNode** node);
Error create_condition(void* graph, unsigned value, unsigned flags, std::uint64_t* handle);

/// The node, if it is of that type; kInvalidValue otherwise.
Error find_node(const void* handle, NodeType type, GraphNode*& node);
Error create_graph(unsigned flags, void** graph);
Error destroy_graph(void* graph);
Error destroy_node(void* node);
Error clone_graph(void** clone, void* graph);
Error find_in_clone(GraphNode** node, const void* original, void* clone);
/// Each `to` waits for its `from`; kInvalidValue where that makes a circle.
Error add_dependencies(void* graph, GraphNode* const* from, GraphNode* const* to, std::size_t count);
Error remove_dependencies(void* graph, GraphNode* const* from, GraphNode* const* to, std::size_t count);

// As many as there is room for; nowhere to put them: how many there are.
Error list_nodes(void* graph, GraphNode** nodes, std::size_t* count, bool roots_alone);
Error list_edges(void* graph, GraphNode** from, GraphNode** to, std::size_t* count);
Error list_before(const void* node, GraphNode** nodes, std::size_t* count);
Error list_behind(const void* node, GraphNode** nodes, std::size_t* count);
Error type_of(const void* node, NodeType* type);

/// Copies the nodes of `from` into `to`, those that wait for nothing behind `before`.
void copy_nodes(const Graph& from, Graph& to, const std::vector<GraphNode*>& before);

/// Dependencies that are more than an order (cudaGraphEdgeData) are not offered.
Error check_edges(const void* edges, std::size_t count);
/// Says that dependencies of a list are nothing but that.
void clear_edges(void* edges, std::size_t count);

}  // namespace warpvp::cuda
