#include "interconnect/policy_contract.h"

#include <stdexcept>
#include <systemc>

namespace warpvp {

void report_broken_contract(const char* kind, const std::string& name, const std::string& rule,
                            const std::string& place) {
  const std::string text =
      std::string(kind) + " policy '" + name + "' broke its contract: " + rule + "; " + place;
  SC_REPORT_ERROR(kBrokenContract, text.c_str());  // throws, unless somebody has changed what errors do
  throw std::logic_error(text);
}

}  // namespace warpvp
