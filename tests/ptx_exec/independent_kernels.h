#pragma once
// Kernels whose threads of one warp wait for each other on different paths, with what they compute: for the
// tests of independent threads, functional and on the timed SM. Each is `k(out)` for one CTA of `threads`
// threads.

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace warpvp::independent {

struct Case {
  const char* name;
  unsigned threads;
  std::string text;
  std::function<std::uint32_t(unsigned)> expected;  ///< out[thread]
};
inline void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

/// %r1: the thread's number, %r2: its lane, %rd3: where it stores %r9 in the end, %rd1: out.
inline std::string kernel(const std::string& body, const std::string& before = "") {
  return ".version 7.5\n.target sm_75\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 out)\n{\n.shared .align 8 .b8 s[512];\n"
         ".reg .u32 %r<40>; .reg .u64 %rd<20>; .reg .pred %p<10>;\n"
         "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\nmul.wide.u32 %rd2, %r1, "
         "4;\n"
         "add.u64 %rd3, %rd1, %rd2;\nmov.u32 %r9, 0;\n"
         "mov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\n" +
         body + "st.global.u32 [%rd3], %r9;\nret;\n}\n";
}

/// Every thread takes a lock and adds its number + 1 to a sum without atomics; the whole sum ends in %r9.
inline std::string spin_lock(const std::string& space, const std::string& lock,
                             const std::string& cta_barrier) {
  return fmt::format(
      "TRY:\natom.{0}.cas.b32 %r10, [{1}], 0, 1;\nsetp.ne.u32 %p1, %r10, 0;\n@%p1 bra TRY;\n"
      "ld.volatile.{0}.u32 %r11, [{1}+4];\nadd.u32 %r11, %r11, %r1;\nadd.u32 %r11, %r11, 1;\n"
      "st.volatile.{0}.u32 [{1}+4], %r11;\nmembar.gl;\natom.{0}.exch.b32 %r10, [{1}], 0;\n{2}"
      "ld.volatile.{0}.u32 %r9, [{1}+4];\n",
      space, lock, cta_barrier);
}

inline std::vector<Case> cases() {
  std::vector<Case> all;
  // Lanes above 15 hand values to those below through shared memory and get them back changed, ten times.
  all.push_back(
      {"hand_over_by_bar_warp_sync", 32,
       kernel("mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %r2, 16;\n@%p1 bra LOW;\n"
              "HIGH:\nmad.lo.u32 %r6, %r2, 100, %r5;\nst.shared.u32 [%r4], %r6;\n"
              "bar.warp.sync 0xffffffff;\nbar.warp.sync 0xffffffff;\nld.shared.u32 %r7, [%r4+-64];\n"
              "add.u32 %r9, %r9, %r7;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 10;\n"
              "@%p2 bra HIGH;\nbra END;\n"
              "LOW:\nbar.warp.sync 0xffffffff;\nld.shared.u32 %r7, [%r4+64];\nadd.u32 %r9, %r9, %r7;\n"
              "mul.lo.u32 %r7, %r7, 3;\nst.shared.u32 [%r4], %r7;\nbar.warp.sync 0xffffffff;\n"
              "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 10;\n@%p2 bra LOW;\nEND:\n"),
       [](unsigned t) { return t < 16 ? (t + 16) * 1000 + 45 : (t * 1000 + 45) * 3; }});
  // Each half of the threads reduces the other half's values, the halves being taken apart at each step.
  {
    std::string body = "mad.lo.u32 %r5, %r1, 7, 1;\nst.shared.u32 [%r4], %r5;\nbar.warp.sync 0xffffffff;\n";
    for (unsigned d = 16; d; d /= 2) {
      body += fmt::format(
          "setp.ge.u32 %p1, %r2, {0};\n@%p1 bra SKIP{0};\nld.shared.u32 %r5, [%r4];\nld.shared.u32 %r6, "
          "[%r4+{1}];\n"
          "add.u32 %r5, %r5, %r6;\nst.shared.u32 [%r4], %r5;\nbar.warp.sync 0xffffffff;\nbra DONE{0};\n"
          "SKIP{0}:\nbar.warp.sync 0xffffffff;\nDONE{0}:\n",
          d, 4 * d);
    }
    all.push_back({"reduction_by_halves", 32,
                   kernel(body + "bar.warp.sync 0xffffffff;\nld.shared.u32 %r9, [%r3];\n"),
                   [](unsigned) { return 31u * 32 / 2 * 7 + 32; }});
  }

  const auto sum_of = [](unsigned n) { return n * (n + 1) / 2; };
  all.push_back({"spin_lock_in_shared_memory", 64, kernel(spin_lock("shared", "%r3", "bar.sync 0;\n")),
                 [=](unsigned) { return sum_of(64); }});
  all.push_back({"spin_lock_in_global_memory", 64,
                 kernel("mov.u64 %rd4, lock;\n" + spin_lock("global", "%rd4", "bar.sync 0;\n"),
                        ".global .align 8 .u32 lock[2];\n"),
                 [=](unsigned) { return sum_of(64); }});
  // The lock is tried with a pause between.
  all.push_back({"spin_lock_with_nanosleep", 32,
                 kernel("bra TRY;\nWAIT:\nnanosleep.u32 100;\nTRY:\natom.shared.cas.b32 %r10, [%r3], 0, 1;\n"
                        "setp.ne.u32 %p1, %r10, 0;\n@%p1 bra WAIT;\nld.volatile.shared.u32 %r11, [%r3+4];\n"
                        "add.u32 %r11, %r11, 5;\nst.volatile.shared.u32 [%r3+4], %r11;\n"
                        "atom.shared.exch.b32 %r10, [%r3], 0;\nbar.warp.sync 0xffffffff;\n"
                        "ld.shared.u32 %r9, [%r3+4];\n"),
                 [](unsigned) { return 32u * 5; }});
  // Odd lanes wait for their even neighbour's word, then the even one for the answer.
  all.push_back(
      {"two_phases_through_volatile_memory", 32,
       kernel("and.b32 %r5, %r2, 1;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 bra ODD;\n"
              "add.u32 %r6, %r1, 1000;\nst.volatile.shared.u32 [%r4], %r6;\n"
              "EVEN_WAITS:\nld.volatile.shared.u32 %r9, [%r4+4];\nsetp.eq.u32 %p2, %r9, 0;\n"
              "@%p2 bra EVEN_WAITS;\nbra END;\n"
              "ODD:\nld.volatile.shared.u32 %r7, [%r4+-4];\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra ODD;\n"
              "mul.lo.u32 %r7, %r7, 2;\nst.volatile.shared.u32 [%r4], %r7;\nmov.u32 %r9, %r7;\nEND:\n"),
       [](unsigned t) { return ((t & ~1u) + 1000) * 2; }});
  // The same with plain loads, which no rule of PTX gives a meaning: it ends all the same.
  all.push_back(
      {"a_wait_by_plain_loads", 32,
       kernel("setp.eq.u32 %p1, %r2, 5;\n@%p1 bra WAITS;\nsetp.ne.u32 %p3, %r2, 6;\n@%p3 bra END;\n"
              "st.shared.u32 [%r3], 9;\nbra END;\n"
              "WAITS:\nld.shared.u32 %r9, [%r3];\nsetp.eq.u32 %p2, %r9, 0;\n@%p2 bra WAITS;\nEND:\n"),
       [](unsigned t) { return t == 5 ? 9u : 0u; }});
  // Lane l waits until lane l - 1 has passed, three times round.
  all.push_back(
      {"ring_of_32_lanes", 32,
       kernel("mov.u32 %r5, 0;\nROUND:\nmad.lo.u32 %r6, %r5, 32, %r2;\n"
              "WAIT:\nld.volatile.shared.u32 %r7, [%r3];\nsetp.ne.u32 %p1, %r7, %r6;\n@%p1 bra WAIT;\n"
              "mad.lo.u32 %r9, %r9, 3, %r7;\nadd.u32 %r7, %r7, 1;\nst.volatile.shared.u32 [%r3], %r7;\n"
              "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 3;\n@%p2 bra ROUND;\n"),
       [](unsigned t) { return (t * 3 + 32 + t) * 3 + 64 + t; }});
  // Tiles of 16, 8 and 4 lanes, each with its own mask, on paths of their own; lanes of one tile come by two
  // ways.
  {
    std::string body = "mov.u32 %r9, %r1;\n";
    for (unsigned size : {16u, 8u, 4u})
      body += fmt::format(
          "and.b32 %r5, %r2, {0};\nmov.u32 %r6, {1};\nshl.b32 %r6, %r6, %r5;\n"  // this tile's mask
          "and.b32 %r7, %r2, 1;\nsetp.eq.u32 %p1, %r7, 1;\nst.shared.u32 [%r4], %r9;\n@%p1 bra ODD{2};\n"
          "bar.warp.sync %r6;\nadd.u32 %r8, %r9, 3;\nbra MET{2};\n"
          "ODD{2}:\nbar.warp.sync %r6;\nadd.u32 %r8, %r9, 5;\nMET{2}:\n"
          "bar.warp.sync %r6;\nxor.b32 %r10, %r2, {3};\nshl.b32 %r10, %r10, 2;\nadd.u32 %r10, %r10, %r3;\n"
          "ld.shared.u32 %r11, [%r10];\nbar.warp.sync %r6;\nmad.lo.u32 %r9, %r11, 3, %r8;\n",
          32 - size, (1u << size) - 1, size, size - 1);
    all.push_back({"tiles_with_disjoint_masks", 32, kernel(body), [](unsigned t) {
                     std::uint32_t v[32], next[32];
                     for (unsigned i = 0; i < 32; ++i) v[i] = i;
                     for (unsigned size : {16u, 8u, 4u}) {
                       for (unsigned i = 0; i < 32; ++i)
                         next[i] = v[i ^ (size - 1)] * 3 + v[i] + (i & 1 ? 5 : 3);
                       std::copy(next, next + 32, v);
                     }
                     return v[t];
                   }});
  }
  // A shuffle of the whole warp that the lanes come to one by one: they leave a loop at different times.
  all.push_back({"shuffle_reached_at_different_times", 32,
                 kernel("mad.lo.u32 %r9, %r1, 11, 4;\nmov.u32 %r5, 0;\nLOOP:\nsetp.eq.u32 %p1, %r5, %r2;\n"
                        "@%p1 bra LEAVE;\nadd.u32 %r5, %r5, 1;\nbra LOOP;\n"
                        "LEAVE:\nshfl.sync.bfly.b32 %r9, %r9, 5, 31, 0xffffffff;\n"
                        "setp.lt.u32 %p2, %r2, 40;\n@%p2 bra END;\nbra LOOP;\nEND:\n"),
                 [](unsigned t) { return (t ^ 5) * 11 + 4; }});
  // Shuffles, votes, matches and reductions on both sides of a branch make one operation of the warp each.
  all.push_back(
      {"one_operation_on_two_paths", 32,
       kernel("mad.lo.u32 %r5, %r1, 13, 2;\nsetp.gt.u32 %p4, %r2, 9;\nshr.u32 %r14, %r2, 2;\ncvt.u64.u32 "
              "%rd5, %r14;\n"
              "and.b32 %r6, %r2, 1;\nsetp.eq.u32 %p1, %r6, 1;\n@%p1 bra ODD;\n"
              "shfl.sync.idx.b32 %r7, %r5, 3, 31, 0xffffffff;\nvote.sync.ballot.b32 %r8, %p4, 0xffffffff;\n"
              "match.any.sync.b64 %r10, %rd5, 0xffffffff;\nredux.sync.add.u32 %r11, %r5, 0xffffffff;\n"
              "add.u32 %r11, %r11, 1;\nbra END;\n"
              "ODD:\nmov.u32 %r12, 3;\nadd.u64 %rd6, %rd5, 0;\nnot.pred %p5, %p4;\n"
              "shfl.sync.idx.b32 %r7, %r5, %r12, 31, 0xffffffff;\nvote.sync.ballot.b32 %r8, !%p5, "
              "0xffffffff;\n"
              "match.any.sync.b64 %r10, %rd6, 0xffffffff;\nredux.sync.add.u32 %r11, %r5, 0xffffffff;\n"
              "add.u32 %r11, %r11, 2;\n"
              "END:\nxor.b32 %r9, %r7, %r8;\nadd.u32 %r9, %r9, %r10;\nadd.u32 %r9, %r9, %r11;\n"),
       [](unsigned t) {
         return ((3u * 13 + 2) ^ 0xfffffc00u) + (0xfu << (t & ~3u)) + (31u * 32 / 2 * 13 + 64) +
                (t & 1 ? 2 : 1);
       }});
  // Lanes that exit are waited for no longer.
  all.push_back(
      {"others_exit_before_a_sync", 32,
       kernel("setp.lt.u32 %p1, %r2, 20;\n@%p1 bra STAY;\nmov.u32 %r5, 0;\nWORK:\nadd.u32 %r5, %r5, 1;\n"
              "setp.lt.u32 %p2, %r5, %r1;\n@%p2 bra WORK;\nst.shared.u32 [%r4], %r5;\n"
              "st.global.u32 [%rd3], %r5;\nexit;\n"
              "STAY:\nbar.warp.sync 0xffffffff;\nld.shared.u32 %r9, [%r3+100];\n"
              "vote.sync.ballot.b32 %r6, %p1, 0xffffffff;\nadd.u32 %r9, %r9, %r6;\n"),
       [](unsigned t) { return t < 20 ? 25 + 0xfffffu : t; }});
  // The group that stays exits with a lane waiting for it twice.
  all.push_back(
      {"nested_divergence_in_loops", 32,
       kernel(
           "mov.u32 %r5, 0;\nmov.u32 %r20, 0;\nOUTER:\n"
           "and.b32 %r6, %r2, 3;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra ZERO;\n"
           "setp.eq.u32 %p2, %r6, 1;\n@%p2 bra ONE;\n"
           "mov.u32 %r7, 0;\nINNER:\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, %r2;\n@%p3 bra INNER;\n"
           "st.shared.u32 [%r4], %r7;\nbar.warp.sync 0xffffffff;\nbra JOIN;\n"
           "ONE:\nst.shared.u32 [%r4], %r5;\nbar.warp.sync 0xffffffff;\nadd.u32 %r20, %r20, 1;\nbra JOIN;\n"
           "ZERO:\nst.shared.u32 [%r4], %r1;\nbar.warp.sync 0xffffffff;\nbra JOIN;\n"
           "JOIN:\nxor.b32 %r10, %r2, 3;\nshl.b32 %r10, %r10, 2;\nadd.u32 %r10, %r10, %r3;\n"
           "ld.shared.u32 %r11, [%r10];\nmad.lo.u32 %r9, %r9, 2, %r11;\nbar.warp.sync 0xffffffff;\n"
           "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p4, %r5, 4;\n@%p4 bra OUTER;\nadd.u32 %r9, %r9, %r20;\n"),
       [](unsigned t) {
         std::uint32_t sum = 0;
         for (unsigned i = 0; i < 4; ++i) {
           const unsigned o = t ^ 3, kind = o & 3;
           sum = sum * 2 + (kind == 0 ? o : kind == 1 ? i : o);
         }
         return sum + ((t & 3) == 1 ? 4 : 0);
       }});
  // bar.sync counts threads: a lock breaks the warps up, and the halves of each reach it by two ways.
  all.push_back(
      {"cta_barrier_from_two_paths", 64,
       kernel("add.u32 %r5, %r1, 50;\nst.shared.u32 [%r4], %r5;\nsetp.lt.u32 %p1, %r2, 7;\n@%p1 bra FEW;\n"
              "bar.sync 0;\nxor.b32 %r6, %r1, 63;\nbra READ;\nFEW:\nadd.u32 %r5, %r5, 100;\n"
              "st.shared.u32 [%r4], %r5;\nbar.sync 0;\nxor.b32 %r6, %r1, 63;\nREAD:\n"
              "shl.b32 %r6, %r6, 2;\nadd.u32 %r6, %r6, %r3;\nld.shared.u32 %r9, [%r6];\n"),
       [](unsigned t) { return (t ^ 63) + 50 + (((t ^ 63) % 32) < 7 ? 100u : 0u); }});
  // Two functions with 64-bit and 32-bit registers whose lanes take turns in the middle, again and again.
  {
    const auto function = [](const char* name, bool wide) {
      std::string text = fmt::format(
          ".func (.param .b32 r) {} (.param .b32 a, .param .b32 sh)\n{{\n.reg .u32 %r<40>; .reg .u64 "
          "%b<12>; .reg .u64 "
          "%rd<4>; .reg .pred %p<3>;\nld.param.u32 %r1, [a];\nld.param.u32 %r2, [sh];\nmov.u32 %r4, 0;\n"
          "mov.u32 %r3, %laneid;\n",
          name);
      if (wide) text += "cvt.u64.u32 %rd1, %r1;\nmul.lo.u64 %rd1, %rd1, 0x100000193;\n";
      for (unsigned i = 0; i < 12; ++i)
        text += wide ? fmt::format("mad.lo.u64 %b{0}, %rd1, {1}, {0};\n", i, 2 * i + 3)
                     : fmt::format("mad.lo.u32 %r{0}, %r1, {1}, {2};\n", 20 + i, 2 * i + 3, i);
      // Wait for one's number four times.
      text +=
          "ROUND:\nmad.lo.u32 %r5, %r4, 32, %r3;\nWAIT:\nld.volatile.shared.u32 %r6, [%r2];\n"
          "setp.ne.u32 %p1, %r6, %r5;\n@%p1 bra WAIT;\n";
      for (unsigned i = 0; i < 12; ++i)
        text += wide ? fmt::format("mad.lo.u64 %b{0}, %b{0}, 5, %b{1};\n", i, (i + 1) % 12)
                     : fmt::format("mad.lo.u32 %r{0}, %r{0}, 5, %r{1};\n", 20 + i, 20 + (i + 1) % 12);
      text +=
          "add.u32 %r6, %r6, 1;\nst.volatile.shared.u32 [%r2], %r6;\nadd.u32 %r4, %r4, 1;\n"
          "setp.lt.u32 %p2, %r4, 4;\n@%p2 bra ROUND;\n";
      text += wide ? "shr.u64 %rd2, %b7, 32;\nxor.b64 %rd2, %rd2, %b7;\ncvt.u32.u64 %r7, %rd2;\n"
                   : "mov.u32 %r7, %r27;\n";
      return text + "st.param.b32 [r], %r7;\nret;\n}\n";
    };
    all.push_back(
        {"turns_inside_of_functions", 32,
         kernel("mad.lo.u32 %r5, %r1, 17, 3;\nand.b32 %r6, %r2, 1;\nsetp.eq.u32 %p1, %r6, 1;\n@%p1 bra W;\n"
                "{\n.param .b32 a; .param .b32 h; .param .b32 b;\nst.param.b32 [a], %r5;\nst.param.b32 [h], "
                "%r3;\ncall (b), f, (a, h);\nld.param.b32 %r9, [b];\n}\nbra END;\n"
                "W:\n{\n.param .b32 a; .param .b32 h; .param .b32 b;\nst.param.b32 [a], %r5;\nst.param.b32 "
                "[h], %r3;\ncall (b), g, (a, h);\nld.param.b32 %r9, [b];\n}\nEND:\n",
                function("f", false) + function("g", true)),
         [](unsigned t) {
           const bool wide = t & 1;
           const std::uint64_t x = t * 17 + 3, factor = wide ? x * 0x1'0000'0193 : x;
           std::uint64_t v[12];
           for (unsigned i = 0; i < 12; ++i) v[i] = factor * (2 * i + 3) + i;
           for (unsigned round = 0; round < 4; ++round)
             for (unsigned i = 0; i < 12; ++i) v[i] = v[i] * 5 + v[(i + 1) % 12];
           return static_cast<std::uint32_t>(wide ? v[7] ^ (v[7] >> 32) : v[7]);
         }});
  }
  return all;
}

}  // namespace warpvp::independent
