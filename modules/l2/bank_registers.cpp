#include "modules/l2/bank_registers.h"

#include <algorithm>
#include <utility>

#include "interconnect/policy_contract.h"
#include "interconnect/register_map.h"

namespace warpvp {

BankRegisters::BankRegisters(ClockDomain& clock, unsigned clock_id)
    : clock_(clock), clock_id_(clock_id), block_("L2 bank", regmap::l2::kStride, "") {}

PolicyRegisters BankRegisters::of(const char* kind, const std::string& name) {
  const regmap::l2::PolicyWindow window = regmap::l2::policy_window(kind);
  return PolicyRegisters::window(kind, window.base, window.bytes, [this, kind, name](RegisterSpec spec) {
    any_ = true;
    if (spec.write) {
      const std::size_t target = targets_.size();
      targets_.push_back({kind, name, std::move(spec.write)});
      // Who reads behind a write does not see what was before: of writes that have arrived by then the last.
      if (spec.read)
        spec.read = [this, target, read = std::move(spec.read)](unsigned index) {
          const auto last = std::find_if(writes_.rbegin(), writes_.rend(), [&](const Write& w) {
            return w.target == target && w.index == index && w.arrived <= access_time_;
          });
          return last == writes_.rend() ? read(index) : last->value;
        };
      spec.write = [this, target](unsigned index, std::uint64_t value) {
        const auto later = std::find_if(writes_.begin(), writes_.end(),
                                        [&](const Write& w) { return w.due > access_edge_; });
        writes_.insert(later, {access_edge_, access_time_, target, index, value});
        clock_.wake(clock_id_, access_edge_);
      };
    }
    block_.add(std::move(spec));
  });
}

void BankRegisters::finish() {
  if (!any_) return;
  socket_ = std::make_unique<tlm_utils::simple_target_socket<BankRegisters>>("registers");
  socket_->register_b_transport(this, &BankRegisters::b_transport);
  socket_->register_transport_dbg(this, &BankRegisters::transport_dbg);
}

void BankRegisters::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_time_ = sc_core::sc_time_stamp() + delay;
  access_edge_ = clock_.edge_after(delay);
  block_.transport(payload);
}

void BankRegisters::act(Cycle now) {
  while (!writes_.empty() && writes_.front().due <= now) {
    const Write write = writes_.front();
    writes_.erase(writes_.begin());
    const Target& target = targets_[write.target];
    try {
      target.write(write.index, write.value);
    } catch (...) {
      report_thrown(target.kind.c_str(), target.name);
    }
  }
}

}  // namespace warpvp
