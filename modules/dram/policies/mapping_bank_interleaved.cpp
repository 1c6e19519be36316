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
    const std::uint32_t low_column = fields.take(geometry_.group_columns);
    const std::uint32_t group = fields.take(geometry_.bank_groups);
    const std::uint32_t bank = fields.take(geometry_.banks_per_group);
    const std::uint32_t high_column = fields.take(geometry_.columns / geometry_.group_columns);
    return rotated_place(geometry_, group, bank, fields.rest(),
                         high_column * geometry_.group_columns + low_column);
  }

 private:
  DramGeometry geometry_;
};

WARPVP_REGISTER_POLICY(DramAddressMapping, BankInterleaved, "bank_interleaved",
                       "Neighbouring chunks go to all banks in turn before a row is used again.");

}  // namespace
}  // namespace warpvp
