#pragma once
// Random programs whose lanes take many paths and meet again: as PTX, and run thread by thread by an
// interpreter that knows no warps but for the values that member masks exchange. Free of races, so that there
// is one right result.

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpvp::random_paths {

class Program {
 public:
  /// With `meets`, paths meet at instructions with member masks and at CTA barriers and take a lock; without,
  /// each lane is on its own.
  Program(unsigned seed, bool meets, bool locks = true)
      : random_(seed), meets_(meets), locks_(meets && locks) {
    for (unsigned f = 0; f < kFunctions; ++f) {
      functions_.emplace_back();
      code_ = &functions_.back();
      function_ = f;
      sequence(2, {});
      emit({Op::kRet});
    }
    functions_.emplace_back();
    code_ = &functions_.back();
    function_ = kFunctions;
    for (unsigned n = 2 + draw(3); n; --n) {
      if (meets_ && draw(3) == 0) {
        const unsigned trips = 1 + draw(3), loop = label(), counter = 11;
        emit({Op::kSet, 0, counter, 0, 0, 0});
        emit({Op::kLabel, loop});
        sequence(3, syncs(2));
        emit({Op::kIncrement, 0, counter});
        emit({Op::kBranchBelow, loop, counter, 0, 0, trips});
      } else {
        sequence(3, meets_ ? syncs(3) : std::vector<unsigned>{});
      }
    }
    emit({Op::kExit});
  }

  std::string text() const {
    std::string text = ".version 7.5\n.target sm_80\n.address_size 64\n.global .u32 lock[2];\n";
    for (unsigned f = 0; f < kFunctions; ++f)
      text += fmt::format(
          ".func (.param .b32 r, .param .b64 q) f{} (.param .b32 a, .param .b64 b, .param .b32 sh)\n{{\n"
          ".reg .u32 %v<12>; .reg .u32 %t<4>; .reg .u64 %w<4>; .reg .u64 %d<3>; .reg .pred %p<3>;\n{}"
          "ld.param.u32 %v0, [a];\nld.param.u64 %w0, [b];\nld.param.u32 %t0, [sh];\n{}{}\n}}\n",
          f, f % 2 ? ".reg .u64 %x<5>;\n" : "", start(f), body(f));
    return text +
           ".visible .entry k(.param .u64 out)\n{\n.shared .align 8 .b8 s[1024];\n"
           ".reg .u32 %v<12>; .reg .u32 %t<4>; .reg .u64 %w<4>; .reg .u64 %d<3>; .reg .pred %p<3>;\n"
           "mov.u32 %t1, %tid.x;\nmov.u32 %t0, s;\nmad.lo.u32 %t0, %t1, 4, %t0;\nmul.lo.u32 %v0, %t1, "
           "40503;\n"
           "cvt.u64.u32 %w0, %v0;\n" +
           start(kFunctions) + body(kFunctions) + "}\n";
  }

  /// out[2 t] and out[2 t + 1] of each thread, then the sum under the lock.
  std::vector<std::uint32_t> expected(unsigned threads) const {
    std::vector<Thread> all(threads);
    std::vector<std::uint32_t> out(2 * threads + 1);
    for (unsigned t = 0; t < threads; ++t) {
      all[t].id = t;
      all[t].frames.push_back(frame(kFunctions, t * 40503u, t * 40503u));
    }
    std::uint32_t sum = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (Thread& t : all) moved |= run(t, sum);
      for (unsigned first = 0; first < threads; first += 32) moved |= meet(all, first);
      bool at_barrier = true;
      for (const Thread& t : all) at_barrier &= t.exited || kind(t) == 4;
      if (at_barrier)
        for (Thread& t : all) {
          if (t.exited) continue;
          ++t.frames.back().pc;
          moved = true;
        }
    }
    for (unsigned t = 0; t < threads; ++t) {
      if (!all[t].exited) throw std::logic_error("the program hangs");
      out[2 * t] = all[t].result[0];
      out[2 * t + 1] = all[t].result[1];
    }
    out[2 * threads] = sum;
    return out;
  }

 private:
  static constexpr unsigned kFunctions = 4;
  enum class Op {
    kAlu,   // v[a] = v[b] op v[c], by `value`
    kWide,  // w[a] = w[b] op w[c]
    kMix,   // w[a] += v[b]; v[a] ^= high half of w[c]
    kLoad,
    kStore,
    kAtomic,  // v[a], own word of shared memory
    kSet,
    kIncrement,
    kLabel,
    kJump,
    kBranchBelow,  // v[a] < value
    kBranchBits,   // (v[a] & b) == value
    kTrips,        // v[a] = v[b] & value
    kSync,         // a: kind, b: size of the tile, v[c]
    kLock,         // sum += v[a]
    kCall,
    kRet,
    kExit
  };
  struct Inst {
    Op op;
    unsigned label = 0, a = 0, b = 0, c = 0;
    std::uint32_t value = 0;
  };
  struct Frame {
    unsigned function;
    std::size_t pc = 0;
    std::uint32_t v[12];
    std::uint64_t w[4];
  };
  struct Thread {
    unsigned id = 0;
    std::uint32_t word = 0, result[2] = {0, 0};
    bool exited = false;
    std::vector<Frame> frames;
  };

  // ---- drawing

  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  unsigned label() { return labels_++; }
  void emit(Inst i) { code_->push_back(i); }
  /// Kinds of instructions with member masks that come one after the other; each thread executes all.
  std::vector<unsigned> syncs(unsigned most) {
    std::vector<unsigned> list;
    for (unsigned n = draw(most + 1); n; --n) list.push_back(draw(5) + 8 * draw(4) + 64 * draw(8));
    return list;
  }
  void plain() {
    switch (draw(8)) {
      case 0:
        return emit({Op::kLoad, 0, draw(8)});
      case 1:
        return emit({Op::kStore, 0, draw(8)});
      case 2:
        return emit({Op::kAtomic, 0, draw(8)});
      case 3:
        return emit({Op::kWide, 0, draw(4), draw(4), draw(4), draw(3)});
      case 4:
        return emit({Op::kMix, 0, draw(4), draw(8), draw(4)});
      default:
        return emit({Op::kAlu, 0, draw(8), draw(8), draw(8), draw(4)});
    }
  }
  void sync(unsigned s) { emit({Op::kSync, 0, s % 8, s % 8 == 4 ? 32u : 4u << (s / 8 % 4), s / 64 % 8}); }
  void sequence(unsigned depth, const std::vector<unsigned>& meetings) {
    std::size_t next = 0;
    for (unsigned n = 1 + draw(4); n; --n) {
      for (unsigned k = draw(3); k; --k) plain();
      if (depth == 0) continue;
      switch (draw(6)) {
        case 0:
        case 1: {  // two ways; what comes of the meetings is on both
          const std::size_t end =
              next + (next < meetings.size() ? draw(static_cast<unsigned>(meetings.size() - next) + 1) : 0);
          const std::vector<unsigned> inside(meetings.begin() + static_cast<std::ptrdiff_t>(next),
                                             meetings.begin() + static_cast<std::ptrdiff_t>(end));
          next = end;
          const unsigned other = label(), met = label(), bits = 1 + draw(15);
          emit({Op::kBranchBits, other, draw(8), bits, 0, draw(16) & bits});
          sequence(depth - 1, inside);
          emit({Op::kJump, met});
          emit({Op::kLabel, other});
          sequence(depth - 1, inside);
          emit({Op::kLabel, met});
          break;
        }
        case 2: {  // as many rounds as the lane likes, perhaps left early
          const unsigned loop = label(), out = label(), counter = 8;
          emit({Op::kTrips, 0, counter, draw(8), 0, 15});
          emit({Op::kLabel, loop});
          sequence(0, {});
          emit({Op::kAtomic, 0, draw(8)});
          if (draw(2)) emit({Op::kBranchBits, out, draw(8), 31, 0, draw(32)});
          emit({Op::kIncrement, 0, counter});
          emit({Op::kBranchBelow, loop, counter, 0, 0, 16});
          emit({Op::kLabel, out});
          break;
        }
        case 3:
          if (function_ > 0) emit({Op::kCall, 0, draw(8), draw(4), draw(function_)});
          break;
        case 4:
          if (locks_ && function_ == kFunctions && draw(2)) emit({Op::kLock, 0, draw(8)});
          break;
        case 5:
          if (function_ == kFunctions && draw(6) == 0) {  // some lanes end here
            const unsigned on = label();
            emit({Op::kBranchBelow, on, draw(8), 0, 0, 0xf000'0000u});
            emit({Op::kExit});
            emit({Op::kLabel, on});
          }
          break;
      }
      if (next < meetings.size() && draw(2)) sync(meetings[next++]);
    }
    while (next < meetings.size()) sync(meetings[next++]);
  }

  // ---- PTX

  static std::string start(unsigned function) {
    std::string text;
    for (unsigned i = 1; i < 12; ++i)
      text += fmt::format("mad.lo.u32 %v{0}, %v0, {1}, {2};\n", i, 2 * i + 1, function + i);
    for (unsigned i = 1; i < 4; ++i)
      text += fmt::format("mad.lo.u64 %w{0}, %w0, {1}, {2};\n", i, 0x1'0000'0193ull * i, function);
    return text;
  }
  std::string body(unsigned f) const {
    static const char* const kAlu[] = {"add.u32", "sub.u32", "xor.b32", "mul.lo.u32"};
    static const char* const kWide[] = {"add.u64", "xor.b64", "mul.lo.u64"};
    std::string t;
    unsigned scopes = 0;
    for (const Inst& i : functions_[f]) {
      switch (i.op) {
        case Op::kAlu:
          t += fmt::format("{} %v{}, %v{}, %v{};\n", kAlu[i.value], i.a, i.b, i.c);
          break;
        case Op::kWide:
          t += fmt::format("{} %w{}, %w{}, %w{};\n", kWide[i.value], i.a, i.b, i.c);
          break;
        case Op::kMix:
          t += fmt::format(
              "cvt.u64.u32 %d0, %v{1};\nshr.u64 %d1, %w{2}, 32;\ncvt.u32.u64 %t2, %d1;\n"
              "add.u64 %w{0}, %w{0}, %d0;\nxor.b32 %v{0}, %v{0}, %t2;\n",
              i.a, i.b, i.c);
          break;
        case Op::kLoad:
          t += fmt::format("ld.volatile.shared.u32 %v{}, [%t0];\n", i.a);
          break;
        case Op::kStore:
          t += fmt::format("st.volatile.shared.u32 [%t0], %v{};\n", i.a);
          break;
        case Op::kAtomic:
          t += fmt::format("atom.shared.add.u32 %v{0}, [%t0], %v{0};\n", i.a);
          break;
        case Op::kSet:
          t += fmt::format("mov.u32 %v{}, {};\n", i.a, i.value);
          break;
        case Op::kIncrement:
          t += fmt::format("add.u32 %v{0}, %v{0}, 1;\n", i.a);
          break;
        case Op::kLabel:
          t += fmt::format("L{}:\n", i.label);
          break;
        case Op::kJump:
          t += fmt::format("bra L{};\n", i.label);
          break;
        case Op::kBranchBelow:
          t += fmt::format("setp.lt.u32 %p0, %v{}, {};\n@%p0 bra L{};\n", i.a, i.value, i.label);
          break;
        case Op::kBranchBits:
          t += fmt::format("and.b32 %t2, %v{}, {};\nsetp.eq.u32 %p0, %t2, {};\n@%p0 bra L{};\n", i.a, i.b,
                           i.value, i.label);
          break;
        case Op::kTrips:
          t += fmt::format("and.b32 %v{}, %v{}, {};\n", i.a, i.b, i.value);
          break;
        case Op::kSync: {
          if (i.a == 4) {
            t += "bar.sync 0;\n";
            break;
          }
          t += fmt::format(
              "mov.u32 %t2, %laneid;\nand.b32 %t2, %t2, {};\nmov.u32 %t3, {};\nshl.b32 %t3, %t3, %t2;\n",
              32 - i.b, i.b == 32 ? 0xffffffffu : (1u << i.b) - 1);
          if (i.a == 0) t += fmt::format("redux.sync.add.u32 %v{0}, %v{0}, %t3;\n", i.c);
          if (i.a == 1)
            t += fmt::format(
                "and.b32 %t2, %v{0}, 1;\nsetp.eq.u32 %p0, %t2, 1;\nvote.sync.ballot.b32 %v{0}, %p0, %t3;\n",
                i.c);
          if (i.a == 2)
            t += fmt::format("and.b32 %t2, %v{0}, 3;\nmatch.any.sync.b32 %v{0}, %t2, %t3;\n", i.c);
          if (i.a == 3) t += "bar.warp.sync %t3;\n";
          break;
        }
        case Op::kLock:
          t += fmt::format(
              "mov.u64 %d0, lock;\nT{2}_{1}:\natom.global.cas.b32 %t2, [%d0], 0, 1;\nsetp.ne.u32 %p0, %t2, "
              "0;\n"
              "@%p0 bra T{2}_{1};\nld.volatile.global.u32 %t2, [%d0+4];\nadd.u32 %t2, %t2, %v{0};\n"
              "st.volatile.global.u32 [%d0+4], %t2;\nmembar.gl;\natom.global.exch.b32 %t2, [%d0], 0;\n",
              i.a, scopes++, f);
          break;
        case Op::kCall:
          t += fmt::format(
              "{{\n.param .b32 r; .param .b64 q; .param .b32 a; .param .b64 b; .param .b32 sh;\nst.param.b32 "
              "[a], "
              "%v{0};\nst.param.b64 [b], %w{1};\nst.param.b32 [sh], %t0;\ncall (r, q), f{2}, (a, b, sh);\n"
              "ld.param.b32 %v{0}, [r];\nld.param.b64 %w{1}, [q];\n}}\n",
              i.a, i.b, i.c);
          break;
        case Op::kRet:
          t += fold() + "st.param.b32 [r], %v0;\nst.param.b64 [q], %w0;\nret;\n";
          break;
        case Op::kExit:
          t += fold() +
               "cvt.u32.u64 %t2, %w0;\nxor.b32 %v0, %v0, %t2;\nshr.u64 %w0, %w0, 32;\ncvt.u32.u64 %t2, %w0;\n"
               "mov.u32 %t1, %tid.x;\nmul.wide.u32 %d0, %t1, 8;\nld.param.u64 %d1, [out];\nadd.u64 %d0, %d0, "
               "%d1;\n"
               "st.global.u32 [%d0], %v0;\nst.global.u32 [%d0+4], %t2;\nexit;\n";
          break;
      }
    }
    return t;
  }
  static std::string fold() {
    std::string t;
    for (unsigned i = 1; i < 8; ++i) t += fmt::format("mad.lo.u32 %v0, %v0, 31, %v{};\n", i);
    for (unsigned i = 1; i < 4; ++i) t += fmt::format("mad.lo.u64 %w0, %w0, 31, %w{};\n", i);
    return t;
  }

  // ---- one thread

  static Frame frame(unsigned function, std::uint32_t a, std::uint64_t b) {
    Frame f{};
    f.function = function;
    f.v[0] = a;
    f.w[0] = b;
    for (unsigned i = 1; i < 12; ++i) f.v[i] = a * (2 * i + 1) + function + i;
    for (unsigned i = 1; i < 4; ++i) f.w[i] = b * (0x1'0000'0193ull * i) + function;
    return f;
  }
  /// Kind of instruction at which the thread waits for others; above all kinds: it does not.
  unsigned kind(const Thread& t) const {
    if (t.exited) return ~0u;
    const Inst& i = functions_[t.frames.back().function][t.frames.back().pc];
    return i.op == Op::kSync ? i.a : ~0u;
  }
  static void fold(Frame& f) {
    for (unsigned i = 1; i < 8; ++i) f.v[0] = f.v[0] * 31 + f.v[i];
    for (unsigned i = 1; i < 4; ++i) f.w[0] = f.w[0] * 31 + f.w[i];
  }
  void jump(Frame& f, unsigned label) const {
    const std::vector<Inst>& code = functions_[f.function];
    for (f.pc = 0; code[f.pc].op != Op::kLabel || code[f.pc].label != label;) ++f.pc;
  }
  /// Runs a thread until it waits or exits; whether it did anything.
  bool run(Thread& t, std::uint32_t& sum) const {
    bool moved = false;
    while (!t.exited && kind(t) == ~0u) {
      moved = true;
      Frame& f = t.frames.back();
      const Inst& i = functions_[f.function][f.pc++];
      std::uint32_t* v = f.v;
      std::uint64_t* w = f.w;
      switch (i.op) {
        case Op::kAlu:
          v[i.a] = i.value == 0   ? v[i.b] + v[i.c]
                   : i.value == 1 ? v[i.b] - v[i.c]
                   : i.value == 2 ? v[i.b] ^ v[i.c]
                                  : v[i.b] * v[i.c];
          break;
        case Op::kWide:
          w[i.a] = i.value == 0 ? w[i.b] + w[i.c] : i.value == 1 ? w[i.b] ^ w[i.c] : w[i.b] * w[i.c];
          break;
        case Op::kMix: {
          const std::uint32_t low = v[i.b], high = static_cast<std::uint32_t>(w[i.c] >> 32);
          w[i.a] += low;
          v[i.a] ^= high;
          break;
        }
        case Op::kLoad:
          v[i.a] = t.word;
          break;
        case Op::kStore:
          t.word = v[i.a];
          break;
        case Op::kAtomic: {
          const std::uint32_t before = t.word;
          t.word += v[i.a];
          v[i.a] = before;
          break;
        }
        case Op::kSet:
          v[i.a] = i.value;
          break;
        case Op::kIncrement:
          ++v[i.a];
          break;
        case Op::kJump:
          jump(f, i.label);
          break;
        case Op::kBranchBelow:
          if (v[i.a] < i.value) jump(f, i.label);
          break;
        case Op::kBranchBits:
          if ((v[i.a] & i.b) == i.value) jump(f, i.label);
          break;
        case Op::kTrips:
          v[i.a] = v[i.b] & i.value;
          break;
        case Op::kLock:
          sum += v[i.a];
          break;
        case Op::kCall:
          t.frames.push_back(frame(i.c, v[i.a], w[i.b]));
          break;
        case Op::kRet: {
          fold(f);
          const Frame done = f;
          t.frames.pop_back();
          Frame& caller = t.frames.back();
          const Inst& call = functions_[caller.function][caller.pc - 1];
          caller.v[call.a] = done.v[0];
          caller.w[call.b] = done.w[0];
          break;
        }
        case Op::kExit:
          fold(f);
          t.result[0] = f.v[0] ^ static_cast<std::uint32_t>(f.w[0]);
          t.result[1] = static_cast<std::uint32_t>(f.w[0] >> 32);
          t.exited = true;
          break;
        case Op::kLabel:
        case Op::kSync:
          break;
      }
    }
    return moved;
  }
  /// Lets the tiles of a warp go on all of whose threads stand at the same instruction.
  bool meet(std::vector<Thread>& all, unsigned first) const {
    bool moved = false;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (first + lane >= all.size()) break;
      Thread& t = all[first + lane];
      const unsigned what = kind(t);
      if (what > 3) continue;
      const Inst& i = functions_[t.frames.back().function][t.frames.back().pc];
      std::vector<unsigned> tile;
      bool complete = true;
      for (unsigned k = lane / i.b * i.b; k < lane / i.b * i.b + i.b; ++k) {
        if (first + k >= all.size() || all[first + k].exited) continue;
        const Thread& other = all[first + k];
        if (kind(other) != what || functions_[other.frames.back().function][other.frames.back().pc].b != i.b)
          complete = false;
        tile.push_back(k);
      }
      if (!complete) continue;
      std::map<unsigned, std::uint32_t> in, out;
      const auto place = [&](unsigned k) -> std::uint32_t& {
        Frame& f = all[first + k].frames.back();
        return f.v[functions_[f.function][f.pc].c];
      };
      for (unsigned k : tile) in[k] = place(k);
      for (unsigned k : tile) {
        std::uint32_t result = what == 3 ? in[k] : 0;
        for (unsigned j : tile) {
          if (what == 0) result += in[j];
          if (what == 1) result |= (in[j] & 1) << j;
          if (what == 2) result |= static_cast<std::uint32_t>((in[j] & 3) == (in[k] & 3)) << j;
        }
        out[k] = result;
      }
      for (unsigned k : tile) {
        if (what != 3) place(k) = out[k];
        ++all[first + k].frames.back().pc;
      }
      moved = true;
    }
    return moved;
  }

  std::mt19937 random_;
  bool meets_, locks_;
  unsigned labels_ = 0, function_ = 0;
  std::vector<Inst>* code_ = nullptr;
  std::vector<std::vector<Inst>> functions_;
};

}  // namespace warpvp::random_paths
