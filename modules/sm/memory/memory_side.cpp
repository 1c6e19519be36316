#include "modules/sm/memory/memory_side.h"

#include <algorithm>
#include <utility>

#include "modules/sm/memory/constant_cache.h"
#include "modules/sm/memory/instruction_memory.h"
#include "modules/sm/memory/isolated_memory.h"
#include "modules/sm/memory/l1_cache.h"
#include "modules/sm/memory/load_store_unit.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/memory_port.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/state_transfer.h"

namespace warpvp {
namespace {

class MemorySideImpl : public MemorySide, private InstructionBacking {
 public:
  MemorySideImpl(const char* name, const MemorySideConfig& config, unsigned sm_id, unsigned sub_cores,
                 unsigned warps, MemoryClient& memory, FetchClient& fetch, std::function<void()> wake)
      : fills_per_cycle_(config.l1.fills_per_cycle),
        instruction_line_bytes_(config.instruction.line_bytes),
        port_(name, config.l1, sm_id, counters_, std::move(wake)),
        l1_(config.l1, port_, counters_),
        constants_(config.constant, port_),
        instructions_(config.instruction, sub_cores, *this, fetch, counters_),
        lsu_(config, warps, l1_, constants_, port_, counters_, memory),
        state_(port_, config.l1.line_bytes) {
    port_.on_page_fault = [this](const tlm::tlm_generic_payload& payload) {
      if (on_page_fault) on_page_fault(payload);
    };
  }

  bool can_accept(unsigned) const override { return lsu_.can_accept(); }
  void accept(const MemoryRequest& request, Cycle now) override { lsu_.accept(request, now); }
  bool stores_outstanding(unsigned warp) const override { return lsu_.stores_outstanding(warp); }

  bool fetch(const InstructionFetch& fetch, Cycle now) override { return instructions_.fetch(fetch, now); }
  std::string line_whereabouts(unsigned sub_core, std::uint64_t line_address) const override {
    return instructions_.whereabouts(sub_core, line_address);
  }

  void evaluate(Cycle now) override {
    unsigned fills = fills_per_cycle_;
    while (tlm::tlm_generic_payload* payload = port_.response()) {
      const ReplyToken token = ReplyToken::unpack(MemExtension::find(*payload)->token);
      const bool carries_data =
          token.kind != ReplyKind::kWriteBack && token.kind != ReplyKind::kState && payload->is_read();
      if (carries_data && fills == 0) break;
      if (token.kind == ReplyKind::kL1Fill && !l1_.can_fill(token.index)) break;
      fills -= carries_data;
      port_.take_response(now);
      deliver(token, now);
    }
    instructions_.evaluate(now);
    if (l1_.has_work()) l1_.evaluate(now);
    constants_.evaluate(now, [this](std::uint32_t id) { serve_constant(id); });
    lsu_.evaluate(now);
    if (state_.has_work()) state_.evaluate(now);
  }

  void commit(Cycle now) override {
    if (port_.commit(now)) lsu_.retry();
  }

  Cycle next_work(Cycle now) const override {
    if (l1_.has_work() || state_.has_work()) return now + 1;
    return std::min(
        {lsu_.next_work(now), port_.next_work(now), constants_.next_work(now), instructions_.next_work(now)});
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
      case ReplyKind::kInstruction:
        instructions_.filled(token.index, now);
        break;
      case ReplyKind::kState:
        state_.answered();
        break;
      case ReplyKind::kWriteBack:
        break;
    }
  }

  unsigned fills_per_cycle_;
  unsigned instruction_line_bytes_;
  LaunchCounters counters_;
  MemoryPort port_;
  L1Cache l1_;
  ConstantCache constants_;
  InstructionMemory instructions_;
  LoadStoreUnit lsu_;
  StateTransfer state_;
};

}  // namespace

std::unique_ptr<MemorySide> make_memory_side(const char* name, const MemorySideConfig& config, unsigned sm_id,
                                             unsigned sub_cores, unsigned warps, MemoryClient& memory,
                                             FetchClient& fetch, std::function<void()> wake) {
  if (config.model == "isolated") return make_isolated_memory(name, config, warps, memory, fetch);
  return std::make_unique<MemorySideImpl>(name, config, sm_id, sub_cores, warps, memory, fetch,
                                          std::move(wake));
}

}  // namespace warpvp
