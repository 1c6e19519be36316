#include "ptx/native/native_code.h"

#include <algorithm>

#include "ptx/native/lane_code.h"

namespace warpvp::ptx {
namespace {

// A block that a warp's turn ends in is not used.
constexpr std::uint32_t kLongest = 64;

using native::LaneCode;

bool translate(LaneCode& code, const Inst& inst, const Modifiers& m, Pc pc) {
  return native::translate_integer(code, inst, m) || native::translate_bits(code, inst, m) ||
         native::translate_float(code, inst, m) || native::translate_approx(code, inst, m) ||
         native::translate_compare(code, inst, m) || native::translate_move(code, inst, m) ||
         native::translate_narrow(code, inst, m) || native::translate_shuffle(code, inst, m) ||
         native::translate_argument(code, inst, m) || native::translate_local(code, inst, m, pc) ||
         native::translate_access(code, inst, m, pc);
}

/// By pc, and one behind the last: where warps come from elsewhere than the instruction before.
std::vector<bool> entries_of(const Program& program) {
  std::vector<bool> entries(program.code.size() + 1, false);
  const auto add = [&](Pc pc) {
    if (pc < entries.size()) entries[pc] = true;
  };
  for (const Inst& inst : program.code) {
    add(inst.target);
    add(inst.reconverge);
  }
  for (const auto& table : program.branch_tables)
    for (const Pc pc : table) add(pc);
  for (const Pc pc : program.functions) add(pc);
  return entries;
}

/// Where lanes that have parted meet.
std::vector<bool> meetings_of(const Program& program) {
  std::vector<bool> meetings(program.code.size() + 1, false);
  for (const Inst& inst : program.code)
    if (inst.reconverge < meetings.size()) meetings[inst.reconverge] = true;
  return meetings;
}

bool is_branch(const Inst& inst) { return inst.effect == Effect::kBranch && inst.opcode == Opcode::bra; }

/// Where its guard lets any.
bool ends_lanes(const Inst& inst) {
  return inst.guard.kind != OperandKind::kNone && !inst.is_part &&
         (inst.effect == Effect::kExit || (inst.effect == Effect::kBranch && inst.opcode == Opcode::ret));
}

struct Block {
  Pc begin, end;
  bool branches;  // with its last instruction
  std::size_t at = 0;
};

/// Of those that go on, and their branches.
std::vector<Block> blocks_of(const Program& program, const std::vector<GoesOn>& goes_on, bool some_lanes) {
  const std::vector<bool> entries = entries_of(program);
  const auto straight = [&](Pc pc) {
    return goes_on[pc] == GoesOn::kAlways || ends_lanes(program.code[pc]) ||
           (goes_on[pc] == GoesOn::kWholeWarp && !some_lanes);
  };
  std::vector<Block> blocks;
  const Pc size = static_cast<Pc>(program.code.size());
  for (Pc begin = 0, end = 0; begin < size; begin = end) {
    end = begin;
    const auto more = [&] { return end < size && (end == begin || !entries[end]); };
    while (more() && straight(end) && end - begin < kLongest) ++end;
    const bool branches = more() && is_branch(program.code[end]);
    end += branches;
    if (end == begin)
      ++end;
    else
      blocks.push_back({begin, end, branches});
  }
  return blocks;
}

}  // namespace

struct NativeCode::Code {
  Code(const Program& program, std::size_t bytes) : lanes(program, bytes) {}
  LaneCode lanes;
};

bool NativeCode::available() {
  static const bool there = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd"))
      return false;
    // Some systems let no program write code for itself.
    try {
      Xbyak::CodeGenerator probe(4096, Xbyak::AutoGrow);
      probe.ret();
      probe.readyRE();
    } catch (const Xbyak::Error&) {
      return false;
    }
    return true;
  }();
  return there;
}

NativeCode::NativeCode(const Program& program, const std::vector<GoesOn>& goes_on)
    : entries_(program.code.size() + 1), code_(std::make_unique<Code>(program, 4096)) {
  LaneCode& code = code_->lanes;
  code.set_meetings(meetings_of(program));
  const std::size_t run = code.write_entry();
  std::vector<Block> blocks[2];
  for (const bool some_lanes : {false, true}) {
    std::vector<Block>& those = blocks[some_lanes];
    those = blocks_of(program, goes_on, some_lanes);
    std::vector<bool> is_block(entries_.size(), false);
    for (const Block& block : those) is_block[block.begin] = true;
    code.begin_blocks(some_lanes);
    for (std::size_t i = 0; i < those.size(); ++i) {
      Block& block = those[i];
      const Pc following = i + 1 < those.size() ? those[i + 1].begin : kNoPc;
      block.at = code.begin_block(block.begin, block.end - block.begin);
      for (Pc pc = block.begin; pc < block.end - block.branches; ++pc) {
        const Inst& inst = program.code[pc];
        if (ends_lanes(inst)) {
          code.none_or_stop(inst, pc);
          continue;
        }
        bool translated = true;
        const auto write = [&] {
          translated = inst.is_part || translate(code, inst, program.modifiers[inst.modifiers], pc);
          if (!translated) code.call(inst, pc);
        };
        inst.guard.kind == OperandKind::kNone ? write() : code.guarded(inst, write);
        if (some_lanes) continue;
        ++instructions_;
        translated_ += translated;
      }
      if (block.branches)
        code.branch(program.code[block.end - 1], block.end - 1, following);
      else
        code.goes(block.end, following);
    }
    code.end_blocks(is_block);
  }
  code.readyRE();
  const std::uint8_t* const begin = code.getCode();
  run_ = reinterpret_cast<void (*)(NativeFrame&, const void*)>(const_cast<std::uint8_t*>(begin) + run);
  for (const Block& block : blocks[false]) entries_[block.begin].all_lanes = begin + block.at;
  for (const Block& block : blocks[true]) entries_[block.begin].some_lanes = begin + block.at;
}

NativeCode::~NativeCode() = default;

}  // namespace warpvp::ptx
