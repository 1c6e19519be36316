#pragma once
// What a host program, and the runtime library under it, can do with the simulated machine: the CPU's loads
// and stores to the device over PCIe, its own memory that the device can reach, and waiting. HostCpu
// implements it; every call happens on the host program's own thread and takes simulated time.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/sim_time.h"

namespace warpvp {

class HostInterface {
 public:
  virtual ~HostInterface() = default;

  /// Host memory under consecutive bus addresses.
  struct Piece {
    std::uint64_t bus = 0;
    std::size_t bytes = 0;
  };
  /// Host memory that host and device share for long, at consecutive bus addresses from `bus` on.
  struct Shared {
    std::shared_ptr<void> memory;
    std::uint64_t bus = 0;
  };

  /// Stores to the device (registers or device memory, by address map) through the PCIe link; posted: returns
  /// when the link has taken it. Throws InputError-free: a failing address is a device fault.
  virtual void write(std::uint64_t device_address, const void* data, std::size_t bytes) = 0;
  /// Loads from the device; returns when the data is back.
  virtual void read(std::uint64_t device_address, void* data, std::size_t bytes) = 0;
  /// The same in no simulated time (TLM's debug transport), for what a driver sets up before anyone measures:
  /// device memory, and the memory manager's registers. The default takes time.
  virtual void write_untimed(std::uint64_t device_address, const void* data, std::size_t bytes) {
    write(device_address, data, bytes);
  }
  virtual void read_untimed(std::uint64_t device_address, void* data, std::size_t bytes) {
    read(device_address, data, bytes);
  }

  /// Device memory and host memory at once: these whole pages of the device's memory, of one allocation, are
  /// a file from now on, until they are freed, which processes may map beside the device. In no simulated
  /// time. The file is the caller's to close; -1, which is what the default gives: there is none to be had.
  static constexpr std::size_t kPageBytes = 4096;
  virtual int share_device_memory(std::uint64_t device_address, std::size_t bytes) {
    (void)device_address, (void)bytes;
    return -1;
  }

  /// Makes `bytes` of host memory at `data` reachable for the device and returns the bus address under which
  /// DMA and signals find it. Bus addresses are dealt in order, so they are the same in every run.
  virtual std::uint64_t map(void* data, std::size_t bytes) = 0;
  virtual void unmap(std::uint64_t bus_address) = 0;
  /// The same for memory whose pages may lie scattered for the device: one piece after the other, from `data`
  /// on. unmap() takes the bus address of the first piece, and unmaps all. `device_writes`: it does more than
  /// read. The default has one piece.
  virtual std::vector<Piece> map_pieces(void* data, std::size_t bytes, bool device_writes) {
    (void)device_writes;
    return {{map(data, bytes), bytes}};
  }
  /// Memory of zeros that is mapped from the start, until unmap() of its bus address, and read and written by
  /// both sides. The default takes it from the heap.
  virtual Shared share(std::size_t bytes) {
    const std::shared_ptr<void> memory(::operator new(bytes), [](void* m) { ::operator delete(m); });
    std::memset(memory.get(), 0, bytes);
    return {memory, map(memory.get(), bytes)};
  }

  /// Waits until `done()` holds, which may throw; re-evaluated whenever the device writes host memory or
  /// raises its interrupt.
  virtual void wait_until(const std::function<bool()>& done) = 0;
  /// The same, but no longer than until `latest`; returns whether `done()` holds.
  virtual bool wait_until(const std::function<bool()>& done, SimTime latest) = 0;
  /// Lets simulated time pass.
  virtual void sleep(SimTime duration) = 0;
  /// The CPU works for the program, which takes `work` on a core of its own, and longer where programs have
  /// fewer cores than compute at once. The default has a core for each.
  virtual void compute(SimTime work) { sleep(work); }
  virtual SimTime now() const = 0;

  /// Runs `program` on a thread of its own from now on, beside the one that calls; returns its number. The
  /// run is not over before it has ended. The default refuses with InputError: not every implementer has
  /// threads.
  virtual unsigned start(const std::string& name, std::function<void(HostInterface&)> program) {
    (void)program;
    throw InputError("host threads, as '" + name + "', are not to be had here");
  }
  /// Waits until that thread has ended.
  virtual void join(unsigned thread) {
    (void)thread;
    throw InputError("host threads are not to be had here");
  }
};

}  // namespace warpvp
