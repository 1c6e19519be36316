// A program of the runtime API's graphs. `program CASE` does one thing, checks what it got, and ends with
// status 0, or 1 after a line that says what was wrong.

#include <functional>
#include <map>
#include <string>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/graph.h"
#include "sw/cuda/library/graph_abi.h"
#include "tests/cuda/program.h"
#include "tests/cuda/test_kernels.h"

extern "C" {
using warpvp::cuda::GraphNode;
using warpvp::cuda::HostNodeParams;
using warpvp::cuda::MemsetParams;
struct KernelNodeParams {
  const void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct MemcpyNodeParams {
  int flags, reserved[3];
  cudaMemcpy3DParms copyParams;
};
using NodeParams = warpvp::cuda::GraphNodeParams<KernelNodeParams, MemcpyNodeParams>;
struct UpdateInfo {
  int result;
  GraphNode *node, *from;
};
cudaError_t cudaGraphCreate(void**, unsigned);
cudaError_t cudaGraphClone(void**, void*);
cudaError_t cudaGraphAddKernelNode(GraphNode**, void*, GraphNode* const*, std::size_t,
                                   const KernelNodeParams*);
cudaError_t cudaGraphKernelNodeGetParams(void*, KernelNodeParams*);
cudaError_t cudaGraphExecKernelNodeSetParams(void*, void*, const KernelNodeParams*);
cudaError_t cudaGraphAddMemcpyNode(GraphNode**, void*, GraphNode* const*, std::size_t,
                                   const cudaMemcpy3DParms*);
cudaError_t cudaGraphAddMemcpyNode1D(GraphNode**, void*, GraphNode* const*, std::size_t, void*, const void*,
                                     std::size_t, int);
cudaError_t cudaGraphMemcpyNodeGetParams(void*, cudaMemcpy3DParms*);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(GraphNode**, void*, GraphNode* const*, std::size_t, void*,
                                             const void*, std::size_t, std::size_t, int);
cudaError_t cudaGraphAddMemsetNode(GraphNode**, void*, GraphNode* const*, std::size_t, const MemsetParams*);
cudaError_t cudaGraphMemsetNodeGetParams(void*, MemsetParams*);
cudaError_t cudaGraphAddHostNode(GraphNode**, void*, GraphNode* const*, std::size_t, const HostNodeParams*);
cudaError_t cudaGraphAddEmptyNode(GraphNode**, void*, GraphNode* const*, std::size_t);
cudaError_t cudaGraphAddChildGraphNode(GraphNode**, void*, GraphNode* const*, std::size_t, void*);
cudaError_t cudaGraphChildGraphNodeGetGraph(void*, void**);
cudaError_t cudaGraphExecChildGraphNodeSetParams(void*, void*, void*);
cudaError_t cudaGraphAddDependencies(void*, GraphNode* const*, GraphNode* const*, std::size_t);
cudaError_t cudaGraphRemoveDependencies(void*, GraphNode* const*, GraphNode* const*, std::size_t);
cudaError_t cudaGraphGetEdges(void*, GraphNode**, GraphNode**, std::size_t*);
cudaError_t cudaGraphNodeGetDependencies(void*, GraphNode**, std::size_t*);
cudaError_t cudaGraphNodeGetDependentNodes(void*, GraphNode**, std::size_t*);
cudaError_t cudaGraphNodeFindInClone(GraphNode**, void*, void*);
cudaError_t cudaGraphDestroyNode(void*);
cudaError_t cudaGraphNodeSetEnabled(void*, void*, unsigned);
cudaError_t cudaGraphExecUpdate(void*, void*, UpdateInfo*);
cudaError_t cudaGraphAddNode_v2(GraphNode**, void*, GraphNode* const*, const void*, std::size_t, NodeParams*);
cudaError_t cudaGraphAddMemFreeNode(GraphNode**, void*, GraphNode* const*, std::size_t, void*);
cudaError_t cudaGraphConditionalHandleCreate(std::uint64_t*, void*, unsigned, unsigned);
cudaError_t cudaDeviceGetGraphMemAttribute(int, int, void*);
cudaError_t cudaMallocAsync(void**, std::size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void*, cudaStream_t);
cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t, void*, GraphNode* const*, const void*, std::size_t,
                                          int);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t, int*, unsigned long long*, void**, GraphNode* const**,
                                        std::size_t*);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, GraphNode* const*, std::size_t, unsigned);
}

namespace {

using namespace warpvp::cuda;
using namespace warpvp::test;

// `step` adds to a word, and writes to a condition whether more is to be done; `choose` writes one.
const char kMore[] = R"(
.extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);
.visible .entry bump(.param .u64 to, .param .u32 by)
{
  .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [by];
  ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, %r1; st.global.u32 [%d1], %r2;
  ret;
}
.visible .entry step(.param .u64 to, .param .u64 h, .param .u32 until)
{
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [h]; ld.param.u32 %r1, [until];
  ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 1; st.global.u32 [%d1], %r2;
  setp.lt.u32 %p, %r2, %r1; selp.u32 %r3, 1, 0, %p;
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %d2; st.param.b32 [b], %r3;
    call.uni cudaGraphSetConditional, (a, b); }
  ret;
}
.visible .entry choose(.param .u64 h, .param .u32 v)
{
  .reg .b32 %r<2>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [h]; ld.param.u32 %r1, [v];
  { .param .b64 a; .param .b32 b; st.param.b64 [a], %d1; st.param.b32 [b], %r1;
    call.uni cudaGraphSetConditional, (a, b); }
  ret;
}
)";

char add_stub, bump_stub, step_stub, choose_stub, counter_shadow;

__attribute__((constructor)) void register_all() {
  void** const binary = register_binary(
      FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, module_with(kMore), Packing::kPlain).bytes());
  register_kernel(binary, &add_stub, "add");
  register_kernel(binary, &bump_stub, "bump");
  register_kernel(binary, &step_stub, "step");
  register_kernel(binary, &choose_stub, "choose");
  __cudaRegisterVar(binary, &counter_shadow, nullptr, "counter", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(binary);
}

/// Words of device memory, zeros at first.
struct Words {
  unsigned* at = nullptr;
  unsigned count;
  explicit Words(unsigned n = 1) : count(n) {
    CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&at), n * 4), 0);
    CHECK_EQ(cudaMemset(at, 0, n * 4), 0);
  }
  unsigned operator[](unsigned i) const {
    unsigned value = 0;
    CHECK_EQ(cudaMemcpy(&value, at + i, 4, 2), 0);
    return value;
  }
};

void* new_graph() {
  void* graph = nullptr;
  CHECK_EQ(cudaGraphCreate(&graph, 0), 0);
  return graph;
}
void* instance_of(void* graph) {
  void* executable = nullptr;
  CHECK_EQ(cudaGraphInstantiate(&executable, graph, 0), 0);
  return executable;
}
void run(void* executable) {
  CHECK_EQ(cudaGraphLaunch(executable, nullptr), 0);
  CHECK_EQ(cudaDeviceSynchronize(), 0);
}

template <class... T>
GraphNode* add_launch(void* graph, std::vector<GraphNode*> before, const char* stub, T... arguments) {
  void* pointers[] = {&arguments...};
  const KernelNodeParams p = {stub, {1, 1, 1}, {1, 1, 1}, 0, pointers, nullptr};
  GraphNode* node = nullptr;
  CHECK_EQ(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &p), 0);
  return node;
}

GraphNode* add_conditional(void* graph, std::vector<GraphNode*> before, std::uint64_t handle, int type,
                           unsigned size, std::vector<void*>& bodies) {
  NodeParams p{};
  p.type = 13;
  p.conditional = {handle, type, size, nullptr};
  GraphNode* node = nullptr;
  CHECK_EQ(cudaGraphAddNode_v2(&node, graph, before.data(), nullptr, before.size(), &p), 0);
  bodies.assign(p.conditional.bodies, p.conditional.bodies + size);
  return node;
}

// Nodes of each kind in an order, their parameters asked for and changed.
void nodes() {
  const Words words(4);
  void* const graph = new_graph();
  GraphNode *fill = nullptr, *copy = nullptr, *host = nullptr, *symbol = nullptr, *last = nullptr;
  const MemsetParams pattern = {words.at, 16, 0x01020304, 4, 4, 1};
  CHECK_EQ(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &pattern), 0);
  GraphNode* const bump = add_launch(graph, {fill}, &bump_stub, words.at, 5u);
  unsigned seen[4] = {}, counter = 0;
  CHECK_EQ(cudaGraphAddMemcpyNode1D(&copy, graph, &bump, 1, seen, words.at, 16, 2), 0);
  int calls = 0;
  const HostNodeParams call = {[](void* p) { ++*static_cast<int*>(p); }, &calls};
  CHECK_EQ(cudaGraphAddHostNode(&host, graph, &copy, 1, &call), 0);
  CHECK_EQ(cudaGraphAddMemcpyNodeFromSymbol(&symbol, graph, nullptr, 0, &counter, &counter_shadow, 4, 0, 2),
           0);
  CHECK_EQ(cudaGraphAddEmptyNode(&last, graph, nullptr, 0), 0);
  GraphNode* const ends[] = {host, symbol};
  GraphNode* const lasts[] = {last, last};
  CHECK_EQ(cudaGraphAddDependencies(graph, ends, lasts, 2), 0);
  CHECK_EQ(cudaGraphAddDependencies(graph, ends, lasts, 1), kInvalidValue);   // it is there
  CHECK_EQ(cudaGraphAddDependencies(graph, &last, &fill, 1), kInvalidValue);  // a circle
  GraphNode *from[8], *to[8];
  std::size_t count = 8;
  CHECK_EQ(cudaGraphGetEdges(graph, from, to, &count), 0);
  CHECK_EQ(count, 5);
  CHECK_EQ(from[0] == fill && to[0] == bump, true);
  count = 8;
  CHECK_EQ(cudaGraphNodeGetDependencies(last, from, &count), 0);
  CHECK_EQ(count == 2 && from[0] == host && from[1] == symbol && from[2] == nullptr, true);
  CHECK_EQ(cudaGraphNodeGetDependentNodes(copy, nullptr, &count), 0);
  CHECK_EQ(count, 1);

  KernelNodeParams kernel{};
  CHECK_EQ(cudaGraphKernelNodeGetParams(bump, &kernel), 0);
  CHECK_EQ(kernel.func == &bump_stub && *static_cast<unsigned*>(kernel.kernelParams[1]) == 5, true);
  CHECK_EQ(cudaGraphKernelNodeGetParams(fill, &kernel), kInvalidValue);
  MemsetParams filled{};
  CHECK_EQ(cudaGraphMemsetNodeGetParams(fill, &filled), 0);
  CHECK_EQ(filled.value == 0x01020304 && filled.width == 4 && filled.dst == words.at, true);
  cudaMemcpy3DParms block{};
  CHECK_EQ(cudaGraphMemcpyNodeGetParams(copy, &block), 0);
  CHECK_EQ(block.extent.width == 16 && block.dstPtr.ptr == seen && block.kind == 2, true);

  void* const executable = instance_of(graph);
  run(executable);
  CHECK_EQ(seen[0], 0x01020309);
  CHECK_EQ(seen[3], 0x01020304);
  CHECK_EQ(calls, 1);
  CHECK_EQ(counter, 7);
  // Other parameters of the executable alone, and a node that does nothing.
  unsigned by = 100;
  void* pointers[] = {kernel.kernelParams[0], &by};
  kernel.kernelParams = pointers;
  CHECK_EQ(cudaGraphExecKernelNodeSetParams(executable, bump, &kernel), 0);
  run(executable);
  CHECK_EQ(seen[0], 0x01020304 + 100);
  CHECK_EQ(cudaGraphNodeSetEnabled(executable, fill, 0), 0);
  CHECK_EQ(cudaGraphNodeSetEnabled(executable, host, 0), kInvalidValue);
  run(executable);
  CHECK_EQ(seen[0], 0x01020304 + 200);
  // What another graph of the same form does, and none of another form.
  void* clone = nullptr;
  GraphNode* cloned = nullptr;
  CHECK_EQ(cudaGraphClone(&clone, graph), 0);
  CHECK_EQ(cudaGraphNodeFindInClone(&cloned, bump, clone), 0);
  UpdateInfo info{};
  CHECK_EQ(cudaGraphExecUpdate(executable, clone, &info), 0);
  run(executable);
  CHECK_EQ(seen[0], 0x01020304 + 205);
  CHECK_EQ(cudaGraphDestroyNode(cloned), 0);
  CHECK_EQ(cudaGraphDestroyNode(cloned), kInvalidValue);
  CHECK_EQ(cudaGraphExecUpdate(executable, clone, &info), 910);
  CHECK_EQ(info.result, 2);  // another topology
  CHECK_EQ(cudaGraphRemoveDependencies(graph, &copy, &host, 1), 0);
  CHECK_EQ(cudaGraphRemoveDependencies(graph, &copy, &host, 1), kInvalidValue);
  CHECK_EQ(cudaGraphExecDestroy(executable), 0);
  CHECK_EQ(cudaGraphExecDestroy(executable), kInvalidValue);
  CHECK_EQ(cudaGraphDestroy(graph), 0);
  CHECK_EQ(cudaGraphDestroy(graph), kInvalidValue);
  CHECK_EQ(cudaGraphAddEmptyNode(&last, graph, nullptr, 0), kInvalidValue);
}

void children() {
  const Words words;
  void *child = new_graph(), *other = new_graph(), *const graph = new_graph(), *inside = nullptr;
  add_launch(child, {add_launch(child, {}, &bump_stub, words.at, 1u)}, &bump_stub, words.at, 10u);
  add_launch(other, {add_launch(other, {}, &bump_stub, words.at, 2u)}, &bump_stub, words.at, 20u);
  GraphNode *node = nullptr, *twice = nullptr;
  CHECK_EQ(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child), 0);
  CHECK_EQ(cudaGraphAddChildGraphNode(&twice, graph, &node, 1, child), 0);
  CHECK_EQ(cudaGraphDestroy(child), 0);
  CHECK_EQ(cudaGraphChildGraphNodeGetGraph(node, &inside), 0);
  CHECK_EQ(cudaGraphDestroy(inside), kInvalidValue);
  std::size_t count = 0;
  CHECK_EQ(cudaGraphGetNodes(inside, nullptr, &count), 0);
  CHECK_EQ(count, 2);
  void* const executable = instance_of(graph);
  run(executable);
  CHECK_EQ(words[0], 22);
  CHECK_EQ(cudaGraphExecChildGraphNodeSetParams(executable, twice, other), 0);
  run(executable);
  CHECK_EQ(words[0], 22 + 33);
  UpdateInfo info{};
  CHECK_EQ(cudaGraphExecUpdate(executable, graph, &info), 0);
  run(executable);
  CHECK_EQ(words[0], 22 + 33 + 22);
  CHECK_EQ(cudaGraphExecChildGraphNodeSetParams(executable, twice, new_graph()), kInvalidValue);
}

// A loop, twice; what the condition begins with is given to it at each launch.
void loops() {
  const Words words(2);
  void* const graph = new_graph();
  std::uint64_t handle = 0;
  std::vector<void*> bodies;
  CHECK_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 1, 1), 0);
  const MemsetParams zero = {words.at, 4, 0, 4, 1, 1};
  GraphNode* first = nullptr;
  CHECK_EQ(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &zero), 0);
  GraphNode* const loop = add_conditional(graph, {first}, handle, 1, 1, bodies);
  add_launch(bodies[0], {}, &step_stub, words.at, handle, 4u);
  add_launch(graph, {loop}, &bump_stub, words.at + 1, 1u);
  CHECK_EQ(cudaGraphDestroy(bodies[0]), kInvalidValue);
  void* const executable = instance_of(graph);
  for (unsigned times = 1; times <= 2; ++times) {
    run(executable);
    CHECK_EQ(words[0], 4);
    CHECK_EQ(words[1], times);
  }
  void* copy = nullptr;
  CHECK_EQ(cudaGraphClone(&copy, graph), kNotSupported);
}

// One of two, one of three or none; a condition inside what a condition guards.
void branches() {
  const Words words(8);
  void* const graph = new_graph();
  std::uint64_t either = 0, which = 0, inner = 0;
  std::vector<void*> two, three, one;
  CHECK_EQ(cudaGraphConditionalHandleCreate(&either, graph, 0, 1), 0);
  CHECK_EQ(cudaGraphConditionalHandleCreate(&which, graph, 0, 0), 0);
  CHECK_EQ(cudaGraphConditionalHandleCreate(&inner, graph, 1, 1), 0);
  CHECK_EQ(cudaGraphConditionalHandleCreate(&inner, graph, 1, 2), kInvalidValue);
  GraphNode* const chosen = add_launch(graph, {}, &choose_stub, which, 2u);
  add_conditional(graph, {chosen}, either, 0, 2, two);
  add_conditional(graph, {chosen}, which, 2, 3, three);
  add_launch(two[0], {}, &bump_stub, words.at, 1u);
  add_launch(two[1], {}, &bump_stub, words.at + 1, 1u);
  for (unsigned i = 0; i < 3; ++i) add_launch(three[i], {}, &bump_stub, words.at + 2 + i, 1u);
  add_conditional(three[2], {}, inner, 0, 1, one);
  add_launch(one[0], {}, &bump_stub, words.at + 5, 1u);
  void* const executable = instance_of(graph);
  run(executable);
  const unsigned expected[] = {0, 1, 0, 0, 1, 1};
  for (unsigned i = 0; i < 6; ++i) CHECK_EQ(words[i], expected[i]);
  unsigned none = 9;
  void* pointers[] = {&which, &none};
  const KernelNodeParams p = {&choose_stub, {1, 1, 1}, {1, 1, 1}, 0, pointers, nullptr};
  CHECK_EQ(cudaGraphExecKernelNodeSetParams(executable, chosen, &p), 0);
  run(executable);
  CHECK_EQ(words[4], 1);
  CHECK_EQ(words[1], 2);
  NodeParams wrong_handle{};
  wrong_handle.type = 13;
  wrong_handle.conditional = {12345, 0, 1, nullptr};
  GraphNode* node = nullptr;
  CHECK_EQ(cudaGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &wrong_handle), kInvalidValue);
  UpdateInfo info{};
  CHECK_EQ(cudaGraphExecUpdate(executable, graph, &info), kNotSupported);
}

// Memory of a graph has one address, launch for launch, and is gone with it.
void memory() {
  const Words words;
  cudaStream_t s{};
  void *graph = nullptr, *inside = nullptr;
  CHECK_EQ(cudaStreamCreate(&s), 0);
  CHECK_EQ(cudaStreamBeginCapture(s, 0), 0);
  CHECK_EQ(cudaMallocAsync(&inside, 4096, s), 0);
  CHECK_EQ(cudaMemsetAsync(inside, 3, 4096, s), 0);
  CHECK_EQ(launch(&add_stub, {1, 1, 1}, {1, 1, 1}, s, inside, words.at, words.at, 1u), 0);
  CHECK_EQ(cudaFreeAsync(words.at, s), kInvalidValue);
  CHECK_EQ(cudaFreeAsync(inside, s), 0);
  CHECK_EQ(cudaStreamEndCapture(s, &graph), 0);
  void* const executable = instance_of(graph);
  CHECK_EQ(cudaGraphDestroy(graph), 0);
  for (unsigned times = 1; times <= 3; ++times) {
    run(executable);
    CHECK_EQ(words[0], times * 0x03030303);
  }
  std::uint64_t now = 0, most = 0;
  CHECK_EQ(cudaDeviceGetGraphMemAttribute(0, 0, &now), 0);
  CHECK_EQ(now, 4096);
  CHECK_EQ(cudaFree(inside), 0);
  run(executable);
  CHECK_EQ(cudaGraphExecDestroy(executable), 0);
  CHECK_EQ(cudaDeviceGetGraphMemAttribute(0, 0, &now), 0);
  CHECK_EQ(cudaDeviceGetGraphMemAttribute(0, 1, &most), 0);
  CHECK_EQ(now == 0 && most == 4096, true);
  CHECK_EQ(cudaMemset(inside, 0, 4), kInvalidValue);
  NodeParams p{};
  p.type = 10;
  p.allocation.bytes = 64;
  GraphNode *node = nullptr, *freed = nullptr;
  graph = new_graph();
  CHECK_EQ(cudaGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &p), 0);
  CHECK_EQ(cudaGraphAddMemFreeNode(&freed, graph, &node, 1, p.allocation.address), 0);
  run(instance_of(graph));
}

// Into a graph that is there, with nodes added by hand in between.
void captures() {
  const Words words(2);
  cudaStream_t s{};
  void *const graph = new_graph(), *of = nullptr, *ended = nullptr;
  CHECK_EQ(cudaStreamCreate(&s), 0);
  GraphNode* const first = add_launch(graph, {}, &bump_stub, words.at, 1u);
  CHECK_EQ(cudaStreamBeginCaptureToGraph(s, graph, &first, nullptr, 1, 0), 0);
  CHECK_EQ(launch(&add_stub, {1, 1, 1}, {1, 1, 1}, s, words.at, words.at, words.at, 1u), 0);
  int status = 0;
  unsigned long long id = 0;
  GraphNode* const* ends = nullptr;
  std::size_t count = 0;
  CHECK_EQ(cudaStreamGetCaptureInfo_v2(s, &status, &id, &of, &ends, &count), 0);
  CHECK_EQ(status == 1 && of == graph && count == 1 && id != 0, true);
  GraphNode* const by_hand = add_launch(graph, {ends[0]}, &bump_stub, words.at, 100u);
  CHECK_EQ(cudaStreamUpdateCaptureDependencies(s, &by_hand, 1, 1), 0);
  CHECK_EQ(launch(&add_stub, {1, 1, 1}, {1, 1, 1}, s, words.at, words.at, words.at + 1, 1u), 0);
  CHECK_EQ(cudaStreamEndCapture(s, &ended), 0);
  CHECK_EQ(ended == graph, true);
  run(instance_of(graph));
  CHECK_EQ(words[0], 102);
  CHECK_EQ(words[1], 204);
  // What is captured cannot be waited for, and is nothing then.
  CHECK_EQ(cudaStreamBeginCapture(s, 0), 0);
  CHECK_EQ(cudaStreamSynchronize(s), 900);
  CHECK_EQ(cudaStreamEndCapture(s, &ended), 901);
  CHECK_EQ(ended == nullptr, true);
  CHECK_EQ(cudaStreamEndCapture(s, &ended), kIllegalState);
  CHECK_EQ(cudaStreamBeginCaptureToGraph(s, graph, nullptr, nullptr, 0, 0), 0);
  CHECK_EQ(cudaStreamEndCapture(s, nullptr), 0);  // the graph is known
  CHECK_EQ(cudaStreamSynchronize(s), 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> cases = {{"nodes", nodes},   {"children", children},
                                                              {"loops", loops},   {"branches", branches},
                                                              {"memory", memory}, {"captures", captures}};
  cases.at(argc > 1 ? argv[1] : "nodes")();
  return wrong;
}
