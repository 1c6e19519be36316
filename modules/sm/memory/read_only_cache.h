#pragma once
// A cache without stores, for constants: tags, MSHRs, ways taken as data comes back.

#include <cstdint>

#include "base/tag_array.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/mshr_file.h"

namespace warpvp {

class ReadOnlyCache {
 public:
  enum class Outcome : std::uint8_t {
    kHit,
    kPending,  ///< on its way already
    kMiss,     ///< `index` has been allocated: request the line
    kFull,     ///< no MSHR
  };
  struct Result {
    Outcome outcome = Outcome::kFull;
    unsigned index = 0;  ///< MSHR, for kPending and kMiss
  };

  explicit ReadOnlyCache(const ReadOnlyCacheConfig& config)
      : tags_({config.sets(), config.associativity, config.line_bytes, 0, false}),
        mshrs_(config.mshrs, ~0u) {}

  std::uint64_t line_address(std::uint64_t address) const { return tags_.line_address(address); }

  Result access(std::uint64_t address, const AccessOwner& owner, Cycle now) {
    const TagArray::Lookup found = tags_.probe(address, 1);
    if (found.result == TagArray::Result::kHit) {
      tags_.touch(found.line);
      return {Outcome::kHit, 0};
    }
    const std::uint64_t line = line_address(address);
    const unsigned index = mshrs_.find(line);
    if (index != MshrFile::kNone) return {Outcome::kPending, index};
    if (mshrs_.full()) return {Outcome::kFull, 0};
    const unsigned fresh = mshrs_.allocate(line, owner, now);
    mshrs_[fresh].outstanding = 1;
    return {Outcome::kMiss, fresh};
  }
  /// Adds an instruction that waits for the line of MSHR `index`.
  void wait(unsigned index, std::uint32_t id) { mshrs_.add_target(index, id, 1); }
  /// The line of MSHR `index` is here: calls served(id) for each that waited. Returns the line's address.
  template <class F>
  std::uint64_t fill(unsigned index, F&& served) {
    const std::uint64_t line = mshrs_[index].line;
    tags_.validate(tags_.reserve(line, 0).line, 1);
    mshrs_.fill(index, 1, [&](std::uint32_t id, std::uint32_t, bool) { served(id); });
    return line;
  }
  void invalidate() { tags_.invalidate_all(); }
  bool full() const { return mshrs_.full(); }
  bool idle() const { return mshrs_.in_use() == 0; }

 private:
  TagArray tags_;
  MshrFile mshrs_;
};

}  // namespace warpvp
