#pragma once
// When the host knew of events, on the host's own clock: for runtimes that leave it to events to tell what is
// over.

#include "interconnect/host_interface.h"
#include "sw/runtime/runtime.h"

namespace warpvp::pagoda {

/// Lets simulated time pass until then, if it has not come.
inline void sleep_until(HostInterface& host, SimTime time) {
  if (host.now() < time) host.sleep(time - host.now());
}

class EventClock {
 public:
  /// Waits for an event of the device, so that its clock and the host's can be compared: both of a later
  /// event are as far behind this one as the other.
  void start(rt::Runtime& device) {
    device_ = &device;
    first_ = device.record(rt::Stream{0});
    device.synchronize(first_);
    first_us_ = now_us();
  }
  double now_us() const { return device_->host().now().to_seconds() * 1e6; }
  /// When the host could know first that a completed event is over.
  double us_of(rt::Event event) const { return first_us_ + device_->elapsed_us(first_, event); }

 private:
  rt::Runtime* device_ = nullptr;
  rt::Event first_;
  double first_us_ = 0;
};

}  // namespace warpvp::pagoda
