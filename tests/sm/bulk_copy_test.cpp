// Bulk copies on an SM: their bytes cross the memory system a line at a time beside what warps do, and the
// mbarrier, or who waits for the group, hears of the last one.

#include <fmt/format.h>

#include <cstring>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

constexpr Cycle kMemoryLatency = 200;

/// The first issue of the instruction whose text contains `text`, of warp 0.
Cycle issue_of(const SmBench& bench, const std::string& text) {
  const ptx::Program& program = *bench.program;
  for (const auto& issue : bench.issues) {
    if (issue.warp != 0 || issue.pc < 0) continue;
    const ptx::Inst& inst = program.code[static_cast<std::size_t>(issue.pc)];
    if (program.texts[inst.ir_index].find(text) != std::string::npos) return issue.cycle;
  }
  ADD_FAILURE() << text << " did not issue";
  return 0;
}

std::string registers(std::uint64_t in, std::uint64_t out) {
  return fmt::format(
      ".reg .u32 %r<9>; .reg .u64 %rd<4>, %state; .reg .pred %done, %other;\n"
      ".shared .align 16 .b8 data[8192];\n.shared .align 8 .b64 bar;\n"
      "mov.u64 %rd1, {};\nmov.u64 %rd2, {};\nmov.u32 %r0, %tid.x;\nsetp.ne.u32 %other, %r0, 0;\n",
      in, out);
}

/// Whose code is always there.
SmConfig config_of(const char* memory_model) {
  SmConfig config;
  config.memory.model = memory_model;
  config.memory.instruction.ideal = true;
  return config;
}

struct Bench : SmBench {
  explicit Bench(const char* memory_model = "hierarchy") : SmBench(config_of(memory_model), kMemoryLatency) {
    in = *memory.allocate(8192);
    out = *memory.allocate(8192);
    for (unsigned i = 0; i < 2048; ++i) {
      const std::uint32_t value = 7 * i + 1;
      std::memcpy(memory.at(in + 4 * i), &value, 4);
      std::memset(memory.at(out + 4 * i), 0, 4);
    }
  }
  /// Runs a kernel of its own; `issues` are its alone.
  void run_kernel(const std::string& body, unsigned threads) {
    issues.clear();
    run(registers(in, out) + body, threads);
    ++launch_id;
  }
  std::uint32_t word(std::uint64_t address) {
    std::uint32_t value;
    std::memcpy(&value, memory.at(address), 4);
    return value;
  }
  std::uint64_t in, out;
};

/// From the copy's issue to that of the first instruction behind the wait.
Cycle time_of_copy(Bench& bench, unsigned bytes) {
  bench.run_kernel(
      fmt::format(
          "mbarrier.init.shared.b64 [bar], 1;\n"
          "mbarrier.arrive.expect_tx.shared.b64 %state, [bar], {0};\n"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%rd1], {0}, [bar];\n"
          "mov.u32 %r1, 4711;\n"
          "wait:\nmbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n@!%done bra wait;\n"
          "ld.shared.u32 %r2, [data+{1}];\nst.global.u32 [%rd2], %r2;\nret;\n",
          bytes, bytes - 4),
      1);
  EXPECT_EQ(bench.word(bench.out), 7 * (bytes / 4 - 1) + 1);
  const Cycle copy = issue_of(bench, "cp.async.bulk");
  EXPECT_LT(issue_of(bench, "4711") - copy, 10u) << "who copies goes on";
  return issue_of(bench, "ld.shared.u32") - copy;
}

TEST(BulkCopy, TheBarrierHearsOfItWhenTheLastLineIsThere) {
  Bench bench;
  const Cycle one = time_of_copy(bench, 128), many = time_of_copy(bench, 8192);
  EXPECT_GE(one, kMemoryLatency);
  EXPECT_LT(one, kMemoryLatency + 100);
  EXPECT_GE(many + 30, one + 63) << "a line a cycle at best, and the poll that sees it";
  EXPECT_GT(many, one + 30);
}

TEST(BulkCopy, AStoreIsReadBeforeItIsWritten) {
  Bench bench;
  const auto time = [&](const std::string& wait) {
    bench.run_kernel(
        "st.shared.u32 [data], 4711;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [data], 1024;\n"
        "cp.async.bulk.commit_group;\n" +
            wait + " 0;\nmov.u32 %r1, 1234;\nret;\n",
        1);
    EXPECT_EQ(bench.word(bench.out), 4711u);
    return issue_of(bench, "1234") - issue_of(bench, "cp.async.bulk.global");
  };
  const Cycle read = time("cp.async.bulk.wait_group.read"), all = time("cp.async.bulk.wait_group");
  EXPECT_GE(read, 8u) << "a line a cycle";
  EXPECT_LT(read, kMemoryLatency);
  EXPECT_GE(all, kMemoryLatency);
}

TEST(BulkCopy, EachLaneItsOwnAndReductionsToo) {
  Bench bench;
  bench.run_kernel(R"(
@!%other mbarrier.init.shared.b64 [bar], 32;
bar.sync 0;
mov.u32 %r2, data;
shl.b32 %r1, %r0, 8;
cvt.u64.u32 %rd3, %r1;
add.u64 %rd1, %rd1, %rd3;
add.u64 %rd2, %rd2, %rd3;
add.u32 %r2, %r2, %r1;
mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 256;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 256, [bar];
wait:
mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;
@!%done bra wait;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [%r2], 256;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [%r2], 256;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
ret;
)",
                   32);
  for (unsigned i = 0; i < 2048; ++i) ASSERT_EQ(bench.word(bench.out + 4 * i), 2 * (7 * i + 1)) << i;
}

TEST(BulkCopy, AWarpThatHasEndedStaysUntilItsCopyIsThere) {
  Bench bench;
  // Warp 1 waits for what warp 0 copies, which ends at once.
  bench.run_kernel(R"(
@!%other mbarrier.init.shared.b64 [bar], 1;
bar.sync 0;
setp.ge.u32 %other, %r0, 32;
@%other bra wait;
setp.ne.u32 %other, %r0, 0;
@%other ret;
mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 4096;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [data], [%rd1], 4096, [bar];
ret;
wait:
mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;
@!%done bra wait;
ld.shared.u32 %r3, [data+4092];
st.global.u32 [%rd2], %r3;
ret;
)",
                   64);
  EXPECT_EQ(bench.word(bench.out), 7u * 1023 + 1);
}

TEST(BulkCopy, TakesItsTimeOnAMemorySideWithoutContention) {
  Bench bench("isolated");
  const Cycle more = time_of_copy(bench, 8192) - time_of_copy(bench, 128);
  // To the poll that sees it.
  const Cycle lines = 63 * config_of("isolated").memory.isolated.per_transaction;
  EXPECT_NEAR(static_cast<double>(more), static_cast<double>(lines), 60);
}

}  // namespace
}  // namespace warpvp::test
