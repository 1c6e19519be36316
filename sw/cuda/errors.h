#pragma once
// Errors of CUDA, by the numbers that CUDA 11 to 13 give them (CUDA Runtime API, "cudaError"). The driver API
// has the same numbers, but for those below 34 that it has not.

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
  kInvalidTexture = 18,
  kInvalidMemcpyDirection = 21,
  kInsufficientDriver = 35,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidKernelImage = 200,
  kInvalidContext = 201,  // of the driver API
  kNoKernelImageForDevice = 209,
  kUnsupportedLimit = 215,
  kPeerAccessUnsupported = 217,
  kInvalidPtx = 218,
  kUnsupportedExecAffinity = 224,
  kFileNotFound = 301,
  kInvalidResourceHandle = 400,
  kIllegalState = 401,
  kSymbolNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kPeerAccessNotEnabled = 705,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kSystemDriverMismatch = 803,
  kUnsupportedCapture = 900,
  kSpoiltCapture = 901,
  kUnmatchedCapture = 903,
  kUpdateFailure = 910,
  kUnknown = 999
};

/// A fault of the context, which every call gives from then on.
constexpr bool ends_context(Error error) {
  return error == kIllegalAddress || error == kAssert || error == kMisalignedAddress ||
         error == kLaunchFailure;
}

}  // namespace warpvp::cuda
