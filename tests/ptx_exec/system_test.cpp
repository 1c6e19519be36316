// Device printf and assertions.

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

TEST(System, PrintfFormatsAsOnTheDevice) {
  PtxModule m(R"(
.version 7.5
.target sm_70
.address_size 64
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[] = {37, 100, 124, 37, 53, 117, 124, 37, 45, 52, 120, 124, 37, 115, 124, 37, 99, 124, 37, 46, 50, 102, 124, 37, 108, 108, 100, 124, 37, 108, 117, 124, 37, 37, 10, 0};
.global .align 1 .b8 word[4] = {104, 105, 33, 0};
.visible .entry k (.param .u64 out)
{
	.local .align 8 .b8 buffer[56];
	.reg .u32 %r<8>;
	.reg .u64 %rd<12>;
	.reg .f64 %fd<2>;
	.reg .pred %p<2>;
	ld.param.u64 %rd9, [out];
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 1;
	@%p1 ret;
	neg.s32 %r2, %r1;
	mov.u64 %rd1, buffer;
	cvta.local.u64 %rd2, %rd1;
	st.local.u32 [%rd1], %r2;
	st.local.u32 [%rd1+4], 42;
	st.local.u32 [%rd1+8], 255;
	mov.u64 %rd3, word;
	cvta.global.u64 %rd4, %rd3;
	st.local.u64 [%rd1+16], %rd4;
	st.local.u32 [%rd1+24], 65;
	mov.f64 %fd1, 0d400921fb54442d18;
	st.local.f64 [%rd1+32], %fd1;
	mov.u64 %rd5, -5000000000;
	st.local.u64 [%rd1+40], %rd5;
	mov.u64 %rd6, 18446744073709551615;
	st.local.u64 [%rd1+48], %rd6;
	mov.u64 %rd7, text;
	cvta.global.u64 %rd8, %rd7;
	{
	.param .b64 p0;
	.param .b64 p1;
	.param .b32 r;
	st.param.b64 [p0], %rd8;
	st.param.b64 [p1], %rd2;
	call.uni (r), vprintf, (p0, p1);
	ld.param.b32 %r3, [r];
	}
	st.global.u32 [%rd9], %r3;
	ret;
}
)");
  const auto out = m.outputs<std::uint32_t>("k", 32, 1);
  const std::string tail = "|   42|ff  |hi!|A|3.14|-5000000000|18446744073709551615|%\n";
  EXPECT_EQ(m.printed, "0" + tail + "-1" + tail) << "lane after lane, only those that execute";
  EXPECT_EQ(out[0], 8u) << "the number of arguments";
}

TEST(System, FailedAssertionNamesItselfAndEndsTheRun) {
  PtxModule m(R"(
.version 7.5
.target sm_70
.address_size 64
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 where[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 who[2] = {102, 0};
.visible .entry k ()
{
	.reg .u32 %r<4>;
	.reg .u64 %rd<8>;
	.reg .pred %p<2>;
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 5;
	@%p1 bra END;
	mov.u64 %rd1, message;
	cvta.global.u64 %rd2, %rd1;
	mov.u64 %rd3, where;
	cvta.global.u64 %rd4, %rd3;
	mov.u64 %rd5, who;
	cvta.global.u64 %rd6, %rd5;
	{
	.param .b64 a;
	.param .b64 b;
	.param .b32 c;
	.param .b64 d;
	.param .b64 e;
	st.param.b64 [a], %rd2;
	st.param.b64 [b], %rd4;
	st.param.b32 [c], 77;
	st.param.b64 [d], %rd6;
	st.param.b64 [e], 1;
	call.uni __assertfail, (a, b, c, d, e);
	}
END:
	ret;
}
)");
  const FunctionalResult r = m.run("k", {3, 1, 1}, {32, 1, 1}, 0);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.fault->what, "device assertion failed");
  EXPECT_EQ(r.fault->lane, 5);
  EXPECT_EQ(m.printed, "a.cu:77: f: CTA (0,0,0), thread (5,0,0): assertion `x > 0` failed\n");
}

}  // namespace
}  // namespace warpvp::ptx::testing
