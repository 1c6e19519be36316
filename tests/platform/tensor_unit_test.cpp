// `sm.tensor_unit.products` as a user has them: files of times, shape by shape, and what is wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

constexpr const char kChain[] =
    ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  .reg .f32 %d<4>;\n  .reg .b32 "
    "%r<6>;\n"
    "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
    "{%d0,%d1,%d2,%d3};\n"
    "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
    "{%d0,%d1,%d2,%d3};\n  ret;\n}\n";

/// A warp with a chain of two products, on an SM with these times.
struct Chain {
  ScratchFolder scratch;
  Finished run(const std::string& products) {
    scratch.file("k.ptx", kChain);
    scratch.file("products.yaml", products);
    const std::string file = scratch.file(
        "run.yaml",
        "platform:\n  extends: small\n  sm: {tensor_unit: {products: products.yaml}}\nworkload:\n"
        "  launches:\n    - {ptx: k.ptx, entry: k, grid: [1], block: [32]}\n");
    return run_program({"run", file, "-q", "--out", (scratch / "out").string()});
  }
  int cycles(const std::string& latency) {
    const Finished ran =
        run("products: {p: {shape: m16n8k16, type: f16, interval: 4, latency: " + latency + "}}\n");
    EXPECT_EQ(ran.status, 0) << ran.err;
    return read_json(scratch / "out" / "result.json")["simulation"]["kernel_cycles"].get<int>();
  }
};

TEST(TensorUnit, TakesTheTimesOfAFile) {
  Chain chain;
  EXPECT_EQ(chain.cycles("90") - chain.cycles("30"), 60);
}

struct WrongTimes {
  const char *name, *products, *message;
};
class WrongProducts : public testing::TestWithParam<WrongTimes> {};

TEST_P(WrongProducts, AreOneLineWithThePlace) {
  const Finished run = Chain().run(GetParam().products);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr(GetParam().message));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

const WrongTimes kWrongTimes[] = {
    {"Shape", "products: {p: {shape: m16n8, type: f16, interval: 4, latency: 20}}\n",
     "products.yaml:1:23: 'products.p.shape': 'm16n8' is no shape; allowed: mMnNkK of as many multiply-adds"},
    {"OddShape", "products: {p: {shape: m16n8k12, type: f16, interval: 4, latency: 20}}\n",
     "products.yaml:1:23: 'products.p.shape': 'm16n8k12' is no shape; allowed: mMnNkK of as many"},
    {"HugeShape", "products: {p: {shape: m9999n9999k9999, type: f16, interval: 4, latency: 20}}\n",
     "'m9999n9999k9999' is no shape"},
    {"NothingSparse", "products: {p: {shape: m1n1k1, type: f16, sparse: true, interval: 4, latency: 20}}\n",
     "'m1n1k1' is no shape"},
    {"NoShape", "products: {p: {type: f16, interval: 4, latency: 20}}\n",
     "products.yaml:1:15: 'products.p.shape': '' is no shape"},
    {"Type", "products: {p: {shape: m16n8k16, type: f32, interval: 4, latency: 20}}\n",
     "products.yaml:1:39: 'products.p.type' is 'f32'; allowed: one of: f16, tf32, f64, s8, e4m3, s4, b1"},
    {"NoType", "products: {p: {shape: m16n8k16, interval: 4, latency: 20}}\n",
     "'products.p.type': is missing"},
    {"Interval", "products: {p: {shape: m16n8k16, type: f16, interval: 0.5, latency: 20}}\n",
     "products.yaml:1:54: 'products.p.interval' is 0.5; allowed: "},
    {"NoLatency", "products: {p: {shape: m16n8k16, type: f16, interval: 4}}\n",
     "'products.p.latency': is missing"},
    {"Twice",
     "products:\n  p: {shape: m16n8k16, type: f16, interval: 4, latency: 20}\n"
     "  q: {shape: m8n32k8, type: f16, interval: 4, latency: 20}\n",
     "products.yaml:3:3: 'q' is of the same type and as many multiply-adds as 'p'; allowed: one record"},
};
INSTANTIATE_TEST_SUITE_P(TensorUnit, WrongProducts, testing::ValuesIn(kWrongTimes),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpvp::test
