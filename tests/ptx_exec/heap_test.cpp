// Device-side malloc and free.

#include <set>

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

const char* const kHead = R"(
.version 7.5
.target sm_70
.address_size 64
.extern .func (.param .b64 block) malloc (.param .b64 bytes);
.extern .func free (.param .b64 block);
)";

// Each thread takes `bytes` and writes the address; odd threads do not take part when `guarded`.
const std::string kTake = std::string(kHead) + R"(
.visible .entry take (.param .u64 out, .param .u64 bytes)
{
	.reg .u32 %r<4>; .reg .u64 %rd<6>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [bytes];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd3, %r1, 8, %rd1;
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd2; call (r), malloc, (n); ld.param.b64 %rd4, [r]; }
	st.global.u64 [%rd3], %rd4;
	ret;
}
.visible .entry take_even (.param .u64 out, .param .u64 bytes)
{
	.reg .u32 %r<4>; .reg .u64 %rd<6>; .reg .pred %p;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [bytes];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p, %r2, 0;
	mad.wide.u32 %rd3, %r1, 8, %rd1;
	mov.u64 %rd4, 7;
	@%p call (%rd4), malloc, (%rd2);
	st.global.u64 [%rd3], %rd4;
	ret;
}
.visible .entry give (.param .u64 blocks)
{
	.reg .u32 %r<4>; .reg .u64 %rd<6>;
	ld.param.u64 %rd1, [blocks];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd3, %r1, 8, %rd1;
	ld.global.u64 %rd4, [%rd3];
	call free, (%rd4);
	ret;
}
.visible .entry store (.param .u64 blocks, .param .u64 offset)
{
	.reg .u32 %r<4>; .reg .u64 %rd<6>;
	ld.param.u64 %rd1, [blocks];
	ld.param.u64 %rd2, [offset];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd3, %r1, 8, %rd1;
	ld.global.u64 %rd4, [%rd3];
	add.u64 %rd4, %rd4, %rd2;
	st.global.u32 [%rd4], %r1;
	ret;
}
)";

struct Heap : PtxModule {
  explicit Heap(std::uint64_t bytes = 4096) : PtxModule(kTake) { memory().heap_bytes = bytes; }
  std::vector<std::uint64_t> take(unsigned threads, std::uint64_t bytes, const char* entry = "take") {
    return outputs<std::uint64_t>(entry, threads, threads, bytes);
  }
  FunctionalResult give(const std::vector<std::uint64_t>& blocks) {
    return run("give", {1, 1, 1}, {static_cast<unsigned>(blocks.size()), 1, 1}, 0, buffer(blocks));
  }
  FunctionalResult store(std::uint64_t block, std::uint64_t offset) {
    return run("store", {1, 1, 1}, {1, 1, 1}, 0, buffer(std::vector<std::uint64_t>{block}), offset);
  }
};

TEST(Heap, LanesTakeBlocksInAscendingOrder) {
  Heap m;
  const auto blocks = m.take(40, 20);
  for (std::size_t i = 1; i < blocks.size(); ++i) EXPECT_EQ(blocks[i], blocks[0] + 32 * i);
  EXPECT_EQ(blocks[0] % 16, 0u);
}

TEST(Heap, NullWhenExhaustedAndReusableWhenFreed) {
  Heap m(1024);
  auto blocks = m.take(40, 32);  // room for 32
  for (std::size_t i = 0; i < 32; ++i) EXPECT_NE(blocks[i], 0u) << i;
  for (std::size_t i = 32; i < 40; ++i) EXPECT_EQ(blocks[i], 0u) << i;
  EXPECT_EQ(m.take(1, 1)[0], 0u) << "blocks live from kernel to kernel";
  EXPECT_TRUE(m.give(blocks).ok()) << "free of null pointers is fine";
  EXPECT_EQ(m.take(1, 1024)[0], blocks[0]) << "freed blocks are merged";
  EXPECT_EQ(m.take(1, 0)[0], 0u);
}

TEST(Heap, GuardedCallsAreOfTheirLanesOnly) {
  Heap m;
  const auto blocks = m.take(8, 16, "take_even");
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(blocks[i], i % 2 ? 7 : blocks[0] + 8 * i);
}

TEST(Heap, FreeOfWhatIsNoBlockIsAFault) {
  Heap m;
  const auto blocks = m.take(2, 64);
  const char* const what = "free of a pointer that device malloc did not give, or that was freed before";
  auto foreign = m.give({m.buffer(std::vector<int>(4))});
  ASSERT_FALSE(foreign.ok());
  EXPECT_NE(foreign.fault->what.find(what), std::string::npos) << foreign.fault->what;
  EXPECT_EQ(foreign.fault->lane, 0);
  EXPECT_NE(foreign.fault->ptx_location.find("test.ptx:"), std::string::npos);
  EXPECT_FALSE(m.give({blocks[0] + 16}).ok()) << "inside a block";
  EXPECT_TRUE(m.give({blocks[0]}).ok());
  EXPECT_FALSE(m.give({blocks[0]}).ok()) << "twice";
  const auto both = m.give({blocks[1], blocks[1]});
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.fault->lane, 1);
}

TEST(Heap, AccessesOutsideFault) {
  Heap m(1024);
  const std::uint64_t block = m.take(1, 16)[0];
  EXPECT_TRUE(m.store(block, 0).ok());
  EXPECT_TRUE(m.store(block, 1020).ok()) << "the heap is one range";
  EXPECT_FALSE(m.store(block, 1024).ok());
  EXPECT_FALSE(m.store(block, static_cast<std::uint64_t>(-4)).ok());
}

TEST(Heap, AModulesOwnMallocIsItsOwn) {
  PtxModule m(std::string(".version 7.5\n.target sm_70\n.address_size 64\n") + R"(
.func (.param .b64 r) malloc (.param .b64 n) { .reg .u64 %rd; ld.param.b64 %rd, [n]; st.param.b64 [r], %rd; ret; }
.visible .entry k (.param .u64 out)
{
	.reg .u64 %rd<3>;
	ld.param.u64 %rd1, [out];
	call (%rd2), malloc, (42);
	st.global.u64 [%rd1], %rd2;
	ret;
}
)");
  EXPECT_EQ(m.outputs<std::uint64_t>("k", 1, 1)[0], 42u);
}

}  // namespace
}  // namespace warpvp::ptx::testing
