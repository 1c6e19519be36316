#pragma once
// Declarations of the API that tests call, as the CUDA runtime's headers have them.

#include <cstddef>
#include <cstdint>

#include "sw/cuda/library/abi.h"
#include "sw/cuda/library/arrays.h"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaMemset(void*, int, std::size_t);
cudaError_t cudaMalloc(void**, std::size_t);
cudaError_t cudaMallocHost(void**, std::size_t);
cudaError_t cudaMallocManaged(void**, std::size_t, unsigned);
cudaError_t cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaMemcpy(void*, const void*, std::size_t, int);
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, int, cudaStream_t);
cudaError_t cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int);
cudaError_t cudaMemset2D(void*, std::size_t, int, std::size_t, std::size_t);
cudaError_t cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, int);
cudaError_t cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, int);
cudaError_t cudaGetSymbolSize(std::size_t*, const void*);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp*, int);
cudaError_t cudaGetLastError();
const char* cudaGetErrorName(cudaError_t);
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*)(void*), void*);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
cudaError_t cudaIpcGetMemHandle(void*, void*);
cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, int);
cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, std::size_t, std::size_t, unsigned);
cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, std::size_t, std::size_t, const void*, std::size_t, std::size_t,
                                std::size_t, int);
cudaError_t cudaMemcpy2DFromArray(void*, std::size_t, cudaArray_t, std::size_t, std::size_t, std::size_t,
                                  std::size_t, int);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms*);
cudaError_t cudaCreateTextureObject(std::uint64_t*, const cudaResourceDesc*, const cudaTextureDesc*,
                                    const void*);
cudaError_t cudaDestroyTextureObject(std::uint64_t);
cudaError_t cudaCreateSurfaceObject(std::uint64_t*, const cudaResourceDesc*);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, void**);
cudaError_t cudaGraphGetNodes(void*, void*, std::size_t*);
cudaError_t cudaGraphInstantiate(void**, void*, unsigned long long);
cudaError_t cudaGraphLaunch(void*, cudaStream_t);
cudaError_t cudaGraphDestroy(void*);
cudaError_t cudaGraphExecDestroy(void*);
cudaError_t cudaMemcpyAsync_ptsz(void*, const void*, std::size_t, int, cudaStream_t);
cudaError_t cudaMemcpy_ptds(void*, const void*, std::size_t, int);
cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
}
