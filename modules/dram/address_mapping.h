#pragma once
// The interface of address mappings (registry kind "dram_address_mapping"): in which bank, row and column of
// a channel an address lies. Which channel it lies in is decided before (interconnect/address_map.h).

#include <cassert>
#include <cstdint>

namespace warpvp {

struct DramPlace {
  std::uint16_t bank = 0;  ///< group * banks_per_group + bank in group
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< in column accesses
};

/// What there is to map to. All counts are powers of two.
struct DramGeometry {
  std::uint32_t bank_groups = 1;
  std::uint32_t banks_per_group = 1;
  std::uint32_t columns = 1;        ///< column accesses in a row
  std::uint32_t group_columns = 1;  ///< `group_interleave_bytes` of the controller, in column accesses
  bool bank_hash = false;           ///< `bank_hash` of the controller
  std::uint32_t banks() const { return bank_groups * banks_per_group; }
};

class DramAddressMapping {
 public:
  static constexpr const char* kKind = "dram_address_mapping";

  virtual ~DramAddressMapping() = default;
  /// Called once, before all else.
  virtual void configure(const DramGeometry& geometry) = 0;
  /// Where column access number `index` of the channel lies (its address within the channel, divided by the
  /// bytes of a column access). No two indices share a place, and indices below banks() * columns * rows fill
  /// the first `rows` rows of every bank, where `rows` is a power of two. Rows are below 0xffffffff.
  virtual DramPlace place(std::uint64_t index) const = 0;
};

/// Takes the fields of an index apart, from the lowest on.
class DramIndexFields {
 public:
  explicit DramIndexFields(std::uint64_t index) : rest_(index) {}
  /// The next field, of as many values as `count`, a power of two.
  std::uint32_t take(std::uint32_t count) {
    assert(count != 0 && (count & (count - 1)) == 0);
    const auto field = static_cast<std::uint32_t>(rest_ & (count - 1));
    rest_ >>= __builtin_ctz(count);
    return field;
  }
  std::uint32_t rest() const { return static_cast<std::uint32_t>(rest_); }

 private:
  std::uint64_t rest_;
};

/// The place of a bank of a group after `bank_hash`: banks rotate from row to row, and groups from one round
/// of the banks to the next. Rotations, not XOR: a stream then never goes from one row straight to another of
/// the same bank.
inline DramPlace rotated_place(const DramGeometry& g, std::uint32_t group, std::uint32_t bank,
                               std::uint32_t row, std::uint32_t column) {
  if (g.bank_hash) {
    bank = (bank + row) & (g.banks_per_group - 1);
    group = (group + (row >> __builtin_ctz(g.banks_per_group))) & (g.bank_groups - 1);
  }
  return {static_cast<std::uint16_t>(group * g.banks_per_group + bank), row, column};
}

}  // namespace warpvp
