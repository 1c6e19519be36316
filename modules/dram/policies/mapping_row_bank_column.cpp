// Row, bank, column, from the highest bits to the lowest: a stream fills a row of each bank group, then goes
// to the next bank (page interleaving). Bank groups take turns within the row, so that a stream is not held
// up by tCCD_L; with group_interleave_bytes of a row they do not.

#include "base/registry.h"
#include "modules/dram/address_mapping.h"

namespace warpvp {
namespace {

class RowBankColumn : public DramFieldMapping {
 public:
  RowBankColumn() : DramFieldMapping(Above::kBank) {}
};

WARPVP_REGISTER_POLICY(DramAddressMapping, RowBankColumn, "row_bank_column",
                       "Neighbouring addresses share a row of each bank group; then comes the next bank.");

}  // namespace
}  // namespace warpvp
