#pragma once
// Runs single instructions over many operand values, at every instruction-set level of this machine, and
// compares each lane with a reference written independently of the implementation.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ptx/exec/functional_runner.h"
#include "ptx/exec/select.h"
#include "ptx/native/native_code.h"

namespace warpvp::ptx::testing {

inline std::vector<IsaLevel> available_levels() {
  const IsaLevel before = isa_level();
  std::vector<IsaLevel> levels;
  for (const IsaLevel l : {IsaLevel::kBaseline, IsaLevel::kAvx2, IsaLevel::kAvx512, IsaLevel::kNative}) {
    if (set_isa_level(l)) levels.push_back(l);
  }
  set_isa_level(before);
  return levels;
}

/// An integer type, and the numbers of its bits.
struct IntType {
  Type type;
  unsigned bits;
  bool is_signed;
};
inline unsigned reg_bits(unsigned bits) { return bits == 64 ? 64 : 32; }
inline std::uint64_t mask(unsigned bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
inline __int128 value(std::uint64_t v, const IntType& t) {
  v &= mask(t.bits);
  if (!t.is_signed || ((v >> (t.bits - 1)) & 1) == 0) return static_cast<__int128>(v);
  return static_cast<__int128>(v) - (static_cast<__int128>(1) << t.bits);
}

/// An instruction to test: its opcode and modifiers and the widths of its operands in bits (32, 64; 1:
/// predicate).
struct OpSpec {
  Opcode opcode{};
  Modifiers m;
  unsigned dst = 32;
  std::vector<unsigned> src;
  std::uint64_t aux = 0;
  unsigned dst2 = 0;  ///< second destination; 0: none

  std::string describe() const {
    return "opcode " + std::to_string(static_cast<int>(opcode)) + " type " +
           std::to_string(static_cast<int>(m.type)) + " rounding " +
           std::to_string(static_cast<int>(m.rounding)) + (m.ftz ? " ftz" : "") + (m.sat ? " sat" : "");
  }
};

using Lanes = std::array<std::uint64_t, kWarpSize>;

/// One warp with an instruction to execute on given registers.
class OpRunner {
 public:
  /// nullptr-valued `ok()` when the combination is refused.
  OpRunner(const OpSpec& spec, IsaLevel level) : spec_(spec), memory_(4096) {
    const IsaLevel before = isa_level();
    set_isa_level(level);
    Inst inst;
    inst.opcode = spec.opcode;
    inst.aux = spec.aux;
    unsigned row = 0, pred = 0;
    const auto place = [&](unsigned bits, unsigned wide_bit) {
      Operand o;
      if (bits == 1) {
        o.kind = OperandKind::kPred;
        o.index = static_cast<std::uint16_t>(pred++);
      } else {
        o.kind = OperandKind::kReg;
        o.index = static_cast<std::uint16_t>(row);
        row += 2;
        if (bits == 64) inst.wide = static_cast<std::uint16_t>(inst.wide | (1u << wide_bit));
      }
      return o;
    };
    inst.dst[0] = place(spec.dst, 0);
    inst.dst_count = 1;
    if (spec.dst2 != 0) {
      inst.dst[1] = place(spec.dst2, 1);
      inst.dst_count = 2;
    }
    for (unsigned i = 0; i < spec.src.size(); ++i) inst.src[i] = place(spec.src[i], kMaxDst + i);
    inst.src_count = static_cast<std::uint8_t>(spec.src.size());
    inst.exec = select_exec(inst, spec.m);
    set_isa_level(before);
    program_.modifiers = {spec.m};
    program_.name = "op";
    program_.rows = row + 2;
    program_.preds = pred + 1;
    program_.code.assign(2, inst);
    env_.global = &memory_;
    env_.fault = &fault_;
    cta_.start(program_, env_, {}, {kWarpSize, 1, 1}, {}, 0, 0, 1, nullptr);
    warp_.launch(cta_, 0);
    if (level == IsaLevel::kNative && ok())
      native_ = std::make_unique<NativeCode>(program_, std::vector<CodeBlock>{{0, 1, false}},
                                             std::vector<CodeBlock>{{0, 1, false}});
  }
  bool ok() const { return program_.code[0].exec != nullptr; }
  Warp& warp() { return warp_; }
  const Inst& inst() const { return program_.code[0]; }

  void set(const Operand& o, bool wide, const Lanes& values) {
    if (o.kind == OperandKind::kPred) {
      LaneMask m = 0;
      for (unsigned i = 0; i < kWarpSize; ++i) m |= static_cast<LaneMask>(values[i] & 1) << i;
      warp_.pred(o.index) = m;
      return;
    }
    char* to = reinterpret_cast<char*>(warp_.row(o.index));
    const unsigned bytes = wide ? 8 : 4;
    for (unsigned i = 0; i < kWarpSize; ++i) std::memcpy(to + bytes * i, &values[i], bytes);
  }
  Lanes get(const Operand& o, bool wide) {
    Lanes v{};
    if (o.kind == OperandKind::kPred) {
      for (unsigned i = 0; i < kWarpSize; ++i) v[i] = (warp_.pred(o.index) >> i) & 1;
      return v;
    }
    const char* from = reinterpret_cast<const char*>(warp_.row(o.index));
    const unsigned bytes = wide ? 8 : 4;
    for (unsigned i = 0; i < kWarpSize; ++i) std::memcpy(&v[i], from + bytes * i, bytes);
    return v;
  }
  /// Executes for the lanes of `active`; the others must keep `before` in the destination.
  Lanes run(const std::vector<Lanes>& sources, LaneMask active, const Lanes& before) {
    const Inst& in = inst();
    set(in.dst[0], in.wide & 1, before);
    if (spec_.dst2 != 0) set(in.dst[1], (in.wide >> 1) & 1, before);
    for (unsigned i = 0; i < sources.size(); ++i) set(in.src[i], (in.wide >> (kMaxDst + i)) & 1, sources[i]);
    if (native_ && active != 0)
      run_native(active);
    else
      in.exec(in, warp_, active);
    return get(in.dst[0], in.wide & 1);
  }
  /// It is code of the host, and no call.
  bool translated() const { return native_ && native_->translated() == 1; }
  Lanes second() { return get(inst().dst[1], (inst().wide >> 1) & 1); }

 private:
  void run_native(LaneMask active) {
    Pc pc = 0;
    const bool faulted = false;
    NativeFrame frame{};
    frame.warp = &warp_;
    frame.rows = warp_.row(0);
    frame.constants = warp_.constants();
    frame.preds = &warp_.pred(0);
    frame.pc = &pc;
    frame.faulted = &faulted;
    frame.active = active;
    frame.reconverge = kNoPc;
    frame.left = 1;
    native_->run(native_->at(0, active), frame);
    EXPECT_EQ(frame.left, 0u);
    EXPECT_EQ(frame.next, 1u);
  }

  OpSpec spec_;
  FlatMemory memory_;
  Program program_;
  ExecEnv env_;
  ExecFault fault_;
  Cta cta_;
  Warp warp_;
  std::unique_ptr<NativeCode> native_;
};

using Reference = std::function<std::uint64_t(const std::vector<std::uint64_t>&)>;

/// Every combination of the given operand values, in all levels, with all lanes and with a partial mask.
/// `result_mask` selects the bits of the destination that the type defines.
inline void check(const OpSpec& spec, const std::vector<std::vector<std::uint64_t>>& values,
                  const Reference& reference, std::uint64_t result_mask = ~0ull) {
  std::size_t total = 1;
  for (const auto& v : values) total *= v.size();
  for (const IsaLevel level : available_levels()) {
    OpRunner runner(spec, level);
    ASSERT_TRUE(runner.ok()) << spec.describe() << " is refused";
    unsigned failures = 0;
    for (std::size_t base = 0; base < total && failures < 3; base += kWarpSize) {
      std::vector<Lanes> sources(values.size());
      std::array<std::vector<std::uint64_t>, kWarpSize> operands;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        std::size_t n = (base + lane) % total;
        for (std::size_t k = 0; k < values.size(); ++k) {
          sources[k][lane] = values[k][n % values[k].size()];
          operands[lane].push_back(sources[k][lane]);
          n /= values[k].size();
        }
      }
      Lanes before;
      before.fill(0x5a5a5a5a5a5a5a5aull & (spec.dst == 64 ? ~0ull : 0xffffffffull));
      if (spec.dst == 1) before.fill(0);
      for (const LaneMask active : {~0u, 0x80a5137eu}) {
        const Lanes got = runner.run(sources, active, before);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
          const bool on = (active >> lane) & 1;
          const std::uint64_t want = on ? reference(operands[lane]) & result_mask : before[lane];
          const std::uint64_t have = on ? got[lane] & result_mask : got[lane];
          if (have != want && ++failures < 3) {
            std::string text;
            for (const std::uint64_t o : operands[lane]) {
              char b[32];
              std::snprintf(b, sizeof(b), " %#llx", static_cast<unsigned long long>(o));
              text += b;
            }
            ADD_FAILURE() << spec.describe() << " level " << static_cast<int>(level) << " lane " << lane
                          << (on ? "" : " (inactive)") << ":" << text << std::hex << " gives " << have
                          << ", not " << want;
          }
        }
      }
    }
  }
}

inline bool refused(const OpSpec& spec) {
  OpRunner runner(spec, isa_level());
  return !runner.ok();
}

// ---- operand values that matter

inline std::vector<std::uint64_t> int_edges(unsigned bits) {
  const std::uint64_t top = 1ull << (bits - 1), all = bits == 64 ? ~0ull : (1ull << bits) - 1;
  std::vector<std::uint64_t> v = {0,       1,           2,      3,       7,        top,
                                  top - 1, top + 1,     all,    all - 1, all - 41, all / 3,
                                  100,     all / 5 * 2, 1 << 8, 0x7f,    0x80,     0xff};
  if (bits >= 32) v.insert(v.end(), {0x12345678, 0x00ffffff, 0x01000000, 0x00800000, 0xffff, 0x10000});
  if (bits == 64)
    v.insert(v.end(), {0x123456789abcdef0ull, 0xffffffffull, 0x100000000ull, 0xdeadbeefcafef00dull});
  for (std::uint64_t& x : v) x &= all;
  return v;
}
inline std::vector<std::uint64_t> float_edges() {
  return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40400000, 0xc0400000,
          0x3eaaaaab, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
          0x00400000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc01234, 0x7f800001,
          0x4b000000, 0x4b000001, 0x4affffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x4f000000,
          0xcf000000, 0x4effffff, 0x4f7fffff, 0x4f800000, 0x5f000000, 0x5f7fffff, 0x7e800000, 0x7e800001,
          0x33800000, 0x33800001, 0x1f800000, 0x20000000, 0x42fe0000};
}
inline std::vector<std::uint64_t> double_edges() {
  return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
          0x3fefffffffffffff, 0x4008000000000000, 0x3fd5555555555555, 0x0000000000000001, 0x8000000000000001,
          0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
          0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000000001234,
          0x4330000000000000, 0x3fe0000000000000, 0x4004000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
          0xc1e0000000000000, 0x41efffffffe00000, 0x43e0000000000000, 0xc3e0000000000000, 0x43efffffffffffff,
          0x36a0000000000000, 0x380fffffe0000000, 0x380fffffffffffff, 0x47efffffe0000000, 0x47efffffefffffff,
          0x47effffff0000000, 0x3ff0000010000000, 0x3ff0000030000000, 0xbff0000010000001, 0x20000000deadbeef};
}
inline float f32(std::uint64_t bits) {
  const std::uint32_t u = static_cast<std::uint32_t>(bits);
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}
inline std::uint64_t bits(float f) {
  std::uint32_t u;
  std::memcpy(&u, &f, 4);
  return u;
}
inline double f64(std::uint64_t bits) {
  double f;
  std::memcpy(&f, &bits, 8);
  return f;
}
inline std::uint64_t bits(double f) {
  std::uint64_t u;
  std::memcpy(&u, &f, 8);
  return u;
}

inline Modifiers typed(Type type) {
  Modifiers m;
  m.type = type;
  return m;
}

}  // namespace warpvp::ptx::testing
