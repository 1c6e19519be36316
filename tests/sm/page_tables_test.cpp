// An SM that was given page tables: what it launches, reads and finds textures by.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modules/sm/sm_registers.h"
#include "ptx/image/texture.h"
#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

namespace smr = regmap::sm;
using testing::HasSubstr;

/// Page tables at 0x1000 map all of memory, those at 0x2000 all but [hole, hole + bytes).
class TwoTrees : public AddressSpaces {
 public:
  std::uint64_t create(unsigned) override { return 0; }
  std::uint64_t root(unsigned) const override { return 0; }
  std::optional<std::uint64_t> translate(std::uint64_t root, std::uint64_t address) const override {
    if (root == 0x1000 || (root == 0x2000 && address - hole >= bytes)) return address;
    return {};
  }
  std::uint64_t page_bytes() const override { return 4096; }
  std::uint64_t hole = 0, bytes = ~0ull;
};

TEST(SmPageTables, TheTablesOfItsContextAreRegisters) {
  SmBench bench(plain_sm());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(bench.write_table(smr::kPageTable, 0x1'2345'6000), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.write_table(smr::kTextures, 0x2'0000'0040), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.read(smr::kPageTable), 0x2345'6000u);
  EXPECT_EQ(bench.read(smr::kPageTable + 4), 1u);
  EXPECT_EQ(bench.read(smr::kTextures), 0x40u);
}

// The walk decides what a context can launch, whoever owns it: without tables, with some that have nothing,
// with some that have all.
class LaunchThrough : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LaunchThrough, AKernelThatIsNotMappedIsAFault) {
  TwoTrees trees;
  SmBench bench(plain_sm(), 10, "bench", &trees);
  bench.before_launch = [&] {
    bench.write(smr::kContext, 7u);
    bench.write_table(smr::kPageTable, GetParam());
  };
  bench.context = 7;
  bench.expect_fault = GetParam() != 0x1000;
  bench.run(kTwoMoves, 64);
  if (!bench.expect_fault) return;
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_EQ(bench.faults.fault()->what, "context 7 launched a kernel of context 0");
  EXPECT_TRUE(bench.faults.fault()->address.has_value());
}
INSTANTIATE_TEST_SUITE_P(Trees, LaunchThrough, testing::Values(0x0, 0x2000, 0x1000));

// What memory answers when a walk has found no page.
TEST(SmPageTables, AnAddressErrorOfTranslatedMemoryIsAFaultOfTheContext) {
  TwoTrees trees;
  SmBench bench(plain_sm(), 10, "bench", &trees);
  bench.before_launch = [&] {
    bench.write(smr::kContext, 7u);
    bench.write_table(smr::kPageTable, 0x1000);
  };
  bench.context = 7;
  bench.expect_fault = true;
  bench.target.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;  // of the first fetch of instructions
  bench.run(kTwoMoves, 64);
  ASSERT_TRUE(bench.faults.faulted());
  const DeviceFault& fault = *bench.faults.fault();
  EXPECT_EQ(fault.what, "read of 128 bytes by context 7 in memory of context 0");
  EXPECT_EQ(fault.address, bench.program->code_address);
  EXPECT_EQ(fault.kernel, "k");
  EXPECT_EQ(fault.sm, 0);
}

/// An SM for context 7 and a kernel that reads texel 5 through handle `handle`.
struct Textured {
  explicit Textured(std::uint64_t tree) : bench(plain_sm(), 10, "bench", &trees), tree(tree) {
    ptx::TextureDescription t;
    t.width = 64;
    const ptx::ImageDescriptor d = ptx::make_texture_descriptor("object", texels, t);
    std::memcpy(bench.memory.at(descriptor), &d, sizeof d);
    bench.context = 7;
    bench.before_launch = [this] {
      bench.write(smr::kContext, 7u);
      bench.write_table(smr::kPageTable, this->tree);
      bench.write_table(smr::kTextures, table);
    };
  }
  void run(std::uint64_t handle, bool fault) {
    bench.expect_fault = fault;
    bench.run(".reg .u64 %rd<2>;\n.reg .u32 %r<2>;\n.reg .f32 %f<4>;\nmov.u64 %rd0, " +
                  std::to_string(handle) +
                  ";\nmov.u32 %r0, 5;\ntex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd0, {%r0}];\nret;\n",
              1);
  }
  TwoTrees trees;
  SmBench bench;
  std::uint64_t tree, table = 0;
  const std::uint64_t descriptor = *bench.memory.allocate(64, 4096),
                      texels = *bench.memory.allocate(4096, 4096);
};

TEST(SmPageTables, TexelsThatAreNotMappedAreAFault) {
  Textured t(0x2000);
  t.trees.hole = t.texels;
  t.trees.bytes = 4096;
  t.run(t.descriptor, true);
  ASSERT_TRUE(t.bench.faults.faulted());
  EXPECT_THAT(t.bench.faults.fault()->what, HasSubstr("by context 7 in memory of context 0"));
  EXPECT_EQ(t.bench.faults.fault()->address, t.texels + 20);
}

TEST(SmPageTables, ADescriptorThatIsNotMappedIsAFault) {
  Textured t(0x2000);
  t.trees.hole = t.descriptor;
  t.trees.bytes = 64;
  t.run(t.descriptor, true);
  ASSERT_TRUE(t.bench.faults.faulted());
  EXPECT_EQ(t.bench.faults.fault()->what,
            "handle that names no texture of 64 bytes by context 7 in memory of context 0");
}

TEST(SmPageTables, AHandleIsANumberInTheTextureTable) {
  Textured t(0x1000);
  t.table = t.descriptor - 3 * ptx::kTextureBytes;
  t.run(3, false);
}

TEST(SmPageTables, WithoutATextureTableAHandleIsAnAddress) {
  Textured t(0x1000);
  t.run(3, true);
  ASSERT_TRUE(t.bench.faults.faulted());
  EXPECT_THAT(t.bench.faults.fault()->what, HasSubstr("handle that names no texture"));
}

}  // namespace
}  // namespace warpvp::test
