#pragma once
// The tags of a set-associative cache with optional sectors. Tags only: values live in DeviceMemory. Used by
// the L1 data cache, the instruction and constant caches and the L2 banks. The least recently used line gives
// way, unless another rule is named (replace_by), which costs those that name none nothing.
//
// A line is absent, or present with three sector masks: valid, dirty (subset of valid) and pending (reserved
// for a fill that is under way). A line with pending sectors is never chosen as a victim.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "base/tag_replacement.h"

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
    bool evicted = false;              ///< a line had to leave of which something was here
    std::uint64_t victim_address = 0;  ///< of the line that was in the way before, if one was
    SectorMask victim_dirty = 0;       ///< sectors to write back
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
    assert(geometry_.ways < kEnd);
    open_ways_ = geometry_.ways;
    links_.resize(entries_.size());
    digest_words_ = (geometry_.ways + 7) / 8;
    digests_.assign(std::size_t{geometry_.sets} * digest_words_, 0);
    orders_.assign(geometry_.sets, {0, 0, geometry_.ways});
    for (std::uint32_t set = 0; set < geometry_.sets; ++set) lay_order(set, geometry_.ways);
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

  /// Has `replacement`, which outlives the array, choose from now on, and tells it what happens. The array is
  /// empty. nullptr: the least recently used line goes.
  void replace_by(TagReplacement* replacement) {
    replacement_ = replacement;
    takeable_.assign(replacement ? (geometry_.ways + 63) / 64 : 0, 0);
  }

  /// Makes the line the most recently used of its set.
  void touch(Line line, const CacheUser& by = {}) {
    if (replacement_ != nullptr) replacement_->touched(line / geometry_.ways, line % geometry_.ways, by);
    make_newest(line);
  }

  /// Makes room for `pending` sectors of the line of `address` and marks them as being filled. A present line
  /// is kept; an absent one takes an invalid way or, of those without pending sectors, the least recently
  /// used one or that of replace_by(). `pending` 0 allocates the line empty (a write that covers whole
  /// sectors follows with `validate`); such a line can be evicted. The line becomes the most recently used.
  Reservation reserve(std::uint64_t address, SectorMask pending, const CacheUser& by = {}) {
    return reserve(address, pending, find(address), by);
  }
  /// As above for a caller that has just looked the line up: `present` is what `probe` found.
  Reservation reserve(std::uint64_t address, SectorMask pending, Line present, const CacheUser& by = {}) {
    Reservation r;
    r.line = present;
    if (present != kNoLine) {
      touch(present, by);
    } else {
      const std::uint32_t set = set_of(address);
      Line victim = victim_in(set);
      if (victim == kNoLine) return r;
      if (replacement_ != nullptr && orders_[set].absent == 0) victim = chosen_victim(set, victim, by);
      Entry& e = entries_[victim];
      if (e.tag == kNoTag) {
        --orders_[set].absent;
      } else {
        r.evicted = (e.valid | e.dirty) != 0;
        r.victim_address = e.tag << line_shift_;
        r.victim_dirty = e.dirty;
      }
      e = Entry{address >> line_shift_};
      set_digest(victim, set, digest_of(e.tag));
      r.line = victim;
      make_newest(victim);
      if (replacement_ != nullptr) {
        replacement_->placed(set, victim % geometry_.ways, e.tag << line_shift_);
        if (replacement_->allocated(set, victim % geometry_.ways, by)) make_oldest(victim);
      }
    }
    r.ok = true;
    Entry& e = entries_[r.line];
    e.pending |= pending & ~e.valid;
    return r;
  }
  /// Whether `reserve` would find a way.
  bool can_reserve(std::uint64_t address) const {
    return find(address) != kNoLine || can_reserve_absent(address);
  }
  /// As above for a line that is known to be absent.
  bool can_reserve_absent(std::uint64_t address) const { return victim_in(set_of(address)) != kNoLine; }

  /// The fill of `sectors` arrived: pending becomes valid. Returns the line, or kNoLine if it is absent.
  Line fill(std::uint64_t address, SectorMask sectors) {
    const Line line = find(address);
    if (line != kNoLine) validate(line, sectors);
    return line;
  }
  /// Begins to load a line's entry into the host's near cache.
  void prefetch(Line line) const { __builtin_prefetch(&entries_[line]); }
  /// The same for what a look-up of `address` reads first, and for the line that would make room.
  void prefetch_set(std::uint64_t address) const {
    const std::uint32_t set = set_of(address);
    __builtin_prefetch(&digests_[std::size_t{set} * digest_words_]);
    __builtin_prefetch(&entries_[std::size_t{set} * geometry_.ways + orders_[set].oldest]);
  }
  /// Makes sectors valid without a fill (a write that covers them whole).
  void validate(Line line, SectorMask sectors) {
    entries_[line].valid |= sectors;
    entries_[line].pending &= ~sectors;
  }
  /// Marks valid sectors dirty; sectors that are not valid are left alone.
  void mark_dirty(Line line, SectorMask sectors) { entries_[line].dirty |= sectors & entries_[line].valid; }

  /// Marks sectors dirty that are valid in part only: some of their bytes were written, the others are not
  /// here. Who keeps such sectors knows which bytes (dirty, not valid).
  void mark_partial(Line line, SectorMask sectors) { entries_[line].dirty |= sectors; }
  /// The line has been written back: nothing of it is dirty, and what was there in part only is gone.
  void clean(Line line) { entries_[line].dirty = 0; }

  SectorMask valid_sectors(Line line) const { return entries_[line].valid; }
  SectorMask dirty_sectors(Line line) const { return entries_[line].dirty; }
  SectorMask pending_sectors(Line line) const { return entries_[line].pending; }
  std::uint64_t address_of(Line line) const { return entries_[line].tag << line_shift_; }

  /// Drops the line of `address` if present (its fill, if one is under way, then finds no line).
  void invalidate(std::uint64_t address) {
    const Line line = find(address);
    if (line == kNoLine) return;
    entries_[line] = Entry{};
    forget(line);
  }
  /// Drops what is here of the line of `address`, if anything is. Fills under way stay reserved and complete
  /// normally.
  void drop_valid(std::uint64_t address) {
    const Line line = find(address);
    if (line == kNoLine) return;
    Entry& e = entries_[line];
    e.valid = e.dirty = 0;
    if (e.pending != 0) return;
    e = Entry{};
    forget(line);
  }
  /// Drops every valid sector, dirty ones too. Fills under way stay reserved and complete normally.
  void invalidate_all() {
    for (Line line = 0; line < entries_.size(); ++line) {
      entries_[line].valid = entries_[line].dirty = 0;
      if (entries_[line].pending != 0 || entries_[line].tag == kNoTag) continue;
      entries_[line].tag = kNoTag;
      forget(line);
    }
  }
  /// Drops every valid sector and leaves only the first `ways` of each set, 1 to geometry().ways, in use.
  /// Fills under way into other ways stay reserved; whoever takes them calls drop_closed() for lines that are
  /// closed().
  void limit_ways(std::uint32_t ways) {
    assert(ways >= 1 && ways <= geometry_.ways);
    open_ways_ = ways;
    invalidate_all();
    closing_ = 0;
    for (std::uint32_t set = 0; set < geometry_.sets; ++set) {
      lay_order(set, ways);
      const Entry* const entry = &entries_[std::size_t{set} * geometry_.ways];
      std::uint32_t absent = 0;
      for (std::uint32_t way = 0; way < ways; ++way) absent += entry[way].tag == kNoTag;
      orders_[set].absent = absent;
      for (std::uint32_t way = ways; way < geometry_.ways; ++way) closing_ += entry[way].tag != kNoTag;
    }
    if (replacement_ != nullptr) replacement_->opened(ways);
  }
  std::uint32_t open_ways() const { return open_ways_; }
  /// The line lies in a way that limit_ways() has taken out of use.
  bool closed(Line line) const { return closing_ != 0 && line % geometry_.ways >= open_ways_; }
  /// Drops what has arrived of a closed line; it goes when nothing of it is under way any more.
  void drop_closed(Line line) {
    Entry& e = entries_[line];
    e.valid = e.dirty = 0;
    if (e.pending != 0) return;
    e = Entry{};
    forget(line);
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
  using Way = std::uint16_t;
  static constexpr Way kEnd = 0xffff;
  struct Entry {
    std::uint64_t tag = kNoTag;  // line number
    SectorMask valid = 0;
    SectorMask dirty = 0;
    SectorMask pending = 0;
  };
  struct Link {  // neighbours in the set's order of use
    Way older = kEnd, newer = kEnd;
  };
  struct Order {  // of a set
    Way oldest = 0, newest = 0;
    std::uint32_t absent = 0;  // ways without a tag
  };
  // The first `ways` of the set in their own order, the last one the newest; the others are in none.
  void lay_order(std::uint32_t set, std::uint32_t ways) {
    Link* const first = &links_[std::size_t{set} * geometry_.ways];
    for (std::uint32_t way = 0; way < geometry_.ways; ++way)
      first[way] = way < ways ? Link{static_cast<Way>(way - 1), static_cast<Way>(way + 1)} : Link{kEnd, kEnd};
    first[0].older = first[ways - 1].newer = kEnd;
    orders_[set].oldest = 0;
    orders_[set].newest = static_cast<Way>(ways - 1);
  }
  // Takes a way out of the order of its set, whose first link is `first`.
  static void unlink(Link* first, Order& order, Link link) {
    (link.newer == kEnd ? order.newest : first[link.newer].older) = link.older;
    (link.older == kEnd ? order.oldest : first[link.older].newer) = link.newer;
  }

  // A byte made of a tag, so that eight ways are compared at once; zero stands for a way without a tag.
  static constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  static std::uint64_t digest_of(std::uint64_t tag) {
    const std::uint64_t digest = (tag * 0x9e3779b97f4a7c15ull) >> 56;
    return digest ? digest : 1;
  }
  void set_digest(Line line, std::uint32_t set, std::uint64_t digest) {
    const std::uint32_t way = line - set * geometry_.ways;
    std::uint64_t& word = digests_[std::size_t{set} * digest_words_ + way / 8];
    word = (word & ~(std::uint64_t{0xff} << (way % 8 * 8))) | digest << (way % 8 * 8);
  }
  // The tag of the line has been dropped.
  void forget(Line line) {
    const std::uint32_t set = line / geometry_.ways;
    set_digest(line, set, 0);
    if (replacement_ != nullptr) replacement_->removed(set, line % geometry_.ways);
    if (line - set * geometry_.ways < open_ways_) {
      ++orders_[set].absent;
    } else {
      --closing_;
    }
  }
  // The top bit of every byte that is zero. A borrow may add others above the first, which is why `find`
  // looks at the tag too.
  static std::uint64_t zero_bytes(std::uint64_t word) { return (word - kOnes) & ~word & (kOnes << 7); }

  Line find(std::uint64_t address) const {
    const std::uint64_t tag = address >> line_shift_;
    const std::uint32_t set = set_of(address);
    const Line first = set * geometry_.ways;
    const std::uint64_t wanted = digest_of(tag) * kOnes;
    const std::uint64_t* const digests = &digests_[std::size_t{set} * digest_words_];
    for (unsigned w = 0; w < digest_words_; ++w) {
      for (std::uint64_t equal = zero_bytes(digests[w] ^ wanted); equal; equal &= equal - 1) {
        const Line way = w * 8 + static_cast<Line>(__builtin_ctzll(equal)) / 8;
        if (way < geometry_.ways && entries_[first + way].tag == tag) return first + way;
      }
    }
    return kNoLine;
  }

  void make_newest(Line line) {
    if (links_[line].newer == kEnd) return;
    const std::uint32_t set = line / geometry_.ways;
    Order& order = orders_[set];
    Link* const first = &links_[std::size_t{set} * geometry_.ways];
    const auto way = static_cast<Way>(&links_[line] - first);
    unlink(first, order, first[way]);
    first[order.newest].newer = way;
    first[way] = {order.newest, kEnd};
    order.newest = way;
  }
  void make_oldest(Line line) {
    if (links_[line].older == kEnd) return;
    const std::uint32_t set = line / geometry_.ways;
    Order& order = orders_[set];
    Link* const first = &links_[std::size_t{set} * geometry_.ways];
    const auto way = static_cast<Way>(&links_[line] - first);
    unlink(first, order, first[way]);
    first[order.oldest].older = way;
    first[way] = {kEnd, order.oldest};
    order.oldest = way;
  }

  // The way that an absent line of the set would take: the first without a tag, else the least recently used
  // one without pending sectors.
  Line victim_in(std::uint32_t set) const {
    const Line first = set * geometry_.ways;
    const Order& order = orders_[set];
    if (order.absent != 0) {
      const std::uint64_t* digests = &digests_[std::size_t{set} * digest_words_];
      unsigned w = 0;
      while (zero_bytes(digests[w]) == 0) ++w;
      return first + w * 8 + static_cast<Line>(__builtin_ctzll(zero_bytes(digests[w]))) / 8;
    }
    for (Way way = order.oldest; way != kEnd; way = links_[first + way].newer)
      if (entries_[first + way].pending == 0) return first + way;
    return kNoLine;
  }
  // The same where another rule chooses; `oldest` is what victim_in() gives, and no way is without a tag.
  Line chosen_victim(std::uint32_t set, Line oldest, const CacheUser& by) {
    const Line first = set * geometry_.ways;
    std::fill(takeable_.begin(), takeable_.end(), 0);
    for (std::uint32_t way = 0; way < open_ways_; ++way)
      takeable_[way / 64] |= std::uint64_t{entries_[first + way].pending == 0} << way % 64;
    const WaySet takeable(takeable_.data(), open_ways_);
    return first + replacement_->victim({set, takeable, oldest - first, by});
  }

  Geometry geometry_;
  unsigned line_shift_ = 0;
  unsigned sector_shift_ = 0;
  unsigned set_shift_ = 0;
  bool power_of_two_sets_ = true;
  std::uint32_t open_ways_ = 1;         // of a set, the first ones; lines are allocated in no other
  std::uint32_t closing_ = 0;           // lines in other ways, whose fills are under way
  unsigned digest_words_ = 1;           // of a set
  std::vector<std::uint64_t> digests_;  // [set][way / 8]
  std::vector<Entry> entries_;
  std::vector<Link> links_;
  std::vector<Order> orders_;  // [set]
  TagReplacement* replacement_ = nullptr;
  std::vector<std::uint64_t> takeable_;  // of the set in question
};

}  // namespace warpvp
