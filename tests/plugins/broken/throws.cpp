// Parts of a plugin that throw: a warp scheduler at its first choice, another when it is made, an L2 when it
// is built, a memory channel at an edge of its own.
#include <tlm_utils/simple_target_socket.h>

#include <stdexcept>

#include "base/registry.h"
#include "interconnect/clock_domain.h"
#include "modules/dram/memory_channel.h"
#include "modules/l2/l2_bank.h"
#include "modules/sm/policies.h"

namespace {

struct ThrowsInPick : warpvp::WarpPolicy<ThrowsInPick> {
  void warp_started(unsigned, const warpvp::WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const warpvp::IssueView&) override { throw std::out_of_range("the 33rd of 32"); }
};
WARPVP_REGISTER_POLICY(warpvp::WarpSchedulerPolicy, ThrowsInPick, "throws_in_pick", "Throws.");

struct ThrowsWhenMade : ThrowsInPick {
  ThrowsWhenMade() { throw std::out_of_range("the 33rd of 32"); }
};
WARPVP_REGISTER_POLICY(warpvp::WarpSchedulerPolicy, ThrowsWhenMade, "throws_when_made", "Throws.");

struct ThrowsWhenBuilt : warpvp::L2Type {
  std::unique_ptr<warpvp::L2Bank> build(const char*, const warpvp::L2Place&) const override {
    throw std::out_of_range("the 33rd of 32");
  }
};
WARPVP_REGISTER_POLICY(warpvp::L2Type, ThrowsWhenBuilt, "throws_when_built", "Throws.");

class ThrowsAtAnEdge : public warpvp::MemoryChannel, private warpvp::Clocked {
 public:
  ThrowsAtAnEdge(sc_core::sc_module_name name, const warpvp::MemoryChannelPlace& place)
      : MemoryChannel(name) {
    for (unsigned i = 0; i < place.ports; ++i) {
      sockets_.push_back(std::make_unique<Socket>(("in_" + std::to_string(i)).c_str()));
      sockets_.back()->register_b_transport(this, &ThrowsAtAnEdge::b_transport);
    }
    place.domain.wake(place.domain.join(*this), 3);
  }
  tlm::tlm_target_socket<>& in(unsigned port) override { return *sockets_[port]; }
  const warpvp::PerLaunch<warpvp::MemoryCounters>& launches() const override { return launches_; }
  void stats(warpvp::StatVisitor&) const override {}

 private:
  using Socket = tlm_utils::simple_target_socket<ThrowsAtAnEdge>;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void evaluate(warpvp::Cycle) override { throw std::out_of_range("the 33rd of 32"); }
  warpvp::Cycle commit(warpvp::Cycle) override { return warpvp::kNever; }
  std::vector<std::unique_ptr<Socket>> sockets_;
  warpvp::PerLaunch<warpvp::MemoryCounters> launches_;
};
struct ThrowsAtAnEdgeType : warpvp::MemoryChannelType {
  double clock_mhz() const override { return 1000; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<warpvp::MemoryChannel> build(const char* name,
                                               const warpvp::MemoryChannelPlace& place) const override {
    return std::make_unique<ThrowsAtAnEdge>(name, place);
  }
};
WARPVP_REGISTER_POLICY(warpvp::MemoryChannelType, ThrowsAtAnEdgeType, "throws_at_an_edge", "Throws.");

}  // namespace
