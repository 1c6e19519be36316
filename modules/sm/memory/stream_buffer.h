#pragma once
// A stream buffer (Jouppi, ISCA 1990): the lines that follow one that missed, asked for ahead and kept beside
// the cache until they are looked up, so that what is never looked up takes no line's place. Lines are looked
// up in any of its entries; what lies before the one found is dropped, and the stream goes on by as many
// lines.

#include <cstdint>
#include <vector>

namespace warpvp {

class StreamBuffer {
 public:
  enum class State : std::uint8_t {
    kWanted,    ///< to be asked for
    kAskedFor,  ///< on its way
    kHere,
    kSkipped,  ///< on its way into the cache: nothing to ask for
  };
  struct Entry {
    std::uint64_t line = 0;
    State state = State::kSkipped;
  };

  StreamBuffer(unsigned entries, unsigned line_bytes) : line_bytes_(line_bytes), entries_(entries) {}

  /// The entry of a line, or nullptr.
  Entry* find(std::uint64_t line) {
    const std::uint64_t offset = (line - first_) / line_bytes_;
    return line >= first_ && offset < count_ ? &at(static_cast<unsigned>(offset)) : nullptr;
  }
  /// The oldest line that is to be asked for, or nullptr.
  Entry* next_wanted() {
    for (unsigned i = 0; i < count_; ++i)
      if (at(i).state == State::kWanted) return &at(i);
    return nullptr;
  }
  /// Begins behind `line`, and ends before `end`, the end of the program. dropped(entry) is called for each
  /// entry given up, state_of(line) for each that begins.
  template <class Dropped, class StateOf>
  void restart(std::uint64_t line, std::uint64_t end, Dropped&& dropped, StateOf&& state_of) {
    clear(dropped);
    first_ = line + line_bytes_;
    end_ = end;
    extend(state_of);
  }
  /// `line`, which has an entry, was looked up: goes on behind it. The entries before it, not its own, are
  /// dropped.
  template <class Dropped, class StateOf>
  void advance(std::uint64_t line, Dropped&& dropped, StateOf&& state_of) {
    for (; first_ <= line; first_ += line_bytes_, --count_) {
      if (first_ != line) dropped(at(0));
      head_ = head_ + 1 == entries_.size() ? 0 : head_ + 1;
    }
    extend(state_of);
  }
  template <class Dropped>
  void clear(Dropped&& dropped) {
    for (unsigned i = 0; i < count_; ++i) dropped(at(i));
    count_ = head_ = 0;
  }

 private:
  Entry& at(unsigned i) {
    const std::size_t place = head_ + i;
    return entries_[place < entries_.size() ? place : place - entries_.size()];
  }
  template <class StateOf>
  void extend(StateOf&& state_of) {
    while (count_ < entries_.size() && first_ + std::uint64_t{count_} * line_bytes_ < end_) {
      const std::uint64_t line = first_ + std::uint64_t{count_} * line_bytes_;
      at(count_++) = {line, state_of(line)};
    }
  }

  unsigned line_bytes_;
  std::uint64_t first_ = 0, end_ = 0;  // line of the oldest entry; end of the program
  unsigned head_ = 0, count_ = 0;      // of entries_, a ring
  std::vector<Entry> entries_;
};

}  // namespace warpvp
