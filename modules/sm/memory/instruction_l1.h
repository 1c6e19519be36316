#pragma once
// The instruction cache that the sub-cores of an SM share: tags, MSHRs, and prefetch of the lines that
// follow. Ways are taken as lines come back.

#include <cstdint>
#include <vector>

#include "base/tag_array.h"
#include "modules/sm/memory/instruction_config.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/mshr_file.h"
#include "modules/sm/memory/warm_program.h"

namespace warpvp {

/// Where the shared cache gets its lines from.
class InstructionBacking {
 public:
  virtual ~InstructionBacking() = default;
  /// Asks for a line; InstructionL1::fill(index) is to be called when it is here.
  virtual void request_line(std::uint64_t line, unsigned index, const AccessOwner& owner, Cycle now) = 0;
};

class InstructionL1 {
 public:
  InstructionL1(const InstructionCacheConfig& config, LaunchCounters& counters, InstructionBacking& backing);

  enum class Outcome : std::uint8_t {
    kHit,
    kMiss,  ///< asked for, now or before; `index` is its MSHR
    kFull,  ///< a miss that found no MSHR: to be looked up again
  };
  struct Result {
    Outcome outcome = Outcome::kHit;
    unsigned index = 0;
  };
  /// Looks the line of `address` up. `end` is the end of the program. A lookup that finds no MSHR does not
  /// count.
  Result lookup(std::uint64_t address, std::uint64_t end, const AccessOwner& owner, Cycle now) {
    const TagArray::Lookup found = tags_.probe(address, 1);
    if (found.result != TagArray::Result::kHit) return look_up_absent(address, end, owner, now);
    tags_.touch(found.line);
    InstructionLevelCounters& counters = counters_of(owner.launch);
    ++counters.lookups;
    ++counters.hits;
    if (prefetch_lines_ != 0) found_ahead(found.line, end, owner, now);
    return {};
  }
  /// Adds a target that waits for the line of MSHR `index`.
  void wait(unsigned index, std::uint32_t target) { mshrs_.add_target(index, target, 1); }
  /// The line of MSHR `index` is here: calls served(target) for each that waits. Returns the line's address.
  template <class F>
  std::uint64_t fill(unsigned index, F&& served) {
    const std::uint64_t line = place(index);
    mshrs_.fill(index, 1, [&](std::uint32_t target, std::uint32_t, bool) { served(target); });
    return line;
  }

  std::uint64_t line_address(std::uint64_t address) const { return tags_.line_address(address); }
  bool under_way(std::uint64_t line) const { return mshrs_.find(line) != MshrFile::kNone; }
  bool full() const { return mshrs_.full(); }
  bool idle() const { return mshrs_.in_use() == 0; }
  /// Drops all that is here; lines on their way come all the same.
  void invalidate();

 private:
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};

  InstructionLevelCounters& counters_of(std::uint32_t launch) { return counters_.of(launch).instruction.l1; }
  Result look_up_absent(std::uint64_t address, std::uint64_t end, const AccessOwner& owner, Cycle now);
  void found_ahead(TagArray::Line line, std::uint64_t end, const AccessOwner& owner, Cycle now);
  std::uint64_t place(unsigned index);
  unsigned ask_for(std::uint64_t line, const AccessOwner& owner, Cycle now, bool ahead);
  void prefetch_behind(std::uint64_t line, std::uint64_t end, const AccessOwner& owner, Cycle now);
  /// The line of a tag entry leaves.
  void forget(TagArray::Line line);

  TagArray tags_;
  MshrFile mshrs_;
  LaunchCounters& counters_;
  InstructionBacking& backing_;
  const unsigned prefetch_lines_;
  WarmProgram program_;
  std::vector<bool> ahead_;  // by MSHR: asked for ahead, and not looked up since
  // By tag entry: the launch for which its line was asked for ahead and has not been looked up, or kNobody.
  std::vector<std::uint64_t> ahead_for_;
};

}  // namespace warpvp
