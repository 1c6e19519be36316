#include "platform/observe/warp_timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "modules/sm/cta_table.h"
#include "modules/sm/warp_slot.h"
#include "platform/observe/timeline.h"

namespace warpvp {

namespace {

/// "ld.global.f32" of "@%p1 ld.global.f32 %f1, [%rd1];".
std::string mnemonic_of(const std::string& text) {
  std::size_t begin = text.find_first_not_of(' ');
  if (begin != std::string::npos && text[begin] == '@') {
    begin = text.find(' ', begin);
    if (begin != std::string::npos) begin = text.find_first_not_of(' ', begin);
  }
  if (begin == std::string::npos) return text;
  return text.substr(begin, text.find_first_of(" ;", begin) - begin);
}

}  // namespace

WarpTimeline::WarpTimeline(TraceWriter& trace, WarpView& sm, unsigned index, const ClockDomain& clock)
    : PassingObserver(sm.issue_observer()),
      trace_(trace),
      sm_(sm),
      index_(index),
      period_fs_(clock.period() / sc_core::sc_time(1, sc_core::SC_FS)),
      places_(sm.slots().size()) {
  for (const WarpSlot* slot : sm.slots()) sub_cores_ = std::max(sub_cores_, slot->sub_core + 1u);
  sm_.observe_issue(this);
}

WarpTimeline::~WarpTimeline() { sm_.observe_issue(next()); }

const WarpTimeline::Labels* WarpTimeline::labels_of(const ptx::Program& program) {
  auto& labels = labels_[fmt::format("{:x} {} {}", program.code_address, program.name, program.file)];
  if (!labels) {
    labels = std::make_unique<Labels>();
    for (ptx::Pc pc = 0; pc < program.code.size(); ++pc) {
      // "file.ptx:12: add.s32 ...", without the folders.
      std::string place = program.locate(pc).substr(program.file.rfind('/') + 1);
      const std::size_t text = place.find(": ");
      std::string mnemonic = text == std::string::npos ? place : mnemonic_of(place.substr(text + 2));
      labels->push_back({std::move(mnemonic), std::move(place)});
    }
  }
  return labels.get();
}

void WarpTimeline::cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                               const std::vector<std::uint16_t>& slots) {
  PassingObserver::cta_started(now, cta, program, slots);
  if (!trace_.on()) return;
  const Labels* const labels = labels_of(program);
  for (std::size_t w = 0; w < slots.size(); ++w) {
    if (slots[w] == CtaSlot::kNoWarp) continue;
    Place& place = places_[slots[w]];
    const unsigned sub_core = slots[w] % sub_cores_, position = slots[w] / sub_cores_;
    if (place.occupied) leave(place);
    place.track = sm_track(trace_, index_, fmt::format("scheduler {} warp {}", sub_core, position),
                           kFirstWarpOrder + sub_core * 256 + position);
    place.occupied = true;
    place.launch = cta.launch_id;
    std::copy_n(cta.cta, 3, place.cta);
    place.labels = labels;
    place.end = now;
    trace_.begin(place.track, program.name, ps(now),
                 {{"launch", std::to_string(cta.launch_id)},
                  {"CTA", fmt::format("({},{},{})", cta.cta[0], cta.cta[1], cta.cta[2])},
                  {"warp", std::to_string(w)}});
  }
}

void WarpTimeline::cta_finished(Cycle now, const CtaLaunch& cta) {
  PassingObserver::cta_finished(now, cta);
  for (Place& place : places_)
    if (place.occupied && place.launch == cta.launch_id && std::equal(place.cta, place.cta + 3, cta.cta))
      leave(place);
}

void WarpTimeline::issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst* inst) {
  PassingObserver::issued(now, slot, pc, inst);
  if (!trace_.on()) return;
  Place& place = places_[slot.owner.warp];
  if (!place.occupied) return;
  show_stall(place);
  const Label& label = (*place.labels)[pc];
  trace_.slice(place.track, inst ? label.mnemonic : "nop", ps(now), ps(now + 1), {{"PTX", label.place}});
  place.end = std::max(place.end, now + 1);
}

void WarpTimeline::blocked(Cycle now, unsigned sub_core, WarpMask warps, Stall reason) {
  PassingObserver::blocked(now, sub_core, warps, reason);
  if (!trace_.on()) return;
  for (; warps; warps &= warps - 1) {
    auto& spans = places_[static_cast<unsigned>(__builtin_ctzll(warps)) * sub_cores_ + sub_core].blocked;
    if (!spans.empty() && spans.back().reason == reason && spans.back().to == now) {
      ++spans.back().to;
    } else {
      spans.push_back({reason, now, now + 1});
    }
  }
}

void WarpTimeline::stalled(std::uint16_t slot, Stall reason, Cycle from, Cycle to) {
  PassingObserver::stalled(slot, reason, from, to);
  if (!trace_.on()) return;
  Place& place = places_[slot];
  if (!place.occupied) return;
  if (reason == Stall::kNotSelected) {
    for (const Span& span : place.blocked) {
      if (from < span.from) add(place, {reason, from, span.from});
      add(place, span);
      from = span.to;
    }
    place.blocked.clear();
  }
  if (from < to) add(place, {reason, from, to});
}

/// Waits are told in pieces when somebody looks at the counters.
void WarpTimeline::add(Place& place, const Span& span) {
  place.end = std::max(place.end, span.to);
  if (!place.stalled.empty() && place.stalled[0].reason == span.reason && place.stalled[0].to == span.from) {
    place.stalled[0].to = span.to;
    return;
  }
  show_stall(place);
  place.stalled.push_back(span);
}

void WarpTimeline::show_stall(Place& place) {
  for (const Span& span : place.stalled)
    trace_.slice(place.track, stall_name(span.reason), ps(span.from), ps(span.to),
                 {{"cycles", std::to_string(span.to - span.from)}});
  place.stalled.clear();
}

void WarpTimeline::leave(Place& place) {
  show_stall(place);
  place.blocked.clear();
  place.occupied = false;
  trace_.end(place.track, ps(place.end));
}

void WarpTimeline::finish() {
  for (Place& place : places_)
    if (place.occupied) leave(place);
}

}  // namespace warpvp
