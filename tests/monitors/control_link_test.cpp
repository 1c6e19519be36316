// Register accesses are made by threads and must not wait: whoever does otherwise is named.

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "base/wildcard.h"
#include "interconnect/register_bus.h"
#include "platform/build/links.h"

namespace warpvp {
namespace {

struct WaitingTarget : sc_core::sc_module {
  explicit WaitingTarget(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &WaitingTarget::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    wait(sc_core::sc_time(5, sc_core::SC_NS));
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_target_socket<WaitingTarget> socket;
};

struct Caller : sc_core::sc_module {
  SC_HAS_PROCESS(Caller);
  Caller(sc_core::sc_module_name name, bool thread) : sc_module(name), socket("socket") {
    if (thread) {
      SC_THREAD(call);
    } else {
      SC_METHOD(call);
    }
  }
  void call() {
    unsigned char data[4] = {};
    tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(0x104);
    payload.set_data_ptr(data);
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
  }
  tlm_utils::simple_initiator_socket<Caller> socket;
};

struct Top : sc_core::sc_module {
  Top(sc_core::sc_module_name name, bool thread, FaultSink& faults)
      : sc_module(name),
        links({}, true, faults, {}),
        bus("bus", {}, links),
        target("target"),
        caller("caller", thread) {
    bus.connect_initiator("caller", caller.socket);
    bus.connect_target("target", 0x100, 0x100, target.socket);
  }
  Links links;
  RegisterBus bus;
  WaitingTarget target;
  Caller caller;
};

class ControlLink : public ::testing::TestWithParam<bool> {};

// A method is named for its call, before its target could wait.
TEST_P(ControlLink, ATargetThatWaitsIsNamed) {
  FaultSink faults;
  Top top("top", GetParam(), faults);
  EXPECT_THROW(sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS)), sc_core::sc_report);
  ASSERT_TRUE(faults.faulted());
  const std::string expected =
      GetParam()
          ? "on link bus_to_target at 5.000 ns: b_transport called wait() where it may not at address 0x4"
          : "on link bus_from_caller at 0.000 ns: b_transport called by a method at address 0x104";
  EXPECT_NE(faults.fault()->summary().find(expected), std::string::npos) << faults.fault()->summary();
}

INSTANTIATE_TEST_SUITE_P(Called, ControlLink, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "ByAThread" : "ByAMethod"; });

TEST(LinkNames, MatchPatterns) {
  EXPECT_TRUE(matches_pattern("*", "sm_0"));
  EXPECT_TRUE(matches_pattern("sm_*", "sm_12"));
  EXPECT_TRUE(matches_pattern("*_m*y", "dma_0_memory"));
  EXPECT_TRUE(matches_pattern("a*b*c", "abbc"));
  EXPECT_FALSE(matches_pattern("sm_1", "sm_12"));
  EXPECT_FALSE(matches_pattern("sm_12", "sm_1"));
  EXPECT_FALSE(matches_pattern("*_0", "sm_1"));
  EXPECT_FALSE(matches_pattern("", "sm_1"));
}

}  // namespace
}  // namespace warpvp
