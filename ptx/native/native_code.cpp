#include "ptx/native/native_code.h"

#include <algorithm>

#include "ptx/native/lane_code.h"

namespace warpvp::ptx {
namespace {

// A piece that a warp's turn ends in is not used.
constexpr std::uint32_t kLongest = 128;
const Modifiers kOfParts;  // which compute nothing

using native::LaneCode;

bool translate(LaneCode& code, const Inst& inst, const Modifiers& m) {
  return native::translate_integer(code, inst, m) || native::translate_bits(code, inst, m) ||
         native::translate_float(code, inst, m) || native::translate_approx(code, inst, m) ||
         native::translate_compare(code, inst, m) || native::translate_move(code, inst, m) ||
         native::translate_argument(code, inst, m);
}

/// By pc: it is gone to from elsewhere than from the instruction before.
std::vector<bool> entries_of(const Program& program) {
  std::vector<bool> entries(program.code.size() + 1, false);
  const auto add = [&](Pc pc) {
    if (pc < entries.size()) entries[pc] = true;
  };
  for (const Inst& inst : program.code) {
    add(inst.target);
    add(inst.reconverge);
    // Paths meet behind the instruction before, which is no part of what is taken as one.
    if (inst.reconverge != kNoPc && inst.reconverge != 0) add(inst.reconverge - 1);
  }
  for (const auto& table : program.branch_tables)
    for (const Pc pc : table) add(pc);
  for (const Pc pc : program.functions) add(pc);
  return entries;
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

NativeCode::NativeCode(const Program& program, const std::vector<std::uint32_t>& straight)
    : pieces_(program.code.size()), code_(std::make_unique<Code>(program, 4096)) {
  LaneCode& code = code_->lanes;
  const std::vector<bool> entries = entries_of(program);
  struct Place {
    Pc begin;
    std::size_t all_lanes, some_lanes;
    bool reads;
  };
  std::vector<Place> places;
  const Pc size = static_cast<Pc>(program.code.size());
  for (Pc begin = 0, end = 0; begin < size; begin = end) {
    end = begin + 1;
    if (straight[begin] == 0) continue;
    const Pc last = begin + std::min(straight[begin], kLongest);
    while (end < last && !entries[end]) ++end;
    Place place{begin, 0, 0, false};
    std::uint32_t translated = 0;
    for (const bool some_lanes : {false, true}) {
      (some_lanes ? place.some_lanes : place.all_lanes) = code.begin(some_lanes);
      translated = 0;
      for (Pc pc = begin; pc < end; ++pc) {
        const Inst& inst = program.code[pc];
        const Modifiers& m = inst.is_part ? kOfParts : program.modifiers[inst.modifiers];
        if (inst.is_part || translate(code, inst, m)) {
          ++translated;
        } else if (native::translate_access(code, inst, m, pc, pc - begin)) {
          place.reads = true;
          ++translated;
        } else {
          code.call(inst, pc, pc - begin);
        }
      }
      code.end(end - begin);
    }
    // Nothing but calls: no better than without.
    if (translated == 0) continue;
    instructions_ += end - begin;
    translated_ += translated;
    pieces_[begin].length = end - begin;
    places.push_back(place);
  }
  code.readyRE();
  const auto run_at = [&](std::size_t offset) {
    return reinterpret_cast<Run>(const_cast<std::uint8_t*>(code.getCode()) + offset);
  };
  for (const Place& place : places) {
    pieces_[place.begin].reads = place.reads;
    pieces_[place.begin].all_lanes = run_at(place.all_lanes);
    pieces_[place.begin].some_lanes = run_at(place.some_lanes);
  }
}

NativeCode::~NativeCode() = default;

}  // namespace warpvp::ptx
