#include "modules/sm_functional/functional_sm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/part_mark.h"
#include "interconnect/kernel_descriptor.h"

namespace warpvp {

namespace {
constexpr const char kPart[] = "SM: functional";
/// Instructions of a warp before the next one has its turn.
constexpr std::uint64_t kTurn = 32;
}  // namespace

FunctionalSm::FunctionalSm(sc_core::sc_module_name name, const SmPlace& place,
                           const FunctionalSmConfig& config, std::unique_ptr<InstructionSource> source)
    : Sm(name),
      control_("control"),
      completion_("completion"),
      memory_("memory", *this),
      config_(config),
      id_(place.id),
      clock_(place.clock),
      clock_id_(place.clock.join(*this)),
      resources_(place.resources),
      services_(place.services),
      source_(std::move(source)),
      registers_(make_sm_registers(register_hooks(), place.resources.shared_bytes)),
      ctas_(place.resources.ctas) {
  control_.register_b_transport(this, &FunctionalSm::control);
  control_.register_transport_dbg(this, &FunctionalSm::control_debug);
  for (unsigned place_of_warp = resources_.warps; place_of_warp-- > 0;) free_warps_.push_back(place_of_warp);
}

// ---- registers

SmRegisterHooks FunctionalSm::register_hooks() {
  SmRegisterHooks hooks;
  hooks.launch = [this](const CtaLaunch& record) { accept_launch(record); };
  hooks.set_context = [this](std::uint32_t context) { context_ = context; };
  hooks.context = [this] { return context_; };
  hooks.set_page_table = [this](std::uint64_t base) {
    page_table_ = base;
    set_address_space();
  };
  hooks.set_texture_table = [this](std::uint64_t base) {
    texture_table_ = base;
    set_address_space();
  };
  hooks.preempt = [this](std::uint32_t way) { accept_preemption(way); };
  hooks.resume = [this](std::uint32_t state) { resume_ = state; };
  hooks.resident_ctas = [this] { return used_.ctas; };
  hooks.resident_warps = [this] { return used_.warps; };
  hooks.waiting_ctas = [this] { return static_cast<std::uint32_t>(waiting_.size()); };
  return hooks;
}

void FunctionalSm::control(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_delay_ = delay;
  refused_ = false;
  registers_.transport(payload);
  if (refused_) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void FunctionalSm::accept_launch(const CtaLaunch& record) {
  const Cycle due = clock_.edge_after(access_delay_) - 1 + config_.cta_launch_latency;
  if (record.context != context_) {
    new_fault(record, wrong_context(record.context, context_)).context = 0;
    return clock_.wake(clock_id_, due);
  }
  const auto later =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& w) { return w.due > due; });
  waiting_.insert(later, {due, record, std::exchange(resume_, 0)});
  clock_.wake(clock_id_, due);
}

void FunctionalSm::accept_preemption(std::uint32_t way) {
  refused_ = way < static_cast<std::uint32_t>(Preemption::kSwitch) ||
             way > static_cast<std::uint32_t>(Preemption::kKill);
  if (refused_) return;
  leaving_ = static_cast<Preemption>(way);
  leaving_since_ = clock_.edge_after(access_delay_);
  // Those that have not begun go back as they came.
  for (const Pending& launch : waiting_) preempted_.push_back(preempted(launch.record, id_, launch.state));
  waiting_.clear();
  clock_.wake(clock_id_, leaving_since_);
}

// ---- CTAs

void FunctionalSm::start(const Pending& pending) {
  const CtaLaunch& record = pending.record;
  const auto [program, problem] = services_.kernels.find(record.kernel_object, record.launch_id);
  if (!program) {
    new_fault(record, problem).context = 0;
    return;
  }
  const auto owner = services_.memory.range_of(record.kernel_object);
  const bool foreign =
      owner && (services_.spaces ? !services_.spaces->translate(page_table_, record.kernel_object)
                                 : owner->context != record.context);
  if (foreign) {
    DeviceFault& fault = new_fault(record, fmt::format("context {} launched a kernel of {}", record.context,
                                                       DeviceMemory::owner_name(owner->context)));
    fault.address = record.kernel_object;
    waiting_.insert(waiting_.begin(), {kNever, record, 0});  // goes back with those that leave
    return;
  }
  KernelDescriptor kernel;
  std::memcpy(&kernel, services_.memory.at(record.kernel_object), sizeof kernel);
  const std::uint32_t threads = record.block[0] * record.block[1] * record.block[2];
  const CtaNeeds needs = cta_needs(resources_, threads, kernel.registers_per_thread,
                                   kernel.static_shared_bytes + record.dynamic_shared_bytes, kernel.barriers);
  const auto slot = static_cast<unsigned>(
      std::find_if(ctas_.begin(), ctas_.end(), [](const Cta& cta) { return !cta.program; }) - ctas_.begin());
  if (!used_.has_room(resources_, needs)) {
    new_fault(record, "CTA launched on an SM without room for it").context = 0;
    return;
  }
  Cta& cta = ctas_[slot];
  cta = {record, program, needs, std::vector<Warp>(needs.warps), 0};
  used_.take(needs);
  if (record.launch_id >= launches_.size()) launches_.resize(record.launch_id + 1);
  SmLaunchCounters& counters = launches_[record.launch_id];
  counters.first_cycle = std::min(counters.first_cycle, clock_.now());
  std::unique_ptr<SavedCta> state;
  if (pending.state == 0) {
    source_->start_cta(slot, *program, record);
  } else {
    state = services_.saved->take(pending.state);
    if (state == nullptr) {
      new_fault(record, fmt::format("CTA launched from saved state {}, which there is not", pending.state))
          .context = 0;
      return;
    }
    source_->restore_cta(slot, *static_cast<SavedFunctionalCta&>(*state).instructions);
    ++counters_.switches.restored;
  }
  for (unsigned index = 0; index < needs.warps; ++index) {
    Warp& warp = cta.warps[index];
    warp.place = free_warps_.back();
    warp.stream = state == nullptr ? &source_->start_warp(slot, index, warp.place)
                                   : source_->restore_warp(slot, index, warp.place);
    if (warp.stream == nullptr) continue;  // it had exited
    free_warps_.pop_back();
    warp.at_barrier = state != nullptr && static_cast<SavedFunctionalCta&>(*state).at_barrier[index];
    ++cta.live;
  }
}

void FunctionalSm::free_slot(unsigned slot) {
  Cta& cta = ctas_[slot];
  for (const Warp& warp : cta.warps)
    if (warp.stream != nullptr) free_warps_.push_back(warp.place);
  used_.give_back(cta.needs);
  launches_[cta.record.launch_id].last_cycle = clock_.now();
  cta = {};
}

void FunctionalSm::exited(unsigned slot, Warp& warp) {
  Cta& cta = ctas_[slot];
  free_warps_.push_back(warp.place);
  warp.stream = nullptr;
  if (--cta.live != 0) return;
  ending_.push_back({cta.record.launch_id,
                     cta.record.kernel_slot,
                     static_cast<std::uint16_t>(id_),
                     {cta.record.cta[0], cta.record.cta[1], cta.record.cta[2]}});
  ++counters_.ctas;
  ++launches_[cta.record.launch_id].ctas;
  free_slot(slot);
}

// ---- execution

bool FunctionalSm::run_turn(unsigned slot, Warp& warp, std::uint64_t most, std::uint64_t& executed) {
  current_ = slot;
  ptx::InstructionStream& stream = *warp.stream;
  SmLaunchCounters& counters = launches_[ctas_[slot].record.launch_id];
  for (std::uint64_t i = 0; i < most; ++i) {
    const ptx::Pc pc = stream.pc();
    const ptx::Inst& inst = stream.next();
    const ptx::StepKind kind = stream.step();
    if (kind == ptx::StepKind::kFault) {
      faulted(slot, warp, pc);
      return false;
    }
    ++executed;
    ++counters.warp_instructions;
    const ptx::LaneMask lanes = stream.executed();
    counters.thread_instructions +=
        lanes == ~ptx::LaneMask{0} ? ptx::kWarpSize : static_cast<unsigned>(__builtin_popcount(lanes));
    if (kind == ptx::StepKind::kMemory && stream.access().is_bulk() &&
        stream.access().bulk->signal != ptx::BulkSpans::kNoSignal)
      stream.copy_done(stream.access().bulk->signal);
    source_->apply_effects(*this);
    if (fault_) return false;
    const bool ended = stream.exited();
    if (kind == ptx::StepKind::kBarrier) warp.at_barrier = true;
    if (ended || inst.effect == ptx::Effect::kBarrier) {
      const std::uint64_t released = source_->take_released(slot);
      for (unsigned w = 0; released != 0 && w < ctas_[slot].warps.size(); ++w)
        if (released >> w & 1) ctas_[slot].warps[w].at_barrier = false;
    }
    if (ended) {
      exited(slot, warp);
      return true;
    }
    // One that waits, or has let others go first, has had its turn.
    if (warp.at_barrier || inst.effect == ptx::Effect::kYield) return true;
  }
  return true;
}

Cycle FunctionalSm::run_slice(Cycle now) {
  const auto budget = static_cast<std::uint64_t>(
      std::max(1.0, std::floor(config_.slice_cycles * config_.instructions_per_cycle)));
  std::uint64_t executed = 0;
  source_->begin_edge(now);
  while (executed < budget) {
    const std::uint64_t before = executed;
    for (unsigned i = 0; i < ctas_.size() && executed < budget; ++i) {
      const unsigned slot = (turn_ + i) % static_cast<unsigned>(ctas_.size());
      for (unsigned w = 0; w < ctas_[slot].warps.size() && executed < budget; ++w) {
        Warp& warp = ctas_[slot].warps[w];
        if (warp.stream == nullptr || warp.at_barrier) continue;
        if (!run_turn(slot, warp, std::min(kTurn, budget - executed), executed)) {
          counters_.issued += executed;
          return 1;
        }
      }
    }
    if (executed == before) break;
  }
  turn_ = (turn_ + 1) % static_cast<unsigned>(ctas_.size());
  counters_.issued += executed;
  return static_cast<Cycle>(std::ceil(static_cast<double>(executed) / config_.instructions_per_cycle));
}

void FunctionalSm::evaluate(Cycle now) {
  if (stopped_) return;
  count_active(now);
  // What is executed changes memory, and reports go out: one SM after the other.
  clock_.commit_by_thread();
}

Cycle FunctionalSm::commit(Cycle now) {
  const PartMark mark(kPart);
  if (!stopped_) {
    if (now >= slice_end_) done_.swap(ending_);  // done_ is empty: each commit sends all
    std::size_t started = 0;
    for (; started < waiting_.size() && waiting_[started].due <= now && !fault_; ++started)
      start(Pending(waiting_[started]));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(started));
    if (leaving_ != Preemption::kDrain && now >= leaving_since_ && now >= slice_end_) leave();
    if (now >= slice_end_ && used_.ctas != 0 && !halted_ && !fault_) {
      const PartMark execution("PTX execution");
      slice_end_ = now + run_slice(now);
    }
  }
  if (fault_) {
    // Nothing more executes until the distributor has the CTAs leave, or for ever.
    stopped_ = true;
    if (services_.faults.raise(std::move(*fault_))) {
      halted_ = true;
      stopped_ = false;
    }
    fault_.reset();
  }
  for (const CtaDone& done : done_)
    stopped_ |= !post(services_, id_, services_.completion_address, done, "completion");
  done_.clear();
  for (const CtaPreempted& cta : preempted_)
    stopped_ |= !post(services_, id_, services_.preempted_address, cta, "preemption");
  preempted_.clear();
  if (stopped_) return kNever;
  Cycle next = kNever;
  if (slice_end_ > now) next = slice_end_;
  if (!waiting_.empty()) next = std::min(next, std::max(waiting_.front().due, now + 1));
  if (leaving_ != Preemption::kDrain) next = std::min(next, std::max({leaving_since_, slice_end_, now + 1}));
  return next;
}

// ---- leaving

void FunctionalSm::leave() {
  for (unsigned slot = 0; slot < ctas_.size(); ++slot) {
    if (!ctas_[slot].program) continue;
    if (leaving_ == Preemption::kFlush && source_->acted_outside(slot)) continue;
    save(slot);
  }
  leaving_ = Preemption::kDrain;
  if (used_.ctas == 0) halted_ = false;
}

void FunctionalSm::save(unsigned slot) {
  Cta& cta = ctas_[slot];
  CtaPreempted report = preempted(cta.record, id_);
  auto state = std::make_unique<SavedFunctionalCta>();
  for (const Warp& warp : cta.warps) state->at_barrier.push_back(warp.at_barrier);
  state->instructions = source_->save_cta(slot);
  if (leaving_ == Preemption::kSwitch) {
    ++counters_.switches.saved;
    report.state = services_.saved->put(std::move(state));
  } else {
    ++counters_.switches.dropped;
  }
  free_slot(slot);
  preempted_.push_back(report);
}

// ---- faults, and what others see

DeviceFault& FunctionalSm::new_fault(const CtaLaunch& record, std::string what) {
  if (!fault_) fault_.emplace().what = std::move(what);
  fault_->context = record.context;
  for (int i = 0; i < 3; ++i) fault_->cta[i] = record.cta[i];
  fault_->sm = static_cast<int>(id_);
  return *fault_;
}

void FunctionalSm::faulted(unsigned slot, const Warp& warp, ptx::Pc pc) {
  const Cta& cta = ctas_[slot];
  const ptx::ExecFault& found = source_->fault();
  DeviceFault& fault = new_fault(cta.record, found.what ? found.what : "fault");
  if (found.bytes) fault.what += fmt::format(" of {} bytes", found.bytes);
  if (found.has_address) fault.address = found.address;
  fault.detail = found.detail;
  fault.lane = found.lane;
  fault.kernel = cta.program->name;
  fault.ptx_location = cta.program->locate(found.pc == ptx::kNoPc ? pc : found.pc);
  fault.warp = static_cast<int>(warp.stream->index());
}

void FunctionalSm::effect_failed(const ptx::InstructionStream& stream, ptx::Pc pc) {
  if (fault_) return;
  for (const Warp& warp : ctas_[current_].warps)
    if (warp.stream == &stream) return faulted(current_, warp, pc);
}

void FunctionalSm::count_active(Cycle now) {
  if (used_.ctas != 0) counters_.active_cycles += now - counted_;
  counted_ = now;
}

const SmLaunchCounters* FunctionalSm::launch_counters(std::uint32_t launch) const {
  return launch < launches_.size() && launches_[launch].first_cycle != ~0ull ? &launches_[launch] : nullptr;
}

std::string FunctionalSm::describe_waiting(unsigned at_most) const {
  std::string text;
  unsigned lines = 0;
  for (const Cta& cta : ctas_) {
    if (!cta.program) continue;
    for (const Warp& warp : cta.warps) {
      if (warp.stream == nullptr || lines++ >= at_most) continue;
      text += fmt::format("  SM {} kernel {} CTA ({},{},{}) warp {}: {}, {}\n", id_, cta.program->name,
                          cta.record.cta[0], cta.record.cta[1], cta.record.cta[2], warp.stream->index(),
                          warp.at_barrier ? "waits at a barrier" : "is ready",
                          cta.program->locate(warp.stream->pc()));
    }
  }
  return text;
}

}  // namespace warpvp
