// Row, column, bank: each chunk of group_interleave_bytes goes to the next bank, the groups first, and only
// after all of them back to the row (block interleaving; RoCoRaBaCh of gem5, Hansson et al., ISPASS 2014). A
// stream uses all banks at once and has few accesses a row in each.

#include "base/registry.h"
#include "modules/dram/address_mapping.h"

namespace warpvp {
namespace {

class BankInterleaved : public DramFieldMapping {
 public:
  BankInterleaved() : DramFieldMapping(Above::kChunk) {}
};

WARPVP_REGISTER_POLICY(DramAddressMapping, BankInterleaved, "bank_interleaved",
                       "Neighbouring chunks go to all banks in turn before a row is used again.");

}  // namespace
}  // namespace warpvp
