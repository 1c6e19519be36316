// malloc and free in kernels, and kernels of a module in which others are refused, as a user runs them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

const char* const kHead = R"(.version 7.5
.target sm_70
.address_size 64
.extern .func (.param .b64 block) malloc (.param .b64 bytes);
.extern .func free (.param .b64 block);
)";

// take: every thread puts its number into a block of its own. use: gives the numbers back and frees the
// blocks. count: one thread takes blocks of 1 KiB until there are no more and frees them.
const std::string kHeapPtx = std::string(kHead) + R"(
.visible .entry take (.param .u64 out)
{
	.reg .u32 %r<6>; .reg .u64 %rd<6>; .reg .pred %p;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r2, %r3, %r1;
	mad.wide.u32 %rd3, %r4, 8, %rd1;
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 24; call (r), malloc, (n); ld.param.b64 %rd4, [r]; }
	st.global.u64 [%rd3], %rd4;
	setp.eq.u64 %p, %rd4, 0;
	@!%p st.u32 [%rd4+20], %r4;
	ret;
}
.visible .entry use (.param .u64 blocks, .param .u64 out)
{
	.reg .u32 %r<6>; .reg .u64 %rd<8>;
	ld.param.u64 %rd1, [blocks];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r2, %r3, %r1;
	mad.wide.u32 %rd3, %r4, 8, %rd1;
	mad.wide.u32 %rd5, %r4, 4, %rd2;
	ld.global.u64 %rd4, [%rd3];
	ld.u32 %r5, [%rd4+20];
	st.global.u32 [%rd5], %r5;
	{ .param .b64 b; st.param.b64 [b], %rd4; call free, (b); }
	ret;
}
.visible .entry count (.param .u64 out)
{
	.reg .u32 %r<3>; .reg .u64 %rd<6>; .reg .pred %p;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, 0;
	mov.u64 %rd2, 0;
AGAIN:
	call (%rd3), malloc, (1024);
	setp.eq.u64 %p, %rd3, 0;
	@%p bra FULL;
	st.u64 [%rd3], %rd2;
	mov.u64 %rd2, %rd3;
	add.u32 %r1, %r1, 1;
	bra AGAIN;
FULL:
	setp.eq.u64 %p, %rd2, 0;
	@%p bra DONE;
	ld.u64 %rd4, [%rd2];
	call free, (%rd2);
	mov.u64 %rd2, %rd4;
	bra FULL;
DONE:
	st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry twice (.param .u64 out)
{
	.reg .u64 %rd<3>;
	call (%rd1), malloc, (64);
	call free, (%rd1);
	call free, (%rd1);
	ret;
}
.visible .entry beyond (.param .u64 out)
{
	.reg .u64 %rd<3>;
	call (%rd1), malloc, (64);
	st.u32 [%rd1+1073741824], 1;
	ret;
}
)";

std::string launch(const std::string& entry, const std::string& args, unsigned grid, unsigned block) {
  return fmt::format("    - {{ptx: k.ptx, entry: {}, grid: [{}], block: [{}], args: [{}]}}\n", entry, grid,
                     block, args);
}

struct Launches {
  ScratchFolder scratch;
  Finished run(const std::string& ptx, const std::string& buffers, const std::string& launches,
               const std::string& rest = "", const std::vector<std::string>& settings = {}) {
    scratch.file("k.ptx", ptx);
    const std::string file = scratch.file(
        "run.yaml", "platform: small\nworkload:\n  buffers:\n" + buffers + "  launches:\n" + launches + rest);
    std::vector<std::string> words{"run", file, "--out", (scratch / "out").string()};
    for (const std::string& s : settings) words.insert(words.end(), {"--set", s});
    return run_program(words);
  }
};

const std::string kBlockBuffer = "    b: {type: u64, count: 512, init: zero}\n";
const std::string kNumbers = "    r: {type: u32, count: 512, init: zero}\n";

TEST(DeviceHeap, BlocksLiveFromKernelToKernelUntilFreed) {
  Launches l;
  // Twice: 512 blocks of 32 bytes fill the heap of 16 KiB, so the second round needs those that the first
  // freed.
  const std::string round =
      launch("take", "{buffer: b}", 4, 128) + launch("use", "{buffer: b}, {buffer: r}", 4, 128);
  const Finished run =
      l.run(kHeapPtx, kBlockBuffer + kNumbers, round + round, "  checks:\n    - {buffer: r, equals: iota}\n",
            {"platform.runtime.heap_kib=16"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(read_json(l.scratch / "out/result.json")["verified"]);
}

TEST(DeviceHeap, ItsSizeIsASetting) {
  for (const unsigned kib : {5, 8192}) {
    Launches l;
    const Finished run =
        l.run(kHeapPtx, "    r: {type: u32, count: 1, init: zero}\n",
              launch("count", "{buffer: r}", 1, 1) + launch("count", "{buffer: r}", 1, 1),
              fmt::format("  checks:\n    - {{buffer: r, equals: {{values: [{}]}}}}\n", kib),
              kib == 8192 ? std::vector<std::string>{}
                          : std::vector<std::string>{fmt::format("platform.runtime.heap_kib={}", kib)});
    EXPECT_EQ(run.status, 0) << run.err;
  }
  Launches l;
  const Finished large = l.run(kHeapPtx, kBlockBuffer, launch("take", "{buffer: b}", 1, 32), "",
                               {"platform.runtime.heap_kib=1073741824"});
  EXPECT_EQ(large.status, 2);
  EXPECT_THAT(large.err, HasSubstr("platform.runtime.heap_kib"));
}

TEST(DeviceHeap, MisuseIsAFaultWithItsPlace) {
  Launches l;
  const Finished twice = l.run(kHeapPtx, kBlockBuffer, launch("twice", "{buffer: b}", 1, 1));
  EXPECT_EQ(twice.status, 3);
  EXPECT_THAT(twice.err,
              HasSubstr("free of a pointer that device malloc did not give, or that was freed before"));
  EXPECT_THAT(twice.err, HasSubstr("k.ptx:69"));
  const Finished beyond = l.run(kHeapPtx, kBlockBuffer, launch("beyond", "{buffer: b}", 1, 1), "",
                                {"platform.runtime.heap_kib=64"});
  EXPECT_EQ(beyond.status, 3);
  EXPECT_THAT(beyond.err, HasSubstr("out-of-bounds"));
}

TEST(RefusedKernel, TheOthersOfItsModuleRun) {
  const std::string ptx = std::string(kHead) + R"(
.visible .entry unsupported (.param .u64 out) { .reg .b64 %h; add.f32x2 %h, %h, %h; ret; }
.visible .entry number (.param .u64 out)
{
	.reg .u32 %r; .reg .u64 %rd<3>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r, %tid.x;
	mad.wide.u32 %rd2, %r, 4, %rd1;
	st.global.u32 [%rd2], %r;
	ret;
}
)";
  const std::string buffer = "    r: {type: u32, count: 64, init: zero}\n";
  Launches l;
  const Finished run = l.run(ptx, buffer, launch("number", "{buffer: r}", 1, 64),
                             "  checks:\n    - {buffer: r, equals: iota}\n");
  EXPECT_EQ(run.status, 0) << run.err;
  const Finished refused = l.run(ptx, buffer, launch("unsupported", "{buffer: r}", 1, 64));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("k.ptx:7:66: instruction 'add.f32x2' is not supported: type '.f32x2'\n"));

  const std::string file = (l.scratch / "k.ptx").string();
  const Finished shown = run_program({"ptx", file});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("unsupported\n  refused: " + file + ":7:66: instruction 'add.f32x2'"));
  EXPECT_THAT(shown.out, HasSubstr("number\n  registers per thread"));
  const Finished one = run_program({"ptx", file, "--entry", "unsupported"});
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err, HasSubstr("k.ptx:7:66: instruction 'add.f32x2'"));
  l.scratch.file("k.ptx", ptx.substr(0, ptx.find(".visible .entry number")));
  const Finished none = run_program({"ptx", file});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.out, HasSubstr("unsupported\n  refused: "));
  EXPECT_THAT(none.err, HasSubstr("none of its kernels can run; 1 is refused"));
}

}  // namespace
}  // namespace warpvp::test
