// A memory that knows nothing of this project stands behind the L2: plain TLM, one blocking socket, its own
// store, no direct access. Values are right all the same, since nobody reads them through it.

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <vector>

#include "base/registry.h"
#include "interconnect/device_memory.h"
#include "modules/dram/memory_channel.h"
#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

/// What somebody else has written. `deaf`: it takes writes and forgets them, and reads are all ones.
class ForeignMemory : public sc_core::sc_module {
 public:
  ForeignMemory(sc_core::sc_module_name name, bool deaf) : sc_module(name), deaf_(deaf) {
    socket.register_b_transport(this, &ForeignMemory::b_transport);
  }
  tlm_utils::simple_target_socket<ForeignMemory> socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t at = payload.get_address() - DeviceMemory::kBase;
    const unsigned bytes = payload.get_data_length();
    if (at + bytes > store_.size()) store_.resize(at + bytes, 0xff);
    if (payload.is_read()) {
      std::memset(payload.get_data_ptr(), 0xff, bytes);
      if (!deaf_) std::memcpy(payload.get_data_ptr(), &store_[at], bytes);
    } else if (!deaf_) {
      std::memcpy(&store_[at], payload.get_data_ptr(), bytes);
    }
    delay += sc_core::sc_time(80, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  const bool deaf_;
  std::vector<unsigned char> store_;
};

/// The few lines that make a channel of it: one memory for each L2 bank.
class ForeignChannel : public MemoryChannel {
 public:
  ForeignChannel(sc_core::sc_module_name name, unsigned ports, bool deaf) : MemoryChannel(name) {
    for (unsigned i = 0; i < ports; ++i)
      memories_.push_back(std::make_unique<ForeignMemory>(("memory_" + std::to_string(i)).c_str(), deaf));
  }
  tlm::tlm_target_socket<>& in(unsigned port) override { return memories_[port]->socket; }
  const PerLaunch<MemoryCounters>& launches() const override { return launches_; }
  void stats(StatVisitor& v) const override { launches_.total().stats(v); }

 private:
  std::vector<std::unique_ptr<ForeignMemory>> memories_;
  PerLaunch<MemoryCounters> launches_;
};

template <bool deaf>
class ForeignType : public MemoryChannelType {
 public:
  double clock_mhz() const override { return 1000; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    return std::make_unique<ForeignChannel>(name, place.ports, deaf);
  }
};
using StoringType = ForeignType<false>;
using DeafType = ForeignType<true>;
WARPVP_REGISTER_POLICY(MemoryChannelType, StoringType, "foreign", "Stores its data itself.");
WARPVP_REGISTER_POLICY(MemoryChannelType, DeafType, "deaf", "Stores nothing.");

class Foreign : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Foreign, MemoriesLeaveValuesAlone) {
  const auto [type, app] = GetParam();
  const Folder folder;
  // The firmware reads signals and arguments over the register bus, host and engines copy, kernels use
  // atomics.
  const RunOutcome run =
      run_yaml(folder, std::string("platform: {extends: small, check_protocol: true, dram: ") + type +
                           "}\nworkload: {app: " + app + "}\n");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.result["verified"]);
}

INSTANTIATE_TEST_SUITE_P(
    Channels, Foreign,
    ::testing::Combine(::testing::Values("foreign", "deaf"),
                       ::testing::Values("vector_add", "histogram", "matmul", "many_streams")),
    [](const auto& info) { return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param); });

}  // namespace
}  // namespace warpvp::test
