// Cases of driver_program: arrays, textures and surfaces, graphs.

#include <cstring>

#include "tests/cuda/driver_program.h"

namespace warpvp::test {

namespace {

const std::string kImages = module_with(R"(
.extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);
.visible .entry look(.param .u64 t, .param .u64 to)
{
  .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %d<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;
  add.f32 %f1, %f1, 0f3F800000; add.f32 %f2, %f2, 0f3F000000;
  ld.param.u64 %d1, [t];
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];
  mad.lo.u32 %r1, %r2, 8, %r1; mul.wide.u32 %d2, %r1, 4;
  ld.param.u64 %d3, [to]; add.u64 %d3, %d3, %d2;
  st.global.f32 [%d3], %f3;
  ret;
}
.visible .entry raise(.param .u64 s)
{
  .reg .b16 %h; .reg .b32 %r<4>; .reg .b64 %d<2>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  ld.param.u64 %d1, [s];
  suld.b.2d.b8.trap {%h}, [%d1, {%r1, %r2}];
  add.u16 %h, %h, 5;
  sust.b.2d.b8.trap [%d1, {%r1, %r2}], {%h};
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
)");

/// A context with that module.
struct WithImages : Begun {
  WithImages() { CHECK_EQ(cuModuleLoadData(&module, kImages.c_str()), 0); }
};

}  // namespace

// Bytes of an array, read between neighbours as numbers from 0 to 1, and raised through a surface.
void images() {
  const WithImages begun;
  unsigned char texels[4][8], seen[4][8] = {};
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 8; ++x) texels[y][x] = static_cast<unsigned char>(3 * x + 40 * y);
  const CUDA_ARRAY_DESCRIPTOR bytes{8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUarray array{};
  CHECK_EQ(cuArrayCreate_v2(&array, &bytes), 0);
  CUDA_ARRAY_DESCRIPTOR told{};
  CHECK_EQ(cuArrayGetDescriptor_v2(&told, array), 0);
  CHECK_EQ(told.Width == 8 && told.Height == 4 && told.NumChannels == 1, true);
  CHECK_EQ(told.Format, CU_AD_FORMAT_UNSIGNED_INT8);
  CUDA_MEMCPY2D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = texels;
  in.srcPitch = 8;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = array;
  in.WidthInBytes = 8;
  in.Height = 4;
  CHECK_EQ(cuMemcpy2D_v2(&in), 0);
  in.dstY = 1;
  CHECK_EQ(cuMemcpy2D_v2(&in), kInvalidValue);  // beyond its end

  CUDA_RESOURCE_DESC resource{}, of{};
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how{}, as{};
  how.addressMode[0] = how.addressMode[1] = 1;  // clamped
  how.filterMode = 1;                           // linear
  std::uint64_t texture = 0, surface = 0;
  CHECK_EQ(cuTexObjectCreate(&texture, &resource, &how, nullptr), 0);
  CHECK_EQ(cuTexObjectGetResourceDesc(&of, texture), 0);
  CHECK_EQ(of.res.array.hArray == array, true);
  CHECK_EQ(cuTexObjectGetTextureDesc(&as, texture), 0);
  CHECK_EQ(as.filterMode == 1 && as.flags == 0, true);
  const CUdeviceptr to = allocate(32 * 4);
  float between[4][8];
  CHECK_EQ(launch(begun.function("look"), 4, 8, nullptr, texture, to), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(between, to, sizeof between), 0);
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 8; ++x) {
      const float middle = (texels[y][x] + texels[y][x < 7 ? x + 1 : x]) / 510.0f;
      CHECK_EQ(between[y][x] - middle < 1e-6f && middle - between[y][x] < 1e-6f, true);
    }
  CHECK_EQ(cuTexObjectDestroy(texture), 0);
  CHECK_EQ(cuTexObjectDestroy(texture), kInvalidValue);

  CHECK_EQ(cuSurfObjectCreate(&surface, &resource), 0);
  CHECK_EQ(cuTexObjectGetTextureDesc(&as, surface), kInvalidValue);
  CHECK_EQ(launch(begun.function("raise"), 4, 8, nullptr, surface), 0);
  std::swap(in.srcMemoryType, in.dstMemoryType);
  in.srcArray = array;
  in.dstHost = seen;
  in.dstPitch = 8;
  in.dstY = 0;
  CHECK_EQ(cuMemcpy2DAsync_v2(&in, nullptr), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  for (unsigned i = 0; i < 32; ++i) CHECK_EQ(seen[i / 8][i % 8], texels[i / 8][i % 8] + 5);
  CHECK_EQ(cuSurfObjectDestroy(surface), 0);
  // Of plain memory; four channels.
  resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {to, CU_AD_FORMAT_FLOAT, 4, 128};
  CHECK_EQ(cuTexObjectCreate(&texture, &resource, &how, nullptr), 0);
  CHECK_EQ(cuTexObjectGetResourceDesc(&of, texture), 0);
  CHECK_EQ(std::memcmp(&of.res.linear, &resource.res.linear, sizeof of.res.linear), 0);
  resource.res.linear.numChannels = 3;
  CHECK_EQ(cuTexObjectCreate(&texture, &resource, &how, nullptr), kInvalidValue);
  CHECK_EQ(cuArrayDestroy(array), 0);
  CHECK_EQ(cuArrayDestroy(array), kInvalidResourceHandle);
}

// A block of an array of three dimensions, there and back; runs of bytes.
void arrays() {
  const Begun begun;
  unsigned short values[6][5][4], back[2][3][2] = {}, row[4] = {}, first[4] = {};
  for (unsigned i = 0; i < 120; ++i) (&values[0][0][0])[i] = static_cast<unsigned short>(i);
  const CUDA_ARRAY3D_DESCRIPTOR what{4, 5, 6, CU_AD_FORMAT_SIGNED_INT16, 1, 0};
  CUDA_ARRAY3D_DESCRIPTOR told{};
  CUarray array{}, other{};
  CHECK_EQ(cuArray3DCreate_v2(&array, &what), 0);
  CHECK_EQ(cuArray3DCreate_v2(&other, &what), 0);
  CHECK_EQ(cuArray3DGetDescriptor_v2(&told, array), 0);
  CHECK_EQ(told.Depth == 6 && told.Format == CU_AD_FORMAT_SIGNED_INT16, true);
  CUDA_MEMCPY3D in{}, out{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = values;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = array;
  in.WidthInBytes = 8;
  in.Height = 5;
  in.Depth = 6;
  CHECK_EQ(cuMemcpy3D_v2(&in), 0);
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = array;
  out.srcXInBytes = 2;
  out.srcY = 2;
  out.srcZ = 3;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = back;
  out.WidthInBytes = 4;
  out.Height = 3;
  out.Depth = 2;
  CHECK_EQ(cuMemcpy3DAsync_v2(&out, nullptr), 0);
  CHECK_EQ(cuStreamSynchronize(nullptr), 0);
  for (unsigned z = 0; z < 2; ++z)
    for (unsigned y = 0; y < 3; ++y)
      for (unsigned x = 0; x < 2; ++x) CHECK_EQ(back[z][y][x], values[z + 3][y + 2][x + 1]);
  const unsigned short mine[2] = {777, 888};
  CHECK_EQ(cuMemcpyHtoA_v2(array, 4, mine, 4), 0);
  CHECK_EQ(cuMemcpyAtoA_v2(other, 0, array, 0, 8), 0);
  const CUdeviceptr p = allocate(8);
  CHECK_EQ(cuMemcpyAtoD_v2(p, other, 0, 8), 0);
  CHECK_EQ(cuMemcpyDtoA_v2(other, 2, p + 4, 4), 0);
  CHECK_EQ(cuMemcpyAtoH_v2(first, array, 0, 8), 0);
  CHECK_EQ(cuMemcpyAtoH_v2(row, other, 0, 8), 0);
  CHECK_EQ(first[0] == 0 && first[1] == 1 && first[2] == 777 && first[3] == 888, true);
  CHECK_EQ(row[0] == 0 && row[1] == 777 && row[2] == 888 && row[3] == 888, true);
  CHECK_EQ(cuMemcpyAtoH_v2(row, other, 4, 8), kInvalidValue);
}

// A graph by hand, of all kinds of nodes that both APIs have; and a captured one.
void graphs() {
  const WithImages begun;
  Vectors v;
  CUgraph graph{};
  CHECK_EQ(cuGraphCreate(&graph, 0), 0);
  CUgraphNode to_a{}, to_b{}, add{}, fill{}, back{}, host{};
  CUDA_MEMCPY3D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = v.a.data();
  in.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  in.dstDevice = v.da;
  in.WidthInBytes = kN * 4;
  in.Height = in.Depth = 1;
  CHECK_EQ(cuGraphAddMemcpyNode(&to_a, graph, nullptr, 0, &in, begun.context), 0);
  in.srcHost = v.b.data();
  in.dstDevice = v.db;
  CHECK_EQ(cuGraphAddMemcpyNode(&to_b, graph, nullptr, 0, &in, begun.context), 0);
  unsigned n = kN;
  void* arguments[] = {&v.da, &v.db, &v.dc, &n};
  CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
  kernel.first = {begun.function("add"), (kN + 255) / 256, 1, 1, 256, 1, 1, 0, arguments, nullptr};
  const CUgraphNode both[] = {to_a, to_b};
  CHECK_EQ(cuGraphAddKernelNode_v2(&add, graph, both, 2, &kernel), 0);
  const MemsetParams pattern{reinterpret_cast<void*>(v.dc), 0, 0x12345678, 4, 1, 1};
  CHECK_EQ(cuGraphAddMemsetNode(&fill, graph, &add, 1, &pattern, begun.context), 0);
  in = {};
  in.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  in.srcDevice = v.dc;
  in.dstMemoryType = CU_MEMORYTYPE_HOST;
  in.dstHost = v.c.data();
  in.WidthInBytes = kN * 4;
  in.Height = in.Depth = 1;
  CHECK_EQ(cuGraphAddMemcpyNode(&back, graph, &fill, 1, &in, begun.context), 0);
  int calls = 0;
  const HostNodeParams call{[](void* p) { ++*static_cast<int*>(p); }, &calls};
  CHECK_EQ(cuGraphAddHostNode(&host, graph, &back, 1, &call), 0);
  CUgraphExec executable{};
  CHECK_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
  CHECK_EQ(cuGraphLaunch(executable, nullptr), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  CHECK_EQ(calls, 1);
  CHECK_EQ(v.c[0], 0x12345678);
  CHECK_EQ(v.c[kN - 1], 4 * (kN - 1));
  // Fewer elements, in the executable; the graph keeps its own.
  CUDA_KERNEL_NODE_PARAMS_v2 seen{};
  CHECK_EQ(cuGraphKernelNodeGetParams_v2(add, &seen), 0);
  CHECK_EQ(seen.first.func == kernel.first.func && *static_cast<unsigned*>(seen.first.kernelParams[3]) == kN,
           true);
  n = 1;
  CHECK_EQ(cuGraphExecKernelNodeSetParams_v2(executable, add, &kernel), 0);
  CHECK_EQ(cuMemsetD32_v2(v.dc, 0, kN), 0);
  CHECK_EQ(cuGraphLaunch(executable, nullptr), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  CHECK_EQ(v.c[1] + v.c[kN - 1], 0);
  CUgraphExecUpdateResultInfo info{};
  CHECK_EQ(cuGraphExecUpdate_v2(executable, graph, &info), 0);
  CHECK_EQ(cuGraphLaunch(executable, nullptr), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  CHECK_EQ(v.c[kN - 1], 4 * (kN - 1));
  CHECK_EQ(cuGraphKernelNodeGetParams_v2(fill, &seen), kInvalidValue);
  kernel.first.func = nullptr;
  CHECK_EQ(cuGraphAddKernelNode_v2(&add, graph, nullptr, 0, &kernel), kInvalidResourceHandle);
  CHECK_EQ(cuGraphExecDestroy(executable), 0);
  CHECK_EQ(cuGraphDestroy(graph), 0);
  CHECK_EQ(cuGraphDestroy(graph), kInvalidValue);
}

void captures() {
  const WithImages begun;
  Vectors v;
  CUstream s{}, t{};
  CUevent forked{}, joined{};
  CHECK_EQ(cuStreamCreate(&s, 0), 0);
  CHECK_EQ(cuStreamCreate(&t, 0), 0);
  CHECK_EQ(cuEventCreate(&forked, 0), 0);
  CHECK_EQ(cuEventCreate(&joined, 0), 0);
  CHECK_EQ(cuStreamBeginCapture_v2(nullptr, 0), 900);
  CHECK_EQ(cuStreamBeginCapture_v2(s, 0), 0);
  CHECK_EQ(cuEventRecord(forked, s), 0);
  CHECK_EQ(cuStreamWaitEvent(t, forked, 0), 0);
  int status = 0;
  CHECK_EQ(cuStreamIsCapturing(t, &status), 0);
  CHECK_EQ(status, 1);
  CHECK_EQ(cuMemcpyHtoDAsync_v2(v.da, v.a.data(), kN * 4, s), 0);
  CHECK_EQ(cuMemcpyHtoDAsync_v2(v.db, v.b.data(), kN * 4, t), 0);
  CHECK_EQ(cuEventRecord(joined, t), 0);
  CHECK_EQ(cuStreamWaitEvent(s, joined, 0), 0);
  CHECK_EQ(v.add(begun, s), 0);
  CHECK_EQ(cuMemsetD32Async(v.dc, 0xabcdef01, 1, s), 0);
  CUdeviceptr inside = 0;
  CHECK_EQ(cuMemAllocAsync(&inside, kN * 4, s), 0);
  CHECK_EQ(cuMemcpyDtoDAsync_v2(inside, v.dc, kN * 4, s), 0);
  CHECK_EQ(cuMemcpyDtoHAsync_v2(v.c.data(), inside, kN * 4, s), 0);
  CHECK_EQ(cuMemFreeAsync(inside, s), 0);
  CUgraph graph{};
  CUgraphExec executable{};
  CHECK_EQ(cuStreamEndCapture(s, &graph), 0);
  std::size_t nodes = 0;
  CHECK_EQ(cuGraphGetNodes(graph, nullptr, &nodes), 0);
  CHECK_EQ(nodes, 8);
  CHECK_EQ(cuGraphInstantiate(&executable, graph, nullptr, nullptr, 0), 0);
  for (const unsigned by : {0u, 1000u}) {
    for (unsigned i = 0; i < kN; ++i) v.a[i] = i + by;
    CHECK_EQ(cuGraphLaunch(executable, s), 0);
    CHECK_EQ(cuStreamSynchronize(s), 0);
    CHECK_EQ(v.c[0], 0xabcdef01);
    for (unsigned i = 1; i < kN; ++i)
      if (v.c[i] != 4 * i + by) return CHECK_EQ(v.c[i], 4 * i + by);
  }
  // A loop of a conditional node.
  CUgraph loop{};
  std::uint64_t handle = 0;
  CUgraphNode node{}, step{};
  CHECK_EQ(cuGraphCreate(&loop, 0), 0);
  CHECK_EQ(cuGraphConditionalHandleCreate(&handle, loop, begun.context, 1, 1), 0);
  CUgraphNodeParams p{};
  p.type = 13;
  p.conditional = {handle, 1, 1, nullptr};
  CHECK_EQ(cuGraphAddNode_v2(&node, loop, nullptr, nullptr, 0, &p), 0);
  const CUdeviceptr count = allocate(4);
  CHECK_EQ(cuMemsetD32_v2(count, 0, 1), 0);
  unsigned until = 6, seen = 0;
  void* arguments[] = {const_cast<CUdeviceptr*>(&count), &handle, &until};
  CUgraphNodeParams body{};
  body.kernel.first = {begun.function("step"), 1, 1, 1, 1, 1, 1, 0, arguments, nullptr};
  CHECK_EQ(cuGraphAddNode_v2(&step, p.conditional.bodies[0], nullptr, nullptr, 0, &body), 0);
  CHECK_EQ(cuGraphInstantiateWithFlags(&executable, loop, 0), 0);
  CHECK_EQ(cuGraphLaunch(executable, s), 0);
  CHECK_EQ(cuStreamSynchronize(s), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(&seen, count, 4), 0);
  CHECK_EQ(seen, 6);
}

}  // namespace warpvp::test
