#pragma once
// What can be asked of the device by number, in the runtime and in the driver API.

#include <cstddef>
#include <cstdint>

#include "sw/cuda/errors.h"
#include "sw/cuda/protocol.h"

namespace warpvp::cuda {

/// Limits of all chips from compute capability 3.0 on (CUDA C++ Programming Guide, technical specifications).
inline constexpr int kLongestGridX = 2147483647, kLongestGrid = 65535, kLongestBlockZ = 64;
inline constexpr std::size_t kConstantBytes = 65536, kTextureAlignment = 512, kTexturePitch = 32;

/// Texels of images, as chips from compute capability 7.0 on have them (the same), of which none is beyond
/// what the model does.
inline constexpr int kTexture1D = 131072, kTexture1DLinear = 1 << 27, kTexture2D = 131072,
                     kTexture2DHeight = 65536;
inline constexpr int kTexture3D = 16384, kImageLayers = 2048, kImage = 32768, kCubeLayers = 2046;
inline constexpr int kTexture2DLinear = 131072, kTexture2DLinearHeight = 65000,
                     kTexture2DLinearPitch = 2097120;
inline constexpr int kSurface2D = 131072, kSurface2DHeight = 65536;

/// Attribute `number` (cudaDevAttr..., CU_DEVICE_ATTRIBUTE_...); 0 for one of which nothing is known here.
/// kInvalidValue where CUDA has none of that number.
Error device_attribute(const DeviceFacts& device, int number, int& value);

/// Limits that can be asked: stack of a thread, buffer of printf, heap; of the platform (platform.runtime).
inline constexpr std::size_t kDefaultLimits[] = {1024, 1 << 20, 8 << 20};

}  // namespace warpvp::cuda
