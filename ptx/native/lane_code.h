#pragma once
// Writes AVX-512 code for the 32 lanes of a warp. A register row is two vectors of the host, a pair of rows
// four: blocks of 16 lanes of 32 bits, or of 8 lanes of 64. Blocks lately read or written stay in the host's
// registers. What is written goes to memory where something may look for it there: at calls and guards, at
// the end of the block as far as it is still to be read, where its register is wanted for something else, and
// in code that leaves the way. Most of what instructions hand to the next one never does.
//
// Private to ptx/native.

#include <xbyak/xbyak.h>

#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ptx/live_rows.h"
#include "ptx/native/known_rows.h"
#include "ptx/native/native_code.h"

namespace warpvp::ptx::native {

/// What NativeFrame::sizes has, three of each.
enum class Sizes : std::uint8_t { kGrid, kBlock, kCta };

class LaneCode : public Xbyak::CodeGenerator {
 public:
  using Zmm = Xbyak::Zmm;
  using Opmask = Xbyak::Opmask;

  LaneCode(const Program& program, std::size_t bytes);

  // ---- between instructions
  /// NativeCode::run's function begins, which goes on at what is its second argument; returns its offset.
  std::size_t write_entry();
  /// Blocks follow for all lanes active, or for some.
  void begin_blocks(bool some_lanes);
  /// One of `length` instructions from `begin` on; returns its offset. It stops before the first of them if
  /// not so many may be executed any more.
  std::size_t begin_block(Pc begin, std::uint32_t length);
  /// Behind what has been written for an instruction of it.
  void end_instruction(Pc pc);
  /// The block ends with goes(), or several of them in branches; the one that follows begins at `following`.
  /// Where there is a block at `pc`, it is gone on with, otherwise code stops there.
  void goes(Pc pc, Pc following);
  /// To jump to: stops before instruction `pc` of this block, which counts as not executed, like those
  /// behind.
  Xbyak::Label& stop_before(Pc pc);
  /// The blocks have been written. `is_block` by pc, one behind the last.
  void end_blocks(const std::vector<bool>& is_block);
  /// The branch that ends the block: `following` as with goes().
  void branch(const Inst& inst, Pc pc, Pc following);
  /// Calls the instruction's own function.
  void call(const Inst& inst, Pc pc);
  /// An atomic follows: it stops before it where what is not of the CTA alone is put off.
  void at_once_or_stop(Pc pc);
  /// One that ends lanes that its guard lets: it stops before it unless there are none.
  void none_or_stop(const Inst& inst, Pc pc);
  /// An instruction that its guard lets some lanes execute: those are the active ones in what `write` writes.
  template <class F>
  void guarded(const Inst& inst, F&& write) {
    Xbyak::Label none;
    begin_guarded(inst, none);
    write();
    end_guarded(inst, none);
  }

  // ---- of one instruction
  /// Another block of it: what it works on may make room for others from here on.
  void next_block();
  /// Block `block` of an operand: a register or a constant, as wide as `wide` says. Not to be written.
  Zmm in(const Operand& operand, unsigned block, bool wide);
  /// Lanes 8 * block to 8 * block + 7 of an operand of 32 bits, as 64.
  Zmm widened(const Operand& operand, unsigned block, bool sign);
  /// All lanes the same.
  Zmm value32(std::uint32_t value);
  Zmm value64(std::uint64_t value);
  /// A register to compute in.
  Zmm temporary();
  /// `value`, a temporary, is block `block` of the destination's active lanes.
  void out(const Operand& destination, unsigned block, const Zmm& value, bool wide);
  /// For each block of the destination: `f(block)` computes a temporary.
  template <class F>
  void each_block(const Operand& destination, bool wide, F&& f) {
    for (unsigned block = 0; block < (wide ? 4u : 2u); ++block) {
      next_block();
      out(destination, block, f(block), wide);
    }
  }

  /// A constant vector of the host's, which stays where it is.
  Zmm table(const void* at);
  /// The same for one that does not: it is kept as long as the code.
  const void* keep(const std::uint8_t (&bytes)[64]);
  /// Low `bits` of each lane of a temporary, extended: in place.
  void extend(const Zmm& value, unsigned bits, bool sign, bool wide);
  /// Numbers of lanes of 32 bits.
  Zmm lane_numbers(unsigned block);
  /// A temporary with the number, in the CTA, of the first thread of the warp in all lanes.
  Zmm first_thread();
  /// What two temporaries have in their lower halves, one behind the other: in the first of them.
  Zmm joined(const Zmm& low, const Zmm& high);
  /// The value of a constant operand of 32 bits.
  std::uint32_t constant(const Operand& operand) const;
  /// The same of an operand of a shuffle that is known here.
  std::optional<std::uint32_t> known(const Operand& operand) const { return known_.value(operand); }
  /// A temporary with a size of the launch, or the CTA's place, in all lanes.
  Zmm size_of(Sizes sizes, unsigned axis);
  /// The launch's arguments have these bytes.
  bool is_argument(std::uint64_t offset, unsigned bytes) const {
    return offset < program_.param_bytes && program_.param_bytes - offset >= bytes;
  }
  /// A temporary with an argument of 4 or 8 bytes in all lanes.
  Zmm argument(std::uint32_t offset, unsigned bytes);
  bool some_lanes() const { return some_lanes_; }
  /// The active lanes of a block. With some lanes.
  Opmask lanes(unsigned block, bool wide) const;

  /// Memory has the rows of an operand; not to be called behind a branch.
  void to_memory(const Operand& operand, bool wide);

  // ---- memory
  /// From here on code may jump to detour(), where the instruction's own function is called instead of what
  /// is between here and end_detour(), which takes at most so many `registers`. In between nothing may be
  /// looked for for the first time behind a branch.
  void begin_detour(const Inst& inst, Pc pc, unsigned registers);
  Xbyak::Label& detour() { return detours_.back().begin; }
  /// Nothing jumps there any more, and results may be written.
  void end_jumps();
  void end_detour();
  /// Behind begin_detour: jumps there unless stores to memory that is not of the CTA alone are to be there at
  /// once.
  void at_once_or_detour();
  /// NativeFrame::journal.
  void journal_to(const Xbyak::Reg64& to);
  /// A store goes to memory that is not of the CTA alone. Uses rax.
  void note_outside();
  /// The addresses in [`begin`, `end`), of shared memory or of an allocation that this instruction has read
  /// from, lie at `host` + address. Uses rax.
  void range_to(const Xbyak::Reg64& begin, const Xbyak::Reg64& end, const Xbyak::Reg64& host, bool global,
                Pc pc);
  /// The depots of the warp's lanes: where the first begins, the distance between them, and where the frame's
  /// begins in each.
  void depot_to(const Xbyak::Reg64& begin, const Xbyak::Reg32& stride, const Xbyak::Reg32& base);
  /// Where NativeFrame::sizes lie.
  void sizes_to(const Xbyak::Reg64& to);
  /// Where rows begin.
  const Xbyak::Reg64& rows() const;
  /// The last active lane's number. With some lanes.
  void last_lane(const Xbyak::Reg32& to);
  /// A lane of an operand, of 32 or 64 bits.
  Xbyak::Address lane_of(const Operand& operand, const Xbyak::Reg64& lane, bool wide);
  Xbyak::Address lane_of(const Operand& operand, unsigned lane, bool wide);
  /// Active lanes of half a warp, from bit 0 on; says whether there are any. With some lanes.
  void half_lanes(const Xbyak::Reg32& to, unsigned half);

  // ---- predicates, in registers of 32 bits: eax, ecx, edx and r8d to r11d are free
  void load_pred(const Xbyak::Reg32& to, const Operand& operand);
  /// In active lanes; nothing where there is none. Leaves `value` as it is; uses edx.
  void store_pred(const Operand& destination, const Xbyak::Reg32& value);

  // ---- single precision; k5 to k7 are free
  /// Without subnormal values, if `ftz`. Uses k7.
  Zmm flushed(const Zmm& value, bool ftz);
  /// NaNs become the one that single precision has. Uses k5.
  void settle_nan(const Zmm& value);
  /// The lesser of two or the greater, -0 below +0; a number before a NaN, or after it. Uses k5.
  void choose(const Zmm& to, const Zmm& a, const Zmm& b, bool greater, bool nan_wins);
  /// The instruction written last, of registers alone, rounds so.
  void round_last(Rounding rounding);
  /// A temporary with f16 or bf16, rounded to nearest, in the low 16 bits of each lane. Uses k5.
  Zmm narrowed(const Zmm& single, ptx::Type to);

 private:
  enum class Of : std::uint8_t { kNothing, kRow, kConst32, kConst64, kValue32, kValue64, kTable };
  struct Held {
    Of of = Of::kNothing;
    std::uint64_t which = 0;
    std::uint64_t used = 0;
    bool pinned = false;
    bool unwritten = false;  ///< of a row: memory does not have it, but it may be read
  };
  static constexpr unsigned kRegisters = 32;

  Zmm take();
  void write_back(Held& held);
  void write_all_back();
  const Held* find(Of of, std::uint64_t which) const;
  /// The register that holds it, filled if none does.
  Zmm hold(Of of, std::uint64_t which);
  void fill(const Zmm& to, Of of, std::uint64_t which);
  void call_function(const Inst& inst, Pc pc, Xbyak::Label& failed);
  /// What InstructionTally has of instructions [begin, end) is added, or taken off again.
  void count(Pc begin, Pc end, bool executed);
  void write_detours();
  Zmm row_block(unsigned row, unsigned block);
  void load_masks();
  /// Where the access' own range lies behind NativeFrame::ranges.
  std::uint32_t range_place(Pc pc) const {
    return static_cast<std::uint32_t>(sizeof(AddressRange)) * ranges_[pc];
  }
  static std::uint32_t offset_of(unsigned row, unsigned block) { return row * 128 + block * 64; }

  struct alignas(64) Table {
    std::uint8_t bytes[64];
  };

  const Program& program_;
  const LiveRows live_;
  KnownRows known_;
  std::vector<std::uint32_t> ranges_;  // by pc: which of NativeFrame::ranges is an access' own
  std::list<Table> tables_;
  Held held_[kRegisters];
  std::uint64_t uses_ = 0;
  bool jumps_ = false;  // code may jump to a detour, which puts into memory what it lacks
  bool some_lanes_ = false;
  void begin_guarded(const Inst& inst, Xbyak::Label& none);
  void end_guarded(const Inst& inst, Xbyak::Label& none);

  Xbyak::Label leave_;
  bool blocks_of_some_ = false;
  Held unguarded_[kRegisters];  // before the guarded instruction that is written
  // Of the blocks that are written.
  Pc begin_ = 0, end_ = 0;                    // of the present one
  std::vector<std::vector<unsigned>> dead_;   // by its instructions: rows that nothing reads behind it
  std::vector<bool> meetings_;                // by pc: lanes may meet others there
  std::vector<Xbyak::Label> blocks_, stops_;  // by pc; where code stops
  std::vector<bool> gone_to_;                 // by pc: the one or the other is jumped to
  /// Code that stops within a block, or could not begin it.
  struct Rest {
    Xbyak::Label label;
    Pc pc = 0, end = 0;  // instructions that are not executed
    bool counted = true;
  };
  std::list<Rest> rests_;
  struct Detour {
    Xbyak::Label begin, end;
    Xbyak::Label* failed = nullptr;
    const Inst* inst = nullptr;
    Pc pc = 0;
    std::vector<std::pair<int, std::uint64_t>> unwritten;  // registers whose blocks of rows memory lacks
    Held held[kRegisters];                                 // behind it
  };
  std::list<Detour> detours_;
};

// Each writes one instruction. False: it is none of theirs, and nothing has been written.
bool translate_integer(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_bits(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_float(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_approx(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_compare(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_move(LaneCode& code, const Inst& inst, const Modifiers& m);
/// Of the kernel's arguments.
bool translate_argument(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_access(LaneCode& code, const Inst& inst, const Modifiers& m, Pc pc);
/// Of each lane's own memory.
bool translate_local(LaneCode& code, const Inst& inst, const Modifiers& m, Pc pc);
bool translate_shuffle(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_half(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_half_arithmetic(LaneCode& code, const Inst& inst, const Modifiers& m);
bool translate_narrow(LaneCode& code, const Inst& inst, const Modifiers& m);

/// The host's number of a comparison of floating-point values; kNoComparison: they have none such.
unsigned comparison_of_floats(Compare compare);
inline constexpr unsigned kNoComparison = ~0u;

/// The host's number of a rounding to integers; kNoRounding: it is none such.
unsigned rounding_to_integers(Rounding rounding);
inline constexpr unsigned kNoRounding = ~0u;

/// Of an integer or untyped type of 32 or 64 bits; 0: it is another.
inline unsigned integer_bits(Type type) {
  const unsigned bytes = type >= Type::b8 && type <= Type::s64 ? type_bytes(type) : 0;
  return bytes == 4 || bytes == 8 ? 8 * bytes : 0;
}
/// Of an integer or untyped type below 32 bits; 0: it is another.
inline unsigned narrow_bytes(Type type) {
  return type >= Type::b8 && type <= Type::s64 && type_bytes(type) < 4 ? type_bytes(type) : 0;
}
/// 4 or 8: m.type is a 32- or 64-bit type; 0: another.
inline unsigned bytes_of(Type type) {
  return type == Type::f32 ? 4 : type == Type::f64 ? 8 : integer_bits(type) / 8;
}
inline bool floats(Type type) { return type == Type::f32 || type == Type::f64; }
inline bool is_register(const Operand& o) { return o.kind == OperandKind::kReg; }
inline bool is_value(const Operand& o) {
  return o.kind == OperandKind::kReg || o.kind == OperandKind::kConst;
}
inline bool wide_source(const Inst& inst, unsigned source) { return inst.wide >> (kMaxDst + source) & 1; }
inline bool wide_destination(const Inst& inst, unsigned i = 0) { return inst.wide >> i & 1; }

/// What a load or store moves are registers or constants as wide as elements of `bytes` are.
inline bool moves_elements(const Inst& inst, unsigned bytes) {
  const bool wide = bytes == 8;
  if (!inst.is_store && inst.dst_count != inst.vector) return false;
  for (unsigned element = 0; element < inst.vector; ++element) {
    if (inst.is_store) {
      if (!is_value(inst.src[1 + element]) || wide_source(inst, 1 + element) != wide) return false;
    } else if (is_register(inst.dst[element]) ? wide_destination(inst, element) != wide : inst.vector == 1) {
      return false;
    }
  }
  return true;
}

}  // namespace warpvp::ptx::native
