// What stands in a program that nvcc has linked the CUDA runtime into: functions of the API of its own, and a
// section with fat binaries. Here they fail, each of them: what comes of the program shows whose were called.

#include <cstdio>
#include <cstdlib>

#include "sw/cuda/library/abi.h"

__attribute__((section(".nv_fatbin"), used)) const char nothing[16] = {};

namespace {
[[noreturn]] void entered(const char* name) {
  std::printf("the program's own %s was called\n", name);
  std::exit(9);
}
}  // namespace

#define OWN(name) \
  extern "C" __attribute__((noinline)) cudaError_t name() { entered(#name); }
OWN(__cudaRegisterFatBinary)
OWN(__cudaRegisterFatBinaryEnd)
OWN(__cudaRegisterFunction)
OWN(__cudaRegisterVar)
OWN(__cudaRegisterManagedVar)
OWN(__cudaInitModule)
OWN(__cudaPushCallConfiguration)
OWN(__cudaPopCallConfiguration)
OWN(__cudaGetKernel)
OWN(__cudaLaunchKernel)
OWN(cudaLaunchKernel)
OWN(cudaLaunchCooperativeKernel)
OWN(cudaMemset)
OWN(cudaMalloc)
OWN(cudaMallocHost)
OWN(cudaMallocManaged)
OWN(cudaMallocPitch)
OWN(cudaFree)
OWN(cudaMemcpy)
OWN(cudaMemcpyAsync)
OWN(cudaMemcpy2D)
OWN(cudaMemset2D)
OWN(cudaMemcpyToSymbol)
OWN(cudaMemcpyFromSymbol)
OWN(cudaGetSymbolSize)
OWN(cudaDeviceSynchronize)
OWN(cudaGetDeviceCount)
OWN(cudaSetDevice)
OWN(cudaGetLastError)
OWN(cudaGetErrorName)
OWN(cudaGetErrorString)
OWN(cudaStreamCreate)
OWN(cudaStreamCreateWithFlags)
OWN(cudaStreamDestroy)
OWN(cudaStreamSynchronize)
OWN(cudaStreamQuery)
OWN(cudaStreamWaitEvent)
OWN(cudaLaunchHostFunc)
OWN(cudaEventCreate)
OWN(cudaEventRecord)
OWN(cudaEventElapsedTime)
OWN(cudaIpcGetMemHandle)
OWN(cudaCreateChannelDesc)
OWN(cudaMallocArray)
OWN(cudaMalloc3DArray)
OWN(cudaFreeArray)
OWN(cudaMemcpy2DToArray)
OWN(cudaMemcpy2DFromArray)
OWN(cudaMemcpy3D)
OWN(cudaCreateTextureObject)
OWN(cudaDestroyTextureObject)
OWN(cudaCreateSurfaceObject)
OWN(cudaStreamBeginCapture)
OWN(cudaStreamEndCapture)
OWN(cudaGraphGetNodes)
OWN(cudaGraphInstantiate)
OWN(cudaGraphLaunch)
OWN(cudaGraphDestroy)
OWN(cudaGraphExecDestroy)
OWN(cudaMemcpyAsync_ptsz)
OWN(cudaMemcpy_ptds)
OWN(cudaLaunchKernel_ptsz)
OWN(cudaStreamSynchronize_ptsz)
OWN(cudaGetDeviceProperties_v2)
