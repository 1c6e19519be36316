// Stores that are kept until the device has come to their edge (ptx/exec/store_log.h): what loads see
// meanwhile, and what is in memory afterwards, is what a plain array of bytes says.

#include "ptx/exec/store_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "ptx/exec/slice_stores.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

constexpr std::uint64_t kOrigin = 0x7000'0000'0000;

TEST(StoreLog, LoadsSeeTheStoresOfEarlierEdges) {
  constexpr unsigned kBytes = 2048;
  std::mt19937 random(11);
  std::vector<std::byte> memory(kBytes), written(kBytes);
  struct Store {
    Cycle edge;
    std::uint64_t at;
    std::vector<std::byte> data;
  };
  std::vector<Store> stores;
  StoreLog log(memory.data(), kOrigin);
  unsigned touched = 0, untouched = 0;
  for (Cycle edge = 1; edge < 4000; ++edge) {
    const unsigned bytes = 1u << random() % 6;
    std::uint64_t address[kWarpSize];
    for (auto& a : address) a = kOrigin + random() % (kBytes / bytes) * bytes;
    const LaneMask lanes = random() % 3 == 0 ? 1u << random() % 32 : static_cast<LaneMask>(random()) | 1u;
    if (random() % 4 == 0) {
      std::uintptr_t to[kWarpSize];
      log.add(edge, address, lanes, bytes, to);
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        Store store{edge, address[lane] - kOrigin, {}};
        for (unsigned i = 0; i < bytes; ++i)
          store.data.push_back(reinterpret_cast<std::byte*>(to[lane])[i] = static_cast<std::byte>(random()));
        stores.push_back(store);
      }
    }
    if (random() % 64 == 0) {  // the device follows
      const Cycle device = edge - random() % 40;
      while (log.first() <= device) log.write_first();
      for (const Store& s : stores)
        if (s.edge <= device)
          std::copy(s.data.begin(), s.data.end(), written.begin() + static_cast<int>(s.at));
      stores.erase(
          std::remove_if(stores.begin(), stores.end(), [&](const Store& s) { return s.edge <= device; }),
          stores.end());
      ASSERT_EQ(memory, written) << "edge " << edge;
    }
    std::vector<std::byte> seen = written;
    for (const Store& s : stores)
      if (s.edge < edge) std::copy(s.data.begin(), s.data.end(), seen.begin() + static_cast<int>(s.at));
    std::byte room[kWarpSize * StoreLog::kMostBytes];
    std::uintptr_t from[kWarpSize] = {};
    log.find(address, lanes, bytes, edge, room, from);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      const std::uint64_t at = address[lane] - kOrigin;
      std::byte found[StoreLog::kMostBytes];
      log.read(address[lane], bytes, edge, found);
      ASSERT_EQ(std::memcmp(found, &seen[at], bytes), 0) << "edge " << edge;
      const auto* const there = from[lane] != 0 ? reinterpret_cast<std::byte*>(from[lane]) : &memory[at];
      ASSERT_EQ(std::memcmp(there, &seen[at], bytes), 0) << "edge " << edge;
      ++(from[lane] != 0 ? touched : untouched);
      ASSERT_TRUE(from[lane] == 0 || log.within(address[lane], address[lane])) << "edge " << edge;
    }
  }
  EXPECT_GT(touched, 100u);
  EXPECT_GT(untouched, 100u) << "a lane that reads nothing of it has to be let alone";
}

/// A warp that is stepped to its end before any of its stores is written: 32 threads, `out` of 4096 bytes.
std::vector<std::uint8_t> ahead(PtxModule& module, const std::string& entry, OwnStores& stores,
                                const std::function<void()>& write) {
  ExecEnv env;
  ExecFault fault;
  env.global = &module.memory();
  env.fault = &fault;
  env.defer_effects = true;
  env.stores = &stores;
  const std::uint64_t out = module.buffer(std::vector<std::uint8_t>(4096));
  std::vector<std::uint8_t> arguments(8);
  std::memcpy(arguments.data(), &out, 8);
  const auto program = module.entry(entry);
  Cta cta;
  cta.start(*program, env, {1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0, 0, 1, arguments.data());
  Warp warp;
  warp.launch(cta, 0);
  for (; !warp.exited(); ++env.cycle)
    if (warp.step() == StepKind::kFault) ADD_FAILURE() << fault.what;
  EXPECT_TRUE(env.pending.empty());
  EXPECT_TRUE(cta.acted_outside());
  EXPECT_EQ(module.read<std::uint8_t>(out, 4096), std::vector<std::uint8_t>(4096)) << "nobody sees it yet";
  write();
  EXPECT_TRUE(stores.empty());
  return module.read<std::uint8_t>(out, 4096);
}

// Each thread has 64 bytes at %rd2; %r1 is its number.
struct AheadCase {
  const char* name;
  const char* body;
  unsigned stores;
};
const AheadCase kAhead[] = {
    {"a_register_that_changes_afterwards", "st.global.u32 [%rd2], %r1; mov.u32 %r1, 99; mov.u64 %rd2, 0;", 1},
    {"load_of_the_own_store",
     "st.global.u32 [%rd2], %r1; ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd2+4], %r2;", 2},
    {"a_part_of_a_wide_load",
     "st.global.u8 [%rd2+5], %r1; ld.global.v2.u32 {%r2, %r3}, [%rd2]; st.global.v2.u32 [%rd2+8], {%r3, "
     "%r2};",
     2},
    {"a_wide_store_read_in_parts",
     "st.global.v4.u32 [%rd2], {%r1, %r4, %r1, %r4}; ld.global.u16 %r2, [%rd2+6]; ld.global.s8 %r3, "
     "[%rd2+9]; "
     "st.global.v2.u32 [%rd2+16], {%r2, %r3};",
     2},
    {"of_another_lane",
     "st.global.u32 [%rd2], %r1; xor.b32 %r2, %r1, 5; mad.wide.u32 %rd3, %r2, 64, %rd1; "
     "ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd2+4], %r3;",
     2},
    {"one_word_of_all_lanes",
     "st.global.u32 [%rd1+32], %r1; ld.global.u32 %r2, [%rd1+32]; st.global.u32 [%rd2], %r2;", 2},
    {"the_later_of_two",
     "st.global.u32 [%rd2], %r1; add.u32 %r1, %r1, 7; st.global.u32 [%rd2], %r1; "
     "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd2+4], %r2;",
     3},
    {"some_lanes_only",
     "setp.lt.u32 %p, %r1, 9; @%p st.global.u32 [%rd2], %r1; @!%p ld.global.u32 %r4, [%rd1+64]; "
     "@%p ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd2+4], %r4;",
     2},
    {"generic_addresses_in_two_spaces",
     "setp.lt.u32 %p, %r1, 16; mov.u64 %rd3, shared; cvta.shared.u64 %rd3, %rd3; mad.wide.u32 %rd3, %r1, 4, "
     "%rd3; "
     "selp.u64 %rd4, %rd3, %rd2, %p; st.u32 [%rd4], %r1; ld.u32 %r2, [%rd4]; st.global.u32 [%rd2+4], %r2;",
     2},
    {"a_bulk_copy_to_shared_memory",
     "st.global.u32 [%rd2], %r1; mov.u32 %r2, shared; mad.lo.u32 %r2, %r1, 64, %r2; mov.u32 %r3, barrier; "
     "setp.eq.u32 %p, %r1, 0; @%p mbarrier.init.shared.b64 [%r3], 32; "
     "mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r3], 48; "
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], 48, [%r3]; "
     "ld.shared.u32 %r4, [%r2]; st.global.u32 [%rd2+4], %r4;",
     2},
    {"a_copy_to_shared_memory",
     "st.global.u32 [%rd2], %r1; mov.u32 %r2, shared; mad.lo.u32 %r2, %r1, 4, %r2; cp.async.ca.shared.global "
     "[%r2], [%rd2], 4; "
     "cp.async.wait_all; ld.shared.u32 %r3, [%r2]; st.global.u32 [%rd2+4], %r3;",
     2},
};

class StoresAhead : public ::testing::TestWithParam<AheadCase> {};

TEST_P(StoresAhead, AreSeenByTheWarpAsIfTheyWereInMemory) {
  const std::string text =
      std::string(
          ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
          ".reg .u32 %r<8>; .reg .u64 %rd<8>; .reg .pred %p;\n"
          ".shared .align 16 .b8 shared[2048]; .shared .align 8 .b64 barrier;\n"
          "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r4, 0x80a0b0c0;\n"
          "mad.wide.u32 %rd2, %r1, 64, %rd1;\n") +
      GetParam().body + "\nret;\n}\n";
  PtxModule at_once(text), later(text), at_end(text);
  const std::uint64_t out = at_once.buffer(std::vector<std::uint8_t>(4096));
  ASSERT_TRUE(at_once.run("k", {1, 1, 1}, {32, 1, 1}, 0, out).ok());
  const auto expected = at_once.read<std::uint8_t>(out, 4096);
  StoreLog log(later.memory().host, later.memory().origin);
  EXPECT_EQ(ahead(later, "k", log,
                  [&] {
                    while (!log.empty()) log.write_first();
                  }),
            expected);
  EXPECT_EQ(log.added(), GetParam().stores);
  SliceStores slice(at_end.memory().host, at_end.memory().origin);
  EXPECT_EQ(ahead(at_end, "k", slice, [&] { slice.write(); }), expected);
}
INSTANTIATE_TEST_SUITE_P(Bodies, StoresAhead, ::testing::ValuesIn(kAhead),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpvp::ptx::testing
