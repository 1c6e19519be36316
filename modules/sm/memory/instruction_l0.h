#pragma once
// The first-level instruction cache of a sub-core, with its stream buffer (Huerta et al., "Analyzing Modern
// NVIDIA GPU cores", MICRO 2025, section 5.2). It answers fetches at once and names the lines that it wants
// from the cache behind it; who owns it carries them (instruction_memory.h).
//
// Of the lines asked for, those that a fetch waits for are filled into the cache; those asked for ahead go to
// the stream buffer, and into the cache when they are fetched. When the stream is given up, lines not asked
// for yet are cancelled, and those on their way are dropped when they come, unless a fetch waits for them by
// then.

#include <array>
#include <cstdint>
#include <vector>

#include "base/tag_array.h"
#include "modules/sm/memory/instruction_config.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/memory_request.h"
#include "modules/sm/memory/stream_buffer.h"
#include "modules/sm/memory/warm_program.h"

namespace warpvp {

class InstructionL0 {
 public:
  /// `warm`: as InstructionCacheConfig::warm.
  InstructionL0(const L0InstructionConfig& config, LaunchCounters& counters, bool warm = false);

  /// Looks the line of `address` up; true on a hit. `end` is the end of the program.
  bool fetch(std::uint64_t address, std::uint64_t end, const AccessOwner& owner) {
    InstructionLevelCounters& counters = counters_.of(owner.launch).instruction.l0;
    ++counters.lookups;
    const std::uint64_t line = tags_.line_address(address);
    Found& found = found_of(line);
    if (found.address != line) {
      const TagArray::Lookup lookup = tags_.probe(line, 1);
      if (lookup.result != TagArray::Result::kHit) {
        found_ = {};  // lines may come, and others go
        return fetch_absent(line, end, owner, counters);
      }
      found = {line, lookup.line};
    }
    tags_.touch(found.line);
    ++counters.hits;
    return true;
  }

  struct Request {
    std::uint64_t line = 0;
    std::uint64_t end = 0;  ///< of the program
    AccessOwner owner;
  };
  /// There is a line to be asked for that a fetch waits for.
  bool wants_demand() const { return unsent_ != 0 && in_flight_ < mshrs_; }
  /// There is a line to be asked for ahead.
  bool wants_prefetch() const { return stream_wants_ && in_flight_ < mshrs_; }
  /// The line to be asked for now: the oldest one that a fetch waits for, else the next of the stream.
  /// Requires one of the two above.
  Request next_request();
  /// A line asked for is here. True if a fetch waits for it.
  bool arrive(std::uint64_t line);

  /// Drops all that is here; lines on their way come all the same.
  void invalidate();
  /// Nothing is asked for or to be asked for because of a fetch.
  bool idle() const { return pending_.empty(); }
  /// The line is to be asked for, and not under way yet.
  bool queued(std::uint64_t line) const;

 private:
  using State = StreamBuffer::State;
  /// A line to be asked for, or on its way.
  struct Pending {
    Request request;
    bool demanded = false;  // a fetch waits for it
    bool sent = false;
  };

  /// A line that is here, and where: warps of a sub-core mostly go over the same few.
  struct Found {
    std::uint64_t address = ~std::uint64_t{0};
    TagArray::Line line = 0;
  };
  Found& found_of(std::uint64_t line) { return found_[line / tags_.geometry().line_bytes % found_.size()]; }

  bool fetch_absent(std::uint64_t line, std::uint64_t end, const AccessOwner& owner,
                    InstructionLevelCounters& counters);
  Pending* pending(std::uint64_t line);
  void demand(std::uint64_t line, std::uint64_t end, const AccessOwner& owner);
  void fill(std::uint64_t line) {
    found_ = {};
    tags_.validate(tags_.reserve(line, 0).line, 1);
  }
  State state_of(std::uint64_t line);
  void drop(const StreamBuffer::Entry& entry);
  void restart(std::uint64_t line, std::uint64_t end, const AccessOwner& owner);
  void advance(std::uint64_t line);

  TagArray tags_;
  std::array<Found, 8> found_ = {};  // of lines that are in tags_
  StreamBuffer stream_;
  LaunchCounters& counters_;
  unsigned mshrs_;
  const bool prefetches_;
  WarmProgram program_;
  bool stream_wants_ = false;
  unsigned unsent_ = 0;           // of pending_
  unsigned in_flight_ = 0;        // of pending_
  std::vector<Pending> pending_;  // oldest first
  Request stream_request_;        // end and owner of the stream's lines
};

}  // namespace warpvp
