#include "sw/cuda/library/device_attributes.h"

#include <algorithm>
#include <cmath>

namespace warpvp::cuda {

// By their documented numbers, which both interfaces share.
Error device_attribute(const DeviceFacts& f, int number, int& value) {
  switch (number) {
    case 1:
    case 2:
    case 3:
      value = static_cast<int>(f.threads_per_cta);
      break;
    case 4:
      value = kLongestBlockZ;
      break;
    case 5:
      value = kLongestGridX;
      break;
    case 6:
    case 7:
      value = kLongestGrid;
      break;
    case 8:
      value = static_cast<int>(f.shared_per_cta);
      break;
    case 9:
      value = static_cast<int>(kConstantBytes);
      break;
    case 10:
      value = 32;
      break;
    case 11:
      value = kLongestGridX;
      break;
    case 12:
    case 82:
      value = static_cast<int>(f.registers_per_sm);
      break;
    case 13:
      value = static_cast<int>(f.sm_clock_khz);
      break;
    case 14:
    case 30:
      value = static_cast<int>(kTextureAlignment);
      break;
    case 16:
      value = static_cast<int>(f.sms);
      break;
    case 21:
      value = kTexture1D;
      break;
    case 22:
      value = kTexture2D;
      break;
    case 23:
      value = kTexture2DHeight;
      break;
    case 24:
    case 25:
    case 26:
    case 58:
    case 59:
    case 60:
      value = kTexture3D;
      break;
    case 27:  // layered, cubes, and surfaces of those
    case 28:
    case 42:
    case 52:
    case 53:
    case 55:
    case 61:
    case 63:
    case 64:
    case 66:
    case 67:
      value = kImage;
      break;
    case 29:
    case 43:
    case 62:
    case 65:
      value = kImageLayers;
      break;
    case 54:
    case 68:
      value = kCubeLayers;
      break;
    case 56:
      value = kSurface2D;
      break;
    case 57:
      value = kSurface2DHeight;
      break;
    case 69:
      value = kTexture1DLinear;
      break;
    case 70:
      value = kTexture2DLinear;
      break;
    case 71:
      value = kTexture2DLinearHeight;
      break;
    case 72:
      value = kTexture2DLinearPitch;
      break;
    case 36:
      value = static_cast<int>(std::lround(f.memory_clock_khz));
      break;
    case 37:
      value = static_cast<int>(f.memory_bus_bits);
      break;
    case 38:
      value = static_cast<int>(std::min<std::uint64_t>(f.l2_bytes, kLongestGridX));
      break;
    // Copies beside kernels, mapped host memory, kernels at once, unified addresses, priorities, caches,
    // managed memory, cooperative launches, addresses apart from memory, memory pools.
    case 15:
    case 19:
    case 31:
    case 41:
    case 78:
    case 79:
    case 80:
    case 83:
    case 95:
    case 102:
    case 115:
      value = 1;
      break;
    case 33:
      value = 1;
      break;
    case 39:
      value = static_cast<int>(f.threads_per_sm);
      break;
    case 40:
      value = static_cast<int>(f.copy_engines);
      break;
    case 51:
      value = static_cast<int>(kTexturePitch);
      break;
    case 75:
      value = static_cast<int>(f.major);
      break;
    case 76:
      value = static_cast<int>(f.minor);
      break;
    case 81:
      value = static_cast<int>(f.shared_per_sm);
      break;
    case 97:
      value = static_cast<int>(f.shared_per_cta_opt_in);
      break;
    case 106:
      value = static_cast<int>(f.ctas_per_sm);
      break;
    default:
      value = 0;
      return number > 0 && number < 150 ? kSuccess : kInvalidValue;
  }
  return kSuccess;
}

}  // namespace warpvp::cuda
