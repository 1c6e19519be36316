// Row, bank, column, from the highest bits to the lowest: a stream fills a row of each bank group, then goes
// to the next bank (page interleaving). Bank groups take turns within the row, so that a stream is not held
// up by tCCD_L; with group_interleave_bytes of a row they do not.

#include "base/registry.h"
#include "modules/dram/address_mapping.h"

namespace warpvp {
namespace {

class RowBankColumn : public DramAddressMapping {
 public:
  void configure(const DramGeometry& geometry) override { geometry_ = geometry; }
  DramPlace place(std::uint64_t index) const override {
    DramIndexFields fields(index);
    const std::uint32_t low_column = fields.take(geometry_.chunk_bits);
    const std::uint32_t group = fields.take(geometry_.group_bits);
    const std::uint32_t high_column = fields.take(geometry_.column_bits - geometry_.chunk_bits);
    const std::uint32_t bank = fields.take(geometry_.bank_bits);
    return rotated_place(geometry_, group, bank, fields.rest(),
                         high_column << geometry_.chunk_bits | low_column);
  }

 private:
  DramGeometry geometry_;
};

WARPVP_REGISTER_POLICY(DramAddressMapping, RowBankColumn, "row_bank_column",
                       "Neighbouring addresses share a row of each bank group; then comes the next bank.");

}  // namespace
}  // namespace warpvp
