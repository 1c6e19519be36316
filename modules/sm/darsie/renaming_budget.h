#pragma once
// Which vector registers of an SM its CTAs have for renaming (Yeh's thesis, section 7.3.1): what occupancy
// leaves of the register file, divided among the CTAs that fit, and what is dealt to a CTA beyond what its
// warps use. Kernels that share an SM share what is left; registers that a CTA needs go before renaming.

#include <cstdint>
#include <functional>
#include <vector>

#include "base/sm_resources.h"

namespace warpvp::darsie {

class RenamingBudget {
 public:
  /// A CTA has at most `most` rows, vector registers of ptx::kWarpSize words. `in_file`: they lie in the
  /// register file; otherwise each CTA has so many in a file of its own.
  RenamingBudget(const SmResources& sm, unsigned most, bool in_file);

  /// A CTA of `threads` begins in slot `slot`. `most_ctas` of its kernel fit the SM. Returns the rows that it
  /// has.
  unsigned begin(unsigned slot, std::uint32_t threads, std::uint32_t registers_per_thread,
                 std::uint32_t most_ctas);
  /// Registers that CTAs need are lent for renaming: calls `take_back(slot, rows)` for CTAs in slots other
  /// than `but` until that is no longer so.
  void recover(unsigned but, const std::function<void(unsigned slot, unsigned rows)>& take_back);
  void end(unsigned slot);

 private:
  struct Share {
    std::uint32_t needs = 0;  // registers, dealt to the CTA's warps
    unsigned lent = 0;        // rows, of what is left of the register file
  };
  /// What is left of the register file; negative: lent beyond it.
  std::int64_t left() const;

  const SmResources sm_;
  const unsigned most_;
  const bool in_file_;
  std::vector<Share> shares_;  // by slot
};

}  // namespace warpvp::darsie
