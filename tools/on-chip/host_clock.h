#pragma once
// The host's clock in place of simulated time, for devices that are not the platform.

#include <chrono>
#include <thread>

#include "base/error.h"
#include "interconnect/host_interface.h"

namespace warpvp::chip {

/// Time passes as on the host's steady clock; all else is refused with InputError.
class HostClock : public HostInterface {
 public:
  void write(std::uint64_t, const void*, std::size_t) override { refuse(); }
  void read(std::uint64_t, void*, std::size_t) override { refuse(); }
  std::uint64_t map(void*, std::size_t) override { return refuse(); }
  void unmap(std::uint64_t) override { refuse(); }
  void wait_until(const std::function<bool()>&) override { refuse(); }
  bool wait_until(const std::function<bool()>&, SimTime) override { return refuse() != 0; }
  void sleep(SimTime duration) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(duration.to_seconds()));
  }
  SimTime now() const override {
    const auto passed = std::chrono::steady_clock::now() - begin_;
    return SimTime::from_us(std::chrono::duration<double, std::micro>(passed).count());
  }

 private:
  [[noreturn]] static std::uint64_t refuse() {
    throw InputError("the host's own loads and stores are not to be had on this device");
  }
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace warpvp::chip
