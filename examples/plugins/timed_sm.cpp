// An SM that runs each CTA in a given time and computes nothing. It shows what the work distributor does, and
// faults when it is given a CTA that it has no room for.
#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "interconnect/kernel_descriptor.h"
#include "interconnect/ports.h"
#include "modules/sm/sm.h"
#include "modules/sm/sm_registers.h"

namespace {

using warpvp::Cycle;

struct TimedSmConfig {
  std::uint32_t cycles_per_cta = 1000;

  void fields(warpvp::FieldVisitor& v) {
    v.field("cycles_per_cta", cycles_per_cta, "cycles", "From a CTA's start to its end.",
            warpvp::Constraint::range(1, 1000000000));
  }
};

class TimedSm : public warpvp::Sm, private warpvp::Clocked, private warpvp::InitiatorPort::Client {
 public:
  TimedSm(sc_core::sc_module_name name, const warpvp::SmPlace& place, const TimedSmConfig& config)
      : Sm(name),
        control_("control"),
        completion_("completion"),
        memory_("memory", *this),
        config_(config),
        id_(place.id),
        clock_(place.clock),
        clock_id_(place.clock.join(*this)),
        resources_(place.resources),
        services_(place.services),
        registers_(warpvp::make_sm_registers(hooks(), place.resources.shared_bytes)) {
    control_.register_b_transport(this, &TimedSm::control);
    control_.register_transport_dbg(this, &TimedSm::control_debug);
  }

  tlm::tlm_target_socket<>& control_socket() override { return control_; }
  tlm::tlm_initiator_socket<>& completion_socket() override { return completion_; }
  tlm::tlm_initiator_socket<>& memory_socket() override { return memory_.socket; }
  const warpvp::RegisterBlock& register_block() const override { return registers_; }
  void settle(Cycle) override {}
  const warpvp::SmCounters& counters() const override { return counters_; }
  const warpvp::SmLaunchCounters* launch_counters(std::uint32_t launch) const override {
    const auto found = launches_.find(launch);
    return found == launches_.end() ? nullptr : &found->second;
  }
  bool busy() const override { return !running_.empty(); }
  std::string describe_waiting(unsigned) const override {
    return running_.empty() ? "" : fmt::format("{} CTAs end by themselves\n", running_.size());
  }

 private:
  struct Running {
    warpvp::CtaLaunch record;
    warpvp::CtaNeeds needs;
    Cycle end = 0;
  };

  void control(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    start_ = clock_.edge_after(delay);
    registers_.transport(payload);
  }
  unsigned control_debug(tlm::tlm_generic_payload& payload) { return registers_.transport_dbg(payload); }
  warpvp::SmRegisterHooks hooks() {
    warpvp::SmRegisterHooks hooks;
    hooks.launch = [this](const warpvp::CtaLaunch& record) { launch(record); };
    hooks.resident_ctas = [this] { return static_cast<std::uint32_t>(running_.size()); };
    hooks.resident_warps = [this] { return used_.warps; };
    return hooks;
  }

  void launch(const warpvp::CtaLaunch& record) {
    warpvp::KernelDescriptor kernel;
    std::memcpy(&kernel, services_.memory.at(record.kernel_object), sizeof kernel);
    const warpvp::CtaNeeds needs = warpvp::cta_needs(
        resources_, record.block[0] * record.block[1] * record.block[2], kernel.registers_per_thread,
        kernel.static_shared_bytes + record.dynamic_shared_bytes, kernel.barriers);
    take(needs, 1);
    if (running_.size() >= resources_.ctas || used_.warps > resources_.warps ||
        used_.threads > resources_.threads || used_.registers > resources_.registers ||
        used_.shared_bytes > resources_.shared_bytes || used_.barriers > resources_.barriers)
      return fault("a CTA came for which there is no room");
    running_.push_back({record, needs, start_ + config_.cycles_per_cta});
    warpvp::SmLaunchCounters& counters = launches_[record.launch_id];
    counters.first_cycle = std::min(counters.first_cycle, start_);
    clock_.wake(clock_id_, running_.back().end);
  }
  void take(const warpvp::CtaNeeds& needs, int sign) {
    used_.warps += static_cast<unsigned>(sign) * needs.warps;
    used_.threads += static_cast<unsigned>(sign) * needs.threads;
    used_.registers += static_cast<unsigned>(sign) * needs.registers;
    used_.shared_bytes += static_cast<unsigned>(sign) * needs.shared_bytes;
    used_.barriers += static_cast<unsigned>(sign) * needs.barriers;
  }

  void evaluate(Cycle now) override {
    if (!running_.empty() && running_.front().end <= now)
      clock_.commit_by_thread();  // report() calls b_transport
  }
  Cycle commit(Cycle now) override {
    // All take the same time, so they end in the order in which they began.
    while (!running_.empty() && running_.front().end <= now) {
      const Running ended = running_.front();
      running_.erase(running_.begin());
      take(ended.needs, -1);
      ++counters_.ctas;
      warpvp::SmLaunchCounters& counters = launches_[ended.record.launch_id];
      ++counters.ctas;
      counters.last_cycle = now;
      report(ended.record);
    }
    return running_.empty() ? warpvp::kNever : running_.front().end;
  }
  void report(const warpvp::CtaLaunch& record) {
    warpvp::CtaDone done{record.launch_id,
                         record.kernel_slot,
                         static_cast<std::uint16_t>(id_),
                         {record.cta[0], record.cta[1], record.cta[2]}};
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(services_.completion_address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&done));
    payload.set_data_length(sizeof done);
    payload.set_streaming_width(sizeof done);
    completion_->b_transport(payload, delay);
    if (!payload.is_response_ok()) fault("the end of a CTA was not taken");
  }
  void fault(const char* what) {
    warpvp::DeviceFault fault;
    fault.what = what;
    fault.sm = static_cast<int>(id_);
    services_.faults.raise(std::move(fault));
  }

  // It sends nothing to memory.
  void link_free(warpvp::InitiatorPort&) override {}
  bool response(warpvp::InitiatorPort&, tlm::tlm_generic_payload&) override { return true; }

  tlm_utils::simple_target_socket<TimedSm> control_;
  tlm_utils::simple_initiator_socket<TimedSm> completion_;
  warpvp::InitiatorPort memory_;
  TimedSmConfig config_;
  unsigned id_;
  warpvp::ClockDomain& clock_;
  unsigned clock_id_;
  warpvp::SmResources resources_;
  warpvp::SmServices services_;
  warpvp::RegisterBlock registers_;
  Cycle start_ = 0;  // of what the register access under way starts
  warpvp::CtaNeeds used_;
  std::vector<Running> running_;
  warpvp::SmCounters counters_;
  std::map<std::uint32_t, warpvp::SmLaunchCounters> launches_;
};

class TimedSmType : public warpvp::SmType {
 public:
  explicit TimedSmType(const TimedSmConfig& config) : config_(config) {}
  std::unique_ptr<warpvp::Sm> build(const char* name, const warpvp::SmPlace& place) const override {
    return std::make_unique<TimedSm>(name, place, config_);
  }

 private:
  TimedSmConfig config_;
};

WARPVP_REGISTER_BLOCK(warpvp::SmType, TimedSmType, TimedSmConfig, "timed",
                      "Runs each CTA in a given time and computes nothing.");

}  // namespace
