#include "modules/sm/functional_ctas.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpvp {

namespace {
/// Instructions of a warp's turn if it looks whether others have come to something, as it may do nothing
/// else.
constexpr std::uint64_t kTurnOfPolls = 32;
/// The first behind a barrier, and then twice as many each time. What warps read there, programs sometimes
/// write again a little later without another barrier, a race that no chip lets happen.
constexpr std::uint64_t kTurnBehindBarrier = 96;

void count(SmLaunchCounters& counters, const ptx::InstructionTally& tally) {
  const auto alone = ptx::InstructionTally::alone;
  counters.warp_instructions += alone(tally.warp_instructions);
  counters.expansion_instructions += alone(tally.parts);
  counters.thread_instructions += alone(tally.thread_instructions);
  for (unsigned precision = 0; precision < 2; ++precision)
    counters.flops[precision] += alone(tally.flops[precision]);
}
}  // namespace

FunctionalCtas::FunctionalCtas(std::unique_ptr<InstructionSource> source, const SmResources& resources,
                               Exchange exchange, Client& client)
    : source_(std::move(source)),
      client_(client),
      ctas_(resources.ctas),
      free_ctas_(resources.ctas),
      free_places_(resources.warps) {
  exchange_from_now(exchange);
  for (unsigned place = resources.warps; place-- > 0;) free_warps_.push_back(place);
}

void FunctionalCtas::exchange_from_now(Exchange exchange) {
  exchange_ = exchange;
  if (exchange_ == Exchange::kAtOnce) {
    source_->act_at_once();
  } else {
    source_->step_slices();
  }
}

bool FunctionalCtas::has_room(unsigned warps) const { return free_ctas_ > 0 && warps <= free_places_; }

unsigned FunctionalCtas::start(const CtaLaunch& record, std::shared_ptr<const ptx::Program> program,
                               unsigned warps, SmLaunchCounters& counters, Saved* state) {
  const auto slot = static_cast<unsigned>(
      std::find_if(ctas_.begin(), ctas_.end(), [](const Cta& cta) { return !cta.program; }) - ctas_.begin());
  Cta& cta = ctas_[slot];
  cta = {record, std::move(program), &counters, std::vector<Warp>(warps), warps, state != nullptr, 0, 0};
  --free_ctas_;
  free_places_ -= warps;
  if (state == nullptr) return slot;
  source_->restore_cta(slot, *state->instructions);
  for (unsigned index = 0; index < warps; ++index) {
    Warp& warp = cta.warps[index];
    warp.begun = true;
    warp.stream = source_->restore_warp(slot, index, free_warps_.back());
    if (warp.stream == nullptr) {  // it had exited
      --cta.live;
      ++free_places_;
      continue;
    }
    warp.place = free_warps_.back();
    free_warps_.pop_back();
    warp.at_barrier = state->at_barrier[index];
  }
  return slot;
}

void FunctionalCtas::begin(unsigned slot, unsigned index) {
  Cta& cta = ctas_[slot];
  if (!cta.begun) source_->start_cta(slot, *cta.program, cta.record);
  cta.begun = true;
  Warp& warp = cta.warps[index];
  warp.begun = true;
  warp.place = free_warps_.back();
  free_warps_.pop_back();
  warp.stream = &source_->start_warp(slot, index, warp.place);
}

void FunctionalCtas::free_slot(unsigned slot) {
  for (const Warp& warp : ctas_[slot].warps)
    if (warp.stream != nullptr) free_warps_.push_back(warp.place);
  if (ctas_[slot].begun) source_->end_cta(slot);
  free_places_ += ctas_[slot].live;
  ctas_[slot] = {};
  ++free_ctas_;
}

std::unique_ptr<FunctionalCtas::Saved> FunctionalCtas::take(unsigned slot) {
  for (unsigned index = 0; index < ctas_[slot].warps.size(); ++index)
    if (!ctas_[slot].warps[index].begun) begin(slot, index);
  auto state = std::make_unique<Saved>();
  for (const Warp& warp : ctas_[slot].warps) state->at_barrier.push_back(warp.at_barrier);
  state->instructions = source_->save_cta(slot);
  free_slot(slot);
  return state;
}

void FunctionalCtas::exited(unsigned slot, Warp& warp) {
  free_warps_.push_back(warp.place);
  ++free_places_;
  warp.stream = nullptr;
  source_->end_warp(warp.place);
  if (--ctas_[slot].live != 0) return;
  if (ctas_[slot].record.followers != 0) return follow(slot);
  most_ = std::min(most_, client_.cta_ended(slot, executed_));
  free_slot(slot);
}

void FunctionalCtas::follow(unsigned slot) {
  Cta& cta = ctas_[slot];
  source_->end_cta(slot);
  --cta.record.followers;
  ++cta.before;
  go_to_next_cta(cta.record.cta, cta.record.grid);
  cta.begun = false;
  cta.turn = 0;
  cta.live = static_cast<unsigned>(cta.warps.size());
  free_places_ -= cta.live;
  std::fill(cta.warps.begin(), cta.warps.end(), Warp());
}

void FunctionalCtas::run_turn(unsigned slot, unsigned index) {
  Warp& warp = ctas_[slot].warps[index];
  if (!warp.begun) begin(slot, index);
  ptx::InstructionStream& stream = *warp.stream;
  while (executed_ < most_ && turn_left_ != 0) {
    ptx::InstructionTally tally;
    const std::size_t put_off = source_->put_off();
    const ptx::StepKind kind =
        stream.run(std::min(turn_left_, most_ - executed_), tally, turn_left_ < most_ - executed_);
    const std::uint64_t done = ptx::InstructionTally::alone(tally.warp_instructions);
    executed_ += done;
    turn_left_ -= done;
    turn_had_ += done;
    visit_had_ += done;
    count(*ctas_[slot].counters, tally);
    if (kind == ptx::StepKind::kFault) return failed(slot, warp, tally.last);
    visit_polls_ |= tally.polls;
    if (tally.polls && !turn_polls_) {
      turn_polls_ = polled_ = true;
      turn_left_ = std::min(turn_left_, kTurnOfPolls - std::min(kTurnOfPolls, turn_had_));
    }
    if (kind == ptx::StepKind::kMemory && stream.access().is_bulk() &&
        stream.access().bulk->signal != ptx::BulkSpans::kNoSignal)
      stream.copy_done(stream.access().bulk->signal);
    if (exchange_ == Exchange::kAtOnce) {
      source_->apply_effects(*this);
      if (stops_) return;
    } else {
      warp.at_exchange = source_->put_off() != put_off;
    }
    const ptx::Effect effect =
        tally.last == ptx::kNoPc ? ptx::Effect::kNone : ctas_[slot].program->code[tally.last].effect;
    const bool ended = stream.exited();
    if (kind == ptx::StepKind::kBarrier) warp.at_barrier = true;
    if (ended || effect == ptx::Effect::kBarrier) {
      const std::uint64_t released = source_->take_released(slot);
      for (unsigned w = 0; released != 0 && w < ctas_[slot].warps.size(); ++w)
        if (released >> w & 1) ctas_[slot].warps[w].at_barrier = false;
      if (released != 0) {
        passed_barrier_ = true;
        ctas_[slot].turn = kTurnBehindBarrier / 2;  // until all warps have had a turn
        turn_left_ = 0;
      }
    }
    // One that waits, or has let others go first, has had its turn.
    if (ended || warp.at_barrier || warp.at_exchange || tally.early || effect == ptx::Effect::kYield)
      turn_left_ = 0;
    polled_ |= effect == ptx::Effect::kYield;
    visit_polls_ |= effect == ptx::Effect::kYield;
    if (ended) exited(slot, warp);
  }
}

std::uint64_t FunctionalCtas::run(Cycle now, std::uint64_t most, std::uint64_t turn) {
  const auto slots = static_cast<unsigned>(ctas_.size());
  executed_ = 0;
  most_ = most;
  stops_ = failed_ = polled_ = false;
  source_->begin_edge(now);
  while (goes_on()) {
    const std::uint64_t before = executed_;
    // The CTA that comes first may be in the middle of its warps: it is visited twice.
    for (unsigned visited = 0; visited <= slots && goes_on(); ++visited) {
      const unsigned slot = turn_;
      while (next_warp_ < ctas_[slot].warps.size() && goes_on()) {
        Warp& warp = ctas_[slot].warps[next_warp_];
        const bool ready = warp.lives() && !warp.at_barrier && !warp.at_exchange;
        if (turn_left_ == 0) {
          turn_had_ = 0;
          turn_polls_ = false;
          const std::uint64_t here = ctas_[slot].turn;
          turn_left_ = here == 0 ? turn : std::min(std::max(here, kTurnBehindBarrier), turn);
        }
        turn_left_ = ready ? std::min(turn_left_, turn) : 0;
        if (ready) run_turn(slot, next_warp_);
        if (turn_left_ == 0) ++next_warp_;
      }
      if (next_warp_ < ctas_[slot].warps.size()) break;
      next_warp_ = 0;
      std::uint64_t& turn_here = ctas_[slot].turn;
      if (turn_here != 0 && (turn_here *= 2) > turn) turn_here = 0;
      // Behind a barrier it goes on at once, for what its warps would have in turns without one.
      const bool stays = passed_barrier_ && !visit_polls_ && visit_had_ < turn * ctas_[slot].warps.size();
      passed_barrier_ = false;
      if (stays) {
        --visited;
        continue;
      }
      visit_had_ = 0;
      visit_polls_ = false;
      if (++turn_ == slots) turn_ = 0;
    }
    if (executed_ == before) break;
  }
  return executed_;
}

void FunctionalCtas::exchange() {
  if (source_->put_off() != 0)
    for (Cta& cta : ctas_)
      for (Warp& warp : cta.warps) warp.at_exchange = false;
  source_->apply_effects(*this);
}

void FunctionalCtas::failed(unsigned slot, const Warp& warp, ptx::Pc pc) {
  stops_ = failed_ = true;
  const Cta& cta = ctas_[slot];
  const ptx::ExecFault& found = source_->fault();
  DeviceFault fault;
  fault.what = found.what ? found.what : "fault";
  if (found.bytes) fault.what += fmt::format(" of {} bytes", found.bytes);
  if (found.has_address) fault.address = found.address;
  fault.detail = found.detail;
  fault.lane = found.lane;
  fault.context = cta.record.context;
  std::copy_n(cta.record.cta, 3, fault.cta);
  fault.kernel = cta.program->name;
  fault.ptx_location = cta.program->locate(found.pc == ptx::kNoPc ? pc : found.pc);
  fault.warp = static_cast<int>(warp.stream->index());
  client_.cta_failed(slot, std::move(fault));
}

void FunctionalCtas::effect_failed(const ptx::InstructionStream& stream, ptx::Pc pc) {
  if (failed_) return;
  for (unsigned slot = 0; slot < ctas_.size(); ++slot)
    for (const Warp& warp : ctas_[slot].warps)
      if (warp.stream == &stream) return failed(slot, warp, pc);
}

std::string FunctionalCtas::describe_waiting(unsigned sm, unsigned& lines) const {
  std::string text;
  for (const Cta& cta : ctas_) {
    if (!cta.program) continue;
    for (unsigned index = 0; index < cta.warps.size(); ++index) {
      const Warp& warp = cta.warps[index];
      if (!warp.lives() || lines == 0) continue;
      --lines;
      text += fmt::format("  SM {} kernel {} CTA ({},{},{}) warp {}: {}, {}\n", sm, cta.program->name,
                          cta.record.cta[0], cta.record.cta[1], cta.record.cta[2], index,
                          warp.at_barrier ? "waits at a barrier" : "is ready",
                          cta.program->locate(warp.begun ? warp.stream->pc() : 0));
    }
  }
  return text;
}

}  // namespace warpvp
