#include "modules/mmu/paged_mmu.h"

#include <fmt/format.h>

namespace warpvp {

PagedMmu::PagedMmu(sc_core::sc_module_name name, const MmuPlace& place, const PagedMmuConfig& config)
    : Mmu(name),
      tables_(place.memory, std::uint64_t{config.page_kib} << 10,
              [this](unsigned context, std::uint64_t address, std::uint64_t bytes) {
                forget(context, address, bytes);
              }),
      shared_("shared_tlb", place.sms, place.clock, tables_.tables(), config),
      walker_("page_walker", place.clock, place.memory, tables_.tables(), config) {
  for (unsigned sm = 0; sm < place.sms; ++sm) {
    tlbs_.push_back(
        std::make_unique<Tlb>(fmt::format("tlb_{}", sm).c_str(), sm, place.clock, tables_.tables(), config));
    place.links.bind(fmt::format("tlb_miss_{}", sm), LinkKind::kMemory, tlbs_[sm]->miss(), shared_.in(sm));
  }
  place.links.bind("page_walker", LinkKind::kMemory, shared_.walk(), walker_.in());
}

void PagedMmu::forget(unsigned context, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t first = tables_.tables().page_of(address), count = bytes / tables_.page_bytes();
  for (const auto& tlb : tlbs_) tlb->forget(context, first, count);
  shared_.forget(context, first, count);
}

MmuCounters PagedMmu::at(std::uint32_t launch) const {
  MmuCounters sum = shared_.launches().at(launch);
  sum += walker_.launches().at(launch);
  for (const auto& tlb : tlbs_) sum += tlb->launches().at(launch);
  return sum;
}

MmuCounters PagedMmu::total() const {
  MmuCounters sum = shared_.launches().total();
  sum += walker_.launches().total();
  for (const auto& tlb : tlbs_) sum += tlb->launches().total();
  return sum;
}

namespace {

class PagedMmuType : public MmuType {
 public:
  explicit PagedMmuType(const PagedMmuConfig& config) : config_(config) {}
  std::unique_ptr<Mmu> build(const char* name, const MmuPlace& place) const override {
    return std::make_unique<PagedMmu>(name, place, config_);
  }

 private:
  PagedMmuConfig config_;
};

WARPVP_REGISTER_BLOCK(MmuType, PagedMmuType, PagedMmuConfig, "page_tables",
                      "TLBs and walks through page tables in device memory.");

}  // namespace
}  // namespace warpvp
