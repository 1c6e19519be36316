#include "platform/build/memory_system.h"

#include <fmt/format.h>

#include "base/registry.h"
#include "interconnect/policy_contract.h"

namespace warpvp {

MemorySystem::MemorySystem(const PlatformConfig& config, ClockDomain& sm_clock, DeviceMemory& memory,
                           LinkBinder& links, std::uint64_t seed)
    : links_(links),
      sms_(config.sms),
      copy_engines_(config.dma.engines),
      map_(config.address_map),
      channel_type_(Registry<MemoryChannelType>::instance().make(config.dram)),
      peak_bytes_per_second_(channel_type_->peak_bytes_per_second() * map_.channels()),
      crossbar_clock_("crossbar_clock", config.crossbar.clock_mhz),
      l2_clock_("l2_clock", config.l2.clock_mhz),
      dram_clock_("dram_clock", channel_type_->clock_mhz()) {
  const std::unique_ptr<MmuType> mmu = Registry<MmuType>::instance().make(config.mmu);
  mmu_ = build_block(MmuType::kKind, config.mmu.name, "mmu", [&] {
    return mmu->build("mmu", {sm_clock, memory, links, sms_});
  });
  const unsigned table_port = sms_ + copy_engines_ + 1;  // behind that of the hub
  const std::unique_ptr<CrossbarType> crossbar =
      Registry<CrossbarType>::instance().make(config.crossbar.type);
  reply_header_bytes_ = crossbar->reply_header_bytes();
  crossbar_ = build_block(CrossbarType::kKind, config.crossbar.type.name, "crossbar", [&] {
    return crossbar->build("crossbar", {crossbar_clock_, map_, sms_, copy_engines_ + (mmu_ ? 2 : 1)});
  });
  if (mmu_) links.bind("page_tables", LinkKind::kMemory, mmu_->tables(), crossbar_->in(table_port));
  for (unsigned c = 0; c < map_.channels(); ++c) {
    const MemoryChannelPlace place{
        dram_clock_, memory, map_, c, map_.banks_per_channel(), seed, config.work_distributor.slots};
    const std::string name = fmt::format("dram_{}", c);
    channels_.push_back(build_block(MemoryChannelType::kKind, config.dram.name, name,
                                    [&] { return channel_type_->build(name.c_str(), place); }));
  }
  const std::unique_ptr<L2Type> l2 = Registry<L2Type>::instance().make(config.l2.type);
  l2_bytes_ = l2->bank_bytes() * map_.banks();
  recalls_at_once_ = l2->recalls_at_once();
  const unsigned reply_edges = config.reply_edges();
  const std::uint64_t page_bytes = mmu_ ? mmu_->spaces().page_bytes() : L2Place::kPageBytes;
  for (unsigned b = 0; b < map_.banks(); ++b) {
    const std::string name = fmt::format("l2_{}", b);
    banks_.push_back(build_block(L2Type::kKind, config.l2.type.name, name, [&] {
      return l2->build(name.c_str(), {l2_clock_, memory, map_, b, config.l2.line_bytes, seed, sms_,
                                      config.work_distributor.slots, page_bytes, reply_edges});
    }));
    links.bind(name, LinkKind::kMemory, crossbar_->out(b), banks_[b]->in());
    links.bind(fmt::format("dram_{}", b), LinkKind::kMemory, banks_[b]->out(),
               channels_[map_.channel_of_bank(b)]->in(map_.port_of_bank(b)));
  }
}

void MemorySystem::connect_sm(unsigned sm, tlm::tlm_initiator_socket<>& initiator) {
  const std::string link = fmt::format("sm_{}", sm);
  if (!mmu_) {
    links_.bind(link, LinkKind::kMemory, initiator, crossbar_->in(sm));
    return;
  }
  links_.bind(link, LinkKind::kMemory, initiator, mmu_->in(sm));
  links_.bind(fmt::format("tlb_{}", sm), LinkKind::kMemory, mmu_->out(sm), crossbar_->in(sm));
}

void MemorySystem::connect_copy_engine(unsigned engine, tlm::tlm_initiator_socket<>& initiator) {
  links_.bind(fmt::format("dma_{}", engine), LinkKind::kMemory, initiator, crossbar_->in(sms_ + engine));
}

void MemorySystem::connect_hub(tlm::tlm_initiator_socket<>& initiator) {
  links_.bind("hub", LinkKind::kMemory, initiator, crossbar_->in(sms_ + copy_engines_));
}

L2Counters MemorySystem::l2_of(std::uint32_t launch) const {
  L2Counters sum;
  for (const auto& bank : banks_) sum += bank->launches().at(launch);
  return sum;
}

MemoryCounters MemorySystem::dram_of(std::uint32_t launch) const {
  MemoryCounters sum;
  for (const auto& channel : channels_) sum += channel->launches().at(launch);
  return sum;
}

namespace {
/// `part` picks from the counters that each station keeps.
template <class Part>
MemorySystem::Traffic traffic_of(const MemorySystem& system, Part part) {
  MemorySystem::Traffic sum;
  sum.crossbar = part(system.crossbar().launches());
  for (const auto& bank : system.banks()) sum.l2 += part(bank->launches());
  for (const auto& channel : system.channels()) sum.dram += part(channel->launches());
  return sum;
}
}  // namespace

MemorySystem::Traffic MemorySystem::kernel_traffic() const {
  return traffic_of(*this, [](const auto& counters) { return counters.kernels(); });
}
MemorySystem::Traffic MemorySystem::copy_traffic() const {
  return traffic_of(*this, [](const auto& counters) { return counters.copies(); });
}
MemorySystem::Traffic MemorySystem::command_traffic() const {
  return traffic_of(*this, [](const auto& counters) { return counters.commands(); });
}

void MemorySystem::Traffic::stats(StatVisitor& v) const {
  v.group("noc", crossbar, "What of it went through the crossbar.");
  v.group("l2", l2, "What of it the L2 served, summed over banks.");
  v.group("dram", dram, "What of it DRAM served, summed over channels.");
}

}  // namespace warpvp
