#pragma once
// Miss status holding registers: which lines are on their way, and who waits for which of their sectors.

#include <cassert>
#include <cstdint>
#include <vector>

#include "base/cycle.h"
#include "base/slot_pool.h"
#include "modules/sm/memory/memory_request.h"

namespace warpvp {

class MshrFile {
 public:
  static constexpr unsigned kNone = ~0u;
  static constexpr unsigned kSectors = 4;  ///< most of a line

  struct Entry {
    std::uint64_t line = 0;
    std::uint32_t outstanding = 0;  ///< sectors requested and not here yet
    std::uint32_t head = kNone;     ///< oldest target
    std::uint32_t tail = kNone;
    std::uint32_t waiting[kSectors] = {};  ///< targets that wait for a sector
    Cycle since = 0;                       ///< when the first miss was found
    AccessOwner owner;                     ///< who missed first
  };

  /// `entries` lines at once; `merge`: targets of a sector, the first included.
  MshrFile(unsigned entries, unsigned merge) : entries_(entries), merge_(merge) {
    while (table_size_ < 2 * entries) table_size_ *= 2;
    table_.assign(table_size_, kNone);
  }

  bool full() const { return entries_.full(); }
  unsigned in_use() const { return entries_.in_use(); }
  Entry& operator[](unsigned index) { return entries_[index]; }
  const Entry& operator[](unsigned index) const { return entries_[index]; }

  /// The entry of a line, or kNone.
  unsigned find(std::uint64_t line) const {
    for (unsigned slot = home(line); table_[slot] != kNone; slot = (slot + 1) & (table_size_ - 1))
      if (entries_[table_[slot]].line == line) return table_[slot];
    return kNone;
  }
  /// Takes an entry for a line that has none; requires !full().
  unsigned allocate(std::uint64_t line, const AccessOwner& owner, Cycle now) {
    assert(!full());
    Entry entry;
    entry.line = line;
    entry.since = now;
    entry.owner = owner;
    const unsigned index = entries_.take(entry);
    unsigned slot = home(line);
    while (table_[slot] != kNone) slot = (slot + 1) & (table_size_ - 1);
    table_[slot] = index;
    return index;
  }

  /// Whether one more can wait for each of `sectors`.
  bool can_merge(unsigned index, std::uint32_t sectors) const {
    const Entry& e = entries_[index];
    for (; sectors; sectors &= sectors - 1)
      if (e.waiting[__builtin_ctz(sectors)] >= merge_) return false;
    return true;
  }
  /// Adds someone who waits for `sectors` of the entry's line.
  void add_target(unsigned index, std::uint32_t id, std::uint32_t sectors, bool store = false) {
    std::uint32_t node;
    if (free_targets_ != kNone) {
      node = free_targets_;
      free_targets_ = targets_[node].next;
    } else {
      node = static_cast<std::uint32_t>(targets_.size());
      targets_.emplace_back();
    }
    targets_[node] = {id, sectors, sectors, kNone, store};
    Entry& e = entries_[index];
    if (e.tail == kNone) {
      e.head = node;
    } else {
      targets_[e.tail].next = node;
    }
    e.tail = node;
    for (; sectors; sectors &= sectors - 1) ++e.waiting[__builtin_ctz(sectors)];
  }

  /// `sectors` arrived: calls served(id, sectors of the target, is store) for each target that now has all it
  /// waits for, oldest first. The entry is freed when nothing is outstanding any more; returns whether it
  /// was.
  template <class F>
  bool fill(unsigned index, std::uint32_t sectors, F&& served) {
    Entry& e = entries_[index];
    e.outstanding &= ~sectors;
    for (std::uint32_t rest = sectors; rest; rest &= rest - 1) e.waiting[__builtin_ctz(rest)] = 0;
    std::uint32_t previous = kNone;
    for (std::uint32_t node = e.head; node != kNone;) {
      Target& t = targets_[node];
      const std::uint32_t next = t.next;
      t.missing &= ~sectors;
      if (t.missing == 0) {
        served(t.id, t.wanted, t.store);
        (previous == kNone ? e.head : targets_[previous].next) = next;
        if (next == kNone) e.tail = previous;
        targets_[node].next = free_targets_;
        free_targets_ = node;
      } else {
        previous = node;
      }
      node = next;
    }
    if (e.outstanding != 0) return false;
    assert(e.head == kNone);
    release(index);
    return true;
  }

 private:
  struct Target {
    std::uint32_t id = 0;
    std::uint32_t wanted = 0;
    std::uint32_t missing = 0;
    std::uint32_t next = kNone;
    bool store = false;
  };

  unsigned home(std::uint64_t line) const {
    return static_cast<unsigned>((line * 0x9e3779b97f4a7c15ull) >> 40) & (table_size_ - 1);
  }
  void release(unsigned index) {
    unsigned slot = home(entries_[index].line);
    while (table_[slot] != index) slot = (slot + 1) & (table_size_ - 1);
    // Close the gap: move back what would no longer be found across it.
    table_[slot] = kNone;
    for (unsigned next = (slot + 1) & (table_size_ - 1); table_[next] != kNone;
         next = (next + 1) & (table_size_ - 1)) {
      const unsigned wanted = home(entries_[table_[next]].line);
      if (((next - wanted) & (table_size_ - 1)) >= ((next - slot) & (table_size_ - 1))) {
        table_[slot] = table_[next];
        table_[next] = kNone;
        slot = next;
      }
    }
    entries_.give_back(index);
  }

  SlotPool<Entry> entries_;
  unsigned merge_;
  unsigned table_size_ = 4;  // a power of two, at most half full
  std::vector<unsigned> table_;
  std::vector<Target> targets_;
  std::uint32_t free_targets_ = kNone;
};

}  // namespace warpvp
