#pragma once
// Kernels and machines drawn from a seed, for properties that have to hold for all of them.

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

namespace warpvp::test {

/// One kernel in PTX, `k(buffer, out)`: arithmetic on all units, loads of several patterns, stores,
/// reductions, shared memory, fences, barriers, uniform and divergent branches and loops, early exits. Free
/// of races: what it does does not depend on the schedule.
class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : random_(seed) {
    body_ =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 buffer, .param .u64 out)\n{\n"
        ".shared .align 4 .b8 tile[4096];\n"
        ".reg .u32 %r<16>; .reg .f32 %f<8>; .reg .u64 %a<6>; .reg .pred %p<8>;\n"
        "ld.param.u64 %a0, [buffer]; ld.param.u64 %a1, [out];\n"
        "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shr.u32 %r2, %r0, 5; and.b32 %r3, %r0, 31;\n"
        "mad.lo.u32 %r4, %r1, 512, %r0; mul.wide.u32 %a2, %r4, 4; add.u64 %a2, %a1, %a2;\n"  // own place in
                                                                                             // out
        "mov.u32 %r5, tile; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6;\n";  // own place in tile
    for (int i = 0; i < 4; ++i)
      body_ += fmt::format("mov.f32 %f{}, 0f3F80000{}; mov.u32 %r{}, {};\n", i, i, 8 + i, i + 3);
    for (unsigned blocks = 3 + draw(6); blocks; --blocks) top_level();
    body_ += "st.global.f32 [%a2], %f0;\nexit;\n}\n";
  }
  const std::string& text() const { return body_; }

 private:
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  unsigned r() { return 8 + draw(4); }
  unsigned f() { return draw(4); }

  void plain() {
    switch (draw(16)) {
      case 0:
      case 1:
        body_ += fmt::format("add.u32 %r{}, %r{}, %r{};\n", r(), r(), r());
        break;
      case 2:
        body_ += fmt::format("mul.lo.u32 %r{}, %r{}, %r{};\n", r(), r(), r());
        break;
      case 3:
      case 4:
        body_ += fmt::format("fma.rn.f32 %f{}, %f{}, %f{}, %f{};\n", f(), f(), f(), f());
        break;
      case 5:
        body_ += fmt::format("div.rn.f32 %f{}, %f{}, %f{};\n", f(), f(), f());
        break;
      case 6:
        body_ += fmt::format("sqrt.approx.f32 %f{}, %f{};\n", f(), f());
        break;
      case 7:
        body_ += fmt::format("cvt.rn.f32.u32 %f{}, %r{};\n", f(), r());
        break;
      case 8:
      case 9:  // lanes a word, 8 or 128 bytes apart, or all at one word
        body_ += fmt::format(
            "mul.lo.u32 %r7, %r0, {}; and.b32 %r7, %r7, 1023; mul.wide.u32 %a3, %r7, 4; add.u64 %a3, %a0, "
            "%a3;\n"
            "ld.global.f32 %f{}, [%a3];\n",
            (unsigned[]){0, 1, 2, 32}[draw(4)], f());
        break;
      case 10:
        body_ += fmt::format("st.global.f32 [%a2], %f{};\n", f());
        break;
      case 11:
        body_ += fmt::format("st.shared.f32 [%r5], %f{}; ld.shared.f32 %f{}, [%r5];\n", f(), f());
        break;
      case 12:
        body_ += fmt::format("red.global.add.u32 [%a1+65536], %r{};\n", r());
        break;
      case 13:
        body_ += draw(2) ? "membar.gl;\n" : "membar.cta;\n";
        break;
      case 14:
        body_ += fmt::format("setp.lt.u32 %p1, %r3, {}; @%p1 ld.global.f32 %f{}, [%a2];\n", draw(33), f());
        break;
      case 15:
        body_ += fmt::format("shfl.sync.bfly.b32 %f{}, %f{}, {}, 31, -1;\n", f(), f(), 1u << draw(5));
        break;
    }
  }
  /// Not inside divergent code, where shfl.sync would wait for absent lanes.
  void plains(unsigned most, bool divergent) {
    for (unsigned n = draw(most + 1); n;) {
      const std::size_t before = body_.size();
      plain();
      if (divergent && body_.find("shfl", before) != std::string::npos) {
        body_.resize(before);
        continue;
      }
      --n;
    }
  }
  void top_level() {
    const unsigned label = labels_++;
    plains(6, false);
    switch (draw(7)) {
      case 0:
        body_ += "bar.sync 0;\n";
        break;
      case 1:  // lanes part
        body_ += fmt::format("setp.lt.u32 %p2, %r3, {}; @%p2 bra L{};\n", draw(33), label);
        plains(8, true);
        body_ += fmt::format("L{}:\n", label);
        break;
      case 2:  // two ways
        body_ += fmt::format("and.b32 %r7, %r0, {}; setp.eq.u32 %p3, %r7, 0; @%p3 bra L{};\n", 1 + draw(63),
                             label);
        plains(6, true);
        body_ += fmt::format("bra.uni M{};\nL{}:\n", label, label);
        plains(6, true);
        body_ += fmt::format("M{}:\n", label);
        break;
      case 3:  // as many rounds as the warp's number says
        body_ += fmt::format("and.b32 %r14, %r2, {}; add.u32 %r14, %r14, 1;\nL{}:\n", 1 + draw(3), label);
        plains(8, false);
        body_ += fmt::format("sub.u32 %r14, %r14, 1; setp.ne.u32 %p4, %r14, 0; @%p4 bra L{};\n", label);
        break;
      case 4:  // lanes leave the loop one after the other
        body_ += fmt::format("and.b32 %r15, %r3, {}; add.u32 %r15, %r15, 1;\nL{}:\n", 1 + draw(3), label);
        plains(8, true);
        body_ += fmt::format("sub.u32 %r15, %r15, 1; setp.ne.u32 %p5, %r15, 0; @%p5 bra L{};\n", label);
        break;
      case 5:  // a long stretch, to leave the instruction cache
        for (int i = 0; i < 4; ++i) plains(12, false);
        break;
      case 6:  // whole warps exit, or some of their lanes
        if (exits_++ == 0 && draw(2))
          body_ += fmt::format("setp.ge.u32 %p6, %r0, {}; @%p6 exit;\n", 16 + draw(200));
        break;
    }
  }

  std::mt19937 random_;
  std::string body_;
  unsigned labels_ = 0, exits_ = 0;
};

/// Settings of vortex_sm that a prediction depends on.
inline std::vector<std::string> random_machine(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](unsigned least, unsigned most) {
    return least + static_cast<unsigned>(random() % (most - least + 1));
  };
  const unsigned hit = draw(1, 6), decode = draw(1, 2), line = 16u << draw(1, 3), ways = draw(1, 4);
  std::vector<std::string> settings{
      fmt::format("schedulers={}", 1u << draw(0, 2)),
      fmt::format("frontend.hit_latency={}", hit),
      fmt::format("frontend.decode_latency={}", decode),
      fmt::format("frontend.ibuffer_entries={}", hit + decode + draw(0, 2)),
      fmt::format("operands.banks={}", draw(1, 6)),
      fmt::format("operands.collectors={}", draw(1, 6)),
      fmt::format("latency.barrier={}", draw(1, 9)),
      fmt::format("latency.control={}", draw(1, 4)),
      fmt::format("latency.fp_fma={}", draw(1, 30)),
      fmt::format("memory.isolated.load_latency={}", draw(1, 300)),
      fmt::format("memory.isolated.per_transaction={}", draw(0, 9)),
      fmt::format("memory.isolated.instruction_miss_latency={}", draw(1, 150)),
      fmt::format("memory.instruction_cache.line_bytes={}", line),
      fmt::format("memory.instruction_cache.associativity={}", ways),
      fmt::format("memory.instruction_cache.size_bytes={}", line * ways * draw(1, 8)),
  };
  for (const char* unit : {"int", "fp32", "sfu", "lsu", "control"}) {
    settings.push_back(fmt::format("{}_unit.initiation_interval={}", unit, draw(1, 6)));
    settings.push_back(fmt::format("{}_unit.queue={}", unit, draw(0, 2)));
  }
  settings.push_back(fmt::format("latency.guard={}", draw(0, 12)));
  settings.push_back(fmt::format("warp_placement={}", draw(0, 1) ? "rotate" : "in_turn"));
  for (const char* operations : {"move", "int_add", "int_mul", "logic", "shift_left", "compare"}) {
    const char* const units[] = {"int", "fp32", "either"};
    settings.push_back(fmt::format("pipes.{}={}", operations, units[draw(0, 2)]));
  }
  if (draw(0, 3) == 0) settings.push_back("memory.instruction_cache.ideal=true");
  // Of no effect without contention.
  settings.push_back(fmt::format("memory.instruction_cache.prefetch_lines={}", draw(0, 4)));
  settings.push_back("memory.instruction_cache.invalidate=kernel_start");
  settings.push_back("memory.instruction_cache.l0.line_bytes=16");
  settings.push_back(fmt::format("memory.instruction_cache.l0.size_bytes={}", 64 * draw(0, 8)));
  settings.push_back(fmt::format("latency.special_operand={}", draw(0, 12)));
  settings.push_back(fmt::format("latency.other_pipe={}", draw(0, 4)));
  settings.push_back(fmt::format("pipes.fp_compare={}", draw(0, 1) ? "int" : "fp32"));
  for (std::string& setting : settings) setting = "platform.sm." + setting;
  settings.push_back(fmt::format("platform.ptx.code={}", draw(0, 1) ? "machine" : "ptx"));
  return settings;
}

}  // namespace warpvp::test
