#pragma once
// What programs that try libraries for CUDA have in common: memory of the device, and mistakes that are
// counted.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "sw/cuda/library/driver_functions.h"

namespace warpvp::test {

inline int mistakes = 0;
inline void expect(bool right, const std::string& what) {
  if (right) return;
  ++mistakes;
  std::printf("wrong: %s\n", what.c_str());
}

/// Memory of the device with what a vector of the host has.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : count_(values.size()) {
    expect(cuMemAlloc_v2(&at_, std::max<std::size_t>(count_, 1) * sizeof(T)) == 0, "memory");
    put(values);
  }
  OnDevice(const OnDevice&) = delete;
  ~OnDevice() { cuMemFree_v2(at_); }
  void put(const std::vector<T>& values) { cuMemcpyHtoD_v2(at_, values.data(), values.size() * sizeof(T)); }
  std::vector<T> get() const {
    std::vector<T> values(count_);
    cuMemcpyDtoH_v2(values.data(), at_, count_ * sizeof(T));
    return values;
  }
  operator T*() const { return reinterpret_cast<T*>(at_); }

 private:
  CUdeviceptr at_ = 0;
  std::size_t count_;
};

}  // namespace warpvp::test
