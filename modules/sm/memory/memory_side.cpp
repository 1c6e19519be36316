#include "modules/sm/memory/memory_side.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "modules/sm/memory/constant_cache.h"
#include "modules/sm/memory/isolated_memory.h"
#include "modules/sm/memory/l1_cache.h"
#include "modules/sm/memory/load_store_unit.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/memory_port.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/read_only_cache.h"

namespace warpvp {
namespace {

class MemorySideImpl : public MemorySide {
 public:
  MemorySideImpl(const char* name, const MemorySideConfig& config, unsigned sm_id, unsigned warps,
                 MemoryClient& memory, FetchClient& fetch, std::function<void()> wake)
      : fetch_client_(fetch),
        fills_per_cycle_(config.l1.fills_per_cycle),
        instruction_line_bytes_(config.instruction.line_bytes),
        port_(name, config.l1, sm_id, counters_, std::move(wake)),
        l1_(config.l1, port_, counters_),
        constants_(config.constant, port_),
        instructions_(config.instruction),
        lsu_(config, warps, l1_, constants_, port_, counters_, memory) {}

  bool can_accept(unsigned) const override { return lsu_.can_accept(); }
  void accept(const MemoryRequest& request, Cycle now) override { lsu_.accept(request, now); }
  bool stores_outstanding(unsigned warp) const override { return lsu_.stores_outstanding(warp); }

  bool fetch(std::uint64_t address, const AccessOwner& owner, Cycle now) override {
    SmMemoryCounters& counters = counters_.of(owner.launch);
    ++counters.instruction_fetches;
    if (try_fetch(address, owner, now)) return true;
    ++counters.instruction_misses;
    return false;
  }

  void evaluate(Cycle now) override {
    unsigned fills = fills_per_cycle_;
    while (tlm::tlm_generic_payload* payload = port_.response()) {
      const ReplyToken token = ReplyToken::unpack(MemExtension::find(*payload)->token);
      const bool carries_data = token.kind != ReplyKind::kWriteBack && payload->is_read();
      if (carries_data && fills == 0) break;
      if (token.kind == ReplyKind::kL1Fill && !l1_.can_fill(token.index)) break;
      fills -= carries_data;
      port_.take_response(now);
      deliver(token, now);
    }
    if (l1_.has_work()) l1_.evaluate(now);
    constants_.evaluate(now, [this](std::uint32_t id) { serve_constant(id); });
    lsu_.evaluate(now);
  }

  void commit(Cycle now) override {
    if (port_.commit(now)) lsu_.retry();
  }

  Cycle next_work(Cycle now) const override {
    if (l1_.has_work()) return now + 1;
    return std::min({lsu_.next_work(now), port_.next_work(now), constants_.next_work(now)});
  }

  tlm::tlm_initiator_socket<>& socket() override { return port_.socket(); }
  void stats(StatVisitor& v) const override {
    counters_.total().stats(v);
    v.group("miss_queue", port_, kMissQueueSentence);
  }
  const SmMemoryCounters* launch_counters(std::uint32_t launch) const override {
    return counters_.find(launch);
  }
  void invalidate() override {
    l1_.invalidate();
    constants_.invalidate();
    lsu_.retry();
  }
  void resize_l1(std::uint32_t bytes) override {
    l1_.resize(bytes);
    lsu_.retry();
  }
  std::uint32_t l1_bytes() const override { return l1_.bytes(); }
  bool idle() const override {
    return lsu_.idle() && l1_.idle() && constants_.idle() && instructions_.idle() && waiting_.empty() &&
           port_.idle();
  }

 private:
  struct WaitingFetch {
    std::uint64_t address = 0;
    AccessOwner owner;
  };

  bool try_fetch(std::uint64_t address, const AccessOwner& owner, Cycle now) {
    const ReadOnlyCache::Result found = instructions_.access(address, owner, now);
    if (found.outcome == ReadOnlyCache::Outcome::kHit) return true;
    const std::uint64_t line = instructions_.line_address(address);
    if (found.outcome == ReadOnlyCache::Outcome::kMiss) {
      port_.push_instruction({false,
                              AccessKind::kInstruction,
                              line,
                              instruction_line_bytes_,
                              owner,
                              now,
                              {ReplyKind::kInstruction, found.index, 1}});
    } else if (found.outcome == ReadOnlyCache::Outcome::kFull) {
      const bool known = std::any_of(waiting_.begin(), waiting_.end(),
                                     [&](const WaitingFetch& w) { return w.address == line; });
      if (!known) waiting_.push_back({line, owner});
    }
    return false;
  }

  void serve_constant(std::uint32_t id) {
    lsu_.part_served(id);
    lsu_.retry();  // an MSHR is free again
  }

  void deliver(const ReplyToken& token, Cycle now) {
    const auto served = [this](std::uint32_t id) { lsu_.part_served(id); };
    switch (token.kind) {
      case ReplyKind::kL1Fill:
        l1_.fill(token.index, token.sectors, now, served);
        lsu_.retry();
        break;
      case ReplyKind::kAccess:
        lsu_.part_served(token.index);
        break;
      case ReplyKind::kConstant:
        constants_.fill(token.index, [this](std::uint32_t id) { serve_constant(id); });
        break;
      case ReplyKind::kInstruction: {
        const std::uint64_t line = instructions_.fill(token.index, [](std::uint32_t) {});
        fetch_client_.instruction_line_filled(line);
        while (!waiting_.empty() && !instructions_.full()) {
          const WaitingFetch next = waiting_.front();
          waiting_.erase(waiting_.begin());
          try_fetch(next.address, next.owner, now);
        }
        break;
      }
      case ReplyKind::kWriteBack:
        break;
    }
  }

  FetchClient& fetch_client_;
  unsigned fills_per_cycle_;
  unsigned instruction_line_bytes_;
  LaunchCounters counters_;
  MemoryPort port_;
  L1Cache l1_;
  ConstantCache constants_;
  ReadOnlyCache instructions_;
  LoadStoreUnit lsu_;
  std::vector<WaitingFetch> waiting_;  // instruction lines that found no MSHR, oldest first
};

}  // namespace

std::unique_ptr<MemorySide> make_memory_side(const char* name, const MemorySideConfig& config, unsigned sm_id,
                                             unsigned warps, MemoryClient& memory, FetchClient& fetch,
                                             std::function<void()> wake) {
  if (config.model == "isolated") return make_isolated_memory(name, config, warps, memory, fetch);
  return std::make_unique<MemorySideImpl>(name, config, sm_id, warps, memory, fetch, std::move(wake));
}

}  // namespace warpvp
