// `sm.memory.model: hierarchy`: load/store unit (coalescer, shared memory, L1 data cache, constant cache) and
// the memory port that they share with the instruction caches.
#include "modules/sm/memory/memory_side.h"

#include <algorithm>
#include <utility>

#include "base/registry.h"
#include "modules/sm/memory/constant_cache.h"
#include "modules/sm/memory/instruction_memory.h"
#include "modules/sm/memory/l1_cache.h"
#include "modules/sm/memory/load_store_unit.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/memory_port.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/state_transfer.h"

namespace warpvp {
namespace {

class MemoryHierarchy : public MemorySide, private InstructionBacking {
 public:
  explicit MemoryHierarchy(const MemorySidePlace& place) : MemoryHierarchy(place, place.config) {}
  MemoryHierarchy(const MemorySidePlace& place, const MemorySideConfig& config)
      : fills_per_cycle_(config.l1.fills_per_cycle),
        instruction_line_bytes_(config.instruction.line_bytes),
        port_(place, counters_),
        l1_(config.l1, place, port_, counters_),
        constants_(config.constant, port_),
        instructions_(config.instruction, place.sub_cores, *this, place.fetch, counters_),
        lsu_(place, l1_, constants_, port_, counters_),
        state_(port_, config.l1.line_bytes) {
    port_.on_page_fault = [this](const tlm::tlm_generic_payload& payload) {
      if (on_page_fault) on_page_fault(payload);
    };
  }

  bool can_accept(unsigned kernel_slot) const override { return lsu_.can_accept(kernel_slot); }
  bool refuses_until_it_works() const override { return !lsu_.limits_kernels(); }
  void accept(const MemoryRequest& request, Cycle now) override { lsu_.accept(request, now); }
  bool stores_outstanding(unsigned warp) const override { return lsu_.stores_outstanding(warp); }

  bool fetch(const InstructionFetch& fetch, Cycle now) override { return instructions_.fetch(fetch, now); }
  std::string line_whereabouts(unsigned sub_core, std::uint64_t line_address) const override {
    return instructions_.whereabouts(sub_core, line_address);
  }

  void evaluate(Cycle now) override {
    unsigned fills = fills_per_cycle_;
    while (tlm::tlm_generic_payload* payload = port_.response(now)) {
      const ReplyToken token = ReplyToken::unpack(MemExtension::find(*payload)->token);
      if (token.kind == ReplyKind::kRecall) {
        const MemoryPort::Recall recall = port_.take_recall();
        l1_.recall(recall.address, recall.launch);
        lsu_.retry();
        continue;
      }
      const bool carries_data =
          token.kind != ReplyKind::kWriteBack && token.kind != ReplyKind::kState && payload->is_read();
      if (carries_data && fills == 0) break;
      if (token.kind == ReplyKind::kL1Fill && !l1_.can_fill(token.index)) break;
      fills -= carries_data;
      const std::uint64_t address = payload->get_address();
      const bool failed_prefetch = payload->is_response_error() && token.kind == ReplyKind::kL1Fill &&
                                   l1_.only_prefetched(token.index);
      port_.take_response(now, failed_prefetch);
      ++responses_;
      deliver(token, now);
      if (failed_prefetch) l1_.drop_prefetched(address);
    }
    instructions_.evaluate(now);
    if (l1_.has_work()) l1_.evaluate(now);
    constants_.evaluate(now, [this, now](std::uint32_t id) { serve_constant(id, now); });
    lsu_.evaluate(now);
    if (l1_.wants_to_prefetch()) l1_.prefetch_line(now);
    if (state_.has_work()) state_.evaluate(now);
  }

  void commit(Cycle now) override {
    if (port_.commit(now)) lsu_.retry();
  }

  std::uint64_t progress() const override { return responses_ + lsu_.steps(); }

  Cycle next_work(Cycle now) const override {
    if (l1_.has_work() || l1_.wants_to_prefetch() || state_.has_work()) return now + 1;
    return std::min(
        {lsu_.next_work(now), port_.next_work(now), constants_.next_work(now), instructions_.next_work(now)});
  }

  bool step_ahead(const AheadPlace& place) override {
    port_.step_ahead(place);
    return true;
  }
  void send(Cycle now) override {
    if (port_.send(now)) lsu_.retry();
  }
  Cycle next_send(Cycle now) const override { return port_.next_send(now); }
  bool waits_for_link() const override { return port_.waits_for_link(); }

  tlm::tlm_initiator_socket<>& socket() override { return port_.socket(); }
  void stats(StatVisitor& v) const override {
    counters_.total().stats(v);
    v.group("miss_queue", port_, kMissQueueSentence);
    lsu_.stats(v);
    l1_.stats(v);
  }
  const SmMemoryCounters* launch_counters(std::uint32_t launch) const override {
    return counters_.find(launch);
  }
  void invalidate() override {
    l1_.invalidate();
    constants_.invalidate();
    lsu_.retry();
  }
  void invalidate_instructions() override { instructions_.invalidate(); }
  void set_page_table(std::uint16_t context, std::uint64_t root, Cycle now) override {
    if (port_.page_table() != 0 && port_.page_table() != root) {
      invalidate();
      invalidate_instructions();
      if (l1_.has_work()) l1_.evaluate(now);
    }
    port_.set_page_table(context, root);
  }
  void resize_l1(std::uint32_t bytes) override {
    l1_.resize(bytes);
    lsu_.retry();
  }
  void move_state(const StateMove& move, Cycle) override { state_.start(move); }
  bool state_moved() const override { return state_.done(); }
  std::uint32_t l1_bytes() const override { return l1_.bytes(); }
  bool idle() const override {
    return lsu_.idle() && l1_.idle() && constants_.idle() && instructions_.idle() && port_.idle();
  }

 private:
  void request_line(std::uint64_t line, unsigned index, const AccessOwner& owner, Cycle now) override {
    port_.push_instruction({false,
                            AccessKind::kInstruction,
                            line,
                            instruction_line_bytes_,
                            owner,
                            now,
                            {ReplyKind::kInstruction, index, 1}});
  }

  void serve_constant(std::uint32_t id, Cycle now) {
    lsu_.part_served(id, now);
    lsu_.retry();  // an MSHR is free again
  }

  void deliver(const ReplyToken& token, Cycle now) {
    const auto served = [this, now](std::uint32_t id) { lsu_.part_served(id, now); };
    switch (token.kind) {
      case ReplyKind::kL1Fill:
        l1_.fill(token.index, token.sectors, now, served);
        lsu_.retry();
        break;
      case ReplyKind::kAccess:
        lsu_.part_served(token.index, now);
        break;
      case ReplyKind::kConstant:
        constants_.fill(token.index, [this, now](std::uint32_t id) { serve_constant(id, now); });
        break;
      case ReplyKind::kInstruction:
        instructions_.filled(token.index, now);
        break;
      case ReplyKind::kState:
        state_.answered();
        break;
      case ReplyKind::kWriteBack:
      case ReplyKind::kRecall:
        break;
    }
  }

  unsigned fills_per_cycle_;
  std::uint64_t responses_ = 0;  // taken
  unsigned instruction_line_bytes_;
  LaunchCounters counters_;
  MemoryPort port_;
  L1Cache l1_;
  ConstantCache constants_;
  InstructionMemory instructions_;
  LoadStoreUnit lsu_;
  StateTransfer state_;
};

class Hierarchy : public MemorySideType {
 public:
  std::unique_ptr<MemorySide> build(const MemorySidePlace& place) const override {
    return std::make_unique<MemoryHierarchy>(place);
  }
};
WARPVP_REGISTER_POLICY(MemorySideType, Hierarchy, "hierarchy",
                       "Load/store unit, L1 data cache, shared memory, constant and instruction caches, and "
                       "requests to the memory system.");

}  // namespace
}  // namespace warpvp
