#pragma once
// The executable form of a PTX kernel: what lowering produces, execution runs and the SM times.
//
// Lowering (ptx/lower.*) turns the typed IR of one kernel, and of every function it can reach, into one flat
// array of `Inst`. Virtual registers have become rows of the warp's register file, immediates rows of the
// kernel's constant bank, labels program counters. The same Inst carries what the functional executor needs
// (`exec`, operands) and what the timing model needs (unit, rows read and written, kind of control flow).
//
// A register row is 32 lanes of 32 bits, lane-contiguous (128 bytes). A 64-bit register is two consecutive rows
// used as 32 contiguous 64-bit values, so its first row is even. 8- and 16-bit registers occupy a 32-bit row,
// value zero- or sign-agnostic in the low bits. Predicates are 32-bit lane masks in a file of their own.
// Row counts are therefore 32-bit registers per thread, the number occupancy is computed from.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/derived.h"
#include "ptx/opcodes.h"

namespace warpvp::ptx {

inline constexpr unsigned kWarpSize = 32;
using LaneMask = std::uint32_t;
/// Of lanes that are not none.
inline unsigned first_lane(LaneMask lanes) { return static_cast<unsigned>(__builtin_ctz(lanes)); }
using Pc = std::uint32_t;  ///< index into Program::code
inline constexpr Pc kNoPc = 0xffffffffu;
inline constexpr std::uint16_t kNoRow = 0xffff;

/// Execution unit an instruction issues to. Latency and initiation interval are the SM's configuration.
enum class Unit : std::uint8_t { kInt, kFp32, kFp64, kSfu, kLsu, kControl, kTensor, kCount };

/// What the instruction means to the pipeline beyond computing a value.
enum class Effect : std::uint8_t {
  kNone,
  kBranch,   ///< bra, brx.idx, call, ret: may redirect fetch
  kExit,     ///< exit, and ret from the entry
  kBarrier,  ///< bar.*, barrier.*: may block the warp
  kMemory,   ///< ld, st, atom, red, cp.async, cp.async.bulk, tex, tld4, suld, sust, prefetch: yields a MemoryAccess
  kFence,    ///< membar, fence: waits for the warp's earlier stores
  kWaitAsync,  ///< cp.async.wait_*: waits for the warp's earlier asynchronous copies
  kTrap,     ///< trap, failed assert: ends the run with a fault
  kWarpSync,  ///< bar.warp.sync and the .sync forms of shfl, vote, match, redux, elect: waits for lanes of its warp
  kYield,     ///< nanosleep: a good moment for other paths of the warp
};

/// A finer class for per-class latencies in YAML (`sm.latency.<name>`).
enum class OpClass : std::uint8_t {
  kMove,
  kIntAdd,
  kIntMul,
  kIntDiv,
  kLogic,
  kShiftLeft,
  kCompare,
  kConvert,
  kFpAdd,
  kFpMul,
  kFpFma,
  kFpDiv,
  kFpSqrt,
  kSpecial,
  kDpAdd,
  kDpFma,
  kDpDiv,
  kVote,
  kShuffle,
  kControl,
  kMemory,
  kBarrier,
  kTensorHalf,
  kTensorSingle,
  kTensorDouble,
  kTensorByte,
  kTensorNibble,
  kTensorBit,
  kGuard,  ///< a comparison whose predicate guards the next machine instruction (ptx/machine/expansion.h)
  kTensorFloat8,
  kMatch,
  kRedux,
  kCount
};

enum class Space : std::uint8_t { kNone, kGeneric, kGlobal, kConst, kShared, kLocal, kParam };

/// Where an operand's 32 lanes lie.
enum class OperandKind : std::uint8_t {
  kNone,
  kReg,    ///< `index` is a row of the warp's current frame
  kConst,  ///< `index` is a row of Program::constants (an immediate or symbol address, broadcast)
  kPred,   ///< `index` is a predicate
};
struct Operand {
  OperandKind kind = OperandKind::kNone;
  bool negated = false;  ///< predicates: !p
  std::uint16_t index = 0;
};

/// Device addresses of functions, as mov of a function's name yields them: kFunctionWindow + 16 * index of the
/// function among the module's functions other than entries, the same in every kernel; Program::functions turns them into program counters.
inline constexpr std::uint64_t kFunctionWindow = 0x7ffc'0000'0000'0000ull;

// Operand conventions, where "operands in PTX order" does not say it all:
//   vectors    spread; mov packs with dst_count 1, unpacks with src_count 1; pieces have type size / count
//   bytes sink `_`   a dst of kind kNone (setp p|_, atom _, unpacking, vector loads) setp, shfl p|q: dst[1]
//   is the second predicate; kNone when absent ld, st, atom, red, ...  src[0] is the address: kReg, kConst
//   (address of a placed variable) or kNone atom       dst, address, b, [c]; red the same without dst
//   cp.async   src[0] shared address + offset, src[1] global address + (int64)aux, [src[2] source size, .u32,
//   or
//              ignore-src predicate]; access_bytes is the copy size; wait_group: aux is the group count
//   cp_bulk    src[0] destination, src[1] source (64-bit addresses, global or in shared memory), src[2] bytes,
//   [src[3] mbarrier in shared memory]; ahead: src[0] source, src[1] bytes
//   bar        src[0] barrier, src[1] thread count or kNone, src[2] predicate of bar.red; bar.warp_sync:
//   src[0] mask lop3       src a, b, c, [predicate]; aux is the lookup table add3       src a, b, c; bit n of
//   aux negates the nth. lea: src a, b; (a << aux) + b video      src a, b, [c]; aux holds VideoSelectors
//   (ptx/video.h) alloca_    src size; aux is the alignment, 0 for the default tex, tld4, suld, sust  src[0]
//   address of the descriptor (a handle, or kConst for a .texref), then coordinates (the
//              layer first, without elements that PTX ignores), then for sust the data, in more_src where src
//              ends; dst[4] of tex and tld4 is the residency predicate, if any; levels and gradients have no
//              place
//   txq, suq   src[0] address of the descriptor; istypep: dst[0] predicate, src[0] handle. select_exec fills
//   aux brx        src[0] index call       direct: target; indirect: target is kNoPc and src[0] holds the
//   function's address (64-bit) vprintf    dst[0] status (u32), src[0] format, src[1] argument buffer (both
//   generic 64-bit addresses) heap_malloc dst[0] address (u64), src[0] bytes (u64); heap_free: src[0] address
//   (u64) mma        no operands here: rows of D, A, B and C are Program::fragments from Inst::table on
//   ldmatrix   src[0] address; dst a register for each matrix. stmatrix: src[0] address, then the registers
//   trap       aux 1: failed assert; src message, file, line (u32), function, character size (u64)
// ld, st and cvt may use registers wider than their types: a load or conversion then extends to the register
// (by the sign for signed types), a store or conversion reads the low part. Addresses may be 32-bit registers
// (shared, local, param). .param space is the kernel's argument block, or with Inst::depot the parameters of
// functions and calls in the per-lane depot; every formal lies at a multiple of 16 bytes there, return values
// first. Predicate sources are never constants. A destination may share a row with a source only when the
// instruction has one destination, is not a shuffle, vote, match, memory access or call, and both have the
// same width.

struct Inst;
class Warp;
/// Executes one instruction over the lanes of `active`; registered per opcode and type.
using ExecFn = void (*)(const Inst& inst, Warp& warp, LaneMask active);

inline constexpr unsigned kMaxDst = 5;
inline constexpr unsigned kMaxSrc = 6;

/// In Inst::aux of a wait for bulk copies: until they have read shared memory.
inline constexpr std::uint64_t kReadsAlone = std::uint64_t{1} << 63;

/// In Inst::flops: the operations are of double precision.
inline constexpr std::uint8_t kDoubleFlops = 0x80;

/// In Inst::access_bytes of mma: half of A's elements are not there (mma.sp), and count as no multiply-adds.
inline constexpr std::uint8_t kSparseProduct = 0x80;

/// In lines of 64 bytes, as a platform of many SMs has few instructions in the processor's nearest cache: the first is
/// what execution reads, the second what the pipeline does, the third what memory and control instructions add.
struct alignas(64) Inst {
  ExecFn exec = nullptr;
  Opcode opcode{};
  Unit unit = Unit::kInt;
  OpClass op_class = OpClass::kMove;
  Effect effect = Effect::kNone;
  /// Takes time and computes nothing: one of the machine instructions that the chip needs for the PTX instruction that
  /// follows, which does the work (ptx/machine/expansion.h).
  bool is_part = false;
  /// Floating-point operations of a lane: 1 of additions, multiplications, divisions, reciprocals and roots, 2 of fused
  /// multiply-adds; kDoubleFlops besides for double precision. Those of the PTX instruction, whatever the chip needs
  /// for it.
  std::uint8_t flops = 0;

  // Guard predicate: @p / @!p. kNone when always executed.
  Operand guard;

  // Operands in PTX order. Vectors are spread: ld.v4 has 4 dst, st.v4 has address + 4 src.
  std::uint8_t dst_count = 0, src_count = 0;
  Operand dst[kMaxDst];
  Operand src[kMaxSrc];  ///< sources beyond: more_src

  // Timing: distinct rows and predicates read and written, 64-bit registers as both their rows, relative to the
  // frame. Filled by lowering from the operands.
  alignas(64) std::uint8_t read_rows = 0;
  std::uint8_t written_rows = 0, read_preds = 0, written_preds = 0;
  std::uint16_t reads[13];   ///< enough for 6 64-bit sources, and for what a sparse mma reads
  std::uint16_t writes[8];
  std::uint16_t pred_reads[3];  ///< a guard and two sources
  std::uint16_t pred_writes[2];

  // Control flow.
  Pc target = kNoPc;      ///< branch target or callee entry
  Pc reconverge = kNoPc;  ///< immediate post-dominator of a branch that may diverge

  // Memory.
  alignas(64) std::int64_t offset = 0;  ///< [reg + offset] or, with src[0] kNone, the absolute address
  std::uint64_t aux = 0;  ///< opcode-specific modifiers packed by lowering, e.g. rounding, lut, shuffle mode
  Space space = Space::kNone;
  /// Bytes per lane and element, 1 to 16. Of mma: the binary logarithm of its multiply-adds, and kSparseProduct.
  std::uint8_t access_bytes = 0;
  std::uint8_t vector = 1;        ///< elements per lane
  std::uint8_t cache_op = 0;      ///< a CacheOp of opcodes.h
  bool is_store = false, is_atomic = false, is_volatile = false, is_async = false;
  /// Local and function-parameter accesses without an address register, and `mov` of such a variable's address:
  /// the offset counts from the depot base of the current frame (see ptx/exec/select.h).
  bool depot = false;
  bool uniform = false;  ///< bra.uni / call.uni
  /// bra, brx: what an iteration of the loop that this branch closes counts towards a turn of other paths of the
  /// warp (ptx/loops.h); 0 when it closes none or its loop reads no memory.
  std::uint8_t loop_units = 0;
  /// Operands that are 64-bit registers or constants (two rows): bit i for dst[i], bit kMaxDst + i for src[i].
  std::uint16_t wide = 0;

  // Calls and tables.
  /// brx.idx: index into Program::branch_tables; indirect call: prototype index; mma: into
  /// Program::fragments.
  std::uint32_t table = 0;
  std::uint16_t frame_rows = 0;   ///< call: rows (even) by which the callee's frame starts above the caller's
  std::uint16_t frame_preds = 0;  ///< call: the same for predicates
  std::uint32_t frame_param_bytes = 0;  ///< call: the same for the per-lane .param/.local depot

  /// Its warp issues nothing for the latency of control instructions.
  bool holds_warp() const {
    return effect == Effect::kBranch || (is_part && op_class == OpClass::kControl);
  }

  Operand more_src[2];  ///< sources kMaxSrc and kMaxSrc + 1: data of a surface store
  Operand& source(unsigned i) { return i < kMaxSrc ? src[i] : more_src[i - kMaxSrc]; }
  /// An access to global, shared or local memory; constants and parameters have a path of their own.
  bool accesses_data() const {
    return effect == Effect::kMemory && space != Space::kConst && space != Space::kParam;
  }
  const Operand& source(unsigned i) const { return i < kMaxSrc ? src[i] : more_src[i - kMaxSrc]; }

  std::uint32_t line = 0;      ///< source line in Program::file
  std::uint32_t ir_index = 0;  ///< index into Program::texts, the disassembly of this instruction
  std::uint32_t modifiers = 0;  ///< index into Program::modifiers; means nothing to a part
};
static_assert(sizeof(Inst) == 3 * 64);

/// A module-scope variable that must be placed in device memory before its users run.
struct GlobalVariable {
  std::string name;
  bool is_texture =
      false;  ///< a .texref: space for a TextureDescriptor (ptx/image/texture.h), zeros until bound
  bool is_managed = false;       ///< the CPU has it under the same address
  Space space = Space::kGlobal;  ///< kGlobal or kConst
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
  std::vector<std::uint8_t> initial;  ///< empty: zeros; otherwise exactly `bytes`
  /// Addresses inside `initial`: at `offset`, a pointer to `symbol` + `addend`.
  struct Relocation {
    std::uint64_t offset;
    std::string symbol;
    std::int64_t addend;
    bool generic;
    std::uint8_t bytes = 8, shift = 0;  ///< so many bytes of `pointer >> shift`
  };
  std::vector<Relocation> relocations;
};

/// One kernel parameter, in order.
struct Param {
  std::string name;
  std::string type;  ///< ".u64", ".f32", ".b8[24]"
  std::uint32_t offset = 0, bytes = 0, alignment = 1;
  bool is_pointer = false;
};

/// A row that has one value for all threads of a launch from their start on: an operand from the constant bank.
struct PresetRow {
  std::uint16_t row = 0;
  bool wide = false;
  /// Bytes [offset, offset + bytes) of the arguments, extended to the row, by the sign if `sign`; or, where `special`
  /// is set, that launch dimension; or, with `in_memory`, the bytes at the device address `address` of constant memory,
  /// with 0 bytes the address itself. Module::place adds the address of the variable.
  std::uint32_t offset = 0;
  std::uint8_t bytes = 0;
  bool sign = false;
  SpecialRegister special = SpecialRegister::kNone;
  bool in_memory = false;
  std::uint64_t address = 0;
};

/// Rows of a warp's register file that follow each other.
struct RowRange {
  std::uint32_t first, count;
};

/// An executable kernel. Immutable once its symbols are placed (`Module::place` in ptx/module.h).
struct Program {
  std::string name;  ///< entry name
  std::string file;  ///< PTX file as the user named it
  std::vector<Inst> code;
  /// What select_exec was told of the instructions, each once: with an Inst it says again what to execute.
  std::vector<Modifiers> modifiers;
  std::vector<std::string> texts;  ///< disassembly, by Inst::ir_index
  std::vector<std::string> function_of;  ///< names of functions; entry first
  /// Constant bank: rows of 32 x 4 bytes (64-bit constants take two rows, first even), 64-byte aligned by the user of data().
  std::vector<std::uint32_t> constants;
  std::vector<std::vector<Pc>> branch_tables;
  std::vector<std::uint16_t>
      fragments;  ///< rows of the registers of matrix products, of 64-bit ones the first
  /// Where the functions of the module start, by function number; kNoPc for those this kernel cannot reach. The
  /// address of function n, as `mov` yields it and indirect calls take it, is kFunctionWindow + 16 * n
  /// (ptx/exec/cta.h), the same in every kernel of the module.
  std::vector<Pc> functions;
  std::vector<Param> params;
  std::uint32_t param_bytes = 0;
  std::vector<PresetRow> presets;

  /// Rows that are to be zeros when a warp begins (ptx/first_reads.h); none is said of them: all.
  std::optional<std::vector<RowRange>> zero_rows;
  std::uint32_t rows = 0;          ///< rows a warp needs for the deepest non-recursive call chain
  std::uint32_t preds = 0;         ///< likewise predicates
  std::uint32_t depot_bytes = 0;   ///< per-lane bytes for .local variables and .param space of functions, deepest chain
  /// Of `depot_bytes`, at its start: what a thread can allocate with alloca; 0 if nothing does.
  std::uint32_t stack_bytes = 0;
  static constexpr std::uint32_t kStackBytes = 4096;
  bool recursive = false;          ///< the call graph has a cycle: frames grow while running
  bool has_calls = false;          ///< frames of callees lie above the entry's
  std::uint32_t frame_rows = 0;    ///< rows of the largest frame of a function, even
  /// From live ranges at the worst point of the deepest call chain (64-bit registers count two), 1 to 255: what
  /// occupancy is computed from. `rows` is more, as no row holds both 32- and 64-bit registers.
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  bool uses_dynamic_shared = false;
  /// Of `static_shared_bytes`, at its start: the region that %reserved_smem_offset_* describe; 0 if none is read.
  std::uint32_t reserved_shared_bytes = 0;
  static constexpr std::uint32_t kReservedSharedBytes = 1024;
  bool uses_heap = false;          ///< calls malloc or free
  /// Where the module's .const variables lie, [begin, end): Module::place says so. They have no window of their own.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> const_ranges;
  std::uint32_t barriers = 0;      ///< named barriers used (highest id + 1)
  std::uint32_t max_threads = 0;   ///< .maxntid product, 0: none
  std::uint32_t required_block[3] = {0, 0, 0};  ///< .reqntid, zeros: none
  std::uint32_t min_ctas_per_sm = 0;

  /// Device address at which instruction 0 is fetched; set by the loader. kInstBytes each.
  std::uint64_t code_address = 0;
  static constexpr unsigned kInstBytes = 16;

  /// Frames may need more than `rows`: by recursion, or since paths of a warp are in several callees at once.
  bool frames_grow() const { return recursive || has_calls; }
  /// Rows to begin with, so that without either no frame grows.
  std::uint32_t rows_reserved() const { return rows + (has_calls ? frame_rows : 0); }
  /// Rows and predicates that a frame at these bases needs.
  std::uint32_t rows_needed(std::uint32_t row_base) const { return row_base + frame_rows; }
  std::uint32_t preds_needed(std::uint32_t pred_base) const { return recursive ? pred_base + preds : preds; }

  /// "file:line: text" of an instruction, for messages.
  std::string locate(Pc pc) const;

  Derived derived;  ///< of the finished program
};

}  // namespace warpvp::ptx
