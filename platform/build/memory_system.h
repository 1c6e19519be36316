#pragma once
// The memory system as it is wired: address translation, crossbar, L2 banks, memory channels.
//
//   SMs -> MMU, if any -> crossbar -> L2 bank 0..B-1 -> channel 0..C-1
//   copy engines, hub --> crossbar

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/crossbar.h"
#include "interconnect/link_binder.h"
#include "modules/dram/memory_channel.h"
#include "modules/l2/l2_bank.h"
#include "modules/mmu/mmu.h"
#include "platform/platform_config.h"

namespace warpvp {

class MemorySystem {
 public:
  /// `links` binds; it and the clock of the SMs outlive the memory system. `seed`: the run's.
  MemorySystem(const PlatformConfig& config, ClockDomain& sm_clock, DeviceMemory& memory, LinkBinder& links,
               std::uint64_t seed);

  /// Binds a requester to its port of the crossbar, as link "sm_N", "dma_N" or "hub". SMs may share inputs
  /// there; copy engines and the hub have one of their own each.
  void connect_sm(unsigned sm, tlm::tlm_initiator_socket<>& initiator);
  void connect_copy_engine(unsigned engine, tlm::tlm_initiator_socket<>& initiator);
  void connect_hub(tlm::tlm_initiator_socket<>& initiator);

  /// Of all its clocks (ClockDomain::evaluate_by).
  void evaluate_by(Evaluation* evaluation) {
    for (ClockDomain* clock : clocks()) clock->evaluate_by(evaluation);
  }
  std::array<ClockDomain*, 3> clocks() { return {&crossbar_clock_, &l2_clock_, &dram_clock_}; }

  const AddressMap& map() const { return map_; }
  /// L2Type::recalls_at_once.
  unsigned recalls_at_once() const { return recalls_at_once_; }
  /// nullptr without address translation.
  const Mmu* mmu() const { return mmu_.get(); }
  /// The page tables of contexts; nullptr without address translation.
  AddressSpaces* spaces() { return mmu_ ? &mmu_->spaces() : nullptr; }
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
  /// 0: unlimited.
  double peak_dram_bytes_per_second() const { return peak_bytes_per_second_; }
  /// Of all channels; 0: they have no bus.
  unsigned dram_bus_bits() const { return channel_type_->bus_bits() * map_.channels(); }
  /// Of all banks; 0: without a bound.
  std::uint64_t l2_bytes() const { return l2_bytes_; }
  /// Of a reply, beside its data.
  unsigned reply_header_bytes() const { return reply_header_bytes_; }

 private:
  LinkBinder& links_;
  unsigned sms_;
  unsigned copy_engines_;
  AddressMap map_;
  std::unique_ptr<MemoryChannelType> channel_type_;
  double peak_bytes_per_second_;
  std::uint64_t l2_bytes_ = 0;
  unsigned reply_header_bytes_ = 0;
  ClockDomain crossbar_clock_, l2_clock_, dram_clock_;
  std::unique_ptr<Mmu> mmu_;
  std::unique_ptr<Crossbar> crossbar_;
  unsigned recalls_at_once_ = 0;
  std::vector<std::unique_ptr<L2Bank>> banks_;
  std::vector<std::unique_ptr<MemoryChannel>> channels_;
};

}  // namespace warpvp
