// Seeded violations, one each, must be reported under their rule; ports_test.cpp and memory_system_test.cpp
// show that good traffic is not reported.

#include "interconnect/protocol_checker.h"

#include <gtest/gtest.h>

#include "interconnect/transaction.h"

namespace warpvp {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

TLM_DECLARE_EXTENDED_PHASE(EXTENDED_PHASE);

// Both ends in one: the test sends phases by hand and says what the other end answers.
struct Bench : sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
  explicit Bench(sc_core::sc_module_name name)
      : sc_module(name), initiator("initiator"), target("target"), checker("checker") {
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator.bind(checker.target);
    checker.initiator.bind(target);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(run);
  }
  tlm::tlm_initiator_socket<> initiator;
  tlm::tlm_target_socket<> target;
  ProtocolChecker checker;
  TransactionPool pool;
  std::function<void(Bench&)> script;
  // What the far ends return.
  tlm_sync_enum fw_status = tlm::TLM_ACCEPTED, bw_status = tlm::TLM_ACCEPTED;
  tlm_phase fw_phase = tlm::UNINITIALIZED_PHASE, bw_phase = tlm::UNINITIALIZED_PHASE;
  std::function<void(tlm_generic_payload&)> in_target, in_initiator;

  void run() { script(*this); }
  tlm_generic_payload& make() { return pool.make(tlm::TLM_READ_COMMAND, 0x1000, 32); }
  void fw(tlm_generic_payload& p, tlm_phase phase, sc_time delay = sc_core::SC_ZERO_TIME) {
    initiator->nb_transport_fw(p, phase, delay);
  }
  void bw(tlm_generic_payload& p, tlm_phase phase, sc_time delay = sc_core::SC_ZERO_TIME) {
    target->nb_transport_bw(p, phase, delay);
  }
  void respond(tlm_generic_payload& p) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    bw(p, tlm::BEGIN_RESP);
  }
  tlm_sync_enum nb_transport_fw(tlm_generic_payload& p, tlm_phase& phase, sc_time&) override {
    if (in_target) in_target(p);
    if (fw_phase != tlm::UNINITIALIZED_PHASE) phase = fw_phase;
    return fw_status;
  }
  tlm_sync_enum nb_transport_bw(tlm_generic_payload& p, tlm_phase& phase, sc_time&) override {
    if (in_initiator) in_initiator(p);
    if (bw_phase != tlm::UNINITIALIZED_PHASE) phase = bw_phase;
    return bw_status;
  }
  void b_transport(tlm_generic_payload& p, sc_time&) override {
    if (in_target) in_target(p);
  }
  bool get_direct_mem_ptr(tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.set_start_address(42);
    return true;
  }
  unsigned transport_dbg(tlm_generic_payload&) override { return 17; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Seed {
  const char* name;
  std::vector<ProtocolRule> expected;
  std::function<void(Bench&)> script;
};

std::vector<Seed> seeds() {
  using R = ProtocolRule;
  return {
      {"GoodFourPhases",
       {},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::END_REQ);
         b.respond(p);
         b.fw(p, tlm::END_RESP);
       }},
      {"GoodAddressChangedDownstream",
       {},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         p.set_address(0x77);
         b.bw(p, tlm::END_REQ);
         b.respond(p);
         b.fw(p, tlm::END_RESP);
       }},
      {"GoodIgnorablePhase",
       {},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, EXTENDED_PHASE);
         b.fw(p, EXTENDED_PHASE);
         b.respond(p);
         b.fw(p, tlm::END_RESP);
       }},
      {"SecondRequestBeforeEndReq",
       {R::kRequestExclusion},
       [](Bench& b) {
         b.fw(b.make(), tlm::BEGIN_REQ);
         b.fw(b.make(), tlm::BEGIN_REQ);
       }},
      {"RequestBeforeAnnotatedEndReq",
       {R::kRequestExclusion},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::END_REQ, sc_time(5, SC_NS));
         b.fw(b.make(), tlm::BEGIN_REQ);
       }},
      {"SecondResponseBeforeEndResp",
       {R::kResponseExclusion},
       [](Bench& b) {
         auto& p = b.make();
         auto& q = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::END_REQ);
         b.fw(q, tlm::BEGIN_REQ);
         b.bw(q, tlm::END_REQ);
         b.respond(p);
         b.respond(q);
       }},
      {"EndReqTwice",
       {R::kPhaseOrder},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::END_REQ);
         b.bw(p, tlm::END_REQ);
       }},
      {"EndReqAfterBeginResp",
       {R::kPhaseOrder},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.respond(p);
         b.bw(p, tlm::END_REQ);
       }},
      {"ResponseToNothing", {R::kPhaseOrder}, [](Bench& b) { b.respond(b.make()); }},
      {"ResponseTwice",
       {R::kPhaseOrder},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.respond(p);
         b.respond(p);
       }},
      {"EndRespWithoutResponse",
       {R::kPhaseOrder},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::END_REQ);
         b.fw(p, tlm::END_RESP);
       }},
      {"WrongPhaseOnForwardPath", {R::kPhaseOrder}, [](Bench& b) { b.fw(b.make(), tlm::END_REQ); }},
      {"WrongPhaseOnBackwardPath",
       {R::kPhaseOrder},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::BEGIN_REQ);
       }},
      {"AcceptedButPhaseChanged",
       {R::kReturnValue},
       [](Bench& b) {
         b.fw_phase = tlm::END_REQ;
         b.fw(b.make(), tlm::BEGIN_REQ);
       }},
      {"UpdatedWithoutNewPhase",
       {R::kReturnValue},
       [](Bench& b) {
         b.fw_status = tlm::TLM_UPDATED;
         b.fw(b.make(), tlm::BEGIN_REQ);
       }},
      {"BackwardUpdatedToNonsense",
       {R::kReturnValue},
       [](Bench& b) {
         b.bw_status = tlm::TLM_UPDATED;
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.respond(p);
       }},
      {"CompletedWithoutStatus",
       {R::kStatusMissing},
       [](Bench& b) {
         b.fw_status = tlm::TLM_COMPLETED;
         b.fw(b.make(), tlm::BEGIN_REQ);
       }},
      {"ResponseWithoutStatus",
       {R::kStatusMissing},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::BEGIN_RESP);
       }},
      {"ResponseBeforeItsRequestEnds",
       {R::kTimeGoesBack},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::END_REQ, sc_time(9, SC_NS));
         b.respond(p);
       }},
      {"ReusedWhileUnderWay",
       {R::kTransactionReused},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         b.bw(p, tlm::END_REQ);
         b.fw(p, tlm::BEGIN_REQ);
       }},
      {"NoMemoryManager",
       {R::kNoMemoryManager},
       [](Bench& b) {
         static tlm_generic_payload p;
         static unsigned char data[4];
         p.set_data_ptr(data);
         p.set_data_length(4);
         p.set_streaming_width(4);
         p.set_read();
         b.fw(p, tlm::BEGIN_REQ);
       }},
      {"ReleasedTooEarly",
       {R::kReferenceCount},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         p.release();
         b.bw(p, tlm::END_REQ);
       }},
      {"NullData",
       {R::kNullData},
       [](Bench& b) {
         auto& p = b.make();
         p.set_data_ptr(nullptr);
         b.fw(p, tlm::BEGIN_REQ);
       }},
      {"ZeroLength",
       {R::kZeroLength},
       [](Bench& b) {
         auto& p = b.make();
         p.set_data_length(0);
         b.fw(p, tlm::BEGIN_REQ);
       }},
      {"ZeroStreamingWidth",
       {R::kZeroLength},
       [](Bench& b) {
         auto& p = b.make();
         p.set_streaming_width(0);
         b.fw(p, tlm::BEGIN_REQ);
       }},
      {"ByteEnablesWithoutLength",
       {R::kByteEnableLength},
       [](Bench& b) {
         static unsigned char enables[1] = {0xff};
         auto& p = b.make();
         p.set_byte_enable_ptr(enables);
         b.fw(p, tlm::BEGIN_REQ);
       }},
      {"RequestWithStatus",
       {R::kStatusNotIncomplete},
       [](Bench& b) {
         auto& p = b.make();
         p.set_response_status(tlm::TLM_OK_RESPONSE);
         b.fw(p, tlm::BEGIN_REQ);
       }},
      {"CommandChanged",
       {R::kAttributeChanged},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         p.set_write();
         b.bw(p, tlm::END_REQ);
       }},
      {"LengthChanged",
       {R::kAttributeChanged},
       [](Bench& b) {
         auto& p = b.make();
         b.fw(p, tlm::BEGIN_REQ);
         p.set_data_length(16);
         b.respond(p);
       }},
      {"DataChanged",
       {R::kDataChanged},
       [](Bench& b) {
         auto& p = b.pool.make(tlm::TLM_WRITE_COMMAND, 0x1000, 32);
         b.fw(p, tlm::BEGIN_REQ);
         p.get_data_ptr()[31] = 1;
         b.bw(p, tlm::END_REQ);
       }},
      {"DataChangedByWhoTakesTheResponse",
       {R::kDataChanged},
       [](Bench& b) {
         auto& p = b.pool.make(tlm::TLM_WRITE_COMMAND, 0x1000, 32);
         b.fw(p, tlm::BEGIN_REQ);
         b.bw_status = tlm::TLM_COMPLETED;
         b.in_initiator = [](tlm_generic_payload& payload) { payload.get_data_ptr()[0] = 1; };
         b.respond(p);
       }},
      {"BlockingChangesTheDataOfAWrite",
       {R::kDataChanged},
       [](Bench& b) {
         b.in_target = [](tlm_generic_payload& p) {
           p.set_response_status(tlm::TLM_OK_RESPONSE);
           p.get_data_ptr()[5] = 1;
         };
         sc_time delay;
         b.initiator->b_transport(b.pool.make(tlm::TLM_WRITE_COMMAND, 0x1000, 32), delay);
       }},
      {"BlockingFillsTheDataOfARead",
       {},
       [](Bench& b) {
         b.in_target = [](tlm_generic_payload& p) {
           p.set_response_status(tlm::TLM_OK_RESPONSE);
           p.get_data_ptr()[5] = 1;
         };
         sc_time delay;
         b.initiator->b_transport(b.make(), delay);
       }},
      {"BlockingWithoutStatus",
       {R::kStatusMissing},
       [](Bench& b) {
         sc_time delay;
         b.initiator->b_transport(b.make(), delay);
       }},
      {"BlockingChangesLength",
       {R::kAttributeChanged},
       [](Bench& b) {
         b.in_target = [](tlm_generic_payload& p) {
           p.set_response_status(tlm::TLM_OK_RESPONSE);
           p.set_data_length(8);
         };
         sc_time delay;
         b.initiator->b_transport(b.make(), delay);
       }},
  };
}

class Seeded : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Seeded, IsReportedUnderItsRuleAndOnlyThat) {
  const Seed seed = seeds()[GetParam()];
  Bench bench("bench");
  bench.script = seed.script;
  unsigned called = 0;
  bench.checker.on_violation = [&](const ProtocolChecker::Violation&) { ++called; };
  sc_core::sc_start(sc_time(100, SC_NS));
  std::vector<ProtocolRule> found;
  for (const auto& v : bench.checker.violations()) found.push_back(v.rule);
  EXPECT_EQ(found, seed.expected);
  EXPECT_EQ(bench.checker.count(), seed.expected.size());
  EXPECT_EQ(called, seed.expected.size());
}

INSTANTIATE_TEST_SUITE_P(All, Seeded, ::testing::Range(std::size_t{0}, seeds().size()),
                         [](const auto& info) { return seeds()[info.param].name; });

TEST(ProtocolChecker, NamesABlockingCallThatAMethodMakes) {
  Bench bench("bench");
  bench.script = [](Bench&) {};
  bench.in_target = [](tlm_generic_payload& p) { p.set_response_status(tlm::TLM_OK_RESPONSE); };
  struct Caller : sc_core::sc_module {
    Bench& bench;
    Caller(sc_core::sc_module_name name, Bench& b) : sc_module(name), bench(b) {
      SC_HAS_PROCESS(Caller);
      SC_METHOD(call);
    }
    void call() {
      sc_time delay;
      bench.initiator->b_transport(bench.make(), delay);
    }
  } caller("caller", bench);
  sc_core::sc_start(sc_time(10, SC_NS));
  ASSERT_EQ(bench.checker.violations().size(), 1u);
  EXPECT_EQ(bench.checker.violations()[0].rule, ProtocolRule::kCalledByMethod);
}

TEST(ProtocolChecker, ForwardsDebugAndDmiAndSaysWhere) {
  Bench bench("bench");
  bench.script = [](Bench& b) {
    auto& p = b.make();
    tlm::tlm_dmi dmi;
    EXPECT_EQ(b.initiator->transport_dbg(p), 17u);
    EXPECT_TRUE(b.initiator->get_direct_mem_ptr(p, dmi));
    EXPECT_EQ(dmi.get_start_address(), 42u);
    EXPECT_EQ(b.checker.count(), 0u);
    p.set_data_ptr(nullptr);
    b.fw(p, tlm::BEGIN_REQ);
  };
  sc_core::sc_start(sc_time(10, SC_NS));
  ASSERT_EQ(bench.checker.violations().size(), 1u);
  EXPECT_EQ(bench.checker.violations()[0].text, "0 s: null data pointer, address 0x1000, at bench.checker");
}

}  // namespace
}  // namespace warpvp
