#include "platform/build/sampled_device.h"

#include <fmt/format.h>

#include <utility>

#include "ptx/reads_time.h"

namespace warpvp {

namespace {

using ptx::Effect;
using ptx::Inst;
using ptx::OperandKind;
using ptx::Space;

/// The registers of one frame that decide where a stretch of instructions goes on.
class Deciding {
 public:
  explicit Deciding(const ptx::Program& program) : rows_(program.rows), preds_(program.preds) {}

  bool written_by(const Inst& inst) const {
    for (unsigned i = 0; i < inst.written_rows; ++i)
      if (rows_[inst.writes[i]]) return true;
    for (unsigned i = 0; i < inst.written_preds; ++i)
      if (preds_[inst.pred_writes[i]]) return true;
    return false;
  }
  void add_sources(const Inst& inst) {
    for (unsigned i = 0; i < inst.read_rows; ++i) add(rows_, inst.reads[i]);
    for (unsigned i = 0; i < inst.read_preds; ++i) add(preds_, inst.pred_reads[i]);
    if (inst.guard.kind == OperandKind::kPred) add(preds_, inst.guard.index);
  }
  /// Some have come since the last call.
  bool grew() { return std::exchange(grew_, false); }

 private:
  void add(std::vector<bool>& set, unsigned index) {
    if (set[index]) return;
    set[index] = grew_ = true;
  }
  std::vector<bool> rows_, preds_;
  bool grew_ = false;
};

bool may_change_meanwhile(const Inst& inst) {
  return inst.effect == Effect::kMemory && (inst.is_atomic || inst.is_volatile) &&
         inst.space != Space::kShared && inst.space != Space::kLocal;
}

/// The atomic or volatile load on which the way of instructions [first, last] hangs; kNoPc: none.
ptx::Pc waits_at(const ptx::Program& program, ptx::Pc first, ptx::Pc last) {
  Deciding deciding(program);
  for (ptx::Pc pc = first; pc <= last; ++pc) {
    const Inst& inst = program.code[pc];
    if (inst.effect == Effect::kBranch || inst.effect == Effect::kExit) deciding.add_sources(inst);
  }
  while (deciding.grew())
    for (ptx::Pc pc = first; pc <= last; ++pc) {
      const Inst& inst = program.code[pc];
      if (!deciding.written_by(inst)) continue;
      if (may_change_meanwhile(inst)) return pc;
      deciding.add_sources(inst);
    }
  return ptx::kNoPc;
}

}  // namespace

std::string obstacle_to_sampling(const ptx::Program& program) {
  for (ptx::Pc pc = 0; pc < program.code.size(); ++pc) {
    const Inst& inst = program.code[pc];
    if (ptx::reads_time(inst)) return fmt::format("it reads the time ({})", program.locate(pc));
    if (inst.effect == Effect::kYield) return fmt::format("it sleeps ({})", program.locate(pc));
    if (inst.effect != Effect::kBranch || inst.target == ptx::kNoPc || inst.target > pc ||
        inst.opcode == ptx::Opcode::call)
      continue;
    if (const ptx::Pc at = waits_at(program, inst.target, pc); at != ptx::kNoPc)
      return fmt::format("it may wait for other CTAs, or take work from them ({})", program.locate(at));
  }
  return {};
}

std::string SampledSms::obstacle(std::uint64_t kernel_object, std::uint32_t launch) {
  const auto program = kernels_.find(kernel_object, launch).program;
  return program ? obstacle_to_sampling(*program) : std::string();
}

std::uint64_t SampledSms::detailed_instructions(std::uint32_t launch) const {
  std::uint64_t sum = 0;
  for (const auto& sm : sms_)
    if (const SmLaunchCounters* counters = sm->launch_counters(launch)) sum += counters->warp_instructions;
  return sum;
}

std::uint64_t SampledSms::functional_instructions(std::uint32_t launch) const {
  std::uint64_t sum = 0;
  for (const auto& sm : sms_)
    if (const SmLaunchCounters* counters = sm->functional_counters(launch))
      sum += counters->warp_instructions;
  return sum;
}

}  // namespace warpvp
