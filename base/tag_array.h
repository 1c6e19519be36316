#pragma once
// The tags of a set-associative cache with optional sectors and LRU replacement. Tags only: values live in
// DeviceMemory. Used by the L1 data cache, the instruction and constant caches and the L2 banks.
//
// A line is absent, or present with three sector masks: valid, dirty (subset of valid) and pending (reserved
// for a fill that is under way). A line with pending sectors is never chosen as a victim.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

namespace warpvp {

class TagArray {
 public:
  using SectorMask = std::uint32_t;
  using Line = std::uint32_t;  ///< index of a tag entry: set * ways + way
  static constexpr Line kNoLine = ~Line{0};

  struct Geometry {
    std::uint32_t sets = 1;          ///< any number >= 1; without a power of two the index is a modulo
    std::uint32_t ways = 1;          ///< >= 1
    std::uint32_t line_bytes = 128;  ///< power of two
    std::uint32_t sector_bytes =
        0;                    ///< power of two dividing line_bytes, at most 32 sectors a line; 0: one sector
    bool hash_index = false;  ///< fold the upper address bits into the set index by XOR (power-of-two sets)
  };

  enum class Result : std::uint8_t {
    kHit,         ///< every wanted sector is valid
    kPending,     ///< what is not valid is being filled already: merge with that fill
    kSectorMiss,  ///< the line is present, some wanted sector is neither valid nor pending
    kMiss,        ///< the line is absent
  };
  struct Lookup {
    Result result = Result::kMiss;
    Line line = kNoLine;     ///< kNoLine on kMiss
    SectorMask missing = 0;  ///< wanted sectors that are neither valid nor pending
  };
  struct Reservation {
    bool ok = false;  ///< false: every way of the set is pending, nothing was changed
    Line line = kNoLine;
    bool evicted = false;  ///< a valid line had to leave
    std::uint64_t victim_address = 0;
    SectorMask victim_dirty = 0;  ///< sectors to write back
  };

  explicit TagArray(const Geometry& geometry)
      : geometry_(geometry), entries_(std::size_t{geometry.sets} * geometry.ways) {
    assert(geometry.sets >= 1 && geometry.ways >= 1 && geometry.line_bytes >= 1);
    if (geometry_.sector_bytes == 0) geometry_.sector_bytes = geometry_.line_bytes;
    while ((1u << line_shift_) < geometry_.line_bytes) ++line_shift_;
    while ((1u << sector_shift_) < geometry_.sector_bytes) ++sector_shift_;
    assert((1u << line_shift_) == geometry_.line_bytes && (1u << sector_shift_) == geometry_.sector_bytes);
    assert(line_shift_ >= sector_shift_ && line_shift_ - sector_shift_ <= 5);
    power_of_two_sets_ = (geometry_.sets & (geometry_.sets - 1)) == 0;
    while ((std::uint64_t{1} << set_shift_) < geometry_.sets) ++set_shift_;
    assert(!geometry_.hash_index || power_of_two_sets_);
    tags_.assign(entries_.size(), kNoTag);
  }

  const Geometry& geometry() const { return geometry_; }
  unsigned sectors_per_line() const { return 1u << (line_shift_ - sector_shift_); }
  SectorMask all_sectors() const {
    return sectors_per_line() == 32 ? ~SectorMask{0} : (SectorMask{1} << sectors_per_line()) - 1;
  }
  std::uint64_t line_address(std::uint64_t address) const { return address >> line_shift_ << line_shift_; }
  /// Sectors that [address, address + bytes) touches within the line of `address`; the range must not leave
  /// it.
  SectorMask sectors_of(std::uint64_t address, std::uint32_t bytes) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(address & (geometry_.line_bytes - 1));
    assert(bytes >= 1 && offset + bytes <= geometry_.line_bytes);
    const unsigned first = offset >> sector_shift_;
    const unsigned last = (offset + bytes - 1) >> sector_shift_;
    return (~SectorMask{0} >> (31 - (last - first))) << first;
  }
  /// Sectors that [address, address + bytes) covers whole.
  SectorMask full_sectors_of(std::uint64_t address, std::uint32_t bytes) const {
    const std::uint32_t offset = static_cast<std::uint32_t>(address & (geometry_.line_bytes - 1));
    const unsigned first = (offset + geometry_.sector_bytes - 1) >> sector_shift_;
    const unsigned end = (offset + bytes) >> sector_shift_;
    return end > first ? (~SectorMask{0} >> (32 - (end - first))) << first : 0;
  }

  /// Looks up without side effects.
  Lookup probe(std::uint64_t address, SectorMask wanted) const {
    const Line line = find(address);
    if (line == kNoLine) return {Result::kMiss, kNoLine, wanted};
    const Entry& e = entries_[line];
    if ((wanted & ~e.valid) == 0) return {Result::kHit, line, 0};
    const SectorMask missing = wanted & ~(e.valid | e.pending);
    return {missing ? Result::kSectorMiss : Result::kPending, line, missing};
  }
  Lookup probe(std::uint64_t address) const { return probe(address, sectors_of(address, 1)); }

  /// Makes the line the most recently used of its set.
  void touch(Line line) { entries_[line].last_use = ++clock_; }

  /// Makes room for `pending` sectors of the line of `address` and marks them as being filled. A present line
  /// is kept; an absent one takes an invalid way or the least recently used way without pending sectors.
  /// `pending` 0 allocates the line empty (a write that covers whole sectors follows with `validate`); such a
  /// line can be evicted. The line becomes the most recently used.
  Reservation reserve(std::uint64_t address, SectorMask pending) {
    Reservation r;
    r.line = find(address);
    if (r.line == kNoLine) {
      const Line first = set_of(address) * geometry_.ways;
      Line victim = kNoLine;
      for (Line line = first; line < first + geometry_.ways; ++line) {
        if (tags_[line] == kNoTag) {
          victim = line;
          break;
        }
        if (entries_[line].pending == 0 &&
            (victim == kNoLine || entries_[line].last_use < entries_[victim].last_use))
          victim = line;
      }
      if (victim == kNoLine) return r;
      Entry& e = entries_[victim];
      if (tags_[victim] != kNoTag && e.valid != 0) {
        r.evicted = true;
        r.victim_address = tags_[victim] << line_shift_;
        r.victim_dirty = e.dirty;
      }
      tags_[victim] = address >> line_shift_;
      e = Entry{};
      r.line = victim;
    }
    r.ok = true;
    Entry& e = entries_[r.line];
    e.pending |= pending & ~e.valid;
    touch(r.line);
    return r;
  }
  /// Whether `reserve` would find a way.
  bool can_reserve(std::uint64_t address) const {
    if (find(address) != kNoLine) return true;
    const Line first = set_of(address) * geometry_.ways;
    for (Line line = first; line < first + geometry_.ways; ++line)
      if (tags_[line] == kNoTag || entries_[line].pending == 0) return true;
    return false;
  }

  /// The fill of `sectors` arrived: pending becomes valid. Returns the line, or kNoLine if it is absent.
  Line fill(std::uint64_t address, SectorMask sectors) {
    const Line line = find(address);
    if (line != kNoLine) validate(line, sectors);
    return line;
  }
  /// Makes sectors valid without a fill (a write that covers them whole).
  void validate(Line line, SectorMask sectors) {
    entries_[line].valid |= sectors;
    entries_[line].pending &= ~sectors;
  }
  /// Marks valid sectors dirty; sectors that are not valid are left alone.
  void mark_dirty(Line line, SectorMask sectors) { entries_[line].dirty |= sectors & entries_[line].valid; }

  SectorMask valid_sectors(Line line) const { return entries_[line].valid; }
  SectorMask dirty_sectors(Line line) const { return entries_[line].dirty; }
  SectorMask pending_sectors(Line line) const { return entries_[line].pending; }
  std::uint64_t address_of(Line line) const { return tags_[line] << line_shift_; }

  /// Drops the line of `address` if present (its fill, if one is under way, then finds no line).
  void invalidate(std::uint64_t address) {
    const Line line = find(address);
    if (line == kNoLine) return;
    tags_[line] = kNoTag;
    entries_[line] = Entry{};
  }
  /// Drops every valid sector, dirty ones too. Fills under way stay reserved and complete normally.
  void invalidate_all() {
    for (Line line = 0; line < entries_.size(); ++line) {
      entries_[line].valid = entries_[line].dirty = 0;
      if (entries_[line].pending == 0) tags_[line] = kNoTag;
    }
  }
  /// Calls f(line address, dirty sectors) for each dirty line in index order.
  template <class F>
  void for_each_dirty(F&& f) const {
    for (Line line = 0; line < entries_.size(); ++line)
      if (entries_[line].dirty) f(address_of(line), entries_[line].dirty);
  }

  std::uint32_t set_of(std::uint64_t address) const {
    std::uint64_t number = address >> line_shift_;
    if (!power_of_two_sets_) return static_cast<std::uint32_t>(number % geometry_.sets);
    if (geometry_.hash_index && set_shift_ > 0) {
      std::uint64_t folded = 0;
      for (; number; number >>= set_shift_) folded ^= number;
      number = folded;
    }
    return static_cast<std::uint32_t>(number & (geometry_.sets - 1));
  }

 private:
  static constexpr std::uint64_t kNoTag = ~std::uint64_t{0};
  struct Entry {
    SectorMask valid = 0;
    SectorMask dirty = 0;
    SectorMask pending = 0;
    std::uint64_t last_use = 0;
  };

  Line find(std::uint64_t address) const {
    const std::uint64_t tag = address >> line_shift_;
    const Line first = set_of(address) * geometry_.ways;
    for (Line line = first; line < first + geometry_.ways; ++line)
      if (tags_[line] == tag) return line;
    return kNoLine;
  }

  Geometry geometry_;
  unsigned line_shift_ = 0;
  unsigned sector_shift_ = 0;
  unsigned set_shift_ = 0;
  bool power_of_two_sets_ = true;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t>
      tags_;  // line numbers; apart from the entries so that a search stays in few lines
  std::vector<Entry> entries_;
};

}  // namespace warpvp
