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
  /// Whose program did it; nothing: no program's fault, or nobody knows whose.
  std::optional<std::uint32_t> context;
  /// It is a posted write of the host that nobody has taken: `address` says where to.
  bool host_write = false;

  /// One line for the terminal, without `detail`.
  std::string summary() const;
};

/// Where blocks report faults. The first one wins; the owner's `on_fault` stops the simulation. A fault of a
/// context that others can do without is contained: the simulation goes on.
class FaultSink {
 public:
  /// True: it is contained. The block carries nothing of that context on until it is told what to do with it,
  /// and goes on with what is others'. False: the simulation ends.
  bool raise(DeviceFault fault) {
    if (fault.context && contain && contain(fault)) return true;
    if (fault.host_write && forgive && forgive(fault)) return true;
    if (fault_) return false;
    fault_ = std::move(fault);
    if (on_fault) on_fault();
    return false;
  }
  bool faulted() const { return fault_.has_value(); }
  const std::optional<DeviceFault>& fault() const { return fault_; }

  std::function<void()> on_fault;
  /// Asked about faults of contexts: true if the context alone ends. It has it ended.
  std::function<bool(const DeviceFault&)> contain;
  /// Asked about writes of the host that nobody has taken: true if the host has been told, and goes on.
  std::function<bool(const DeviceFault&)> forgive;

 private:
  std::optional<DeviceFault> fault_;
};

}  // namespace warpvp
