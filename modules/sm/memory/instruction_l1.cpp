#include "modules/sm/memory/instruction_l1.h"

namespace warpvp {

InstructionL1::InstructionL1(const InstructionCacheConfig& config, LaunchCounters& counters,
                             InstructionBacking& backing)
    : tags_({config.sets(), config.associativity, config.line_bytes, 0, false}),
      mshrs_(config.mshrs, ~0u),
      counters_(counters),
      backing_(backing),
      prefetch_lines_(config.prefetch_lines),
      program_(config.warm),
      ahead_(config.mshrs, false),
      ahead_for_(config.prefetch_lines ? std::size_t{config.sets()} * config.associativity : 0, kNobody) {}

InstructionL1::Result InstructionL1::look_up_absent(std::uint64_t address, std::uint64_t end,
                                                    const AccessOwner& owner, Cycle now) {
  if (program_.fill(tags_, address, end)) return lookup(address, end, owner, now);
  const std::uint64_t line = line_address(address);
  unsigned index = mshrs_.find(line);
  bool first = index == MshrFile::kNone;
  if (first) {
    if (mshrs_.full()) return {Outcome::kFull, 0};
    index = ask_for(line, owner, now, false);
  } else if (ahead_[index]) {
    ahead_[index] = false;
    first = true;
    ++counters_of(owner.launch).prefetches_late;
  }
  ++counters_of(owner.launch).lookups;
  if (first && prefetch_lines_ != 0) prefetch_behind(line, end, owner, now);
  return {Outcome::kMiss, index};
}

/// The line of a tag entry, which may have been asked for ahead, has been looked up.
void InstructionL1::found_ahead(TagArray::Line line, std::uint64_t end, const AccessOwner& owner, Cycle now) {
  if (ahead_for_[line] == kNobody) return;
  ahead_for_[line] = kNobody;
  ++counters_of(owner.launch).prefetches_used;
  prefetch_behind(tags_.address_of(line), end, owner, now);
}

void InstructionL1::invalidate() {
  program_.forget();
  tags_.invalidate_all();
  for (TagArray::Line line = 0; line < ahead_for_.size(); ++line) forget(line);
}

std::uint64_t InstructionL1::place(unsigned index) {
  const MshrFile::Entry& entry = mshrs_[index];
  const TagArray::Line line = tags_.reserve(entry.line, 0).line;
  tags_.validate(line, 1);
  if (prefetch_lines_ != 0) {
    forget(line);
    if (ahead_[index]) ahead_for_[line] = entry.owner.launch;
  }
  return entry.line;
}

unsigned InstructionL1::ask_for(std::uint64_t line, const AccessOwner& owner, Cycle now, bool ahead) {
  const unsigned index = mshrs_.allocate(line, owner, now);
  mshrs_[index].outstanding = 1;
  ahead_[index] = ahead;
  backing_.request_line(line, index, owner, now);
  return index;
}

void InstructionL1::prefetch_behind(std::uint64_t line, std::uint64_t end, const AccessOwner& owner,
                                    Cycle now) {
  for (unsigned i = 1; i <= prefetch_lines_; ++i) {
    const std::uint64_t next = line + std::uint64_t{i} * tags_.geometry().line_bytes;
    if (next >= end || mshrs_.full()) return;
    if (tags_.probe(next, 1).result == TagArray::Result::kHit || under_way(next)) continue;
    ask_for(next, owner, now, true);
    ++counters_of(owner.launch).prefetches;
  }
}

void InstructionL1::forget(TagArray::Line line) {
  if (ahead_for_[line] == kNobody) return;
  ++counters_of(static_cast<std::uint32_t>(ahead_for_[line])).prefetches_unused;
  ahead_for_[line] = kNobody;
}

}  // namespace warpvp
