#pragma once
// Reads and writes registers over the bus, for a block that works in a SystemC thread.

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>

#include "base/fault.h"

namespace warpvp {

/// Accesses are issued one after the other without waiting, as a pipelined master does; finish() waits until
/// the last of them is back. What answers an error raises a fault.
class BusMaster {
 public:
  /// `owner`: of the faults, in words.
  BusMaster(const char* socket, std::string owner, FaultSink& faults);

  /// At once as far as the bus's decoder goes: the value is what the register has now.
  template <class T>
  T read(std::uint64_t address) {
    T value{};
    access(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
    return value;
  }
  template <class T>
  void write(std::uint64_t address, T value) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
  }
  /// Waits for the slowest of the accesses since the last call. For threads.
  void finish();

  tlm_utils::simple_initiator_socket<BusMaster> socket;

 private:
  void access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes);

  std::string owner_;
  FaultSink& faults_;
  sc_core::sc_time longest_;
};

}  // namespace warpvp
