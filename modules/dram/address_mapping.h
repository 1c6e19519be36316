#pragma once
// The interface of address mappings (registry kind "dram_address_mapping"): in which bank, row and column of
// a channel an address lies. Which channel it lies in is decided before (interconnect/address_map.h).

#include <cstdint>

#include "base/stats.h"
#include "interconnect/policy_context.h"

namespace warpvp {

struct DramPlace {
  std::uint16_t bank = 0;  ///< group * banks_per_group + bank in group
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< in column accesses
};

/// What there is to map to. All counts are powers of two, given by their numbers of bits.
struct DramGeometry {
  unsigned group_bits = 0;   ///< bank groups
  unsigned bank_bits = 0;    ///< banks in a group
  unsigned column_bits = 0;  ///< column accesses in a row
  unsigned chunk_bits = 0;   ///< `group_interleave_bytes` of the controller, in column accesses
  bool bank_hash = false;    ///< `bank_hash` of the controller
  std::uint32_t banks() const { return 1u << (group_bits + bank_bits); }
  std::uint32_t columns() const { return 1u << column_bits; }
};

class DramAddressMapping {
 public:
  static constexpr const char* kKind = "dram_address_mapping";
  using Context = PolicyContext;

  virtual ~DramAddressMapping() = default;
  /// What the policy counts; shown summed over the channels.
  virtual void stats(StatVisitor&) const {}
  /// Called once, before all else.
  virtual void configure(const DramGeometry& geometry) = 0;
  /// Where column access number `index` of the channel lies (its address within the channel, divided by the
  /// bytes of a column access). No two indices share a place, and indices below banks() * columns() * rows
  /// fill the first `rows` rows of every bank, where `rows` is a power of two. Rows are below 0xffffffff.
  virtual DramPlace place(std::uint64_t index) const = 0;
};

/// Takes the fields of an index apart, from the lowest on.
class DramIndexFields {
 public:
  explicit DramIndexFields(std::uint64_t index) : rest_(index) {}
  /// The next field, of that many bits.
  std::uint32_t take(unsigned bits) {
    const auto field = static_cast<std::uint32_t>(rest_ & ((std::uint64_t{1} << bits) - 1));
    rest_ >>= bits;
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
    bank = (bank + row) & ((1u << g.bank_bits) - 1);
    group = (group + (row >> g.bank_bits)) & ((1u << g.group_bits) - 1);
  }
  return {static_cast<std::uint16_t>(group << g.bank_bits | bank), row, column};
}

/// A mapping that gives each field of the place bits of the index of its own. From the lowest on: columns of
/// a chunk, bank group, then the chunks of a row and the bank of the group, in that order or the other, and
/// the row.
class DramFieldMapping : public DramAddressMapping {
 public:
  enum class Above : std::uint8_t { kBank, kChunk };  ///< which of the two lies higher
  explicit DramFieldMapping(Above above) : above_(above) {}
  void configure(const DramGeometry& geometry) override { geometry_ = geometry; }
  DramPlace place(std::uint64_t index) const override {
    const DramGeometry& g = geometry_;
    DramIndexFields fields(index);
    const std::uint32_t low_column = fields.take(g.chunk_bits);
    const std::uint32_t group = fields.take(g.group_bits);
    std::uint32_t bank = 0;
    if (above_ == Above::kChunk) bank = fields.take(g.bank_bits);
    const std::uint32_t chunk = fields.take(g.column_bits - g.chunk_bits);
    if (above_ == Above::kBank) bank = fields.take(g.bank_bits);
    return place_of(group, bank, fields.rest(), chunk << g.chunk_bits | low_column);
  }

 protected:
  const DramGeometry& geometry() const { return geometry_; }
  /// The place of what the fields say.
  virtual DramPlace place_of(std::uint32_t group, std::uint32_t bank, std::uint32_t row,
                             std::uint32_t column) const {
    return rotated_place(geometry_, group, bank, row, column);
  }

 private:
  Above above_;
  DramGeometry geometry_;
};

/// Of the group of its statistics.
inline constexpr const char kDramAddressMappingSentence[] = "What the address mapping counts.";

}  // namespace warpvp
