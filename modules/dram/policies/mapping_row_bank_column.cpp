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
    const std::uint32_t low_column = fields.take(geometry_.group_columns);
    const std::uint32_t group = fields.take(geometry_.bank_groups);
    const std::uint32_t high_column = fields.take(geometry_.columns / geometry_.group_columns);
    const std::uint32_t bank = fields.take(geometry_.banks_per_group);
    return rotated_place(geometry_, group, bank, fields.rest(),
                         high_column * geometry_.group_columns + low_column);
  }

 private:
  DramGeometry geometry_;
};

WARPVP_REGISTER_POLICY(DramAddressMapping, RowBankColumn, "row_bank_column",
                       "Neighbouring addresses share a row of each bank group; then comes the next bank.");

}  // namespace
}  // namespace warpvp
