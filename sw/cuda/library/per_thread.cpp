// The API as programs have it that were compiled with --default-stream per-thread: what goes into the default
// stream goes into the calling thread's own.

#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {
cudaStream_t own(cudaStream_t stream) { return stream != nullptr ? stream : kThreadHandle; }
}  // namespace

WARPVP_API cudaError_t cudaStreamSynchronize(cudaStream_t);

/// NAME_ptsz: NAME with these parameters.
#define IN_OWN_STREAM(name, parameters, ...) \
  WARPVP_API cudaError_t name parameters;    \
  WARPVP_API cudaError_t name##_ptsz parameters { return name(__VA_ARGS__); }

/// NAME_ptds(parameters): NAMEAsync(parameters, stream) in the thread's own stream, and waits.
#define AND_WAIT(name, parameters, with_stream, ...)                                     \
  WARPVP_API cudaError_t name##Async with_stream;                                        \
  WARPVP_API cudaError_t name##_ptds parameters {                                        \
    if (const cudaError_t error = name##Async(__VA_ARGS__, kThreadHandle)) return error; \
    return cudaStreamSynchronize(kThreadHandle);                                         \
  }

#define COPY void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind
#define COPY_2D                                                                                \
  void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width, \
      std::size_t height, cudaMemcpyKind kind
#define TO_SYMBOL \
  const void *symbol, const void *from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind
#define FROM_SYMBOL void *to, const void *symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind
#define TO_ARRAY                                                                                        \
  cudaArray_t to, std::size_t x, std::size_t y, const void *from, std::size_t pitch, std::size_t width, \
      std::size_t height, cudaMemcpyKind kind
#define FROM_ARRAY                                                                                \
  void *to, std::size_t pitch, cudaArray_t from, std::size_t x, std::size_t y, std::size_t width, \
      std::size_t height, cudaMemcpyKind kind
#define FILL void *at, int value, std::size_t bytes
#define FILL_2D void *at, std::size_t pitch, int value, std::size_t width, std::size_t height
#define WITH(...) (__VA_ARGS__, cudaStream_t stream)

AND_WAIT(cudaMemcpy, (COPY), WITH(COPY), to, from, bytes, kind)
AND_WAIT(cudaMemcpy2D, (COPY_2D), WITH(COPY_2D), to, to_pitch, from, from_pitch, width, height, kind)
AND_WAIT(cudaMemcpyToSymbol, (TO_SYMBOL), WITH(TO_SYMBOL), symbol, from, bytes, offset, kind)
AND_WAIT(cudaMemcpyFromSymbol, (FROM_SYMBOL), WITH(FROM_SYMBOL), to, symbol, bytes, offset, kind)
AND_WAIT(cudaMemcpy2DToArray, (TO_ARRAY), WITH(TO_ARRAY), to, x, y, from, pitch, width, height, kind)
AND_WAIT(cudaMemcpy2DFromArray, (FROM_ARRAY), WITH(FROM_ARRAY), to, pitch, from, x, y, width, height, kind)
AND_WAIT(cudaMemcpy3D, (const cudaMemcpy3DParms* p), WITH(const cudaMemcpy3DParms* p), p)
AND_WAIT(cudaMemset, (FILL), WITH(FILL), at, value, bytes)
AND_WAIT(cudaMemset2D, (FILL_2D), WITH(FILL_2D), at, pitch, value, width, height)

IN_OWN_STREAM(cudaMemcpyAsync, WITH(COPY), to, from, bytes, kind, own(stream))
IN_OWN_STREAM(cudaMemcpy2DAsync, WITH(COPY_2D), to, to_pitch, from, from_pitch, width, height, kind,
              own(stream))
IN_OWN_STREAM(cudaMemcpyToSymbolAsync, WITH(TO_SYMBOL), symbol, from, bytes, offset, kind, own(stream))
IN_OWN_STREAM(cudaMemcpyFromSymbolAsync, WITH(FROM_SYMBOL), to, symbol, bytes, offset, kind, own(stream))
IN_OWN_STREAM(cudaMemcpy2DToArrayAsync, WITH(TO_ARRAY), to, x, y, from, pitch, width, height, kind,
              own(stream))
IN_OWN_STREAM(cudaMemcpy2DFromArrayAsync, WITH(FROM_ARRAY), to, pitch, from, x, y, width, height, kind,
              own(stream))
IN_OWN_STREAM(cudaMemcpy3DAsync, WITH(const cudaMemcpy3DParms* p), p, own(stream))
IN_OWN_STREAM(cudaMemsetAsync, WITH(FILL), at, value, bytes, own(stream))
IN_OWN_STREAM(cudaMemset2DAsync, WITH(FILL_2D), at, pitch, value, width, height, own(stream))
IN_OWN_STREAM(cudaMallocAsync, (void** pointer, std::size_t bytes, cudaStream_t stream), pointer, bytes,
              own(stream))
IN_OWN_STREAM(cudaFreeAsync, (void* pointer, cudaStream_t stream), pointer, own(stream))
IN_OWN_STREAM(cudaMemPrefetchAsync, (const void* at, std::size_t bytes, int device, cudaStream_t stream), at,
              bytes, device, own(stream))
IN_OWN_STREAM(cudaLaunchKernel,
              (const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
               cudaStream_t stream),
              function, grid, block, arguments, shared, own(stream))
IN_OWN_STREAM(cudaLaunchCooperativeKernel,
              (const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
               cudaStream_t stream),
              function, grid, block, arguments, shared, own(stream))
IN_OWN_STREAM(__cudaLaunchKernel,
              (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
               cudaStream_t stream),
              kernel, grid, block, arguments, shared, own(stream))
IN_OWN_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, void (*function)(void*), void* data), own(stream),
              function, data)
IN_OWN_STREAM(cudaStreamAddCallback,
              (cudaStream_t stream, void (*function)(cudaStream_t, cudaError_t, void*), void* data,
               unsigned flags),
              own(stream), function, data, flags)
IN_OWN_STREAM(cudaStreamQuery, (cudaStream_t stream), own(stream))
IN_OWN_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), own(stream),
              event, flags)
IN_OWN_STREAM(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags), own(stream), flags)
IN_OWN_STREAM(cudaStreamGetPriority, (cudaStream_t stream, int* priority), own(stream), priority)
IN_OWN_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, int mode), own(stream), mode)
IN_OWN_STREAM(cudaStreamEndCapture, (cudaStream_t stream, void** graph), own(stream), graph)
IN_OWN_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, int* status), own(stream), status)
IN_OWN_STREAM(cudaMallocFromPoolAsync, (void** pointer, std::size_t bytes, void* pool, cudaStream_t stream),
              pointer, bytes, pool, own(stream))
IN_OWN_STREAM(cudaStreamGetId, (cudaStream_t stream, unsigned long long* id), own(stream), id)
IN_OWN_STREAM(cudaStreamGetDevice, (cudaStream_t stream, int* device), own(stream), device)
IN_OWN_STREAM(cudaStreamAttachMemAsync, (cudaStream_t stream, void* at, std::size_t bytes, unsigned flags),
              own(stream), at, bytes, flags)
#define BEFORE_CAPTURE \
  cudaStream_t stream, void *graph, const void *before, const void *edges, std::size_t count, int mode
IN_OWN_STREAM(cudaStreamBeginCaptureToGraph, (BEFORE_CAPTURE), own(stream), graph, before, edges, count, mode)
IN_OWN_STREAM(cudaGraphUpload, (void* executable, cudaStream_t stream), executable, own(stream))
IN_OWN_STREAM(cudaMemset3DAsync, (cudaPitchedPtr at, int value, cudaExtent extent, cudaStream_t stream), at,
              value, extent, own(stream))
IN_OWN_STREAM(cudaGraphLaunch, (void* executable, cudaStream_t stream), executable, own(stream))
IN_OWN_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event, own(stream))
IN_OWN_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), event,
              own(stream), flags)

WARPVP_API cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return cudaStreamSynchronize(own(stream));
}
