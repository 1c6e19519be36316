// A memory channel that breaks the base protocol once, and then does what makes findings easy to lose.

#include <cstdlib>
#include <vector>

#include "base/registry.h"
#include "interconnect/memory_access.h"
#include "interconnect/ports.h"
#include "modules/dram/memory_channel.h"

namespace warpvp {
namespace {

struct FaultyConfig {
  std::string then = "hangs";
  void fields(FieldVisitor& v) {
    v.field("then", then, "What follows the violation.", Constraint::words({"hangs", "aborts", "throws"}));
  }
};

/// Answers each read with END_REQ twice; nothing ever comes back.
class FaultyMemory final : public MemoryChannel, private tlm::tlm_fw_transport_if<> {
 public:
  FaultyMemory(const char* name, const MemoryChannelPlace& place, const FaultyConfig& config)
      : MemoryChannel(name), memory_(place.memory), config_(config) {
    for (unsigned port = 0; port < place.ports; ++port) {
      in_.push_back(std::make_unique<tlm::tlm_target_socket<>>(("in_" + std::to_string(port)).c_str()));
      in_.back()->bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }
  }
  tlm::tlm_target_socket<>& in(unsigned port) override { return *in_[port]; }
  const PerLaunch<MemoryCounters>& launches() const override { return launches_; }
  void stats(StatVisitor& v) const override { MemoryCounters().stats(v); }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    tlm::tlm_phase end = tlm::END_REQ;
    for (int twice = 0; twice < 2; ++twice) (*in_[0])->nb_transport_bw(payload, end, delay);
    if (config_.then == "aborts") std::abort();
    if (config_.then == "throws") throw std::logic_error("confused");
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    access_memory(memory_, payload);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return access_memory_debug(memory_, payload);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return grant_dmi(memory_, payload, dmi, sc_core::SC_ZERO_TIME);
  }

  DeviceMemory& memory_;
  FaultyConfig config_;
  std::vector<std::unique_ptr<tlm::tlm_target_socket<>>> in_;
  PerLaunch<MemoryCounters> launches_;
};

class FaultyType final : public MemoryChannelType {
 public:
  explicit FaultyType(const FaultyConfig& config) : config_(config) {}
  double clock_mhz() const override { return 1000; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    return std::make_unique<FaultyMemory>(name, place, config_);
  }

 private:
  FaultyConfig config_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MemoryChannelType, FaultyType, FaultyConfig, "faulty",
                                   "Breaks the protocol (tests).");

}  // namespace
}  // namespace warpvp
