#pragma once
// Functions of the driver API that are offered. A name with _v2 and so on is what the API's header makes of
// the plain one; where the plain one is here too, old programs call it with the same arguments.

#include "sw/cuda/library/driver_abi.h"
#include "sw/cuda/library/memory_pools.h"

// ---- the driver, its devices, errors
WARPVP_API CUresult cuInit(unsigned flags);
WARPVP_API CUresult cuDriverGetVersion(int* version);
WARPVP_API CUresult cuGetErrorName(CUresult error, const char** name);
WARPVP_API CUresult cuGetErrorString(CUresult error, const char** sentence);
WARPVP_API CUresult cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags);
WARPVP_API CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags,
                                        CUdriverProcAddressQueryResult* status);
WARPVP_API CUresult cuGetExportTable(const void** table, const CUuuid* id);
WARPVP_API CUresult cuProfilerStart();
WARPVP_API CUresult cuProfilerStop();
WARPVP_API CUresult cuDeviceGet(CUdevice* device, int ordinal);
WARPVP_API CUresult cuDeviceGetCount(int* count);
WARPVP_API CUresult cuDeviceGetName(char* name, int length, CUdevice device);
WARPVP_API CUresult cuDeviceGetUuid(CUuuid* id, CUdevice device);
WARPVP_API CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice device);
WARPVP_API CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device);
WARPVP_API CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device);
WARPVP_API CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device);
WARPVP_API CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device);
WARPVP_API CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device);
WARPVP_API CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text);
WARPVP_API CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer);

// ---- contexts
WARPVP_API CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device);
WARPVP_API CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device);
WARPVP_API CUresult cuCtxCreate_v3(CUcontext* context, void* affinities, int count, unsigned flags,
                                   CUdevice device);
WARPVP_API CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                                   CUdevice device);
WARPVP_API CUresult cuCtxAttach(CUcontext* context, unsigned flags);
WARPVP_API CUresult cuCtxDetach(CUcontext context);
WARPVP_API CUresult cuCtxDestroy(CUcontext context);
WARPVP_API CUresult cuCtxDestroy_v2(CUcontext context);
WARPVP_API CUresult cuCtxPushCurrent(CUcontext context);
WARPVP_API CUresult cuCtxPushCurrent_v2(CUcontext context);
WARPVP_API CUresult cuCtxPopCurrent(CUcontext* context);
WARPVP_API CUresult cuCtxPopCurrent_v2(CUcontext* context);
WARPVP_API CUresult cuCtxSetCurrent(CUcontext context);
WARPVP_API CUresult cuCtxGetCurrent(CUcontext* context);
WARPVP_API CUresult cuCtxGetDevice(CUdevice* device);
WARPVP_API CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context);
WARPVP_API CUresult cuCtxGetFlags(unsigned* flags);
WARPVP_API CUresult cuCtxSetFlags(unsigned flags);
WARPVP_API CUresult cuCtxGetId(CUcontext context, unsigned long long* id);
WARPVP_API CUresult cuCtxSynchronize();
WARPVP_API CUresult cuCtxSynchronize_v2(CUcontext context);
WARPVP_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version);
WARPVP_API CUresult cuCtxGetLimit(std::size_t* value, int limit);
WARPVP_API CUresult cuCtxSetLimit(int limit, std::size_t value);
WARPVP_API CUresult cuCtxGetCacheConfig(int* config);
WARPVP_API CUresult cuCtxSetCacheConfig(int config);
WARPVP_API CUresult cuCtxGetSharedMemConfig(int* config);
WARPVP_API CUresult cuCtxSetSharedMemConfig(int config);
WARPVP_API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest);
WARPVP_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
WARPVP_API CUresult cuCtxDisablePeerAccess(CUcontext peer);
WARPVP_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
WARPVP_API CUresult cuDevicePrimaryCtxRelease(CUdevice device);
WARPVP_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
WARPVP_API CUresult cuDevicePrimaryCtxReset(CUdevice device);
WARPVP_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
WARPVP_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags);
WARPVP_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
WARPVP_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active);

// ---- modules and libraries
WARPVP_API CUresult cuModuleLoad(CUmodule* module, const char* file);
WARPVP_API CUresult cuModuleLoadData(CUmodule* module, const void* image);
WARPVP_API CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                                       CUjit_option* options, void** values);
WARPVP_API CUresult cuModuleLoadFatBinary(CUmodule* module, const void* binary);
WARPVP_API CUresult cuModuleUnload(CUmodule module);
WARPVP_API CUresult cuModuleGetLoadingMode(int* mode);
WARPVP_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name);
WARPVP_API CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module,
                                         const char* name);
WARPVP_API CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options,
                                      void** values, unsigned count, int* library_options,
                                      void** library_values, unsigned library_count);
WARPVP_API CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options,
                                          void** values, unsigned count, int* library_options,
                                          void** library_values, unsigned library_count);
WARPVP_API CUresult cuLibraryUnload(CUlibrary library);
WARPVP_API CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name);
WARPVP_API CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library);
WARPVP_API CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary library,
                                       const char* name);
WARPVP_API CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel);
WARPVP_API CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel);
WARPVP_API CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                                         CUdevice device);
WARPVP_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                         CUdevice device);
WARPVP_API CUresult cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice device);
WARPVP_API CUresult cuKernelGetName(const char** name, CUkernel kernel);
WARPVP_API CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset,
                                         std::size_t* bytes);

// ---- functions and launches
WARPVP_API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function);
WARPVP_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
WARPVP_API CUresult cuFuncSetCacheConfig(CUfunction function, int config);
WARPVP_API CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z);
WARPVP_API CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes);
WARPVP_API CUresult cuParamSetSize(CUfunction function, unsigned bytes);
WARPVP_API CUresult cuParamSeti(CUfunction function, int offset, unsigned value);
WARPVP_API CUresult cuParamSetf(CUfunction function, int offset, float value);
WARPVP_API CUresult cuParamSetv(CUfunction function, int offset, void* value, unsigned bytes);
WARPVP_API CUresult cuLaunch(CUfunction function);
WARPVP_API CUresult cuLaunchGrid(CUfunction function, int columns, int rows);
WARPVP_API CUresult cuLaunchGridAsync(CUfunction function, int columns, int rows, CUstream stream);
WARPVP_API CUresult cuFuncSetSharedMemConfig(CUfunction function, int config);
WARPVP_API CUresult cuFuncGetModule(CUmodule* module, CUfunction function);
WARPVP_API CUresult cuFuncGetName(const char** name, CUfunction function);
WARPVP_API CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                                       std::size_t* bytes);
WARPVP_API CUresult cuFuncIsLoaded(int* state, CUfunction function);
WARPVP_API CUresult cuFuncLoad(CUfunction function);
WARPVP_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** arguments, void** extra);
WARPVP_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                              unsigned grid_z, unsigned block_x, unsigned block_y,
                                              unsigned block_z, unsigned shared, CUstream stream,
                                              void** arguments);
WARPVP_API CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                                     void** extra);
WARPVP_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, CUfunction function, int block,
                                                                std::size_t shared);
WARPVP_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, CUfunction function,
                                                                         int block, std::size_t shared,
                                                                         unsigned flags);
WARPVP_API CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                                     CUoccupancyB2DSize shared_of_block, std::size_t shared,
                                                     int limit);
WARPVP_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                              CUoccupancyB2DSize shared_of_block,
                                                              std::size_t shared, int limit, unsigned flags);

// ---- memory
WARPVP_API CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes);
WARPVP_API CUresult cuMemAllocPitch_v2(CUdeviceptr* address, std::size_t* pitch, std::size_t width,
                                       std::size_t height, unsigned element);
WARPVP_API CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags);
WARPVP_API CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream);
WARPVP_API CUresult cuMemFree_v2(CUdeviceptr address);
WARPVP_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
WARPVP_API CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total);
WARPVP_API CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address);
WARPVP_API CUresult cuMemAllocHost_v2(void** pointer, std::size_t bytes);
WARPVP_API CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
WARPVP_API CUresult cuMemFreeHost(void* pointer);
WARPVP_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned flags);
WARPVP_API CUresult cuMemHostGetFlags(unsigned* flags, void* pointer);
WARPVP_API CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned flags);
WARPVP_API CUresult cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags);
WARPVP_API CUresult cuMemHostUnregister(void* pointer);
WARPVP_API CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address);
WARPVP_API CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                           CUdeviceptr address);
WARPVP_API CUresult cuMemAdvise(CUdeviceptr address, std::size_t bytes, int advice, CUdevice device);
WARPVP_API CUresult cuMemAdvise_v2(CUdeviceptr address, std::size_t bytes, int advice, CUmemLocation place);
WARPVP_API CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice device,
                                       CUstream stream);
WARPVP_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, std::size_t bytes, CUmemLocation place,
                                          unsigned flags, CUstream stream);
WARPVP_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);
WARPVP_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream);
WARPVP_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes);
WARPVP_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                                         CUstream stream);
WARPVP_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes);
WARPVP_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);
WARPVP_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);
WARPVP_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                         CUstream stream);
WARPVP_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                 CUcontext from_context, std::size_t bytes);
WARPVP_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                      CUcontext from_context, std::size_t bytes, CUstream stream);
WARPVP_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* what);
WARPVP_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* what);
WARPVP_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* what, CUstream stream);
WARPVP_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* what);
WARPVP_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* what, CUstream stream);
WARPVP_API CUresult cuMemcpyDtoA_v2(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes);
WARPVP_API CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes);
WARPVP_API CUresult cuMemcpyAtoA_v2(CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset,
                                    std::size_t bytes);
WARPVP_API CUresult cuMemcpyHtoA_v2(CUarray to, std::size_t offset, const void* from, std::size_t bytes);
WARPVP_API CUresult cuMemcpyHtoAAsync_v2(CUarray to, std::size_t offset, const void* from, std::size_t bytes,
                                         CUstream stream);
WARPVP_API CUresult cuMemcpyAtoH_v2(void* to, CUarray from, std::size_t offset, std::size_t bytes);
WARPVP_API CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, std::size_t offset, std::size_t bytes,
                                         CUstream stream);
WARPVP_API CUresult cuMemsetD8_v2(CUdeviceptr at, unsigned char value, std::size_t count);
WARPVP_API CUresult cuMemsetD16_v2(CUdeviceptr at, unsigned short value, std::size_t count);
WARPVP_API CUresult cuMemsetD32_v2(CUdeviceptr at, unsigned value, std::size_t count);
WARPVP_API CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, std::size_t count, CUstream stream);
WARPVP_API CUresult cuMemsetD16Async(CUdeviceptr at, unsigned short value, std::size_t count,
                                     CUstream stream);
WARPVP_API CUresult cuMemsetD32Async(CUdeviceptr at, unsigned value, std::size_t count, CUstream stream);
WARPVP_API CUresult cuMemsetD2D8_v2(CUdeviceptr at, std::size_t pitch, unsigned char value, std::size_t width,
                                    std::size_t height);
WARPVP_API CUresult cuMemsetD2D16_v2(CUdeviceptr at, std::size_t pitch, unsigned short value,
                                     std::size_t width, std::size_t height);
WARPVP_API CUresult cuMemsetD2D32_v2(CUdeviceptr at, std::size_t pitch, unsigned value, std::size_t width,
                                     std::size_t height);
WARPVP_API CUresult cuMemsetD2D8Async(CUdeviceptr at, std::size_t pitch, unsigned char value,
                                      std::size_t width, std::size_t height, CUstream stream);
WARPVP_API CUresult cuMemsetD2D16Async(CUdeviceptr at, std::size_t pitch, unsigned short value,
                                       std::size_t width, std::size_t height, CUstream stream);
WARPVP_API CUresult cuMemsetD2D32Async(CUdeviceptr at, std::size_t pitch, unsigned value, std::size_t width,
                                       std::size_t height, CUstream stream);

// ---- streams and events
WARPVP_API CUresult cuStreamCreate(CUstream* stream, unsigned flags);
WARPVP_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority);
WARPVP_API CUresult cuStreamDestroy(CUstream stream);
WARPVP_API CUresult cuStreamDestroy_v2(CUstream stream);
WARPVP_API CUresult cuStreamSynchronize(CUstream stream);
WARPVP_API CUresult cuStreamQuery(CUstream stream);
WARPVP_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
WARPVP_API CUresult cuStreamGetPriority(CUstream stream, int* priority);
WARPVP_API CUresult cuStreamGetFlags(CUstream stream, unsigned* flags);
WARPVP_API CUresult cuStreamGetCtx(CUstream stream, CUcontext* context);
WARPVP_API CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, void** green);
WARPVP_API CUresult cuStreamIsCapturing(CUstream stream, int* status);
WARPVP_API CUresult cuStreamGetId(CUstream stream, unsigned long long* id);
WARPVP_API CUresult cuStreamGetDevice(CUstream stream, CUdevice* device);
WARPVP_API CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, std::size_t bytes,
                                           unsigned flags);
WARPVP_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data);
WARPVP_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void* data,
                                        unsigned flags);
WARPVP_API CUresult cuEventCreate(CUevent* event, unsigned flags);
WARPVP_API CUresult cuEventDestroy(CUevent event);
WARPVP_API CUresult cuEventDestroy_v2(CUevent event);
WARPVP_API CUresult cuEventRecord(CUevent event, CUstream stream);
WARPVP_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags);
WARPVP_API CUresult cuEventSynchronize(CUevent event);
WARPVP_API CUresult cuEventQuery(CUevent event);
WARPVP_API CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to);
WARPVP_API CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent from, CUevent to);

// ---- arrays, textures, surfaces
WARPVP_API CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* what);
WARPVP_API CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* what);
WARPVP_API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* what, CUarray array);
WARPVP_API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* what, CUarray array);
WARPVP_API CUresult cuArrayDestroy(CUarray array);
WARPVP_API CUresult cuTexObjectCreate(std::uint64_t* texture, const CUDA_RESOURCE_DESC* resource,
                                      const CUDA_TEXTURE_DESC* how, const void* view);
WARPVP_API CUresult cuTexObjectDestroy(std::uint64_t texture);
WARPVP_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, std::uint64_t texture);
WARPVP_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* how, std::uint64_t texture);
WARPVP_API CUresult cuSurfObjectCreate(std::uint64_t* surface, const CUDA_RESOURCE_DESC* resource);
WARPVP_API CUresult cuSurfObjectDestroy(std::uint64_t surface);
WARPVP_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, std::uint64_t surface);

// ---- graphs
WARPVP_API CUresult cuStreamBeginCapture_v2(CUstream stream, int);
WARPVP_API CUresult cuStreamBeginCapture(CUstream stream);
WARPVP_API CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* before,
                                                const CUgraphEdgeData* edges, std::size_t count, int);
WARPVP_API CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph);
WARPVP_API CUresult cuStreamGetCaptureInfo(CUstream stream, int* status, unsigned long long* id);
WARPVP_API CUresult cuStreamGetCaptureInfo_v2(CUstream stream, int* status, unsigned long long* id,
                                              CUgraph* graph, CUgraphNode const** before, std::size_t* count);
WARPVP_API CUresult cuStreamGetCaptureInfo_v3(CUstream stream, int* status, unsigned long long* id,
                                              CUgraph* graph, CUgraphNode const** before,
                                              const CUgraphEdgeData** edges, std::size_t* count);
WARPVP_API CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, const CUgraphNode* nodes,
                                                         const CUgraphEdgeData* edges, std::size_t count,
                                                         unsigned flags);
WARPVP_API CUresult cuStreamUpdateCaptureDependencies(CUstream stream, const CUgraphNode* nodes,
                                                      std::size_t count, unsigned flags);
WARPVP_API CUresult cuThreadExchangeStreamCaptureMode(int*);
WARPVP_API CUresult cuGraphCreate(CUgraph* graph, unsigned flags);
WARPVP_API CUresult cuGraphDestroy(CUgraph graph);
WARPVP_API CUresult cuGraphClone(CUgraph* clone, CUgraph graph);
WARPVP_API CUresult cuGraphNodeFindInClone(CUgraphNode* node, CUgraphNode original, CUgraph clone);
WARPVP_API CUresult cuGraphDestroyNode(CUgraphNode node);
WARPVP_API CUresult cuGraphNodeGetType(CUgraphNode node, warpvp::cuda::NodeType* type);
WARPVP_API CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count);
WARPVP_API CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count);
WARPVP_API CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                                       CUgraphEdgeData* edges, std::size_t* count);
WARPVP_API CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count);
WARPVP_API CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes,
                                                  CUgraphEdgeData* edges, std::size_t* count);
WARPVP_API CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, std::size_t* count);
WARPVP_API CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes,
                                                    CUgraphEdgeData* edges, std::size_t* count);
WARPVP_API CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, std::size_t* count);
WARPVP_API CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                              const CUgraphEdgeData* edges, std::size_t count);
WARPVP_API CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                           std::size_t count);
WARPVP_API CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from,
                                                 const CUgraphNode* to, const CUgraphEdgeData* edges,
                                                 std::size_t count);
WARPVP_API CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                              std::size_t count);
WARPVP_API CUresult cuGraphConditionalHandleCreate(std::uint64_t* handle, CUgraph graph, CUcontext,
                                                   unsigned value, unsigned flags);
WARPVP_API CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, void* value);
WARPVP_API CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute, void* value);
WARPVP_API CUresult cuDeviceGraphMemTrim(CUdevice device);
WARPVP_API CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                                unsigned long long flags);
WARPVP_API CUresult cuGraphInstantiate_v2(CUgraphExec* executable, CUgraph graph, CUgraphNode* node, char*,
                                          std::size_t);
WARPVP_API CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, CUgraphNode* node, char* log,
                                       std::size_t bytes);
WARPVP_API CUresult cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                                 CUDA_GRAPH_INSTANTIATE_PARAMS* p);
WARPVP_API CUresult cuGraphExecGetFlags(CUgraphExec executable, unsigned long long* flags);
WARPVP_API CUresult cuGraphExecDestroy(CUgraphExec executable);
WARPVP_API CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream);
WARPVP_API CUresult cuGraphUpload(CUgraphExec executable, CUstream);
WARPVP_API CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned enabled);
WARPVP_API CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned* enabled);
WARPVP_API CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                                         CUgraphExecUpdateResultInfo* info);
WARPVP_API CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode* node, int* result);

// ---- nodes of graphs
WARPVP_API CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                            std::size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* p);
WARPVP_API CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                         std::size_t count, const CUDA_KERNEL_NODE_PARAMS* p);
WARPVP_API CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* p);
WARPVP_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* p);
WARPVP_API CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p);
WARPVP_API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* p);
WARPVP_API CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                   const CUDA_KERNEL_NODE_PARAMS* p);
WARPVP_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                                      const CUDA_KERNEL_NODE_PARAMS_v2* p);
WARPVP_API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute, const void* value);
WARPVP_API CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, int attribute, void* value);
WARPVP_API CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from);
WARPVP_API CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                         std::size_t count, const CUDA_MEMCPY3D* p, CUcontext);
WARPVP_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* p);
WARPVP_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* p);
WARPVP_API CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                   const CUDA_MEMCPY3D* p, CUcontext);
WARPVP_API CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                         std::size_t count, const warpvp::cuda::MemsetParams* p, CUcontext);
WARPVP_API CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, warpvp::cuda::MemsetParams* p);
WARPVP_API CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const warpvp::cuda::MemsetParams* p);
WARPVP_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                   const warpvp::cuda::MemsetParams* p, CUcontext);
WARPVP_API CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                       std::size_t count, const warpvp::cuda::HostNodeParams* p);
WARPVP_API CUresult cuGraphHostNodeGetParams(CUgraphNode node, warpvp::cuda::HostNodeParams* p);
WARPVP_API CUresult cuGraphHostNodeSetParams(CUgraphNode node, const warpvp::cuda::HostNodeParams* p);
WARPVP_API CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                 const warpvp::cuda::HostNodeParams* p);
WARPVP_API CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                        std::size_t count);
WARPVP_API CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                              std::size_t count, CUevent event);
WARPVP_API CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                            std::size_t count, CUevent event);
WARPVP_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event);
WARPVP_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event);
WARPVP_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event);
WARPVP_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event);
WARPVP_API CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node,
                                                       CUevent event);
WARPVP_API CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event);
WARPVP_API CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                             std::size_t count, CUgraph child);
WARPVP_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph);
WARPVP_API CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                       CUgraph child);
WARPVP_API CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                           std::size_t count, warpvp::cuda::MemAllocNodeParams* p);
WARPVP_API CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, warpvp::cuda::MemAllocNodeParams* p);
WARPVP_API CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                          std::size_t count, CUdeviceptr address);
WARPVP_API CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* address);
WARPVP_API CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                   std::size_t count, CUgraphNodeParams* p);
WARPVP_API CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                      const CUgraphEdgeData* edges, std::size_t count, CUgraphNodeParams* p);
WARPVP_API CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* p);
WARPVP_API CUresult cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraphNodeParams* p);

// ---- linking
WARPVP_API CUresult cuLinkCreate_v2(unsigned, CUjit_option*, void**, CUlinkState* state);
WARPVP_API CUresult cuLinkAddData_v2(CUlinkState state, int type, void* data, std::size_t bytes, const char*,
                                     unsigned, CUjit_option*, void**);
WARPVP_API CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char* path, unsigned, CUjit_option*,
                                     void**);
WARPVP_API CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* bytes);
WARPVP_API CUresult cuLinkDestroy(CUlinkState state);

// ---- addresses and memory apart
WARPVP_API CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* what, int);
WARPVP_API CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment,
                                        CUdeviceptr, unsigned long long flags);
WARPVP_API CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes);
WARPVP_API CUresult cuMemCreate(std::uint64_t* handle, std::size_t bytes, const CUmemAllocationProp* what,
                                unsigned long long flags);
WARPVP_API CUresult cuMemRelease(std::uint64_t handle);
WARPVP_API CUresult cuMemRetainAllocationHandle(std::uint64_t* handle, void* address);
WARPVP_API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* what, std::uint64_t handle);
WARPVP_API CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, std::uint64_t handle,
                             unsigned long long flags);
WARPVP_API CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes);
WARPVP_API CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* what,
                                   std::size_t count);
WARPVP_API CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* where,
                                   CUdeviceptr address);

// ---- memory pools
WARPVP_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device);
WARPVP_API CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device);
WARPVP_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);
WARPVP_API CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location, int type);
WARPVP_API CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, int type);
WARPVP_API CUresult cuMemSetMemPool(CUmemLocation* location, int type, CUmemoryPool pool);
WARPVP_API CUresult cuMemPoolCreate(CUmemoryPool* pool, const warpvp::cuda::PoolProperties* what);
WARPVP_API CUresult cuMemPoolDestroy(CUmemoryPool pool);
WARPVP_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t);
WARPVP_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int, void* value);
WARPVP_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void* value);
WARPVP_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc*, std::size_t);
WARPVP_API CUresult cuMemPoolGetAccess(int* flags, CUmemoryPool pool, CUmemLocation* location);
WARPVP_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool,
                                            CUstream stream);
