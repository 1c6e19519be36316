#pragma once
// Errors of the CUDA runtime, by the numbers that CUDA 11 to 13 give them (CUDA Runtime API, "cudaError").

#include <cstdint>

namespace warpvp::cuda {

enum Error : std::uint32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitializationError = 3,
  kInvalidConfiguration = 9,
  kInvalidPitchValue = 12,
  kInvalidSymbol = 13,
  kInvalidMemcpyDirection = 21,
  kInsufficientDriver = 35,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidKernelImage = 200,
  kNoKernelImageForDevice = 209,
  kInvalidPtx = 218,
  kInvalidResourceHandle = 400,
  kSymbolNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kPeerAccessUnsupported = 217,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
  kUnknown = 999
};

}  // namespace warpvp::cuda
