// Accesses that a requester of lines answers itself.
#include "modules/host/line_requester.h"

#include <gtest/gtest.h>

#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

struct RequesterBench : sc_core::sc_module {
  DeviceMemory memory{1 << 20};
  MemoryStub stub{"stub", memory, 1, 100};
  std::vector<std::uint64_t> done;  ///< tokens, in order
  LineRequester requester{"port", {}, memory, [this](LineRequester::Access& a) { done.push_back(a.token); }};
  explicit RequesterBench(sc_core::sc_module_name name) : sc_module(name) {
    requester.port.socket.bind(stub.port(0));
  }
};

TEST(LineRequester, AnswersWhatMemoryCannotHaveWithoutTraffic) {
  RequesterBench b("bench");
  LineRequester::Access accesses[3];
  for (unsigned i = 0; i < 3; ++i) {
    accesses[i].token = i;
    accesses[i].address = b.memory.base() + 4096;
    accesses[i].bytes = 64;
  }
  accesses[0].bytes = 0;
  accesses[1].address = b.memory.base() + b.memory.size() - 63;
  for (LineRequester::Access& access : accesses) b.requester.start(access);
  EXPECT_TRUE(b.done.empty()) << "never from within start()";
  sc_core::sc_start(in_ns(1000));
  EXPECT_EQ(b.done, (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(accesses[0].status, tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(accesses[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(accesses[2].status, tlm::TLM_OK_RESPONSE);
  ASSERT_EQ(b.stub.seen.size(), 1u);
  EXPECT_EQ(b.requester.traffic().reads, 1u);
}

}  // namespace
}  // namespace warpvp::test
