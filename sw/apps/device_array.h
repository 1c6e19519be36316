#pragma once
// Typed arrays in device memory, for host programs that are not workloads.

#include <vector>

#include "sw/runtime/runtime.h"

namespace warpvp::apps {

/// For members of apps, which outlive the device: freed by reset() alone, not when it ends.
template <class T>
class HeldArray {
 public:
  void emplace(rt::Runtime& device, std::size_t count) {
    device_ = &device;
    count_ = count;
    pointer_ = device.malloc(count * sizeof(T));
  }
  /// Holds a copy of `data` once stream `s` has passed; `data` stays alive until then.
  void emplace(rt::Runtime& device, const std::vector<T>& data, rt::Stream s) {
    emplace(device, data.size());
    device.copy_to_device_async(pointer_, data.data(), data.size() * sizeof(T), s);
  }
  void reset() {
    device_->free(pointer_);
    device_ = nullptr;
  }

  rt::DevicePtr pointer() const { return pointer_; }
  void fill_zero(rt::Stream s) { device_->memset_async(pointer_, 0, count_ * sizeof(T), s); }
  /// Waits for the stream and returns the contents.
  std::vector<T> read(rt::Stream s) const {
    std::vector<T> out(count_);
    device_->copy_to_host_async(out.data(), pointer_, count_ * sizeof(T), s);
    device_->synchronize(s);
    return out;
  }

 private:
  rt::Runtime* device_ = nullptr;
  rt::DevicePtr pointer_ = 0;
  std::size_t count_ = 0;
};

/// The same for variables of a function: freed at the end of its life.
template <class T>
class DeviceArray : private HeldArray<T> {
 public:
  DeviceArray(rt::Runtime& device, std::size_t count) { this->emplace(device, count); }
  DeviceArray(rt::Runtime& device, const std::vector<T>& data, rt::Stream s) {
    this->emplace(device, data, s);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { this->reset(); }

  using HeldArray<T>::pointer;
  using HeldArray<T>::fill_zero;
  using HeldArray<T>::read;
};

}  // namespace warpvp::apps
