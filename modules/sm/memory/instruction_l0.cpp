#include "modules/sm/memory/instruction_l0.h"

#include <algorithm>
#include <cassert>

namespace warpvp {

InstructionL0::InstructionL0(const L0InstructionConfig& config, LaunchCounters& counters, bool warm)
    : tags_({config.sets(), config.associativity, config.line_bytes, 0, false}),
      stream_(config.stream_lines, config.line_bytes),
      counters_(counters),
      mshrs_(config.mshrs),
      prefetches_(config.stream_lines != 0),
      program_(warm) {}

bool InstructionL0::fetch_absent(std::uint64_t line, std::uint64_t end, const AccessOwner& owner,
                                 InstructionLevelCounters& counters) {
  if (program_.fill(tags_, line, end) && tags_.probe(line, 1).result == TagArray::Result::kHit) {
    ++counters.hits;
    return true;
  }
  if (StreamBuffer::Entry* const entry = stream_.find(line)) {
    const State state = entry->state;
    if (state == State::kHere) {
      fill(line);
      advance(line);
      ++counters.prefetches_used;
      ++counters.hits;
      return true;
    }
    if (state == State::kAskedFor) {
      pending(line)->demanded = true;
      ++counters.prefetches_late;
    } else if (!pending(line)) {
      demand(line, end, owner);
    }
    advance(line);
    return false;
  }
  Pending* const known = pending(line);
  if (known && known->demanded) return false;
  if (known) {
    known->demanded = true;
    ++counters.prefetches_late;
  } else {
    demand(line, end, owner);
  }
  if (prefetches_) restart(line, end, owner);
  return false;
}

InstructionL0::Request InstructionL0::next_request() {
  assert(wants_demand() || wants_prefetch());
  ++in_flight_;
  if (unsent_ != 0) {
    Pending& oldest =
        *std::find_if(pending_.begin(), pending_.end(), [](const Pending& p) { return !p.sent; });
    oldest.sent = true;
    --unsent_;
    return oldest.request;
  }
  StreamBuffer::Entry& entry = *stream_.next_wanted();
  entry.state = State::kAskedFor;
  stream_request_.line = entry.line;
  stream_wants_ = stream_.next_wanted() != nullptr;
  pending_.push_back({stream_request_, false, true});
  ++counters_.of(stream_request_.owner.launch).instruction.l0.prefetches;
  return stream_request_;
}

bool InstructionL0::arrive(std::uint64_t line) {
  const auto place = std::find_if(pending_.begin(), pending_.end(),
                                  [line](const Pending& p) { return p.sent && p.request.line == line; });
  assert(place != pending_.end());
  const bool demanded = place->demanded;
  const std::uint32_t launch = place->request.owner.launch;
  pending_.erase(place);
  --in_flight_;
  if (demanded) {
    fill(line);
    return true;
  }
  StreamBuffer::Entry* const entry = stream_.find(line);
  if (entry && entry->state == State::kAskedFor)
    entry->state = State::kHere;
  else
    ++counters_.of(launch).instruction.l0.prefetches_unused;
  return false;
}

void InstructionL0::invalidate() {
  program_.forget();
  found_ = {};
  tags_.invalidate_all();
  stream_.clear([this](const StreamBuffer::Entry& entry) { drop(entry); });
  stream_wants_ = false;
}

bool InstructionL0::queued(std::uint64_t line) const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [line](const Pending& p) { return !p.sent && p.request.line == line; });
}

InstructionL0::Pending* InstructionL0::pending(std::uint64_t line) {
  for (Pending& p : pending_)
    if (p.request.line == line) return &p;
  return nullptr;
}

void InstructionL0::demand(std::uint64_t line, std::uint64_t end, const AccessOwner& owner) {
  pending_.push_back({{line, end, owner}, true, false});
  ++unsent_;
}

// ---- the stream

InstructionL0::State InstructionL0::state_of(std::uint64_t line) {
  // A line that the cache has may have left it when it is fetched, in a loop that does not fit: it is asked
  // for too.
  const Pending* const known = pending(line);
  if (!known) return State::kWanted;
  // A line of a stream that was given up is taken over.
  return known->demanded ? State::kSkipped : State::kAskedFor;
}

/// A line on its way is counted when it comes.
void InstructionL0::drop(const StreamBuffer::Entry& entry) {
  if (entry.state == State::kHere)
    ++counters_.of(stream_request_.owner.launch).instruction.l0.prefetches_unused;
}

void InstructionL0::restart(std::uint64_t line, std::uint64_t end, const AccessOwner& owner) {
  const auto dropped = [this](const StreamBuffer::Entry& entry) { drop(entry); };
  stream_.restart(line, end, dropped, [this](std::uint64_t next) { return state_of(next); });
  stream_request_ = {0, end, owner};
  stream_wants_ = stream_.next_wanted() != nullptr;
}

void InstructionL0::advance(std::uint64_t line) {
  const auto dropped = [this](const StreamBuffer::Entry& entry) { drop(entry); };
  stream_.advance(line, dropped, [this](std::uint64_t next) { return state_of(next); });
  stream_wants_ = stream_.next_wanted() != nullptr;
}

}  // namespace warpvp
