// Parts of a plugin that throw: a warp scheduler at its first choice, another when it is made, an L2 when it
// is built, a memory channel at an edge of its own, and what an SM is built from, one at its first
// instruction, one when it is built.
#include <tlm_utils/simple_target_socket.h>

#include <stdexcept>

#include "base/registry.h"
#include "interconnect/clock_domain.h"
#include "modules/dram/memory_channel.h"
#include "modules/l2/l2_bank.h"
#include "modules/sm/execute/execute_stage.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/instruction_source.h"
#include "modules/sm/issue/issue_stage.h"
#include "modules/sm/operands/operand_stage.h"
#include "modules/sm/policies.h"
#include "modules/sm/stage_context.h"

namespace {

struct ThrowsInPick : warpvp::WarpPolicy<ThrowsInPick> {
  void warp_started(unsigned, const warpvp::WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const warpvp::IssueView&) override { throw std::out_of_range("the 33rd of 32"); }
};
WARPVP_REGISTER_POLICY(warpvp::WarpSchedulerPolicy, ThrowsInPick, "throws_in_pick", "Throws.");

struct ThrowsWhenMade : ThrowsInPick {
  ThrowsWhenMade() { throw std::out_of_range("the 33rd of 32"); }
};
WARPVP_REGISTER_POLICY(warpvp::WarpSchedulerPolicy, ThrowsWhenMade, "throws_when_made", "Throws.");

struct ThrowsWhenBuilt : warpvp::L2Type {
  std::unique_ptr<warpvp::L2Bank> build(const char*, const warpvp::L2Place&) const override {
    throw std::out_of_range("the 33rd of 32");
  }
};
WARPVP_REGISTER_POLICY(warpvp::L2Type, ThrowsWhenBuilt, "throws_when_built", "Throws.");

class ThrowsAtAnEdge : public warpvp::MemoryChannel, private warpvp::Clocked {
 public:
  ThrowsAtAnEdge(sc_core::sc_module_name name, const warpvp::MemoryChannelPlace& place)
      : MemoryChannel(name) {
    for (unsigned i = 0; i < place.ports; ++i) {
      sockets_.push_back(std::make_unique<Socket>(("in_" + std::to_string(i)).c_str()));
      sockets_.back()->register_b_transport(this, &ThrowsAtAnEdge::b_transport);
    }
    place.domain.wake(place.domain.join(*this), 3);
  }
  tlm::tlm_target_socket<>& in(unsigned port) override { return *sockets_[port]; }
  const warpvp::PerLaunch<warpvp::MemoryCounters>& launches() const override { return launches_; }
  void stats(warpvp::StatVisitor&) const override {}

 private:
  using Socket = tlm_utils::simple_target_socket<ThrowsAtAnEdge>;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void evaluate(warpvp::Cycle) override { throw std::out_of_range("the 33rd of 32"); }
  warpvp::Cycle commit(warpvp::Cycle) override { return warpvp::kNever; }
  std::vector<std::unique_ptr<Socket>> sockets_;
  warpvp::PerLaunch<warpvp::MemoryCounters> launches_;
};
struct ThrowsAtAnEdgeType : warpvp::MemoryChannelType {
  double clock_mhz() const override { return 1000; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<warpvp::MemoryChannel> build(const char* name,
                                               const warpvp::MemoryChannelPlace& place) const override {
    return std::make_unique<ThrowsAtAnEdge>(name, place);
  }
};
WARPVP_REGISTER_POLICY(warpvp::MemoryChannelType, ThrowsAtAnEdgeType, "throws_at_an_edge", "Throws.");

class ThrowsInStart : public warpvp::ExecuteStage {
 public:
  explicit ThrowsInStart(warpvp::StageSignals& signals) : ExecuteStage(signals) {}
  warpvp::Cycle start(const warpvp::ptx::Inst&, warpvp::Cycle) override {
    throw std::out_of_range("the 33rd of 32");
  }
  warpvp::Cycle result_at(const warpvp::ptx::Inst&, warpvp::Cycle) const override { return 0; }
};
struct ThrowingUnits : warpvp::ExecuteStageType {
  std::unique_ptr<warpvp::ExecuteStage> build(const warpvp::StageContext& context) const override {
    return std::make_unique<ThrowsInStart>(context.signals);
  }
};
WARPVP_REGISTER_POLICY(warpvp::ExecuteStageType, ThrowingUnits, "throws_in_start", "Throws.");

class ThrowsInCollect : public warpvp::OperandStage {
 public:
  explicit ThrowsInCollect(warpvp::StageSignals& signals) : OperandStage(signals) {}
  warpvp::Cycle collect(const warpvp::ptx::Inst&, unsigned, unsigned, warpvp::Cycle,
                        std::uint64_t&) override {
    throw std::out_of_range("the 33rd of 32");
  }
  warpvp::Cycle collect_renamed(const warpvp::ptx::Inst&, const std::uint32_t*, warpvp::Cycle now,
                                std::uint64_t&) override {
    return now + 1;
  }
  void leave(warpvp::Cycle) override {}
};
struct ThrowingOperands : warpvp::OperandStageType {
  std::unique_ptr<warpvp::OperandStage> build(const warpvp::StageContext& context) const override {
    return std::make_unique<ThrowsInCollect>(context.signals);
  }
};
WARPVP_REGISTER_POLICY(warpvp::OperandStageType, ThrowingOperands, "throws_in_collect", "Throws.");

class ThrowsInIssue : public warpvp::IssueStage {
 public:
  void warp_started(unsigned, const warpvp::WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  void issue(warpvp::Cycle, warpvp::IssueClient&) override { throw std::out_of_range("the 33rd of 32"); }
};
struct ThrowingIssue : warpvp::IssueStageType {
  std::unique_ptr<warpvp::IssueStage> build(const warpvp::StageContext&,
                                            const warpvp::FrontEnd&) const override {
    return std::make_unique<ThrowsInIssue>();
  }
};
WARPVP_REGISTER_POLICY(warpvp::IssueStageType, ThrowingIssue, "throws_in_issue", "Throws.");

class ThrowsInWarpStarted : public warpvp::FrontEnd {
 public:
  explicit ThrowsInWarpStarted(const warpvp::StageContext& context)
      : FrontEnd(context.signals, context.warps, 1) {}
  void warp_started(unsigned, const warpvp::WarpInfo&, const warpvp::ptx::Program&,
                    const warpvp::AccessOwner&, warpvp::FetchCounters&) override {
    throw std::out_of_range("the 33rd of 32");
  }
  void warp_finished(unsigned) override {}
  void selected(unsigned, warpvp::Cycle) override {}
  void redirect(unsigned, warpvp::ptx::Pc) override {}
  warpvp::WarpMask line_filled(std::uint64_t) override { return 0; }
  warpvp::WarpMask deliver(warpvp::Cycle) override { return 0; }
  void fetch(warpvp::Cycle) override {}
  warpvp::WarpMask missing() const override { return 0; }
  warpvp::WarpMask starved(warpvp::WarpMask, warpvp::WarpMask) const override { return 0; }
};
struct ThrowingFrontEnd : warpvp::FrontEndType {
  std::unique_ptr<warpvp::FrontEnd> build(const warpvp::StageContext& context) const override {
    return std::make_unique<ThrowsInWarpStarted>(context);
  }
};
WARPVP_REGISTER_POLICY(warpvp::FrontEndType, ThrowingFrontEnd, "throws_in_warp_started", "Throws.");

struct ThrowingSource : warpvp::InstructionSourceType {
  std::unique_ptr<warpvp::InstructionSource> build(const warpvp::SmConfig&, const warpvp::SmServices&,
                                                   const warpvp::SmContext&) const override {
    throw std::out_of_range("the 33rd of 32");
  }
};
WARPVP_REGISTER_POLICY(warpvp::InstructionSourceType, ThrowingSource, "source_throws_when_built", "Throws.");

}  // namespace
