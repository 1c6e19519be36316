#pragma once
// The device's memory manager as registers: what of device memory is whose. The host's driver allocates and
// frees here, and asks; everyone else on the device sees the result in DeviceMemory. Commands are carried out
// when they are written.
//
// A driver sets memory up in no simulated time: debug accesses to this block do what others do.

#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "interconnect/address_spaces.h"
#include "interconnect/device_memory.h"
#include "interconnect/register_block.h"
#include "interconnect/register_map.h"
#include "modules/host/freed_memory.h"

namespace warpvp {

class MemoryManager : public sc_core::sc_module {
 public:
  /// `spaces`: nullptr where contexts have no page tables.
  MemoryManager(sc_core::sc_module_name name, DeviceMemory& memory, AddressSpaces* spaces);

  tlm_utils::simple_target_socket<MemoryManager> registers;
  const RegisterBlock& register_block() const { return block_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) { block_.transport(payload); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);

  void carry_out(const regmap::mm::Command& command);
  regmap::mm::Status allocate(const regmap::mm::Command& command, bool last);
  regmap::mm::Status grow(const regmap::mm::Command& command);
  regmap::mm::Status release(std::uint64_t address);
  regmap::mm::Status find(std::uint64_t address);
  regmap::mm::Status create_heap(std::uint64_t bytes, unsigned owner);
  regmap::mm::Status create_space(unsigned owner);
  void answer(const DeviceMemory::Range& range);

  DeviceMemory& memory_;
  AddressSpaces* spaces_;
  FreedMemory freed_;
  RegisterBlock block_;
  regmap::mm::Answer answer_{};
};

}  // namespace warpvp
