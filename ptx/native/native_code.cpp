#include "ptx/native/native_code.h"

#include <algorithm>

#include "ptx/native/lane_code.h"

namespace warpvp::ptx {
namespace {

using native::LaneCode;

bool translate(LaneCode& code, const Inst& inst, const Modifiers& m, Pc pc) {
  return native::translate_integer(code, inst, m) || native::translate_bits(code, inst, m) ||
         native::translate_float(code, inst, m) || native::translate_approx(code, inst, m) ||
         native::translate_compare(code, inst, m) || native::translate_move(code, inst, m) ||
         native::translate_narrow(code, inst, m) || native::translate_half(code, inst, m) ||
         native::translate_half_arithmetic(code, inst, m) || native::translate_shuffle(code, inst, m) ||
         native::translate_argument(code, inst, m) || native::translate_local(code, inst, m, pc) ||
         native::translate_access(code, inst, m, pc);
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

NativeCode::NativeCode(const Program& program, const std::vector<CodeBlock>& of_all_lanes,
                       const std::vector<CodeBlock>& of_some_lanes)
    : entries_(program.code.size() + 1), code_(std::make_unique<Code>(program, 4096)) {
  LaneCode& code = code_->lanes;
  const std::size_t run = code.write_entry();
  struct Place {
    Pc begin;
    std::size_t at;
  };
  std::vector<Place> places[2];
  for (const bool some_lanes : {false, true}) {
    const std::vector<CodeBlock>& those = some_lanes ? of_some_lanes : of_all_lanes;
    std::vector<bool> is_block(entries_.size(), false);
    for (const CodeBlock& block : those) is_block[block.begin] = true;
    code.begin_blocks(some_lanes);
    for (std::size_t i = 0; i < those.size(); ++i) {
      const CodeBlock& block = those[i];
      const Pc following = i + 1 < those.size() ? those[i + 1].begin : kNoPc;
      places[some_lanes].push_back({block.begin, code.begin_block(block.begin, block.end - block.begin)});
      for (Pc pc = block.begin; pc < block.end - block.branches; ++pc) {
        const Inst& inst = program.code[pc];
        if (ends_lanes(inst)) {
          code.none_or_stop(inst, pc);
          code.end_instruction(pc);
          continue;
        }
        if (inst.is_atomic) code.at_once_or_stop(pc);
        bool translated = true;
        const auto write = [&] {
          translated = inst.is_part || translate(code, inst, program.modifiers[inst.modifiers], pc);
          if (!translated) code.call(inst, pc);
        };
        inst.guard.kind == OperandKind::kNone ? write() : code.guarded(inst, write);
        code.end_instruction(pc);
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
  for (const Place& place : places[false]) entries_[place.begin].all_lanes = begin + place.at;
  for (const Place& place : places[true]) entries_[place.begin].some_lanes = begin + place.at;
}

NativeCode::~NativeCode() = default;

}  // namespace warpvp::ptx
