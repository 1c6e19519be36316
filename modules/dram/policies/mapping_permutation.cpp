// Permutation-based page interleaving: as row_bank_column, with the bank number XORed with the lowest bits of
// the row, so that addresses that would meet in one bank with different rows spread, while those of a row
// stay together. Zhang, Zhu and Zhang, MICRO 2000, who take the bits of the cache tag; here the row has them.
// It has no use for bank_hash.

#include "base/registry.h"
#include "modules/dram/address_mapping.h"

namespace warpvp {
namespace {

class Permutation : public DramAddressMapping {
 public:
  void configure(const DramGeometry& geometry) override { geometry_ = geometry; }
  DramPlace place(std::uint64_t index) const override {
    DramIndexFields fields(index);
    const std::uint32_t low_column = fields.take(geometry_.chunk_bits);
    const std::uint32_t group = fields.take(geometry_.group_bits);
    const std::uint32_t high_column = fields.take(geometry_.column_bits - geometry_.chunk_bits);
    const std::uint32_t bank = fields.take(geometry_.bank_bits);
    const std::uint32_t row = fields.rest();
    const std::uint32_t number = (group << geometry_.bank_bits | bank) ^ (row & (geometry_.banks() - 1));
    return {static_cast<std::uint16_t>(number), row, high_column << geometry_.chunk_bits | low_column};
  }

 private:
  DramGeometry geometry_;
};

WARPVP_REGISTER_POLICY(DramAddressMapping, Permutation, "permutation",
                       "As row_bank_column, with banks XORed with the lowest bits of the row.");

}  // namespace
}  // namespace warpvp
