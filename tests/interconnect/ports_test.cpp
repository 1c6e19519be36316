// The two ports against targets and initiators written with nothing but plain TLM, in every legal variant of
// the base protocol, with the protocol checker in between.

#include "interconnect/ports.h"

#include <gtest/gtest.h>

#include "interconnect/protocol_checker.h"
#include "tests/support/tlm_agents.h"

namespace warpvp::test {
void PrintTo(Variant v, std::ostream* os) {
  static const char* const names[] = {"Completed",          "CompletedDelay",   "UpdatedEndReq",
                                      "UpdatedEndReqDelay", "UpdatedBeginResp", "FourPhases",
                                      "ImplicitEndReq",     "EndReqMeetsResp"};
  *os << names[static_cast<int>(v)];
}
}  // namespace warpvp::test

namespace warpvp {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using test::Requester;
using test::ScriptedTarget;
using test::Variant;

std::string first_violation(const ProtocolChecker& checker) {
  return checker.violations().empty() ? "" : checker.violations()[0].text;
}

class InitiatorPortVariants : public ::testing::TestWithParam<std::tuple<Variant, Cycle>> {};

// 1 GHz requester; 40 requests through each variant, with responses taken at once or refused for some cycles.
TEST_P(InitiatorPortVariants, EveryRequestIsAnsweredOnceAndTheLinkStaysLegal) {
  const auto [variant, hold] = GetParam();
  ClockDomain clock("clock", 1000);
  Requester requester("requester", clock);
  ScriptedTarget target("target", variant);
  ProtocolChecker checker("checker");
  requester.port.socket.bind(checker.target);
  checker.initiator.bind(target.socket);
  for (unsigned i = 0; i < 40; ++i) requester.requests.push_back({tlm::TLM_READ_COMMAND, 64 * i, 32, 0});
  requester.hold_cycles = hold;
  sc_core::sc_start(sc_time(10, sc_core::SC_US));
  EXPECT_TRUE(requester.done());
  EXPECT_EQ(target.requests, 40u);
  EXPECT_EQ(requester.live_transactions(), 0u);
  EXPECT_EQ(checker.in_flight(), 0u);
  EXPECT_EQ(first_violation(checker), "");
  for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(requester.results[i].status, tlm::TLM_OK_RESPONSE);
  // This target answers at once when its response channel is free, so answers may overtake one another.
  const bool ordered = variant != Variant::kUpdatedBeginResp || hold == 0;
  for (unsigned i = 0; i < 40 && ordered; ++i) EXPECT_EQ(requester.results[i].order, i);

  // Times of the first transaction: sent at cycle 1; a response is seen at the edge at or before its time.
  const Requester::Result& first = requester.results[0];
  EXPECT_EQ(first.sent, 1u);
  Cycle latency = 0;
  switch (variant) {
    case Variant::kCompleted:
    case Variant::kUpdatedBeginResp:
      latency = 0;
      break;
    case Variant::kCompletedDelay:
    case Variant::kEndReqMeetsResp:
      latency = 3;
      break;
    case Variant::kUpdatedEndReq:
    case Variant::kFourPhases:
    case Variant::kImplicitEndReq:
      latency = 20;
      break;
    case Variant::kUpdatedEndReqDelay:
      latency = 23;
      break;
  }
  EXPECT_EQ(first.answered - first.sent, latency + hold);
  // When the link was free for the second request.
  Cycle gap = 1;
  if (variant == Variant::kFourPhases || variant == Variant::kCompletedDelay ||
      variant == Variant::kUpdatedEndReqDelay || variant == Variant::kEndReqMeetsResp)
    gap = 4;  // END_REQ 3 ns later, next edge
  if (variant == Variant::kImplicitEndReq) gap = 21;
  EXPECT_EQ(requester.results[1].sent - first.sent, gap);
}

std::string variant_name(const ::testing::TestParamInfo<std::tuple<Variant, Cycle>>& info) {
  return ::testing::PrintToString(std::get<0>(info.param)) + (std::get<1>(info.param) ? "Refused" : "Taken");
}

INSTANTIATE_TEST_SUITE_P(
    All, InitiatorPortVariants,
    ::testing::Combine(::testing::Values(Variant::kCompleted, Variant::kCompletedDelay,
                                         Variant::kUpdatedEndReq, Variant::kUpdatedEndReqDelay,
                                         Variant::kUpdatedBeginResp, Variant::kFourPhases,
                                         Variant::kImplicitEndReq, Variant::kEndReqMeetsResp),
                       ::testing::Values(0, 5)),
    variant_name);

/// Answers within the call that brings the request.
class PromptTarget : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  explicit PromptTarget(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.bind(*this);
  }
  tlm::tlm_target_socket<> socket;
  std::vector<int> references;  // of each payload: when it came, and when its response had been taken

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase&, sc_time&) override {
    references.push_back(p.get_ref_count());
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay;
    EXPECT_EQ(socket->nb_transport_bw(p, phase, delay), tlm::TLM_COMPLETED);
    references.push_back(p.get_ref_count());
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(tlm::tlm_generic_payload&, sc_time&) override {}
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
};

// The initiator lets go of its payload when it takes the response: whoever passed the request on may still
// look at it until the call returns.
TEST(InitiatorPort, SendsWithItsOwnersReferenceAndKeepsWhatIsAnsweredWithinTheCall) {
  ClockDomain clock("clock", 1000);
  Requester requester("requester", clock);
  PromptTarget target("target");
  requester.port.socket.bind(target.socket);
  for (unsigned i = 0; i < 3; ++i) requester.requests.push_back({tlm::TLM_READ_COMMAND, 64 * i, 32, 0});
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  EXPECT_TRUE(requester.done());
  EXPECT_EQ(requester.live_transactions(), 0u);
  EXPECT_EQ(target.references, (std::vector<int>{1, 1, 1, 1, 1, 1}));
}

// ---- TargetPort against a plain TLM initiator

enum class EndResp { kCompleted, kUpdated, kUpdatedDelay, kAcceptedLater };
void PrintTo(EndResp how, std::ostream* os) {
  static const char* const names[] = {"Completed", "Updated", "UpdatedDelay", "Later"};
  *os << names[static_cast<int>(how)];
}

// Plain TLM initiator: one request at a time, then the next as soon as END_REQ is known.
class PlainInitiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  PlainInitiator(sc_core::sc_module_name name, EndResp how, unsigned count)
      : sc_module(name), socket("socket"), how_(how), left_(count), later_(this, &PlainInitiator::due) {
    socket.bind(*this);
    SC_HAS_PROCESS(PlainInitiator);
    SC_METHOD(next);
    sensitive << go_;
  }
  tlm::tlm_initiator_socket<> socket;
  unsigned answered = 0;
  sc_time request_delay = sc_core::SC_ZERO_TIME;

 private:
  void next() {
    if (left_ == 0 || waiting_) return;
    --left_;
    Transaction& t = pool_.make(tlm::TLM_WRITE_COMMAND, 64 * left_, 32);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = request_delay;
    waiting_ = &t;
    const auto status = socket->nb_transport_fw(t, phase, delay);
    if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
      waiting_ = nullptr;
      go_.notify(delay + sc_time(1, SC_NS));
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_time& delay) override {
    if (&p == waiting_) {
      waiting_ = nullptr;
      go_.notify(sc_time(1, SC_NS));
    }
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    ++answered;
    switch (how_) {
      case EndResp::kCompleted:
        p.release();
        return tlm::TLM_COMPLETED;
      case EndResp::kUpdated:
        p.release();
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
      case EndResp::kUpdatedDelay:
        p.release();
        phase = tlm::END_RESP;
        delay += sc_time(5, SC_NS);
        return tlm::TLM_UPDATED;
      case EndResp::kAcceptedLater:
        later_.notify(p, tlm::END_RESP, sc_time(5, SC_NS));
        return tlm::TLM_ACCEPTED;
    }
    return tlm::TLM_ACCEPTED;
  }
  void due(tlm::tlm_generic_payload& p, const tlm::tlm_phase&) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(p, phase, delay);
    p.release();
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  EndResp how_;
  unsigned left_;
  TransactionPool pool_;
  tlm::tlm_generic_payload* waiting_ = nullptr;
  sc_core::sc_event go_;
  tlm_utils::peq_with_cb_and_phase<PlainInitiator> later_;
};

// Holds up to `room` requests and answers one each 10 ns.
class SmallServer : public sc_core::sc_module, private TargetPort::Client {
 public:
  SmallServer(sc_core::sc_module_name name, unsigned room)
      : sc_module(name), port("port", *this), room_(room) {
    SC_HAS_PROCESS(SmallServer);
    SC_METHOD(serve);
    sensitive << tick_;
    dont_initialize();
  }
  TargetPort port;
  unsigned taken = 0, refused = 0;
  std::vector<sc_time> responses;

 private:
  bool request(TargetPort&, tlm::tlm_generic_payload& p) override {
    if (queue_.size() >= room_) {
      ++refused;
      return false;
    }
    ++taken;
    queue_.push_back(&p);
    tick_.notify(sc_time(10, SC_NS));
    return true;
  }
  void response_link_free(TargetPort&) override { tick_.notify(sc_core::SC_ZERO_TIME); }
  void serve() {
    if (queue_.empty() || !port.response_idle()) return;
    tlm::tlm_generic_payload& p = *queue_.front();
    queue_.pop_front();
    responses.push_back(sc_core::sc_time_stamp());
    port.respond(p);
    port.retry_request();
    if (!queue_.empty()) tick_.notify(sc_time(10, SC_NS));
  }
  unsigned room_;
  std::deque<tlm::tlm_generic_payload*> queue_;
  sc_core::sc_event tick_;
};

class TargetPortVariants : public ::testing::TestWithParam<std::tuple<EndResp, unsigned, int>> {};

TEST_P(TargetPortVariants, PlainInitiatorIsServedLegally) {
  const auto [how, room, request_delay_ns] = GetParam();
  PlainInitiator initiator("initiator", how, 25);
  initiator.request_delay = sc_time(request_delay_ns, SC_NS);
  SmallServer server("server", room);
  ProtocolChecker checker("checker");
  initiator.socket.bind(checker.target);
  checker.initiator.bind(server.port.socket);
  sc_core::sc_start(sc_time(5, sc_core::SC_US));
  EXPECT_EQ(initiator.answered, 25u);
  EXPECT_EQ(server.taken, 25u);
  EXPECT_EQ(first_violation(checker), "");
  EXPECT_EQ(checker.in_flight(), 0u);
  if (room == 1) {
    EXPECT_GT(server.refused, 10u) << "a full server withholds END_REQ";
  }
  // Where END_RESP comes 5 ns after BEGIN_RESP, no response may start earlier.
  for (std::size_t i = 1; i < server.responses.size(); ++i)
    EXPECT_GE(server.responses[i] - server.responses[i - 1], sc_time(5, SC_NS));
}

std::string target_name(const ::testing::TestParamInfo<std::tuple<EndResp, unsigned, int>>& info) {
  return ::testing::PrintToString(std::get<0>(info.param)) + "Room" +
         std::to_string(std::get<1>(info.param)) + "Delay" + std::to_string(std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, TargetPortVariants,
                         ::testing::Combine(::testing::Values(EndResp::kCompleted, EndResp::kUpdated,
                                                              EndResp::kUpdatedDelay,
                                                              EndResp::kAcceptedLater),
                                            ::testing::Values(1u, 4u), ::testing::Values(0, 2)),
                         target_name);

// ---- Transactions

TEST(TransactionPool, ReusesTransactionsWithAFreshExtension) {
  TransactionPool pool;
  Transaction& a = pool.make(tlm::TLM_READ_COMMAND, 64, 32);
  a.ext.push_port(3);
  a.ext.dram_accesses = 2;
  a.ext.launch = 7;
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(pool.in_flight(), 1u);
  EXPECT_EQ(a.get_ref_count(), 1);
  a.release();
  EXPECT_EQ(pool.in_flight(), 0u);
  Transaction& b = pool.make(tlm::TLM_WRITE_COMMAND, 128, 64);
  EXPECT_EQ(&a, &b);
  EXPECT_EQ(b.ext.hops, 0);
  EXPECT_EQ(b.ext.dram_accesses, 0);
  EXPECT_EQ(b.ext.launch, 0xffffffffu);
  EXPECT_EQ(b.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
  EXPECT_EQ(b.get_extension<MemExtension>(), &b.ext);
  EXPECT_EQ(b.get_streaming_width(), 64u);
  b.release();
}

TEST(Transaction, CarriesDataUntilItIsFree) {
  TransactionPool pool;
  Transaction& t = pool.make(tlm::TLM_WRITE_COMMAND, 64, 0);
  std::vector<unsigned char> data(300, 7);
  t.carry(data);
  data.assign(300, 8);
  EXPECT_EQ(t.get_data_length(), 300u);
  EXPECT_EQ(t.get_streaming_width(), 300u);
  EXPECT_EQ(std::vector<unsigned char>(t.get_data_ptr(), t.get_data_ptr() + 300),
            std::vector<unsigned char>(300, 7));
  t.release();
  Transaction& next = pool.make(tlm::TLM_WRITE_COMMAND, 64, 32);
  EXPECT_EQ(next.get_data_ptr(), next.scratch);
  next.release();
}

struct OtherExtension : tlm::tlm_extension<OtherExtension> {
  static int alive;
  OtherExtension() { ++alive; }
  ~OtherExtension() override { --alive; }
  tlm_extension_base* clone() const override { return new OtherExtension; }
  void copy_from(const tlm_extension_base&) override {}
};
int OtherExtension::alive = 0;

TEST(TransactionPool, DropsExtensionsThatOthersAttached) {
  TransactionPool pool;
  Transaction& t = pool.make(tlm::TLM_READ_COMMAND, 0, 32);
  t.set_auto_extension(new OtherExtension);
  EXPECT_EQ(OtherExtension::alive, 1);
  t.release();
  EXPECT_EQ(OtherExtension::alive, 0);
  EXPECT_EQ(t.get_extension<MemExtension>(), &t.ext) << "its own stays";
}

TEST(MemExtension, IsFoundInPooledAndInForeignPayloads) {
  TransactionPool pool;
  Transaction& ours = pool.make(tlm::TLM_READ_COMMAND, 0, 32);
  EXPECT_EQ(MemExtension::find(ours), &ours.ext);
  EXPECT_EQ(&MemExtension::of(ours), &ours.ext);
  ours.release();
  // A foreign class with a payload for its base, bare and with the extension attached.
  struct : tlm::tlm_generic_payload {
    unsigned char data[sizeof(Transaction)] = {};
  } foreign;
  foreign.set_data_ptr(foreign.data);
  EXPECT_EQ(MemExtension::find(foreign), nullptr);
  MemExtension own;
  foreign.set_extension(&own);
  EXPECT_EQ(MemExtension::find(foreign), &own);
  EXPECT_EQ(&MemExtension::of(foreign), &own);
  foreign.clear_extension(&own);
}

TEST(MemExtension, IsAttachedToForeignPayloadsAndKeepsTheRoute) {
  tlm::tlm_generic_payload foreign;
  MemExtension& ext = MemExtension::of(foreign);
  EXPECT_EQ(&MemExtension::of(foreign), &ext);
  ext.push_port(5);
  ext.push_port(9);
  EXPECT_EQ(ext.pop_port(), 9u);
  EXPECT_EQ(ext.pop_port(), 5u);
}

}  // namespace
}  // namespace warpvp
