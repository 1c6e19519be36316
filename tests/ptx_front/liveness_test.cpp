#include "ptx/liveness.h"

#include <map>
#include <set>

#include "ptx/legalise.h"
#include "ptx/regalloc.h"
#include "support.h"

namespace warpvp::ptx {
namespace {

struct Analysed {
  ir::Function function;
  Liveness liveness;
  Allocation allocation;
};

Analysed analyse(const ir::Function& f) {
  const ControlFlowGraph cfg(f);
  Analysed a{f, analyse_liveness(f, cfg), {}};
  a.allocation = allocate(f, a.liveness, "t");
  return a;
}
Analysed analyse_body(const std::string& body) {
  const ir::Module m = parse(kernel(".reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .pred %p<9>;\n" + body));
  return analyse(m.functions[0]);
}

std::string ranges_of(const Analysed& a, const std::string& name) {
  std::string out;
  for (std::size_t r = 0; r < a.function.registers.size(); ++r) {
    if (a.function.registers[r].name != name) continue;
    for (const LiveRange& range : a.liveness.ranges[r]) {
      out += (out.empty() ? "" : " ") + std::to_string(range.begin) + "-" + std::to_string(range.end);
    }
  }
  return out;
}
unsigned row_of(const Analysed& a, const std::string& name) {
  for (std::size_t r = 0; r < a.function.registers.size(); ++r) {
    if (a.function.registers[r].name == name) return a.allocation.row[r];
  }
  return kNoRow;
}

TEST(Liveness, StraightLine) {
  const Analysed a = analyse_body(
      "mov.u32 %r1, 1;\n"             // 0
      "mov.u32 %r2, 2;\n"             // 1
      "add.u32 %r3, %r1, %r2;\n"      // 2
      "add.u32 %r4, %r3, %r2;\n"      // 3
      "st.global.u32 [%rd1], %r4;\n"  // 4
      "ret;\n");
  EXPECT_EQ(ranges_of(a, "%r1"), "1-4");
  EXPECT_EQ(ranges_of(a, "%r2"), "3-6");
  EXPECT_EQ(ranges_of(a, "%r3"), "5-6");
  EXPECT_EQ(ranges_of(a, "%r4"), "7-8");
  EXPECT_EQ(ranges_of(a, "%rd1"), "0-8");   // never written: live from the start
  EXPECT_EQ(a.liveness.max_live_rows, 4u);  // %rd1 counts two, and two more at a time
  // %r3 takes the row of %r1, which dies where %r3 is born.
  EXPECT_EQ(row_of(a, "%r3"), row_of(a, "%r1"));
  EXPECT_EQ(a.allocation.rows, 4u);
}

TEST(Liveness, LoopCarriedValueLivesThroughTheLoop) {
  const Analysed a = analyse_body(
      "mov.u32 %r1, 0;\n"             // 0
      "mov.u32 %r2, 9;\n"             // 1
      "L: add.u32 %r1, %r1, 1;\n"     // 2
      "mul.lo.u32 %r3, %r1, %r1;\n"   // 3
      "setp.lt.u32 %p1, %r3, %r2;\n"  // 4
      "@%p1 bra L;\n"                 // 5
      "ret;\n");
  EXPECT_EQ(ranges_of(a, "%r1"), "1-11");  // a hole-free range: the value of one turn meets that of the next
  EXPECT_EQ(ranges_of(a, "%r2"), "3-11");
  EXPECT_EQ(ranges_of(a, "%r3"), "7-8");
  EXPECT_EQ(ranges_of(a, "%p1"), "9-10");
  EXPECT_EQ(a.liveness.max_live_predicates, 1u);
}

TEST(Liveness, GuardedWriteKeepsTheOldValue) {
  const Analysed a = analyse_body(
      "mov.u32 %r1, 1;\n"             // 0
      "setp.eq.u32 %p1, %r2, 0;\n"    // 1
      "@%p1 mov.u32 %r1, 2;\n"        // 2
      "st.global.u32 [%rd1], %r1;\n"  // 3
      "ret;\n");
  EXPECT_EQ(ranges_of(a, "%r1"), "1-6");
}

TEST(Liveness, OverwrittenValueIsDead) {
  const Analysed a = analyse_body(
      "mov.u32 %r1, 1;\n"
      "mov.u32 %r2, 5;\n"
      "mov.u32 %r1, 2;\n"
      "st.global.u32 [%rd1], %r1;\n"
      "ret;\n");
  EXPECT_EQ(ranges_of(a, "%r1"), "1-1 5-6");      // dead at once, then born again
  EXPECT_EQ(row_of(a, "%r2"), row_of(a, "%r1"));  // it fits the hole
}

TEST(Liveness, SixtyFourBitPairsAreEven) {
  const Analysed a = analyse_body(
      "mov.u32 %r1, 1;\n"
      "mov.u64 %rd1, 2;\n"
      "mov.u64 %rd2, 3;\n"
      "add.u64 %rd3, %rd1, %rd2;\n"
      "st.global.u32 [%rd3], %r1;\n"
      "ret;\n");
  for (const char* name : {"%rd1", "%rd2", "%rd3"}) EXPECT_EQ(row_of(a, name) % 2, 0u) << name;
  EXPECT_EQ(row_of(a, "%rd3"), row_of(a, "%rd1"));
}

TEST(Liveness, WideningDoesNotShareARowWithItsSource) {
  const Analysed a = analyse_body("mul.wide.u32 %rd1, %r1, %r1;\nst.global.u64 [%rd1], %rd1;\nret;\n");
  EXPECT_NE(row_of(a, "%rd1"), row_of(a, "%r1"));
}

// ---- an independent judge of allocations: rows are executed symbolically along random paths, every row
// holding the name of the register last written; a read must find its own.

class Walker {
 public:
  Walker(const ir::Function& f, const Allocation& allocation) : f_(f), allocation_(allocation) {}

  void walk(std::uint32_t seed, int steps) {
    std::map<unsigned, int> rows, predicates;
    std::set<int> written;
    std::uint32_t pc = 0;
    std::vector<int> registers;
    const auto random = [&](std::uint32_t n) {
      seed = seed * 1664525u + 1013904223u;
      return (seed >> 10) % n;
    };
    while (steps-- > 0 && pc < f_.code.size()) {
      const ir::Instruction& i = f_.code[pc];
      registers_read(i, registers);
      for (const int r : registers) {
        if (!written.count(r)) continue;  // an uninitialised read has no value to lose
        each_row(r, rows, predicates, [&](int& holder) {
          EXPECT_EQ(holder, r) << f_.name << " instruction " << pc << ": row of " << name(r) << " holds "
                               << name(holder);
        });
      }
      const bool executes = i.guard < 0 || random(2);
      if (executes) {
        registers_written(i, registers);
        if (keeps_sources(f_, i)) {
          std::vector<int> sources;
          registers_read(i, sources);
          for (const int r : registers) {
            for (const int s : sources) {
              EXPECT_FALSE(r != s && is_predicate(r) == is_predicate(s) &&
                           allocation_.row[static_cast<std::size_t>(r)] ==
                               allocation_.row[static_cast<std::size_t>(s)])
                  << f_.name << " instruction " << pc << ": " << name(r) << " and " << name(s);
            }
          }
        }
        if (registers.size() > 1) {
          std::set<std::pair<bool, unsigned>> distinct;
          for (const int r : registers)
            distinct.insert({is_predicate(r), allocation_.row[static_cast<std::size_t>(r)]});
          EXPECT_EQ(distinct.size(), std::set<int>(registers.begin(), registers.end()).size())
              << f_.name << " instruction " << pc;
        }
        for (const int r : registers) {
          written.insert(r);
          each_row(r, rows, predicates, [&](int& holder) { holder = r; });
        }
      }
      if (executes && i.opcode == Opcode::bra)
        pc = f_.labels[static_cast<std::size_t>(i.label)].position;
      else if (executes && i.opcode == Opcode::brx) {
        const std::vector<int>& labels = f_.tables[static_cast<std::size_t>(i.table)].labels;
        pc = f_.labels[static_cast<std::size_t>(labels[random(static_cast<std::uint32_t>(labels.size()))])]
                 .position;
      } else if (executes && ends_block_for_good(i))
        break;
      else if (executes && (i.opcode == Opcode::ret || i.opcode == Opcode::exit))
        break;
      else
        ++pc;
    }
  }

 private:
  bool is_predicate(int r) const { return f_.registers[static_cast<std::size_t>(r)].type == Type::pred; }
  std::string name(int r) const { return f_.registers[static_cast<std::size_t>(r)].name; }
  template <typename Visit>
  void each_row(int r, std::map<unsigned, int>& rows, std::map<unsigned, int>& predicates,
                Visit visit) const {
    const unsigned row = allocation_.row[static_cast<std::size_t>(r)];
    ASSERT_NE(row, kNoRow);
    if (is_predicate(r)) {
      visit(predicates[row]);
      return;
    }
    for (unsigned k = 0; k < rows_of(f_.registers[static_cast<std::size_t>(r)].type); ++k)
      visit(rows[row + k]);
  }

  const ir::Function& f_;
  const Allocation& allocation_;
};

TEST(Allocation, NoLiveValueIsOverwrittenInAnyShippedKernel) {
  int functions = 0;
  for (const std::filesystem::path& path : ptx_files()) {
    const ir::Module m = parse_module(read_file(path), path.string());
    for (const ir::Function& f : m.functions) {
      if (!f.has_body) continue;
      ++functions;
      const Analysed a = analyse(legalise(m, f).function);
      EXPECT_GE(a.allocation.rows, a.liveness.max_live_rows);
      // No row serves both widths, which costs something where the pressure of one gives way to the other's.
      EXPECT_LE(a.allocation.rows, 2 * a.liveness.max_live_rows) << path << " " << f.name;
      Walker walker(a.function, a.allocation);
      for (std::uint32_t seed = 1; seed <= 12; ++seed) walker.walk(seed * 7919, 4000);
    }
  }
  EXPECT_GT(functions, 20);
}

TEST(Allocation, OverlappingRangesNeverShareARow) {
  for (const std::filesystem::path& path : ptx_files()) {
    const ir::Module m = parse_module(read_file(path), path.string());
    for (const ir::Function& f : m.functions) {
      if (!f.has_body) continue;
      const Analysed a = analyse(legalise(m, f).function);
      std::map<std::pair<bool, unsigned>, std::vector<LiveRange>> taken;
      for (std::size_t r = 0; r < a.function.registers.size(); ++r) {
        const unsigned width = rows_of(a.function.registers[r].type);
        if (a.liveness.ranges[r].empty()) continue;
        for (unsigned k = 0; k < std::max(width, 1u); ++k) {
          std::vector<LiveRange>& list = taken[{width == 0, a.allocation.row[r] + k}];
          list.insert(list.end(), a.liveness.ranges[r].begin(), a.liveness.ranges[r].end());
        }
      }
      // The 64-bit value of a lane covers columns of other lanes in a 32-bit row: widths are kept apart.
      std::map<unsigned, unsigned> width_of;
      for (std::size_t r = 0; r < a.function.registers.size(); ++r) {
        const unsigned width = rows_of(a.function.registers[r].type);
        if (width == 0 || a.liveness.ranges[r].empty()) continue;
        for (unsigned k = 0; k < width; ++k) {
          const auto known = width_of.emplace(a.allocation.row[r] + k, width).first;
          EXPECT_EQ(known->second, width) << path << " " << f.name << " " << a.function.registers[r].name;
        }
      }
      for (auto& [row, list] : taken) {
        std::sort(list.begin(), list.end(),
                  [](const LiveRange& x, const LiveRange& y) { return x.begin < y.begin; });
        for (std::size_t i = 1; i < list.size(); ++i)
          EXPECT_GT(list[i].begin, list[i - 1].end) << path << " " << f.name;
      }
    }
  }
}

TEST(Allocation, TooManyRegistersAreRefused) {
  std::string body = ".reg .u32 %x<1100>;\n", sum;
  for (int i = 0; i < 1100; ++i) body += "ld.global.u32 %x" + std::to_string(i) + ", [%rd1];\n";
  for (int i = 0; i < 1100; ++i) body += "st.global.u32 [%rd1], %x" + std::to_string(i) + ";\n";
  EXPECT_EQ(error_of(kernel(".reg .u64 %rd1;\n" + body + "ret;")),
            "t.ptx:4:17: 'k' needs more than 1024 registers per thread");
}

}  // namespace
}  // namespace warpvp::ptx
