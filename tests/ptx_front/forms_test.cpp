// Instruction forms of recent compilers: what is refused, as the vendor's assembler refuses it.

#include "support.h"

namespace warpvp::ptx {
namespace {

const char* const kFormRegisters =
    ".reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>; .reg .b16 "
    "%h<9>;\n.shared .align 16 .b8 sh[64];\n";

struct WrongForm {
  const char* instruction;
  const char* message;  ///< part of it
};

TEST(Forms, AreRefusedWhereTheAssemblerRefuses) {
  const WrongForm cases[] = {
      {"bfe.u32 %r1, %r2, 256, 3;",
       "the position of 'bfe.u32' is 256; a constant there is between 0 and 255"},
      {"bfe.s64 %rd1, %rd2, %r1, 300;", "the length of 'bfe.s64' is 300"},
      {"bfe.u32 %r1, %r2, -1, 3;", "the position of 'bfe.u32' is -1"},
      {"bfi.b32 %r1, %r2, %r3, 256, 3;", "the position of 'bfi.b32' is 256"},
      {"bfi.b64 %rd1, %rd2, %rd3, 4, 256;", "the length of 'bfi.b64' is 256"},
      {"lop3.and.b32 %r1, %r2, %r3, %r4, 0x40, %p1;", "needs a second destination"},
      {"lop3.b32 %r1|%p1, %r2, %r3, %r4, 0x40;", "no second destination"},
      {"lop3.xor.b32 %r1|%p1, %r2, %r3, %r4, 0x40, %p2;", "'.xor' is not supported here"},
      {"add.u16x2 %r1, %r2, 5;", "cannot take an integer constant"},
      {"sub.s16x2 %r1, %r2, %r3;", "'.s16x2' is not supported here"},
      {"max.relu.u16x2 %r1, %r2, %r3;", "'.u16x2' is not supported here"},
      {"cvt.pack.sat.u8.s32 %r1, %r2, %r3;", "cvt.pack.sat.u8.s32"},
      {"cvt.pack.sat.u16.s32.b32 %r1, %r2, %r3, %r4;", "'.b32' is not supported here"},
      {"cvt.rzi.s64.f32 %r1, %f1;", "it needs at least .s64"},
      {"mul.s32.lo %r1, %r2, %r3;", "'.s32' is not supported here"},
      {"mov.v2.u32 {%r1, %r2}, %tid;", "a vector of 2 elements"},
      {"mov.u32 %r1, %tid;", "cannot take 4 elements"},
      {"mov.b64 %rd1, %tid;", "a vector element is a register or a constant"},
      {"mov.v4.u64 {%rd1, %rd2, %rd3, %rd4}, {%rd1, %rd1, %rd1, %rd1};", "more than 16 bytes"},
      {"mov.u32 %r1, %envreg32;", "unknown register '%envreg32'"},
      {"mov.u64 %rd1, %pm0;", "special register '%pm0'"},
      {"ld.global.L2::cache_hint.u32 %r1, [%rd1];", "takes 3 operands, found 2"},
      {"ld.global.u32 %r1, [%rd1], %rd2;", "takes 2 operands, found 3"},
      {"ld.shared.L2::cache_hint.u32 %r1, [sh], %rd1;", "global memory only"},
      {"ld.global.L2::cache_hint.u32 %r1, [%rd1], %r2;", "it needs .b64"},
      {"ld.volatile.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", "'.L2::cache_hint' is not supported here"},
      {"atom.global.cas.L2::cache_hint.b32 %r1, [%rd1], %r2, %r3, %rd2;",
       "'.L2::cache_hint' is not supported here"},
      {"ld.mmio.relaxed.gpu.global.u32 %r1, [%rd1];", "'.gpu' is not supported here"},
      {"ld.mmio.relaxed.sys.shared.u32 %r1, [sh];", "'.shared' is not supported here"},
      {"ld.mmio.relaxed.sys.global.v2.u32 {%r1, %r2}, [%rd1];", "'.v2' is not supported here"},
      {"st.mmio.release.sys.global.u32 [%rd1], %r1;", "'.release' is not supported here"},
      {"atom.shared.add.v2.f32 {%f1, %f2}, [sh], {%f3, %f4};", "global memory only"},
      {"atom.global.min.v2.f32 {%f1, %f2}, [%rd1], {%f3, %f4};", "'.v2' is not supported here"},
      {"red.global.add.v2.u32 [%rd1], {%r1, %r2};", "'.u32' is not supported here"},
      {"atom.global.add.v2.f32 {%rd1, %f2}, [%rd1], {%f3, %f4};", "it needs .f32"},
      {"fence.proxy.generic;", "'.generic' is not supported here"},
      {"alloca.u64 %rd1, %rd2, 3;", "power of two"},
      {"alloca.u64 %rd1, %rd2, %r1;", "needs an integer constant"},
      {"alloca.b64 %rd1, %rd2;", "'.b64' is not supported here"},
      {"alloca.u64 %rd1, %r1;", "it needs .u64"},
      {"stackrestore.u64 16;", "needs a register"},
      {"createpolicy.fractional.L2::evict_first.b64 %rd1, 2.0;", "at most 1"},
      {"createpolicy.fractional.L2::evict_first.b64 %rd1, 0.0;", "above 0"},
      {"shfl.sync.down.b32 _|%p1, %r1, %r2, %r3, -1;", "'_' is not allowed here"},
      {".reg .v2 .u32 %v; mov.u32 %r1, %v.z;", "no component '.z'"},
      {"mov.u32 %r1, %r2.x;", "scalar register"},
      {".reg .v4 .u32 %v; add.u32 %r1, %v, %r2;", "cannot take a vector"},
  };
  for (const WrongForm& c : cases) {
    const std::string message = error_of(kernel(kFormRegisters + std::string(c.instruction) + "\nret;"));
    EXPECT_NE(message.find(c.message), std::string::npos) << c.instruction << " says: " << message;
  }
}

TEST(Forms, AreAcceptedWhereTheAssemblerAccepts) {
  for (const char* instruction :
       {"bfe.u32 %r1, %r2, 255, 255;", "bfi.b64 %rd1, %rd2, %rd3, 255, 0;", "shl.b32 %r1, %r2, 300;",
        "add.f32.rn %f1, %f2, %f3;", "cvt.s32.f32.rni %r1, %f1;", "setp.lt.u32.and %p1, %r1, %r2, %p2;",
        "fence.gpu.sc;", "barrier.aligned.sync 0;", "ld.u32.global %r1, [%rd1];", "mov.u16 %h1, %tid.x;",
        "ld.global.L1::evict_last.L2::128B.L2::cache_hint.u32 %r1, [%rd1], 7;",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
        "createpolicy.fractional.L2::evict_unchanged.b64 %rd1, 0.5;",
        "vadd.add.u32.u32.u32.sat %r1, %r2, %r3, %r4;", "vadd.u32.u32.u32 %r1, %r2, %r3, %r4;",
        "mov.u32 %r1, %tid.w;", "mov.u64 %rd1, %current_graph_exec;"}) {
    EXPECT_EQ(error_of(kernel(kFormRegisters + std::string(instruction) + "\nret;")), "") << instruction;
  }
}

}  // namespace
}  // namespace warpvp::ptx
