#pragma once
// Which bytes of each line of a cache have been written: for sectors that were written in part and are not
// here otherwise.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpvp {

class WrittenBytes {
 public:
  WrittenBytes(std::uint32_t lines, std::uint32_t line_bytes)
      : words_((line_bytes + 63) / 64), bits_(std::size_t{lines} * words_, 0) {}

  /// Bytes begin .. end - 1 of the line were written.
  void add(std::uint32_t line, std::uint32_t begin, std::uint32_t end) {
    each(line, begin, end, [](std::uint64_t& word, std::uint64_t mask) { word |= mask; });
  }
  void remove(std::uint32_t line, std::uint32_t begin, std::uint32_t end) {
    each(line, begin, end, [](std::uint64_t& word, std::uint64_t mask) { word &= ~mask; });
  }
  bool all(std::uint32_t line, std::uint32_t begin, std::uint32_t end) {
    bool all = true;
    each(line, begin, end, [&](std::uint64_t& word, std::uint64_t mask) { all &= (word & mask) == mask; });
    return all;
  }

 private:
  template <class F>
  void each(std::uint32_t line, std::uint32_t begin, std::uint32_t end, F&& f) {
    while (begin < end) {
      const std::uint32_t stop = std::min(end, (begin / 64 + 1) * 64), count = stop - begin;
      const std::uint64_t ones = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
      f(bits_[std::size_t{line} * words_ + begin / 64], ones << begin % 64);
      begin = stop;
    }
  }

  std::uint32_t words_;  // of a line
  std::vector<std::uint64_t> bits_;
};

}  // namespace warpvp
