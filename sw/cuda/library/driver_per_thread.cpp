// What programs call whose default stream is one of each thread (CUDA_API_PER_THREAD_DEFAULT_STREAM): the
// same functions, by names with _ptsz, or with _ptds where the caller waits.

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {
CUstream or_own(CUstream stream) { return stream != nullptr ? stream : kThreadHandle; }
/// What was put into the thread's stream, and its end.
CUresult and_wait(CUresult error) { return error != kSuccess ? error : cuStreamSynchronize(kThreadHandle); }
}  // namespace

WARPVP_API CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return and_wait(cuMemcpyAsync(to, from, bytes, kThreadHandle));
}
WARPVP_API CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void* from, std::size_t bytes) {
  return and_wait(cuMemcpyHtoDAsync_v2(to, from, bytes, kThreadHandle));
}
WARPVP_API CUresult cuMemcpyDtoH_v2_ptds(void* to, CUdeviceptr from, std::size_t bytes) {
  return and_wait(cuMemcpyDtoHAsync_v2(to, from, bytes, kThreadHandle));
}
WARPVP_API CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return and_wait(cuMemcpyDtoDAsync_v2(to, from, bytes, kThreadHandle));
}
WARPVP_API CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D* what) {
  return and_wait(cuMemcpy2DAsync_v2(what, kThreadHandle));
}
WARPVP_API CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D* what) {
  return and_wait(cuMemcpy2DAsync_v2(what, kThreadHandle));
}
WARPVP_API CUresult cuMemsetD8_v2_ptds(CUdeviceptr at, unsigned char value, std::size_t count) {
  return and_wait(cuMemsetD8Async(at, value, count, kThreadHandle));
}
WARPVP_API CUresult cuMemsetD16_v2_ptds(CUdeviceptr at, unsigned short value, std::size_t count) {
  return and_wait(cuMemsetD16Async(at, value, count, kThreadHandle));
}
WARPVP_API CUresult cuMemsetD32_v2_ptds(CUdeviceptr at, unsigned value, std::size_t count) {
  return and_wait(cuMemsetD32Async(at, value, count, kThreadHandle));
}
WARPVP_API CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr at, std::size_t pitch, unsigned char value,
                                         std::size_t width, std::size_t height) {
  return and_wait(cuMemsetD2D8Async(at, pitch, value, width, height, kThreadHandle));
}
WARPVP_API CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr at, std::size_t pitch, unsigned short value,
                                          std::size_t width, std::size_t height) {
  return and_wait(cuMemsetD2D16Async(at, pitch, value, width, height, kThreadHandle));
}
WARPVP_API CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr at, std::size_t pitch, unsigned value,
                                          std::size_t width, std::size_t height) {
  return and_wait(cuMemsetD2D32Async(at, pitch, value, width, height, kThreadHandle));
}

WARPVP_API CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return cuMemcpyAsync(to, from, bytes, or_own(stream));
}
WARPVP_API CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void* from, std::size_t bytes,
                                              CUstream stream) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, or_own(stream));
}
WARPVP_API CUresult cuMemcpyDtoHAsync_v2_ptsz(void* to, CUdeviceptr from, std::size_t bytes,
                                              CUstream stream) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, or_own(stream));
}
WARPVP_API CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                              CUstream stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, or_own(stream));
}
WARPVP_API CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* what, CUstream stream) {
  return cuMemcpy2DAsync_v2(what, or_own(stream));
}
WARPVP_API CUresult cuMemsetD8Async_ptsz(CUdeviceptr at, unsigned char value, std::size_t count,
                                         CUstream stream) {
  return cuMemsetD8Async(at, value, count, or_own(stream));
}
WARPVP_API CUresult cuMemsetD16Async_ptsz(CUdeviceptr at, unsigned short value, std::size_t count,
                                          CUstream stream) {
  return cuMemsetD16Async(at, value, count, or_own(stream));
}
WARPVP_API CUresult cuMemsetD32Async_ptsz(CUdeviceptr at, unsigned value, std::size_t count,
                                          CUstream stream) {
  return cuMemsetD32Async(at, value, count, or_own(stream));
}
WARPVP_API CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr at, std::size_t pitch, unsigned char value,
                                           std::size_t width, std::size_t height, CUstream stream) {
  return cuMemsetD2D8Async(at, pitch, value, width, height, or_own(stream));
}
WARPVP_API CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr at, std::size_t pitch, unsigned short value,
                                            std::size_t width, std::size_t height, CUstream stream) {
  return cuMemsetD2D16Async(at, pitch, value, width, height, or_own(stream));
}
WARPVP_API CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr at, std::size_t pitch, unsigned value,
                                            std::size_t width, std::size_t height, CUstream stream) {
  return cuMemsetD2D32Async(at, pitch, value, width, height, or_own(stream));
}
WARPVP_API CUresult cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                                      std::size_t bytes) {
  return cuMemcpyDtoD_v2_ptds(to, from, bytes);
}
WARPVP_API CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                                           std::size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, or_own(stream));
}
WARPVP_API CUresult cuMemAllocAsync_ptsz(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  return cuMemAllocAsync(address, bytes, or_own(stream));
}
WARPVP_API CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  return cuMemFreeAsync(address, or_own(stream));
}
WARPVP_API CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr address, std::size_t bytes, CUdevice device,
                                            CUstream stream) {
  return cuMemPrefetchAsync(address, bytes, device, or_own(stream));
}
WARPVP_API CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr address, std::size_t bytes, CUmemLocation place,
                                               unsigned flags, CUstream stream) {
  return cuMemPrefetchAsync_v2(address, bytes, place, flags, or_own(stream));
}

WARPVP_API CUresult cuStreamSynchronize_ptsz(CUstream stream) { return cuStreamSynchronize(or_own(stream)); }
WARPVP_API CUresult cuStreamQuery_ptsz(CUstream stream) { return cuStreamQuery(or_own(stream)); }
WARPVP_API CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags) {
  return cuStreamWaitEvent(or_own(stream), event, flags);
}
WARPVP_API CUresult cuStreamGetPriority_ptsz(CUstream stream, int* priority) {
  return cuStreamGetPriority(or_own(stream), priority);
}
WARPVP_API CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned* flags) {
  return cuStreamGetFlags(or_own(stream), flags);
}
WARPVP_API CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext* context) {
  return cuStreamGetCtx(or_own(stream), context);
}
WARPVP_API CUresult cuStreamGetCtx_v2_ptsz(CUstream stream, CUcontext* context, void** green) {
  return cuStreamGetCtx_v2(or_own(stream), context, green);
}
WARPVP_API CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice* device) {
  return cuStreamGetDevice(or_own(stream), device);
}
WARPVP_API CUresult cuStreamIsCapturing_ptsz(CUstream stream, int* status) {
  return cuStreamIsCapturing(or_own(stream), status);
}
WARPVP_API CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long* id) {
  return cuStreamGetId(or_own(stream), id);
}
WARPVP_API CUresult cuStreamAttachMemAsync_ptsz(CUstream stream, CUdeviceptr address, std::size_t bytes,
                                                unsigned flags) {
  return cuStreamAttachMemAsync(or_own(stream), address, bytes, flags);
}
WARPVP_API CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void* data) {
  return cuLaunchHostFunc(or_own(stream), function, data);
}
WARPVP_API CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback function, void* data,
                                             unsigned flags) {
  return cuStreamAddCallback(or_own(stream), function, data, flags);
}
WARPVP_API CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) {
  return cuEventRecord(event, or_own(stream));
}
WARPVP_API CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
  return cuEventRecordWithFlags(event, or_own(stream), flags);
}
WARPVP_API CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                        unsigned shared, CUstream stream, void** arguments, void** extra) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, or_own(stream),
                        arguments, extra);
}
WARPVP_API CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                                   unsigned block_z, unsigned shared, CUstream stream,
                                                   void** arguments) {
  return cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                                   or_own(stream), arguments);
}
WARPVP_API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction function, void** arguments,
                                          void** extra) {
  if (config == nullptr) return kInvalidValue;
  CUlaunchConfig own = *config;
  own.hStream = or_own(own.hStream);
  return cuLaunchKernelEx(&own, function, arguments, extra);
}

WARPVP_API CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D* what) {
  return and_wait(cuMemcpy3DAsync_v2(what, kThreadHandle));
}
WARPVP_API CUresult cuMemcpyHtoA_v2_ptds(CUarray to, std::size_t offset, const void* from,
                                         std::size_t bytes) {
  return and_wait(cuMemcpyHtoAAsync_v2(to, offset, from, bytes, kThreadHandle));
}
WARPVP_API CUresult cuMemcpyAtoH_v2_ptds(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  return and_wait(cuMemcpyAtoHAsync_v2(to, from, offset, bytes, kThreadHandle));
}
WARPVP_API CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D* what, CUstream stream) {
  return cuMemcpy3DAsync_v2(what, or_own(stream));
}
WARPVP_API CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray to, std::size_t offset, const void* from,
                                              std::size_t bytes, CUstream stream) {
  return cuMemcpyHtoAAsync_v2(to, offset, from, bytes, or_own(stream));
}
WARPVP_API CUresult cuMemcpyAtoHAsync_v2_ptsz(void* to, CUarray from, std::size_t offset, std::size_t bytes,
                                              CUstream stream) {
  return cuMemcpyAtoHAsync_v2(to, from, offset, bytes, or_own(stream));
}
WARPVP_API CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, int mode) {
  return cuStreamBeginCapture_v2(or_own(stream), mode);
}
WARPVP_API CUresult cuStreamBeginCapture_ptsz(CUstream stream) {
  return cuStreamBeginCapture(or_own(stream));
}
WARPVP_API CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph,
                                                     const CUgraphNode* before, const CUgraphEdgeData* edges,
                                                     std::size_t count, int mode) {
  return cuStreamBeginCaptureToGraph(or_own(stream), graph, before, edges, count, mode);
}
WARPVP_API CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph* graph) {
  return cuStreamEndCapture(or_own(stream), graph);
}
WARPVP_API CUresult cuStreamGetCaptureInfo_ptsz(CUstream stream, int* status, unsigned long long* id) {
  return cuStreamGetCaptureInfo(or_own(stream), status, id);
}
WARPVP_API CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream, int* status, unsigned long long* id,
                                                   CUgraph* graph, CUgraphNode const** before,
                                                   std::size_t* count) {
  return cuStreamGetCaptureInfo_v2(or_own(stream), status, id, graph, before, count);
}
WARPVP_API CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream stream, int* status, unsigned long long* id,
                                                   CUgraph* graph, CUgraphNode const** before,
                                                   const CUgraphEdgeData** edges, std::size_t* count) {
  return cuStreamGetCaptureInfo_v3(or_own(stream), status, id, graph, before, edges, count);
}
WARPVP_API CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream stream, const CUgraphNode* nodes,
                                                           std::size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies(or_own(stream), nodes, count, flags);
}
WARPVP_API CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream stream, const CUgraphNode* nodes,
                                                              const CUgraphEdgeData* edges, std::size_t count,
                                                              unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(or_own(stream), nodes, edges, count, flags);
}
WARPVP_API CUresult cuGraphLaunch_ptsz(CUgraphExec executable, CUstream stream) {
  return cuGraphLaunch(executable, or_own(stream));
}
WARPVP_API CUresult cuGraphUpload_ptsz(CUgraphExec executable, CUstream stream) {
  return cuGraphUpload(executable, or_own(stream));
}
WARPVP_API CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* executable, CUgraph graph,
                                                      CUDA_GRAPH_INSTANTIATE_PARAMS* p) {
  return cuGraphInstantiateWithParams(executable, graph, p);
}
WARPVP_API CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool,
                                                 CUstream stream) {
  return cuMemAllocFromPoolAsync(address, bytes, pool, or_own(stream));
}
