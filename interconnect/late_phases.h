#pragma once
// Phases of a link that come with a delay: kept until it has passed. Blocks of this project give none, so the
// queue, a SystemC process with its event, is made when the first comes.

#include <tlm_utils/peq_with_cb_and_phase.h>

#include <memory>
#include <tlm>

namespace warpvp {

/// `Owner` is called with each phase when its time has come, in the order of these times.
template <class Owner>
class LatePhases {
 public:
  using Call = void (Owner::*)(tlm::tlm_generic_payload&, const tlm::tlm_phase&);
  /// `owner` outlives it.
  LatePhases(Owner& owner, Call call) : owner_(owner), call_(call) {}

  void notify(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
    if (!queue_) queue_ = std::make_unique<tlm_utils::peq_with_cb_and_phase<Owner>>(&owner_, call_);
    queue_->notify(payload, phase, delay);
  }

 private:
  Owner& owner_;
  const Call call_;
  std::unique_ptr<tlm_utils::peq_with_cb_and_phase<Owner>> queue_;
};

}  // namespace warpvp
