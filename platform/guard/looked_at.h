#pragma once
// The places in memory that loops look at, and what they saw there.

#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace warpvp {

class LookedAt {
 public:
  /// Whoever looks at more words than this does not wait for a lock.
  static constexpr std::size_t kMostWords = 1 << 18;

  enum class Sight : std::uint8_t {
    kKnown,  ///< as all have seen it
    kNew,    ///< nobody had looked at all of it
    kOther   ///< it was something else before
  };
  /// Somebody sees `bytes` (1 to 8) of `value` at that place of the host's memory.
  Sight see(const unsigned char* place, unsigned bytes, std::uint64_t value) {
    Sight sight = Sight::kKnown;
    each_byte(place, bytes, value, [&](Word& word, unsigned at, unsigned char byte) {
      if (!(word.known >> at & 1)) {
        if (sight == Sight::kKnown) sight = Sight::kNew;
        word.known |= static_cast<std::uint8_t>(1u << at);
        word.bytes[at] = byte;
      } else if (word.bytes[at] != byte) {
        sight = Sight::kOther;
      }
    });
    return sight;
  }
  /// Somebody has looked at a part of these bytes.
  bool covers(const unsigned char* place, unsigned bytes) const {
    bool any = false;
    each_known(place, bytes, 0, [&](unsigned char, unsigned char) { any = true; });
    return any;
  }
  /// What has been looked at of these bytes has this value.
  bool agrees(const unsigned char* place, unsigned bytes, std::uint64_t value) const {
    bool all = true;
    each_known(place, bytes, value, [&](unsigned char was, unsigned char is) { all = all && was == is; });
    return all;
  }
  /// Memory still is what was seen.
  bool stands() const {
    for (const auto& [place, word] : words_)
      for (unsigned at = 0; at < 8; ++at)
        if ((word.known >> at & 1) && place[at] != word.bytes[at]) return false;
    return true;
  }
  std::size_t words() const { return words_.size(); }

 private:
  struct Word {
    std::uint8_t known = 0;
    unsigned char bytes[8] = {};
  };
  static const unsigned char* word_of(const unsigned char* place) {
    return place - reinterpret_cast<std::uintptr_t>(place) % 8;
  }
  template <class Body>
  void each_byte(const unsigned char* place, unsigned bytes, std::uint64_t value, Body body) {
    for (unsigned i = 0; i < bytes; ++i) {
      const unsigned char* const word = word_of(place + i);
      body(words_[word], static_cast<unsigned>(place + i - word), static_cast<unsigned char>(value >> 8 * i));
    }
  }
  template <class Body>
  void each_known(const unsigned char* place, unsigned bytes, std::uint64_t value, Body body) const {
    for (unsigned i = 0; i < bytes; ++i) {
      const unsigned char* const word = word_of(place + i);
      const auto at = words_.find(word);
      if (at == words_.end()) continue;
      const auto byte = static_cast<unsigned>(place + i - word);
      if (at->second.known >> byte & 1)
        body(at->second.bytes[byte], static_cast<unsigned char>(value >> 8 * i));
    }
  }

  /// The key is a place in the host's memory, only looked up.
  std::unordered_map<const unsigned char*, Word> words_;
};

}  // namespace warpvp
