#pragma once
// Device faults: what went wrong on the simulated device, where, and who gets told.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace warpvp {

/// One device fault. Fields that do not apply keep their defaults and are left out of the message.
struct DeviceFault {
  std::string what;          ///< e.g. "out-of-bounds global load of 4 bytes"
  std::string kernel;        ///< entry name
  std::string ptx_location;  ///< "file.ptx:120: ld.global.f32 %f1, [%rd3];"
  std::optional<std::uint64_t> address;
  std::int64_t cta[3] = {-1, -1, -1};
  int sm = -1;
  int warp = -1;  ///< warp within its CTA
  int lane = -1;
  std::string detail;  ///< further lines: which warps wait for what, the remedy

  /// One line for the terminal, without `detail`.
  std::string summary() const;
};

/// Where blocks report faults. The first one wins; the owner's `on_fault` stops the simulation.
class FaultSink {
 public:
  void raise(DeviceFault fault) {
    if (fault_) return;
    fault_ = std::move(fault);
    if (on_fault) on_fault();
  }
  bool faulted() const { return fault_.has_value(); }
  const std::optional<DeviceFault>& fault() const { return fault_; }

  std::function<void()> on_fault;

 private:
  std::optional<DeviceFault> fault_;
};

}  // namespace warpvp
