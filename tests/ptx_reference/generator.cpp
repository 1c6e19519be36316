#include "tests/ptx_reference/generator.h"

#include <fmt/format.h>

#include "tests/ptx_reference/instruction_pieces.h"
#include "tests/ptx_reference/registers.h"

namespace warpvp::reference {
namespace {

class Generator : InstructionPieces {
 public:
  Generator(std::uint64_t seed, Dialect dialect) : InstructionPieces(seed, dialect) { program_.seed = seed; }

  GeneratedProgram make() {
    if (random_.one_in(3)) {
      program_.block = {20 + random_.below(70), 1, 1};
    } else {
      program_.block = {32 * (1 + random_.below(3)), 1, 1};
      if (random_.one_in(3)) program_.block = {program_.block[0] / 4, 4, 1};
      full_warps_ = true;
    }
    program_.grid = {1 + random_.below(2), 1, 1};
    inputs();
    functions_ = random_.below(3);
    std::vector<Piece> functions;
    for (unsigned i = 0; i < functions_; ++i) functions.push_back(function(i));
    Piece body;
    for (unsigned n = 4 + random_.below(9); n != 0; --n) body.inside.push_back(top_level());

    program_.root.droppable = false;
    program_.root.text =
        ".version 8.5\n.target sm_90\n.address_size 64\n"
        ".const .align 8 .b32 table[16] = {1, 2, 0xffffffff, 4, 0x80000000, 6, 7, 0x7f800000, 9, 10, "
        "0x3f800000, 12, 13, "
        "14, 15, 0x7fffffff};\n";
    for (Piece& f : functions) program_.root.inside.push_back(std::move(f));
    Piece entry;
    entry.droppable = false;
    entry.text =
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 cells)\n{\n" + declarations();
    entry.inside.push_back(lines(prologue()));
    for (Piece& p : body.inside) entry.inside.push_back(std::move(p));
    entry.inside.push_back(lines(epilogue()));
    entry.behind = "}\n";
    program_.root.inside.push_back(std::move(entry));
    return std::move(program_);
  }

 private:
  unsigned threads_per_cta() const { return program_.block[0] * program_.block[1]; }

  void inputs() {
    put_inputs(random_, program_);
    program_.cells.resize(GeneratedProgram::kCellBytes);
    for (std::uint8_t& b : program_.cells) b = static_cast<std::uint8_t>(random_.bits());
  }

  std::string declarations() const {
    std::string s = Pools::declarations();
    s += fmt::format(".reg .b32 %k<{}>; .reg .pred %c<{}>; .reg .b64 %a<12>; .reg .b32 %s<8>;\n",
                     8 + controls_, 1 + controls_);
    s += fmt::format(
        ".shared .align 16 .b8 tile[{}];\n.shared .align 8 .b8 swap[{}];\n.shared .align 8 .b8 sums[32];\n",
        threads_per_cta() * kSlot, threads_per_cta() * 8);
    return s + ".local .align 16 .b8 depot[64];\n";
  }

  // Where things are, and first values for all registers.
  std::string prologue() {
    std::string s =
        "mov.u32 %k0, %tid.x; mov.u32 %k1, %tid.y; mov.u32 %k2, %ntid.x; mad.lo.u32 %k0, %k1, %k2, %k0;\n";
    s += fmt::format("mov.u32 %k3, %ctaid.x; mad.lo.u32 %k1, %k3, {}, %k0;\n", threads_per_cta());
    s += fmt::format("ld.param.u64 %a0, [in]; mad.wide.u32 %a0, %k1, {}, %a0;\n",
                     GeneratedProgram::kInputBytes);
    s += fmt::format("ld.param.u64 %a1, [out]; mad.wide.u32 %a1, %k1, {}, %a1;\n",
                     GeneratedProgram::kOutputBytes);
    s += "ld.param.u64 %a2, [cells]; cvta.to.global.u64 %a2, %a2;\n";
    // The thread's own part of shared memory: as it is, below zero by a wrapped base, far above, generic, 64
    // bits.
    s += "mov.u32 %s0, tile; mad.lo.u32 %s0, %k0, 64, %s0; sub.u32 %s1, %s0, 65536; add.u32 %s2, %s0, "
         "0x7ffffff0;\n";
    s += "cvt.u64.u32 %a4, %s0; cvta.shared.u64 %a3, %a4;\n";
    s += "mov.u64 %a5, depot; cvta.local.u64 %a6, %a5; mov.u32 %s3, depot; sub.u32 %s4, %s3, 128;\n";
    s += "add.u64 %a7, %a1, 256; sub.u64 %a8, %a0, 0x1000000; add.u64 %a11, %a7, 4096;\n";
    s += "add.cc.u32 %k4, %k0, 0;\n";  // defines the carry flag
    s += fmt::format(
        "setp.lt.u32 %c0, %k0, 4; mov.u32 %s5, sums; mad.lo.u32 %s5, %k0, 8, %s5;\n"
        "@%c0 st.shared.u64 [%s5], 0;\n");
    for (unsigned i = 0; i < 4; ++i)
      s += fmt::format("st.shared.v4.u32 [%s0+{}], {{%k0, 1, 2, 3}};\n", 16 * i);
    // What lies there must not tell where variables are: that is the machine's to choose.
    s += "cvt.u64.u32 %a9, %k1;\n";
    for (unsigned i = 0; i < 4; ++i) s += fmt::format("st.local.v2.u64 [%a5+{}], {{%a9, %a9}};\n", 16 * i);
    s += loads(~0u) + "bar.sync 0;\n";
    return s;
  }

  std::string epilogue() {
    std::string s;
    unsigned at = 0;
    const auto pool = [&](const char* type, char name, unsigned count, unsigned bytes) {
      for (unsigned i = 0; i < count; ++i, at += bytes)
        s += fmt::format("st.global.{} [%a1+{}], %{}{};\n", type, at, name, i);
    };
    pool("b64", 'd', Pools::kLongs, 8);
    pool("f64", 'g', Pools::kDoubles, 8);
    pool("b32", 'r', Pools::kWords, 4);
    pool("f32", 'f', Pools::kFloats, 4);
    pool("b16", 'h', Pools::kHalves, 2);
    for (unsigned i = 0; i < Pools::kPredicates; ++i, at += 4)
      s += fmt::format("selp.u32 %k7, 1, 0, %p{}; st.global.u32 [%a1+{}], %k7;\n", i, at);
    for (unsigned i = 0; i < 4; ++i)
      s += fmt::format("ld.shared.v2.u64 {{%d0, %d1}}, [%s0+{}]; st.global.v2.u64 [%a1+{}], {{%d0, %d1}};\n",
                       16 * i, 384 + 16 * i);
    // Sums of all threads, read by every thread that is still there.
    s += "bar.sync 0;\n";
    for (unsigned i = 0; i < 4; ++i)
      s += fmt::format("ld.shared.u64 %d0, [sums+{}]; st.global.u64 [%a1+{}], %d0;\n", 8 * i, 448 + 8 * i);
    s += "ld.local.v2.u64 {%d0, %d1}, [%a5+16]; st.global.v2.u64 [%a1+480], {%d0, %d1};\n";
    return s + "ret;\n";
  }

  Piece function(unsigned number) {
    Piece p;
    p.droppable = false;
    p.text = fmt::format(".func (.param .b32 res) f{}(.param .b32 x, .param .b64 y)\n{{\n", number);
    p.text += Pools::declarations();
    p.text += "ld.param.b32 %r0, [x]; ld.param.b64 %d0, [y];\n";
    for (unsigned i = 1; i < Pools::kWords; ++i) p.text += fmt::format("add.u32 %r{}, %r0, {};\n", i, i * 77);
    for (unsigned i = 1; i < Pools::kLongs; ++i)
      p.text += fmt::format("add.u64 %d{}, %d0, {};\n", i, i * 999);
    for (unsigned i = 0; i < Pools::kFloats; ++i) p.text += fmt::format("mov.b32 %f{}, %r{};\n", i, i);
    for (unsigned i = 0; i < Pools::kDoubles; ++i) p.text += fmt::format("mov.b64 %g{}, %d{};\n", i, i);
    for (unsigned i = 0; i < Pools::kHalves; ++i) p.text += fmt::format("cvt.u16.u32 %h{}, %r{};\n", i, i);
    for (unsigned i = 0; i < Pools::kPredicates; ++i)
      p.text += fmt::format("setp.gt.s32 %p{}, %r{}, {};\n", i, i, i);
    for (unsigned n = 3 + random_.below(8); n != 0; --n) p.inside.push_back(arithmetic());
    p.behind = fmt::format("@%p0 bra SKIP{};\nadd.u32 %r1, %r1, %r2;\n", number);
    if (number > 0 && random_.one_in(2)) p.behind += call_text(number - 1, "%r1", "%d1", "%r1");
    p.behind += fmt::format("SKIP{}:\nst.param.b32 [res], %r1;\nret;\n}}\n", number);
    return p;
  }

  unsigned control() { return ++controls_; }

  std::vector<Piece> some(unsigned most, unsigned depth) {
    std::vector<Piece> all;
    for (unsigned n = 1 + random_.below(most); n != 0; --n)
      all.push_back(depth > 0 && random_.one_in(5) ? divergent(depth - 1) : simple());
    return all;
  }

  std::string condition(unsigned c) {
    if (random_.one_in(3)) return fmt::format("mov.pred %c{}, {};\n", c, any_predicate(random_));
    if (random_.one_in(2))
      return fmt::format("and.b32 %k6, %k0, {}; setp.eq.u32 %c{}, %k6, 0;\n", 1 + random_.below(31), c);
    const std::string b = word(), a = word();
    return fmt::format("setp.{}.s32 %c{}, {}, {};\n", choose(random_, "{lt|gt|ne|le}"), c, a, b);
  }

  // Control flow on which threads of a warp part.
  Piece divergent(unsigned depth) {
    const unsigned n = control(), k = 8 + n - 1;
    Piece p;
    switch (random_.below(5)) {
      case 0:
        p.text = condition(n) + fmt::format("@%c{} bra L{};\n", n, n);
        p.inside = some(5, depth);
        p.behind = fmt::format("L{}:\n", n);
        break;
      case 1: {
        Piece then, otherwise;
        p.text = condition(n) + fmt::format("@!%c{} bra L{};\n", n, n);
        then.inside = some(4, depth);
        then.droppable = otherwise.droppable = false;
        then.behind = fmt::format("bra{} M{};\nL{}:\n", random_.one_in(2) ? "" : "", n, n);
        otherwise.inside = some(4, depth);
        p.inside = {std::move(then), std::move(otherwise)};
        p.behind = fmt::format("M{}:\n", n);
        break;
      }
      case 2:  // as many rounds as the data says
        p.text = fmt::format("and.b32 %k{}, {}, 3; add.u32 %k{}, %k{}, 1;\nL{}:\n", k, word(), k, k, n);
        p.inside = some(5, depth);
        p.behind = fmt::format("sub.u32 %k{}, %k{}, 1; setp.ne.u32 %c{}, %k{}, 0; @%c{} bra L{};\n", k, k, n,
                               k, n, n);
        break;
      case 3: {  // with a way out in the middle and one back to the top
        Piece first, second;
        p.text = fmt::format(
            "mov.u32 %k{}, {};\nL{}:\nsub.u32 %k{}, %k{}, 1; setp.eq.u32 %c{}, %k{}, 0; @%c{} bra M{};\n", k,
            2 + random_.below(4), n, k, k, n, k, n, n);
        first.inside = some(3, depth);
        first.droppable = second.droppable = false;
        const char* const to = random_.one_in(2) ? "L" : "M";
        const std::string guard = any_predicate(random_);
        first.behind = fmt::format("@{}{} bra {}{};\n", random_.one_in(2) ? "!" : "", guard, to, n);
        second.inside = some(3, depth);
        p.inside = {std::move(first), std::move(second)};
        p.behind = fmt::format("bra L{};\nM{}:\n", n, n);
        break;
      }
      default: {  // several ways
        p.text = fmt::format(
            "table{}: .branchtargets way_a{}, way_b{}, way_c{}, way_b{};\nand.b32 %k{}, {}, 3; brx.idx %k{}, "
            "table{};\n",
            n, n, n, n, n, k, word(), k, n);
        for (const char* name : {"way_a", "way_b", "way_c"}) {
          Piece way;
          way.droppable = false;
          way.text = fmt::format("{}{}:\n", name, n);
          way.inside = some(3, depth);
          if (random_.one_in(2)) way.behind = fmt::format("bra M{};\n", n);  // or falls into the next
          p.inside.push_back(std::move(way));
        }
        p.behind = fmt::format("M{}:\n", n);
      }
    }
    return p;
  }

  // What needs all threads of a warp, or of the CTA, in one place.
  Piece together() {
    const std::string p = any_predicate(random_), r = word();
    constexpr unsigned kActiveMask = 4, kVotesWithoutSync = 10;
    unsigned which = 0;
    do {
      which = random_.below(full_warps_ && !exited_ ? 12 : 8);
    } while (dialect_ == Dialect::kChip && (which == kActiveMask || which >= kVotesWithoutSync));
    switch (which) {
      case 0: {
        const char* const sign = random_.one_in(3) ? "!" : "";
        const std::string to = any_predicate(random_);
        return leaf(
            fmt::format("vote.sync.{}.pred {}, {}{}, -1;\n", choose(random_, "{all|any|uni}"), to, sign, p));
      }
      case 1:
        return leaf(fmt::format("vote.sync.ballot.b32 {}, {}, 0xffffffff;\n", r, p));
      case 2:
        return random_.one_in(2)
                   ? leaf(fmt::format("and.b32 %k5, {}, 3; match.any.sync.b32 {}, %k5, -1;\n", r, word()))
                   : leaf(fmt::format("match.all.sync.b64 {}|{}, {}, -1;\n", r, p, wide()));
      case 3: {
        const std::string from = word();
        return leaf(fmt::format("redux.sync.{} {}, {}, -1;\n",
                                choose(random_, "{add.u32|min.u32|max.s32|min.s32|and.b32|or.b32|xor.b32}"),
                                r, from));
      }
      case 4:
        return leaf(fmt::format("{}activemask.b32 {};\n", maybe_guard(random_), r));
      case 5: {
        if (random_.one_in(2)) return leaf(fmt::format("bar.red.popc.u32 {}, 1, {};\n", r, p));
        const std::string to = any_predicate(random_);
        return leaf(fmt::format("bar.red.{}.pred {}, 1, {};\n", choose(random_, "{and|or}"), to, p));
      }
      case 6:
        return exited_ ? leaf("bar.warp.sync -1;\n") : exchange();
      case 7:
        return masked_region();
      case 8: {
        const std::string limit = shuffle_limit();
        const std::string lane = random_.one_in(2) ? word() : std::to_string(random_.below(32));
        const std::string from = word();
        return leaf(fmt::format("shfl.sync.{}.b32 {}|{}, {}, {}, {}, -1;\n",
                                choose(random_, "{up|down|bfly|idx}"), r, p, from, lane, limit));
      }
      case 9: {
        const std::string limit = shuffle_limit();
        const unsigned lane = random_.below(32);
        const std::string from = word();
        return leaf(fmt::format("shfl.sync.{}.b32 {}, {}, {}, {}, 0xffffffff;\n",
                                choose(random_, "{up|down|bfly|idx}"), r, from, lane, limit));
      }
      case 10: {
        const std::string to = any_predicate(random_);
        return leaf(fmt::format("vote.{}.pred {}, {};\n", choose(random_, "{all|any|uni}"), to, p));
      }
      default:
        return leaf(fmt::format("vote.ballot.b32 {}, {};\n", r, p));
    }
  }

  std::string shuffle_limit() {
    if (random_.one_in(2)) return random_.one_in(2) ? "31" : "0";
    const unsigned mask = random_.below(32) << 8;
    return std::to_string(mask | random_.below(32));
  }

  // Through shared memory, to and from other threads.
  Piece exchange() {
    const unsigned threads = threads_per_cta();
    const std::string to = wide();
    const unsigned distance = 1 + random_.below(threads);
    return leaf(fmt::format(
        "mov.u32 %k5, swap; mad.lo.u32 %k6, %k0, 8, %k5; st.shared.b64 [%k6], {};\nbar.sync 0;\n"
        "add.u32 %k6, %k0, {}; rem.u32 %k6, %k6, {}; mad.lo.u32 %k6, %k6, 8, %k5; sub.u32 %k6, %k6, 4096; "
        "ld.shared.b64 {}, [%k6+4096];\nbar.sync 0;\n",
        wide(), distance, threads, to));
  }

  // Lanes agree on who goes on, and those talk to one another.
  Piece masked_region() {
    const unsigned n = control(), k = 8 + n - 1;
    Piece p;
    p.text = condition(n) + fmt::format("vote.sync.ballot.b32 %k{}, %c{}, -1; @!%c{} bra L{};\n", k, n, n, n);
    for (unsigned i = 2 + random_.below(4); i != 0; --i) {
      const std::string r = word();
      switch (random_.below(6)) {
        case 0:
          p.inside.push_back(
              leaf(fmt::format("vote.sync.ballot.b32 {}, {}, %k{};\n", r, any_predicate(random_), k)));
          break;
        case 1: {
          const std::string from = any_predicate(random_), to = any_predicate(random_);
          p.inside.push_back(leaf(fmt::format("vote.sync.{}.pred {}, {}, %k{};\n",
                                              choose(random_, "{all|any|uni}"), to, from, k)));
          break;
        }
        case 2:  // from the highest lane that is there
          p.inside.push_back(leaf(fmt::format(
              "bfind.u32 %k5, %k{}; shfl.sync.idx.b32 {}, {}, %k5, 31, %k{};\n", k, r, word(), k)));
          break;
        case 3:
          p.inside.push_back(leaf(fmt::format("match.any.sync.b32 {}, {}, %k{};\n", r, word(), k)));
          break;
        case 4: {
          const std::string from = word();
          p.inside.push_back(leaf(fmt::format("redux.sync.{} {}, {}, %k{};\n",
                                              choose(random_, "{add.s32|min.s32|xor.b32}"), r, from, k)));
          break;
        }
        default:
          p.inside.push_back(arithmetic());
      }
    }
    p.behind = fmt::format("L{}:\n", n);
    return p;
  }

  Piece early_exit() {
    exited_ = true;
    const unsigned n = control();
    Piece p;
    p.text = condition(n) + fmt::format("@!%c{} bra L{};\n", n, n);
    p.inside = some(2, 0);
    p.behind = fmt::format("st.global.v2.u32 [%a1+496], {{%r0, %r1}};\n{};\nL{}:\n",
                           random_.one_in(2) ? "exit" : "ret", n);
    return p;
  }

  Piece top_level() {
    Piece p;
    p.inside = some(6, 0);
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        p.inside.push_back(divergent(2));
        break;
      case 3:
        if (!exited_ && random_.one_in(3)) {
          p.inside.push_back(early_exit());
          break;
        }
        [[fallthrough]];
      case 4:
      case 5:
        p.inside.push_back(together());
        break;
      default:
        break;
    }
    return p;
  }

  GeneratedProgram program_;
  unsigned controls_ = 0;
  bool full_warps_ = false, exited_ = false;
};

std::string render(const Piece& p) {
  std::string s = p.text;
  for (const Piece& i : p.inside) s += render(i);
  return s + p.behind;
}

}  // namespace

void put_inputs(Random& random, GeneratedProgram& program) {
  std::vector<std::uint8_t>& in = program.in;
  const auto put = [&](std::uint64_t v, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) in.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
  };
  for (std::size_t t = 0; t < program.threads(); ++t) {
    for_each_input([&](const InputRegister& r) {
      const int width = static_cast<int>(8 * r.bytes);
      put(r.type[0] == 'f' ? random.real(width) : random.integer(width), r.bytes);
    });
    while (in.size() % GeneratedProgram::kInputBytes != 0) put(random.bits(), 8);
  }
}

std::size_t GeneratedProgram::threads() const {
  return std::size_t{block[0]} * block[1] * block[2] * grid[0] * grid[1] * grid[2];
}

std::string GeneratedProgram::text() const { return render(root); }

GeneratedProgram generate(std::uint64_t seed, Dialect dialect) { return Generator(seed, dialect).make(); }

}  // namespace warpvp::reference
