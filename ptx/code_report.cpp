#include "ptx/code_report.h"

#include <fmt/format.h>

#include <vector>

namespace warpvp::ptx {
namespace {

struct CountedRow {
  const char* name;
  bool (*counts)(const Inst&);
};

bool is_memory(const Inst& i, Space space, bool store) {
  return i.effect == Effect::kMemory && i.space == space && i.is_store == store && !i.is_atomic;
}
template <Space space, bool store>
bool accesses(const Inst& i) {
  return is_memory(i, space, store);
}
template <Space space>
bool is_wide_access(const Inst& i) {
  return i.effect == Effect::kMemory && i.space == space && i.vector * i.access_bytes > 4;
}
template <Unit unit>
bool in_unit(const Inst& i) {
  return i.unit == unit;
}

const CountedRow kRows[] = {
    {"instructions", [](const Inst&) { return true; }},
    {"  integer unit", in_unit<Unit::kInt>},
    {"  single precision", in_unit<Unit::kFp32>},
    {"  double precision", in_unit<Unit::kFp64>},
    {"  special functions", in_unit<Unit::kSfu>},
    {"  memory", in_unit<Unit::kLsu>},
    {"    global loads", accesses<Space::kGlobal, false>},
    {"    global stores", accesses<Space::kGlobal, true>},
    {"    shared loads", accesses<Space::kShared, false>},
    {"    shared stores", accesses<Space::kShared, true>},
    {"    shared, 8 or 16 bytes", is_wide_access<Space::kShared>},
    {"    parameters, constants",
     [](const Inst& i) { return is_memory(i, Space::kParam, false) || is_memory(i, Space::kConst, false); }},
    {"  control", in_unit<Unit::kControl>},
    {"    branches", [](const Inst& i) { return i.effect == Effect::kBranch; }},
    {"  under a guard", [](const Inst& i) { return i.guard.kind == OperandKind::kPred; }},
};

std::size_t count(const Program& p, const CountedRow& row) {
  std::size_t n = 0;
  for (const Inst& i : p.code) n += row.counts(i) ? 1 : 0;
  return n;
}

}  // namespace

std::string compare_code(const Program& before, const Program& after) {
  std::string out = fmt::format("  {:<26}{:>8}{:>9}\n", "code", "ptx", "machine");
  for (const CountedRow& row : kRows) {
    const std::size_t a = count(before, row), b = count(after, row);
    if (a != 0 || b != 0) out += fmt::format("  {:<26}{:>8}{:>9}\n", row.name, a, b);
  }
  out += fmt::format("  {:<26}{:>8}{:>9}\n", "registers", before.registers_per_thread,
                     after.registers_per_thread);
  return out;
}

std::string list_code(const Program& program) {
  std::string out = "  machine code, with lines of the PTX:\n";
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Inst& i = program.code[pc];
    std::string text = program.texts[i.ir_index];
    if (i.effect == Effect::kBranch && i.target != kNoPc) text += fmt::format("  -> {}", i.target);
    out += fmt::format("    {:>5}  {:>5}  {}\n", pc, i.line, text);
  }
  return out;
}

}  // namespace warpvp::ptx
