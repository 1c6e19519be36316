#pragma once
// A device without timing whose host has a clock, and whose events are over at once: what a task runtime
// needs that launches kernels and copies, and nothing beside them.

#include "interconnect/host_interface.h"
#include "tests/apps/functional_device.h"

namespace warpvp::test {

class ClockedDevice : public FunctionalDevice {
 public:
  rt::Event mark(rt::Stream s) override { return record(s); }
  bool completed(rt::Event) override { return true; }
  HostInterface& host() override { return clock_; }

 private:
  class Clock : public HostInterface {
   public:
    void write(std::uint64_t, const void*, std::size_t) override {}
    void read(std::uint64_t, void*, std::size_t) override {}
    std::uint64_t map(void*, std::size_t) override { return 0; }
    void unmap(std::uint64_t) override {}
    void wait_until(const std::function<bool()>&) override {}
    bool wait_until(const std::function<bool()>& done, SimTime) override { return done(); }
    void sleep(SimTime duration) override { now_ = now_ + duration; }
    SimTime now() const override { return now_; }

   private:
    SimTime now_;
  };
  Clock clock_;
};

}  // namespace warpvp::test
