#include "predict/predictor.h"

#include <fmt/format.h>

#include <deque>
#include <memory>

#include "base/error.h"
#include "modules/sm/execute/pipelined_units.h"
#include "modules/sm/operands/operand_collectors.h"
#include "predict/barrier_model.h"
#include "predict/fetch_model.h"
#include "predict/reference_policy.h"
#include "predict/warp_times.h"

namespace warpvp::predict {

namespace {

WarpMask only(unsigned position) { return WarpMask{1} << position; }

struct Cta {
  std::uint32_t trace = 0;  // index into Trace::ctas
  bool used = false;
  unsigned running = 0;
  std::size_t residence = 0;     // index into Schedule::ctas
  std::vector<unsigned> places;  // by warp: position * schedulers + scheduler
  BarrierModel barriers{0};
};

/// One warp at its place in a scheduler.
struct Warp {
  enum class State : std::uint8_t { kFree, kRunning, kBarrier, kDraining };
  State state = State::kFree;
  std::uint16_t cta = 0, index = 0;  // CTA slot; warp within the CTA
  const WarpTrace* trace = nullptr;
  const Program* program = nullptr;
  const std::vector<ptx::Inst>* code = nullptr;
  std::size_t step = 0, next_frame = 0;
  WarpTrace::Frame frame{0, 0, 0};
  WarpTimes times;
  // Front end. An entry is an instruction or a NOP; instructions follow each other in program order.
  std::deque<bool> buffer;
  std::uint32_t fetch_pc = 0;
  Cycle suspended_until = 0;  // instruction line under way
  bool forwarded = false;     // its next fetch is served by that line, whatever became of it in the cache
  // When it may issue.
  Cycle held_until = 0;  // by a barrier or fence; draining: until it is gone
  Cycle ready_at = 0, waits_long = 0;
  Cycle not_before = 0;  // for instructions, not for NOPs: after a branch

  const Step& next() const { return trace->steps[step]; }
  bool nop_at_head() const { return !buffer.empty() && !buffer.front(); }
};

/// One sub-core.
struct Scheduler {
  explicit Scheduler(const SmConfig& config)
      : policy(make_reference_or_own(config.warp_scheduler)),
        operands(config.operands, *signals),
        units(config, *signals),
        warps(config.resources.warps / config.schedulers) {}

  std::unique_ptr<ReferencePolicy> policy;
  std::unique_ptr<StageSignals> signals =
      std::make_unique<StageSignals>();  // stays where it is when this moves
  OperandCollectors operands;
  PipelinedUnits units;
  std::vector<Warp> warps;
  WarpMask resident = 0;
  std::uint8_t buffered[64] = {};
};

class Machine {
 public:
  Machine(const SmConfig& config, BufferModel buffers, const Trace& trace, unsigned sm)
      : config_(config),
        coordinated_(buffers == BufferModel::kCoordinated),
        depth_(config.frontend.depth()),
        trace_(trace),
        fetch_(config.memory.instruction, config.memory.isolated.instruction_miss_latency),
        ctas_(config.resources.ctas) {
    for (unsigned s = 0; s < config.schedulers; ++s) schedulers_.emplace_back(config);
    for (const Program& program : trace.programs) {
      codes_.emplace_back();
      for (const Instruction& inst : program.code) codes_.back().push_back(operand_view(inst));
    }
    for (std::uint32_t c = 0; c < trace.ctas.size(); ++c)
      if (trace.ctas[c].sm == sm) arrivals_.push_back(c);
  }

  Schedule run() {
    while (next_arrival_ < arrivals_.size() || resident_ != 0) {
      if (resident_ == 0) now_ = std::max(now_, trace_.ctas[arrivals_[next_arrival_]].arrival);
      edge();
      // Nothing happens at an edge before the next of these.
      now_ = issued_ ? now_ + 1 : next_event();
    }
    return std::move(schedule_);
  }

 private:
  /// What the operand stage has to know of an instruction.
  static ptx::Inst operand_view(const Instruction& inst) {
    ptx::Inst view;
    view.read_rows = static_cast<std::uint8_t>(inst.reads.size());
    std::copy(inst.reads.begin(), inst.reads.end(), view.reads);
    return view;
  }

  Warp& at(unsigned place) {
    return schedulers_[place % config_.schedulers].warps[place / config_.schedulers];
  }

  // ---- one edge: arrivals, what memory hands back, then the sub-cores, which take turns at being first

  void edge() {
    issued_ = false;
    while (next_arrival_ < arrivals_.size() && trace_.ctas[arrivals_[next_arrival_]].arrival <= now_ &&
           start(arrivals_[next_arrival_]))
      ++next_arrival_;
    fetch_.arrive(now_);
    for (unsigned s = 0; s < config_.schedulers; ++s)
      for (unsigned position = 0; position < schedulers_[s].warps.size(); ++position) {
        Warp& warp = schedulers_[s].warps[position];
        if (warp.state == Warp::State::kDraining && warp.held_until <= now_) finish(s, position);
      }
    for (unsigned i = 0; i < config_.schedulers; ++i)
      issue(static_cast<unsigned>((now_ + i) % config_.schedulers));
  }

  /// False: there is no room yet. That happens where warps do not finish when they are said to make room.
  bool start(std::uint32_t index) {
    const CtaTrace& cta = trace_.ctas[index];
    unsigned slot = 0;
    while (slot < ctas_.size() && ctas_[slot].used) ++slot;
    if (slot == ctas_.size() || resident_ + cta.warps.size() > config_.resources.warps) {
      if (resident_ != 0) return false;
      throw InputError(fmt::format("CTA ({},{},{}) of launch {} has {} warps; this SM has room for {}",
                                   cta.index[0], cta.index[1], cta.index[2], trace_.launches[cta.launch].id,
                                   cta.warps.size(), config_.resources.warps));
    }
    const LaunchTrace& launch = trace_.launches[cta.launch];
    Cta& here = ctas_[slot];
    here = Cta{index,
               true,
               static_cast<unsigned>(cta.warps.size()),
               schedule_.ctas.size(),
               {},
               BarrierModel(static_cast<unsigned>(cta.warps.size()))};
    schedule_.ctas.push_back({index, now_, kNever});
    const std::size_t lanes = schedulers_[0].warps.size();
    if (config_.warp_placement == "rotate") next_scheduler_ = first_scheduler_++ % config_.schedulers;
    for (unsigned w = 0; w < cta.warps.size(); ++w) {
      // Warps are dealt to the sub-cores in turn; a full one is passed over.
      while (static_cast<std::size_t>(__builtin_popcountll(schedulers_[next_scheduler_].resident)) == lanes)
        next_scheduler_ = (next_scheduler_ + 1) % config_.schedulers;
      Scheduler& scheduler = schedulers_[next_scheduler_];
      const unsigned position = static_cast<unsigned>(__builtin_ctzll(~scheduler.resident));
      here.places.push_back(position * config_.schedulers + next_scheduler_);
      next_scheduler_ = (next_scheduler_ + 1) % config_.schedulers;

      Warp& warp = scheduler.warps[position];
      warp = Warp{};
      warp.times = WarpTimes(config_.latency);
      warp.state = Warp::State::kRunning;
      warp.cta = static_cast<std::uint16_t>(slot);
      warp.index = static_cast<std::uint16_t>(w);
      warp.trace = &cta.warps[w];
      warp.program = &trace_.programs[launch.program];
      warp.code = &codes_[launch.program];
      if (coordinated_) {
        warp.buffer.assign(depth_, false);
      } else {
        warp.suspended_until = now_ + depth_;
      }
      scheduler.resident |= only(position);
      ++resident_;
      scheduler.policy->warp_started(position,
                                     {next_age_++, launch.id, slot, launch.budget, launch.priority});
      update(scheduler, position);
    }
    return true;
  }

  void finish(unsigned s, unsigned position) {
    Scheduler& scheduler = schedulers_[s];
    Warp& warp = scheduler.warps[position];
    warp.state = Warp::State::kFree;
    scheduler.resident &= ~only(position);
    --resident_;
    scheduler.policy->warp_finished(position);
    Cta& cta = ctas_[warp.cta];
    if (--cta.running != 0) return;
    schedule_.ctas[cta.residence].end = now_;
    cta.used = false;
  }

  // ---- issue

  void issue(unsigned s) {
    Scheduler& scheduler = schedulers_[s];
    const bool collector = scheduler.signals->operands_free_from <= now_;
    IssueView view;
    view.cycle = now_;
    view.resident = scheduler.resident;
    view.buffered = scheduler.buffered;
    for (WarpMask rest = scheduler.resident; rest; rest &= rest - 1) {
      const unsigned position = static_cast<unsigned>(__builtin_ctzll(rest));
      const Warp& warp = scheduler.warps[position];
      if (warp.state != Warp::State::kRunning || now_ < warp.held_until) {
        view.held |= only(position);
        continue;
      }
      if (warp.ready_at <= now_) {
        const bool open = warp.nop_at_head() ||
                          (collector && scheduler.signals->unit_open_from[instruction(warp).unit] <= now_);
        if (open) view.ready |= only(position);
      } else if (now_ >= warp.suspended_until && now_ < warp.waits_long) {
        view.long_stalled |= only(position);
      }
    }
    if (view.ready == 0) return;
    issued_ = true;  // or the policy waits, and has to be asked again at the next edge
    const unsigned position = scheduler.policy->pick(view);
    if (position != kNoWarp) issue_warp(s, position);
  }

  void issue_warp(unsigned s, unsigned position) {
    Scheduler& scheduler = schedulers_[s];
    Warp& warp = scheduler.warps[position];
    bool nop = false;
    if (coordinated_) {
      nop = !warp.buffer.front();
      warp.buffer.pop_front();
      warp.buffer.push_back(fetch(warp));
    }
    Issue note{now_, ctas_[warp.cta].trace, Issue::kNop, warp.index, static_cast<std::uint16_t>(s)};
    if (nop) {
      schedule_.issues.push_back(note);
      update(scheduler, position);
      return;
    }
    const Step& step = warp.next();
    note.pc = step.pc;
    schedule_.issues.push_back(note);
    advance_frame(warp);
    const Instruction& inst = instruction(warp);
    std::uint64_t conflicts = 0;
    const ptx::Inst& view = (*warp.code)[step.pc];
    const Cycle collected = scheduler.operands.collect(view, position, warp.frame.row_base, now_, conflicts);
    const Cycle begins = inst.occupies != 0
                             ? scheduler.units.start_tensor(inst.occupies * ProductTimes::kParts, collected)
                             : scheduler.units.start_at(inst.unit, collected);
    scheduler.operands.leave(begins);
    if (step.is(Step::kMemory)) {
      warp.times.written(inst, warp.frame, now_ + step.latency, step, inst.unit);
      warp.times.access(step, now_ + step.latency);
    } else {
      warp.times.written(inst, warp.frame, begins - 1 + inst.latency, step, scheduler.signals->started_on);
    }

    Cta& cta = ctas_[warp.cta];
    released_.clear();
    const bool waits = step.is(Step::kBarrier) && cta.barriers.arrive(step, warp.index, released_);
    if (waits) warp.state = Warp::State::kBarrier;
    warp.held_until = warp.times.held_until(step, now_);
    warp.not_before = now_ + inst.holds;
    if (warp.step + 1 == warp.trace->steps.size()) {
      cta.barriers.exit(released_);
      release(cta);
      warp.state = Warp::State::kDraining;
      warp.held_until = warp.times.all_done();
      if (warp.held_until <= now_) finish(s, position);
      return;
    }
    ++warp.step;
    if (warp.next().pc != step.pc + 1) redirect(warp);
    update(scheduler, position);
    release(cta);
  }

  /// Warps that a barrier let go may issue the barrier's latency later.
  void release(Cta& cta) {
    for (unsigned w : released_) {
      const unsigned place = cta.places[w];
      Warp& warp = at(place);
      warp.state = Warp::State::kRunning;
      warp.held_until = now_ + config_.latency.barrier;
      update(schedulers_[place % config_.schedulers], place / config_.schedulers);
    }
  }

  const Instruction& instruction(const Warp& warp) const { return warp.program->code[warp.next().pc]; }

  // ---- front end of a warp

  /// Fetches the warp's next instruction. False: a NOP takes its place in the buffer.
  bool fetch(Warp& warp) {
    if (warp.fetch_pc >= warp.program->code.size()) return false;
    const Cycle due =
        fetch_.fetch(warp.program->address + std::uint64_t{warp.fetch_pc} * kInstructionBytes, now_);
    if (due == kNever || warp.forwarded) {
      warp.forwarded = false;
      ++warp.fetch_pc;
      return true;
    }
    warp.suspended_until = due;
    warp.forwarded = true;
    return false;
  }

  /// What was fetched behind a taken branch is dropped, a miss of it is not waited for.
  void redirect(Warp& warp) {
    warp.buffer.assign(warp.buffer.size(), false);
    warp.fetch_pc = warp.next().pc;
    warp.suspended_until = 0;
    warp.forwarded = false;
  }

  void advance_frame(Warp& warp) {
    const auto& frames = warp.trace->frames;
    while (warp.next_frame < frames.size() && frames[warp.next_frame].step <= warp.step)
      warp.frame = frames[warp.next_frame++];
  }

  /// Finds out anew when the warp may issue its head.
  void update(Scheduler& scheduler, unsigned position) {
    Warp& warp = scheduler.warps[position];
    warp.ready_at = std::max({warp.held_until, warp.suspended_until, now_});
    warp.waits_long = 0;
    unsigned instructions = 0;
    for (bool entry : warp.buffer) instructions += entry;
    scheduler.buffered[position] = static_cast<std::uint8_t>(instructions);
    if (warp.nop_at_head()) return;
    advance_frame(warp);
    const WarpTimes::Clear clear = warp.times.clear(instruction(warp), warp.frame);
    warp.ready_at = std::max({warp.ready_at, clear.operands, warp.not_before});
    warp.waits_long = clear.waits_long;
  }

  /// The first edge after now_ at which something can change; nothing issued at now_.
  Cycle next_event() const {
    Cycle next = kNever;
    if (next_arrival_ < arrivals_.size()) {
      const Cycle arrival = trace_.ctas[arrivals_[next_arrival_]].arrival;
      if (arrival > now_ || resident_ == 0) next = std::max(arrival, now_ + 1);
    }
    bool waits = false;
    for (const Scheduler& scheduler : schedulers_)
      for (const Warp& warp : scheduler.warps) {
        if (warp.state == Warp::State::kRunning) next = std::min(next, std::max(warp.ready_at, now_ + 1));
        if (warp.state == Warp::State::kDraining) next = std::min(next, warp.held_until);
        waits |= warp.state == Warp::State::kBarrier;
      }
    if (next == kNever && waits) throw InputError("the warps of the trace wait at barriers for ever");
    return next;
  }

  const SmConfig& config_;
  const bool coordinated_;
  const unsigned depth_;
  const Trace& trace_;
  std::vector<std::vector<ptx::Inst>> codes_;  // by program, for the operand stages
  std::vector<std::uint32_t> arrivals_;        // indices into Trace::ctas, in order
  std::size_t next_arrival_ = 0;
  FetchModel fetch_;
  std::vector<Cta> ctas_;
  std::vector<Scheduler> schedulers_;
  std::vector<unsigned> released_;
  Cycle now_ = 0;
  std::uint64_t next_age_ = 0;
  unsigned next_scheduler_ = 0, first_scheduler_ = 0;
  std::size_t resident_ = 0;
  bool issued_ = false;
  Schedule schedule_;
};

}  // namespace

Schedule Predictor::run(const Trace& trace, unsigned sm) const {
  return Machine(config_, buffers_, trace, sm).run();
}

}  // namespace warpvp::predict
