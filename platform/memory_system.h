#pragma once
// The memory system as it is wired: crossbar, L2 banks, memory channels, and the protocol checkers that
// `check_protocol: true` slips onto every link.
//
//   SMs, copy engines, hub -> crossbar -> L2 bank 0..B-1 -> channel 0..C-1

#include <memory>
#include <string>
#include <vector>

#include "interconnect/crossbar.h"
#include "interconnect/protocol_checker.h"
#include "modules/dram/memory_channel.h"
#include "modules/l2/l2_bank.h"
#include "platform/platform_config.h"

namespace warpvp {

class MemorySystem {
 public:
  MemorySystem(const PlatformConfig& config, DeviceMemory& memory);

  /// Binds a requester to its port of the crossbar. SMs may share inputs there; copy engines and the hub have
  /// one of their own each.
  void connect_sm(unsigned sm, tlm::tlm_initiator_socket<>& initiator);
  void connect_copy_engine(unsigned engine, tlm::tlm_initiator_socket<>& initiator);
  void connect_hub(tlm::tlm_initiator_socket<>& initiator);
  /// Binds a memory link, with a protocol checker on it if `check_protocol`.
  void link(const std::string& name, tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to);

  const AddressMap& map() const { return map_; }
  const Crossbar& crossbar() const { return *crossbar_; }
  const std::vector<std::unique_ptr<L2Bank>>& banks() const { return banks_; }
  const std::vector<std::unique_ptr<MemoryChannel>>& channels() const { return channels_; }
  /// Sum over banks and channels of what one launch did there.
  L2Counters l2_of(std::uint32_t launch) const;
  MemoryCounters dram_of(std::uint32_t launch) const;
  /// All launches, or all copies, or all commands of host and command processor, everywhere.
  struct Traffic {
    CrossbarLaunchCounters crossbar;
    L2Counters l2;
    MemoryCounters dram;
    void stats(StatVisitor& v) const;
  };
  Traffic kernel_traffic() const;
  Traffic copy_traffic() const;
  Traffic command_traffic() const;
  double peak_dram_bytes_per_second() const { return peak_bytes_per_second_; }
  /// Violations of the base protocol on all links; empty unless `check_protocol`.
  std::vector<std::string> protocol_violations() const;

 private:
  bool check_protocol_;
  unsigned sms_;
  unsigned copy_engines_;
  AddressMap map_;
  std::unique_ptr<MemoryChannelType> channel_type_;
  double peak_bytes_per_second_;
  ClockDomain crossbar_clock_, l2_clock_, dram_clock_;
  std::unique_ptr<Crossbar> crossbar_;
  std::vector<std::unique_ptr<L2Bank>> banks_;
  std::vector<std::unique_ptr<MemoryChannel>> channels_;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace warpvp
