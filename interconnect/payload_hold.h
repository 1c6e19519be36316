#pragma once
// A payload outlives a call in which its owner may let go of it.

#include <tlm>

namespace warpvp {

/// Keeps a payload that has a memory manager alive as long as this object.
class PayloadHold {
 public:
  explicit PayloadHold(tlm::tlm_generic_payload& p) : p_(p.has_mm() ? &p : nullptr) {
    if (p_) p_->acquire();
  }
  ~PayloadHold() {
    if (p_) p_->release();
  }
  PayloadHold(const PayloadHold&) = delete;

 private:
  tlm::tlm_generic_payload* p_;
};

}  // namespace warpvp
