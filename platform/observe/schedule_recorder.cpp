#include "platform/observe/schedule_recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "modules/sm/warp_slot.h"
#include "platform/platform_config.h"
#include "ptx/exec/warp.h"

namespace warpvp {

using predict::Step;

SmConfig cycle_sm_config(const PlatformConfig& platform) {
  const auto require = [](const char* key, const PolicyChoice& choice, const char* needed) {
    if (choice.name != needed)
      throw InputError(fmt::format("{}{}'platform.sm.{}' is '{}'; predictions need: {}", choice.place,
                                   choice.place.empty() ? "" : ": ", key, choice.name, needed));
  };
  require("type", platform.sm.type, "cycle");
  if (platform.sampling.on())
    throw InputError("predictions need all CTAs in cycle detail; set platform.sampling.skip: 0");
  auto config = fields_of<SmConfig>(platform.sm.type);
  require("instructions", config.instructions, "ptx");
  require("issue", config.issue, "single");
  require("operands.type", config.operands.type, "collectors");
  require("execute", config.execute, "pipelined");
  config.resources = platform.sm.resources;
  return config;
}

class ScheduleRecorder::Sm : public IssueObserver {
 public:
  Sm(ScheduleRecorder& recorder, unsigned index)
      : recorder_(recorder),
        index_(index),
        places_(recorder.config_.resources.warps),
        schedule_(recorder.recording_.schedules[index]) {}

  void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                   const std::vector<std::uint16_t>& slots) override {
    auto& ctas = recorder_.recording_.trace.ctas;
    predict::CtaTrace trace;
    trace.launch = recorder_.launch_of(cta, program);
    std::copy_n(cta.cta, 3, trace.index);
    trace.sm = index_;
    trace.arrival = now;
    trace.warps.resize(slots.size());
    const auto number = static_cast<std::uint32_t>(ctas.size());
    ctas.push_back(std::move(trace));
    for (unsigned w = 0; w < slots.size(); ++w) places_[slots[w]] = {number, w};
    residences_.push_back(schedule_.ctas.size());
    schedule_.ctas.push_back({number, now, kNever});
  }

  void issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst* inst) override {
    Place& place = places_[slot.owner.warp];
    schedule_.issues.push_back({now, place.cta, inst ? pc : predict::Issue::kNop,
                                static_cast<std::uint16_t>(place.warp), slot.sub_core});
    if (!inst) return;
    predict::WarpTrace& warp = trace_of(place);
    Step step;
    step.pc = pc;
    const ptx::Warp& exec = *slot.stream->as_ptx();
    if (exec.executed() != 0) {
      if (inst->effect == ptx::Effect::kFence) step.flags |= Step::kFence;
      if (inst->effect == ptx::Effect::kWaitAsync) step.flags |= Step::kCopies;
    }
    const ptx::BarrierArrival& arrival = exec.last_arrival();
    if (arrival.number != place.arrival) {
      place.arrival = arrival.number;
      step.flags |= Step::kBarrier;
      if (!arrival.waits) step.flags |= Step::kPasses;
      step.barrier = static_cast<std::uint8_t>(arrival.id);
      step.barrier_warps = static_cast<std::uint8_t>(arrival.threads / ptx::kWarpSize);
    }
    warp.steps.push_back(step);
    if (!exec.exited() && (exec.row_base() != place.row_base || exec.pred_base() != place.pred_base)) {
      place.row_base = exec.row_base();
      place.pred_base = exec.pred_base();
      warp.frames.push_back({warp.steps.size(), place.row_base, place.pred_base});
    }
  }

  void memory_issued(const WarpSlot& slot, const ptx::MemoryAccess& access, std::uint32_t token) override {
    const Place& place = places_[slot.owner.warp];
    predict::WarpTrace& warp = trace_of(place);
    Step& step = warp.steps.back();
    const bool store = access.store && !access.async;
    const bool device = access.space == ptx::Space::kGlobal || access.space == ptx::Space::kLocal;
    step.flags |= Step::kMemory;
    if (store || access.atomic) step.flags |= Step::kStore;
    if (access.async) step.flags |= Step::kCopy;
    if (device && access.lanes != 0 && !store && access.returns_value) step.flags |= Step::kLong;
    if (token >= under_way_.size()) under_way_.resize(token + 1);
    under_way_[token] = {place, warp.steps.size() - 1, schedule_.issues.back().cycle};
  }

  void memory_done(Cycle now, std::uint32_t token) override {
    const UnderWay& access = under_way_[token];
    trace_of(access.place).steps[access.step].latency = static_cast<std::uint32_t>(now - access.issued);
  }

  void cta_preempted(Cycle, const CtaLaunch&) override {
    throw InputError(
        "a CTA was taken off its SM, and no prediction knows of that; allowed: "
        "platform.work_distributor.preemption=drain");
  }

  void cta_finished(Cycle now, const CtaLaunch& cta) override {
    for (auto at = residences_.begin(); at != residences_.end(); ++at) {
      predict::Residence& residence = schedule_.ctas[*at];
      const predict::CtaTrace& trace = recorder_.recording_.trace.ctas[residence.cta];
      if (recorder_.recording_.trace.launches[trace.launch].id != cta.launch_id ||
          !std::equal(trace.index, trace.index + 3, cta.cta))
        continue;
      residence.end = now;
      residences_.erase(at);
      return;
    }
  }

 private:
  struct Place {
    std::uint32_t cta = 0;
    unsigned warp = 0;
    std::uint32_t row_base = 0, pred_base = 0;  // of the next instruction
    std::uint64_t arrival = 0;                  // at a barrier, the last noted
  };
  struct UnderWay {
    Place place;
    std::size_t step = 0;
    Cycle issued = 0;
  };
  predict::WarpTrace& trace_of(const Place& place) {
    return recorder_.recording_.trace.ctas[place.cta].warps[place.warp];
  }

  ScheduleRecorder& recorder_;
  unsigned index_;
  std::vector<Place> places_;            // by warp slot
  std::vector<UnderWay> under_way_;      // by token
  std::vector<std::size_t> residences_;  // of resident CTAs, indices into schedule_.ctas
  predict::Schedule& schedule_;
};

ScheduleRecorder::ScheduleRecorder(const SmConfig& config, unsigned sms, Recording& recording)
    : config_(config),
      products_(config.tensor_unit, config.latency.tensor),
      ports_(config.pipes),
      recording_(recording) {
  recording.schedules.resize(sms);
  for (unsigned i = 0; i < sms; ++i) sms_.push_back(std::make_unique<Sm>(*this, i));
}

ScheduleRecorder::~ScheduleRecorder() = default;

IssueObserver& ScheduleRecorder::observer(unsigned sm) { return *sms_[sm]; }

std::uint32_t ScheduleRecorder::program_of(const ptx::Program& program) {
  const auto [at, is_new] = programs_.try_emplace(
      program.code_address, static_cast<std::uint32_t>(recording_.trace.programs.size()));
  if (!is_new) return at->second;
  predict::Program& out = recording_.trace.programs.emplace_back();
  out.name = program.name;
  out.address = program.code_address;
  for (const ptx::Inst& inst : program.code) {
    predict::Instruction& i = out.code.emplace_back();
    i.unit = static_cast<std::uint8_t>(ports_.of(inst));
    i.latency = config_.latency.of(inst.op_class);
    if (inst.unit == ptx::Unit::kTensor) {
      const ProductTimes::Time& time = products_.of(inst);
      i.occupies = (time.interval + ProductTimes::kParts / 2) / ProductTimes::kParts;
      i.latency = time.latency;
    }
    if (inst.holds_warp()) i.holds = config_.latency.control;
    i.address = config_.latency.address != 0 && inst.accesses_data();
    i.special =
        config_.latency.special_operand != 0 &&
        (inst.unit == ptx::Unit::kSfu || (inst.effect == ptx::Effect::kMemory && !inst.accesses_data()));
    if (config_.latency.guard != 0 && inst.guard.kind == ptx::OperandKind::kPred) i.guard = inst.guard.index;
    i.reads.assign(inst.reads, inst.reads + inst.read_rows);
    i.writes.assign(inst.writes, inst.writes + inst.written_rows);
    i.pred_reads.assign(inst.pred_reads, inst.pred_reads + inst.read_preds);
    i.pred_writes.assign(inst.pred_writes, inst.pred_writes + inst.written_preds);
  }
  return at->second;
}

std::uint32_t ScheduleRecorder::launch_of(const CtaLaunch& cta, const ptx::Program& program) {
  const auto [at, is_new] =
      launches_.try_emplace(cta.launch_id, static_cast<std::uint32_t>(recording_.trace.launches.size()));
  if (is_new)
    recording_.trace.launches.push_back({cta.launch_id, program_of(program), cta.budget, cta.priority});
  return at->second;
}

}  // namespace warpvp
