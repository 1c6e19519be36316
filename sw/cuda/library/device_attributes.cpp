#include "sw/cuda/library/device_attributes.h"

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
    // Copies beside kernels, mapped host memory, kernels at once, unified addresses, priorities, caches,
    // managed memory, cooperative launches, memory pools.
    case 15:
    case 19:
    case 31:
    case 41:
    case 78:
    case 79:
    case 80:
    case 83:
    case 95:
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
