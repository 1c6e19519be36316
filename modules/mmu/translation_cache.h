#pragma once
// What a TLB keeps: for the pages (or runs of neighbouring pages) of contexts a value, with LRU replacement.

#include <cstdint>
#include <vector>

#include "base/tag_array.h"

namespace warpvp {

template <class Value>
class TranslationCache {
 public:
  /// `entries` is a multiple of `ways`.
  TranslationCache(unsigned entries, unsigned ways)
      : tags_({entries / ways, ways, 1, 0, false}), values_(entries) {}

  /// The value of `number` (a page, or whatever is counted) of a context, which becomes the most recently
  /// used; nullptr: not here.
  const Value* find(unsigned context, std::uint64_t number) {
    const TagArray::Lookup found = tags_.probe(key(context, number));
    if (found.result != TagArray::Result::kHit) return nullptr;
    tags_.touch(found.line);
    return &values_[found.line];
  }
  void insert(unsigned context, std::uint64_t number, const Value& value) {
    const TagArray::Line line = tags_.reserve(key(context, number), 0).line;
    tags_.validate(line, 1);
    values_[line] = value;
  }
  void clear() { tags_.invalidate_all(); }
  /// Forgets the numbers from `first` on, `count` of them, of a context.
  void erase(unsigned context, std::uint64_t first, std::uint64_t count) {
    for (TagArray::Line line = 0; line < values_.size(); ++line) {
      const std::uint64_t kept = tags_.address_of(line);
      if (tags_.valid_sectors(line) != 0 && kept - key(context, first) < count) tags_.invalidate(kept);
    }
  }

 private:
  // Pages number at most 2^37 (49 bits of 4 KiB).
  static std::uint64_t key(unsigned context, std::uint64_t number) {
    return std::uint64_t{context} << 40 | number;
  }
  TagArray tags_;
  std::vector<Value> values_;
};

}  // namespace warpvp
