// Row, column, bank: each chunk of group_interleave_bytes goes to the next bank, the groups first, and only
// after all of them back to the row (block interleaving; RoCoRaBaCh of gem5, Hansson et al., ISPASS 2014). A
// stream uses all banks at once and has few accesses a row in each.

#include "base/registry.h"
#include "modules/dram/address_mapping.h"

namespace warpvp {
namespace {

class BankInterleaved : public DramAddressMapping {
 public:
  void configure(const DramGeometry& geometry) override { geometry_ = geometry; }
  DramPlace place(std::uint64_t index) const override {
    DramIndexFields fields(index);
    const std::uint32_t low_column = fields.take(geometry_.chunk_bits);
    const std::uint32_t group = fields.take(geometry_.group_bits);
    const std::uint32_t bank = fields.take(geometry_.bank_bits);
    const std::uint32_t high_column = fields.take(geometry_.column_bits - geometry_.chunk_bits);
    return rotated_place(geometry_, group, bank, fields.rest(),
                         high_column << geometry_.chunk_bits | low_column);
  }

 private:
  DramGeometry geometry_;
};

WARPVP_REGISTER_POLICY(DramAddressMapping, BankInterleaved, "bank_interleaved",
                       "Neighbouring chunks go to all banks in turn before a row is used again.");

}  // namespace
}  // namespace warpvp
