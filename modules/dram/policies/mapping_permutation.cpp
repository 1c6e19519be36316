// Permutation-based page interleaving: as row_bank_column, with the bank number XORed with the lowest bits of
// the row, so that addresses that would meet in one bank with different rows spread, while those of a row
// stay together. Zhang, Zhu and Zhang, MICRO 2000, who take the bits of the cache tag; here the row has them.
// It has no use for bank_hash.

#include "base/registry.h"
#include "modules/dram/address_mapping.h"

namespace warpvp {
namespace {

class Permutation : public DramFieldMapping {
 public:
  Permutation() : DramFieldMapping(Above::kBank) {}

 private:
  DramPlace place_of(std::uint32_t group, std::uint32_t bank, std::uint32_t row,
                     std::uint32_t column) const override {
    const std::uint32_t number = group << geometry().bank_bits | bank;
    return {static_cast<std::uint16_t>(number ^ (row & (geometry().banks() - 1))), row, column};
  }
};

WARPVP_REGISTER_POLICY(DramAddressMapping, Permutation, "permutation",
                       "As row_bank_column, with banks XORed with the lowest bits of the row.");

}  // namespace
}  // namespace warpvp
