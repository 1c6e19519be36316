#pragma once
// Random kernels whose values are redundant in part: made of thread and block indices, parameters and tables,
// with branches, loops, calls, barriers, and stores that loads of other threads alias. Free of races.
//
// The kernel is k(out, table, n); `out` has a word for each thread of the grid, `table` kTableWords words. Or
// it has no parameters, and these stand in its text.

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace warpvp::random_kernels {

inline constexpr unsigned kTableWords = 64, kCells = 1024;

class Kernel {
 public:
  explicit Kernel(unsigned seed) : random_(seed) {
    static constexpr std::array<std::uint32_t, 3> kShapes[] = {
        {16, 4, 1}, {8, 8, 1}, {32, 4, 1}, {4, 4, 4},  {64, 2, 1}, {128, 1, 1},
        {16, 3, 1}, {5, 7, 2}, {2, 2, 16}, {1, 64, 1}, {33, 2, 1}, {16, 16, 1}};
    block = kShapes[draw(std::size(kShapes))];
    body(3, true);
  }

  std::array<std::uint32_t, 3> block{};

  std::string text() const {
    return text("ld.param.u64", "[out]", "[table]", "ld.param.u32", "[n]",
                "(.param .u64 out, .param .u64 table, .param .u32 n)");
  }
  std::string text(std::uint64_t out, std::uint64_t table, std::uint32_t n) const {
    return text("mov.u64", std::to_string(out), std::to_string(table), "mov.u32", std::to_string(n), "()");
  }

 private:
  std::string text(const std::string& wide, const std::string& out, const std::string& table,
                   const std::string& narrow, const std::string& n, const std::string& parameters) const {
    return
        R"(.version 7.5
.target sm_80
.address_size 64
.func (.param .b32 r) f(.param .b32 a)
{
.reg .u32 %v<4>; .reg .pred %p;
ld.param.u32 %v0, [a];
mov.u32 %v1, %tid.x;
and.b32 %v2, %v0, 3;
AGAIN:
mad.lo.u32 %v1, %v1, 5, %v0;
sub.u32 %v2, %v2, 1;
setp.gt.s32 %p, %v2, 0;
@%p bra AGAIN;
st.param.b32 [r], %v1;
ret;
}
.visible .entry k)" +
        parameters + R"(
{
.shared .align 4 .b8 s[4096];
.local .align 4 .b8 own[64];
.reg .u32 %v<10>; .reg .u32 %t<5>; .reg .u32 %c<8>; .reg .u64 %d<6>; .reg .pred %p<4>;
mov.u32 %t0, %tid.z;
mov.u32 %t1, %ntid.y;
mov.u32 %t2, %tid.y;
mad.lo.u32 %t0, %t0, %t1, %t2;
mov.u32 %t1, %ntid.x;
mov.u32 %t2, %tid.x;
mad.lo.u32 %t0, %t0, %t1, %t2;
)" + wide +
        " %d0, " + table + R"(;
mov.u32 %t4, s;
mov.u32 %v0, %tid.x;
mov.u32 %v1, %tid.y;
mov.u32 %v2, %ctaid.x;
)" + narrow +
        " %v3, " + n + R"(;
mov.u32 %v4, 7;
mov.u32 %v5, %tid.z;
mov.u32 %v6, %ntid.x;
mov.u32 %v7, %t0;
mov.u32 %v8, 0;
mov.u32 %v9, %laneid;
setp.lt.u32 %p0, %v0, 3;
setp.lt.u32 %p1, %v1, 2;
setp.eq.u32 %p2, %v2, 0;
setp.ne.u32 %p3, %v3, 0;
)" + code_ +
        R"(
mov.u32 %t1, %ctaid.x;
mov.u32 %t2, %ntid.x;
mov.u32 %t3, %ntid.y;
mul.lo.u32 %t2, %t2, %t3;
mov.u32 %t3, %ntid.z;
mul.lo.u32 %t2, %t2, %t3;
mad.lo.u32 %t1, %t1, %t2, %t0;
)" + wide +
        " %d1, " + out + R"(;
mul.wide.u32 %d2, %t1, 4;
add.u64 %d1, %d1, %d2;
xor.b32 %v0, %v0, %v1;
mad.lo.u32 %v0, %v0, 31, %v2;
mad.lo.u32 %v0, %v0, 31, %v8;
mad.lo.u32 %v0, %v0, 31, %v9;
st.global.u32 [%d1], %v0;
ret;
}
)";
  }

  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_() % below); }
  template <class... Args>
  void put(const char* format, Args... args) {
    code_ += fmt::format(fmt::runtime(format), args...) + "\n";
  }

  void plain() {
    // Two thirds stay among registers and operations that keep values redundant.
    const bool strong = draw(3) != 0;
    const unsigned some = strong ? 5 : 10;
    const unsigned a = draw(some), b = draw(some), c = draw(some), p = draw(strong ? 2 : 4);
    static constexpr unsigned kStrong[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 15};
    switch (strong ? kStrong[draw(std::size(kStrong))] : draw(17)) {
      case 0:
        return put("add.u32 %v{}, %v{}, %v{};", a, b, c);
      case 1:
        return put("mul.lo.u32 %v{}, %v{}, {};", a, b, 2 * draw(20) + 1);
      case 2:
        return put("mad.lo.u32 %v{}, %v{}, %v{}, %v{};", a, b, c, draw(some));
      case 3:
        return put("xor.b32 %v{}, %v{}, %v{};", a, b, c);
      case 4:
        return put("selp.u32 %v{}, %v{}, %v{}, %p{};", a, b, c, p);
      case 5:
        return put("setp.lt.u32 %p{}, %v{}, {};", p, a, draw(40));
      case 6:
        return put("@{}%p{} add.u32 %v{}, %v{}, {};", draw(2) ? "!" : "", p, a, b, draw(9));
      case 7:  // a table that nobody writes
        put("and.b32 %t1, %v{}, {};\nmul.wide.u32 %d1, %t1, 4;\nadd.u64 %d1, %d0, %d1;", a, kTableWords - 1);
        return put("ld.global.u32 %v{}, [%d1];", b);
      case 8:
        return put(
            "and.b32 %t1, %v{}, {};\nshl.b32 %t1, %t1, 2;\nadd.u32 %t1, %t1, %t4;\nld.shared.u32 %v{}, "
            "[%t1];",
            a, kCells - 1, b);
      case 9:
        return put("st.local.u32 [own+{}], %v{};", 4 * draw(4), a);
      case 10:
        return put("ld.local.u32 %v{}, [own+{}];", a, 4 * draw(4));
      case 11:  // the same through a generic address
        return put("mov.u64 %d1, own;\ncvta.local.u64 %d1, %d1;\nld.u32 %v{}, [%d1+{}];", a, 4 * draw(4));
      case 12:
        return put("add.cc.u32 %v{}, %v{}, %v{};\naddc.u32 %v{}, %v{}, 0;", a, b, c, draw(some), a);
      case 13:
        return put("mul.wide.u32 %d1, %v{}, %v{};\ncvt.u32.u64 %v{}, %d1;", a, b, c);
      case 14:
        return put("activemask.b32 %v{};", a);
      case 15:
        return put("mov.u32 %v{}, {};", a, draw(50));
      default:
        return put(
            "{{\n.param .b32 x; .param .b32 y;\nst.param.b32 [x], %v{};\ncall (y), f, (x);\n"
            "ld.param.b32 %v{}, [y];\n}}",
            a, b);
    }
  }
  /// A condition in %p3; of warps, or of the CTA, as a whole where `whole` says so.
  enum class Whole { kNo, kWarp, kCta };
  void condition(Whole whole) {
    switch (whole) {
      case Whole::kNo:
        return put("and.b32 %t1, %v{}, 7;\nsetp.lt.u32 %p3, %t1, {};", draw(10), 1 + draw(7));
      case Whole::kWarp:
        return put("shr.u32 %t1, %t0, 5;\nand.b32 %t1, %t1, 1;\nsetp.eq.u32 %p3, %t1, {};", draw(2));
      case Whole::kCta:
        return put("mov.u32 %t1, %ctaid.x;\nsetp.eq.u32 %p3, %t1, {};", draw(3));
    }
  }
  /// Every thread writes a cell of its own; loads of others that alias it come before and after.
  void exchange() {
    put("bar.sync 0;\nshl.b32 %t1, %t0, 2;\nadd.u32 %t1, %t1, %t4;\nst.shared.u32 [%t1], %v{};\nbar.sync 0;",
        draw(10));
  }

  /// `together`: the whole CTA comes here.
  void body(unsigned depth, bool together) {
    for (unsigned n = 2 + draw(4); n; --n) {
      for (unsigned k = draw(5); k; --k) plain();
      if (together && draw(3) == 0) exchange();
      if (depth == 0) continue;
      const unsigned label = labels_++;
      switch (draw(6)) {
        case 0: {  // two ways
          const Whole whole = together ? static_cast<Whole>(draw(3)) : Whole::kNo;
          condition(whole);
          put("@%p3 bra ELSE{};", label);
          body(depth - 1, whole == Whole::kCta);
          if (whole == Whole::kWarp) put("bar.sync 0;");  // each warp at one of two barriers
          if (whole == Whole::kWarp && draw(2)) plain();
          put("bra MET{0};\nELSE{0}:", label);
          if (draw(2)) body(depth - 1, whole == Whole::kCta);
          if (whole == Whole::kWarp) put("bar.sync 0;");
          put("MET{}:", label);
          break;
        }
        case 1:
        case 2: {  // rounds: a number for all, or as many as the thread likes
          const bool all = together && draw(2);
          if (all)
            put("mov.u32 %c{}, {};", depth, 1 + draw(3));
          else
            put("and.b32 %c{0}, %v{1}, 3;\nadd.u32 %c{0}, %c{0}, 1;", depth, draw(10));
          put("LOOP{}:", label);
          body(depth - 1, all);
          if (!all && draw(3) == 0) {
            condition(Whole::kNo);
            put("@%p3 bra OUT{};", label);
          }
          plain();
          if (!all && draw(3) == 0) {  // skips the rest of the round
            condition(Whole::kNo);
            put("@%p3 bra NEXT{};", label);
            plain();
            plain();
          }
          put("NEXT{1}:\nsub.u32 %c{0}, %c{0}, 1;\nsetp.gt.s32 %p3, %c{0}, 0;\n@%p3 bra LOOP{1};\nOUT{1}:",
              depth, label);
          break;
        }
        case 3:
          if (depth == 3 && draw(4) == 0) {  // some threads, or warps, end here
            condition(draw(2) ? Whole::kNo : Whole::kWarp);
            put("@%p3 exit;");
          }
          break;
        default:
          break;
      }
    }
  }

  std::mt19937 random_;
  unsigned labels_ = 0;
  std::string code_;
};

}  // namespace warpvp::random_kernels
