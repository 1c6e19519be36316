#pragma once
// Which program a kernel object stands for. A kernel object is the device address of a kernel descriptor; the
// loader enters it here, the SMs look it up when a CTA arrives. Shared by the host runtime and the SMs.

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "ptx/program.h"

namespace warpvp::ptx {

class KernelStore {
 public:
  void add(std::uint64_t kernel_object, std::shared_ptr<const Program> program) {
    programs_[kernel_object] = std::move(program);
  }
  void remove(std::uint64_t kernel_object) { programs_.erase(kernel_object); }
  /// nullptr when no kernel is registered under that object.
  std::shared_ptr<const Program> find(std::uint64_t kernel_object) const {
    auto it = programs_.find(kernel_object);
    return it == programs_.end() ? nullptr : it->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::shared_ptr<const Program>> programs_;
};

}  // namespace warpvp::ptx
