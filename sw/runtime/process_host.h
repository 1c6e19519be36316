#pragma once
// The machine as the host program of one process sees it: the CPU's page tables show it device memory of its
// own contexts and the doorbells of its own queues, and nothing else. Whatever else it loads from or stores
// to is a fault of its context.

#include <functional>
#include <set>
#include <utility>

#include "interconnect/host_interface.h"

namespace warpvp::rt {

class ProcessHost : public HostInterface {
 public:
  /// `check` returns if the process may access [address, address + bytes). Both outlive this.
  ProcessHost(HostInterface& inner,
              std::function<void(std::uint64_t address, std::size_t bytes, bool write)> check)
      : inner_(inner), check_(std::move(check)) {}

  void write(std::uint64_t device_address, const void* data, std::size_t bytes) override {
    check_(device_address, bytes, true);
    inner_.write(device_address, data, bytes);
  }
  void write_untimed(std::uint64_t device_address, const void* data, std::size_t bytes) override {
    check_(device_address, bytes, true);
    inner_.write_untimed(device_address, data, bytes);
  }
  void read_untimed(std::uint64_t device_address, void* data, std::size_t bytes) override {
    check_(device_address, bytes, false);
    inner_.read_untimed(device_address, data, bytes);
  }
  void read(std::uint64_t device_address, void* data, std::size_t bytes) override {
    check_(device_address, bytes, false);
    inner_.read(device_address, data, bytes);
  }
  int share_device_memory(std::uint64_t device_address, std::size_t bytes) override {
    check_(device_address, bytes, true);
    return inner_.share_device_memory(device_address, bytes);
  }
  std::uint64_t map(void* data, std::size_t bytes) override {
    const std::uint64_t bus = inner_.map(data, bytes);
    mapped_.insert(bus);
    return bus;
  }
  /// What others have mapped stays.
  void unmap(std::uint64_t bus_address) override {
    if (mapped_.erase(bus_address) != 0) inner_.unmap(bus_address);
  }
  void wait_until(const std::function<bool()>& done) override { inner_.wait_until(done); }
  bool wait_until(const std::function<bool()>& done, SimTime latest) override {
    return inner_.wait_until(done, latest);
  }
  void sleep(SimTime duration) override { inner_.sleep(duration); }
  void compute(SimTime work) override { inner_.compute(work); }
  SimTime now() const override { return inner_.now(); }
  unsigned start(const std::string& name, std::function<void(HostInterface&)> program) override {
    return inner_.start(name, std::move(program));
  }
  void join(unsigned thread) override { inner_.join(thread); }

 private:
  HostInterface& inner_;
  std::function<void(std::uint64_t, std::size_t, bool)> check_;
  std::set<std::uint64_t> mapped_;
};

}  // namespace warpvp::rt
