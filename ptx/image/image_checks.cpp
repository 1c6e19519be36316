#include "ptx/image/image_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ptx/matrix.h"

namespace warpvp::ptx::image {
namespace {

class Checker {
 public:
  Checker(const Program& program, const MemoryBounds& memory)
      : p_(program),
        memory_(memory),
        instructions_(program.code.size()),
        frame_(program.frames_grow() ? program.frame_rows : program.rows),
        constants_(program.constants.size() / kWarpSize) {}

  void check() {
    resources();
    if (instructions_ == 0) throw ImageError("it has no instructions");
    for (at_ = 0; at_ < instructions_; ++at_) instruction(p_.code[at_]);
    ends();
    targets();
    parameters();
    presets();
    for (const auto& [begin, end] : p_.const_ranges)
      if (end < begin || !memory_.contains(begin, end - begin))
        throw ImageError("a range of constant memory lies outside device memory");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw ImageError(fmt::format("instruction {} has {}", at_, what));
  }
  void require(bool holds, const char* what) const {
    if (!holds) fail(what);
  }

  void resources() const {
    const auto most = [](std::uint64_t value, std::uint64_t limit, const char* what) {
      if (value > limit)
        throw ImageError(fmt::format("it needs {} {}, at most {} are allowed", value, what, limit));
    };
    most(p_.rows, kMostRows, "rows of registers");
    most(p_.frame_rows, kMostRows, "rows of registers in a frame");
    most(p_.preds, kMostPreds, "predicates");
    most(p_.depot_bytes, kMostDepotBytes, "bytes of local memory");
    most(p_.stack_bytes, p_.depot_bytes, "bytes of stack in its local memory");
    most(p_.param_bytes, kMostParamBytes, "bytes of arguments");
    most(p_.reserved_shared_bytes, p_.static_shared_bytes, "reserved bytes in its shared memory");
    most(p_.barriers, 16, "barriers");
    if (p_.registers_per_thread == 0 || p_.registers_per_thread > 255)
      throw ImageError(
          fmt::format("it needs {} registers per thread, 1 to 255 are allowed", p_.registers_per_thread));
    const std::uint64_t code_bytes = instructions_ * std::uint64_t{Program::kInstBytes};
    if (!memory_.contains(p_.code_address, code_bytes))
      throw ImageError("its code lies outside device memory");
  }

  void operand(const Operand& o, bool wide, bool written) const {
    switch (o.kind) {
      case OperandKind::kNone:
        return;
      case OperandKind::kReg:
        require(o.index + (wide ? 2u : 1u) <= frame_, "a register beyond its frame");
        require(!wide || o.index % 2 == 0, "a 64-bit register in an odd row");
        return;
      case OperandKind::kConst:
        require(!written, "a constant as its result");
        require(o.index + (wide ? 2u : 1u) <= constants_, "a constant beyond the bank");
        require(!wide || o.index % 2 == 0, "a 64-bit constant in an odd row");
        return;
      case OperandKind::kPred:
        require(o.index < p_.preds, "a predicate that there is not");
        return;
    }
  }

  void rows(const std::uint16_t* list, unsigned count, std::uint32_t limit, const char* what) const {
    for (unsigned k = 0; k < count; ++k) require(list[k] < limit, what);
  }

  void instruction(const Inst& i) const {
    require(i.guard.kind == OperandKind::kNone || i.guard.kind == OperandKind::kPred,
            "a guard that is no predicate");
    operand(i.guard, false, false);
    for (unsigned k = 0; k < i.dst_count; ++k) operand(i.dst[k], i.wide >> k & 1, true);
    for (unsigned k = 0; k < i.src_count; ++k) operand(i.source(k), i.wide >> (kMaxDst + k) & 1, false);
    rows(i.reads, i.read_rows, frame_, "a register read beyond its frame");
    rows(i.writes, i.written_rows, frame_, "a register written beyond its frame");
    rows(i.pred_reads, i.read_preds, p_.preds, "a predicate read that there is not");
    rows(i.pred_writes, i.written_preds, p_.preds, "a predicate written that there is not");
    require(i.vector >= 1 && i.vector <= 4, "a vector of no allowed length");
    const bool sparse = i.opcode == Opcode::mma && (i.access_bytes & kSparseProduct) != 0;
    require((sparse ? i.access_bytes & ~kSparseProduct : i.access_bytes) <= 16,
            "an access of no allowed size");
    require(i.ir_index < p_.texts.size(), "a text that there is not");
    require(i.is_part || i.modifiers < p_.modifiers.size(), "modifiers that there are not");
    if (i.is_part) {
      require(i.effect == Effect::kNone && i.dst_count == 0 && i.src_count == 0,
              "work, though it is a part of another");
      return;
    }
    if (i.opcode == Opcode::mma) product(i);
    control(i);
  }

  void product(const Inst& i) const {
    const Modifiers& m = p_.modifiers[i.modifiers];
    std::size_t at = i.table;
    for (const Matrix matrix : {Matrix::kD, Matrix::kA, Matrix::kB, Matrix::kC, Matrix::kMetadata}) {
      if (matrix == Matrix::kMetadata && !m.matrix.sparse) continue;
      const Fragment fragment = fragment_of(m, matrix);
      const bool wide = type_bytes(fragment.type) == 8;
      for (unsigned k = 0; k < fragment.registers; ++k, ++at) {
        require(at < p_.fragments.size(), "a fragment that there is not");
        operand({OperandKind::kReg, false, p_.fragments[at]}, wide, true);
      }
    }
  }

  // Warp::step goes by the effect, control flow by the opcode.
  void control(const Inst& i) const {
    const auto in = [](Pc pc, std::size_t end) { return pc < end; };
    const bool branches = i.opcode == Opcode::bra || i.opcode == Opcode::brx || i.opcode == Opcode::call;
    const bool leaves = i.opcode == Opcode::ret || i.opcode == Opcode::exit;
    const bool jumps = i.effect == Effect::kBranch || i.effect == Effect::kExit;
    require(branches ? i.effect == Effect::kBranch : leaves == jumps, "an effect that is not its opcode's");
    require(i.reconverge == kNoPc || in(i.reconverge, instructions_), "a place to meet beyond the code");
    switch (i.opcode) {
      case Opcode::bra:
        require(in(i.target, instructions_), "a target beyond the code");
        break;
      case Opcode::brx:
        require(i.table < p_.branch_tables.size(), "a branch table that there is not");
        require(i.src_count >= 1 && holds_value(i.src[0]), "no index");
        break;
      case Opcode::call:
        require(p_.has_calls, "a call where none is announced");
        require(i.src_count != 0 && i.src[0].kind != OperandKind::kNone
                    ? i.target == kNoPc && holds_value(i.src[0])
                    : in(i.target, instructions_),
                "a callee that there is not");
        require(i.frame_rows % 2 == 0 && i.frame_rows <= frame_, "a frame of registers beyond its size");
        require(i.frame_preds <= p_.preds, "a frame of predicates beyond its size");
        require(i.frame_param_bytes <= p_.depot_bytes, "a frame of local memory beyond its size");
        break;
      default:
        break;
    }
    if (i.effect == Effect::kWarpSync)
      require(i.src_count >= 1 && i.src_count <= kMaxSrc &&
                  holds_value(i.opcode == Opcode::bar ? i.src[0] : i.src[i.src_count - 1]),
              "no member mask");
    if (i.effect == Effect::kBarrier) {
      require(i.opcode == Opcode::bar || i.opcode == Opcode::barrier, "an effect that is not its opcode's");
      require(i.src_count >= 1 && holds_value(i.src[0]), "no barrier");
    }
  }
  static bool holds_value(const Operand& o) {
    return o.kind == OperandKind::kReg || o.kind == OperandKind::kConst;
  }

  /// Nobody may run off the end of the code.
  void ends() const {
    const Inst& last = p_.code.back();
    const bool goes = last.effect == Effect::kExit || last.opcode == Opcode::ret ||
                      last.opcode == Opcode::bra || last.opcode == Opcode::brx || last.opcode == Opcode::trap;
    if (last.is_part || !goes || last.guard.kind != OperandKind::kNone)
      throw ImageError("its code does not end");
  }

  void targets() const {
    const auto require_in = [&](Pc pc, const char* what) {
      if (pc >= instructions_) throw ImageError(fmt::format("a {} leads beyond the code", what));
    };
    for (const std::vector<Pc>& table : p_.branch_tables)
      for (const Pc pc : table) require_in(pc, "branch table");
    for (const Pc pc : p_.functions)
      if (pc != kNoPc) require_in(pc, "function");
  }

  void parameters() const {
    for (const Param& param : p_.params)
      if (param.offset > p_.param_bytes || param.bytes > p_.param_bytes - param.offset)
        throw ImageError("a parameter lies beyond the arguments");
  }

  void presets() const {
    std::vector<bool> taken(p_.rows);
    for (const PresetRow& preset : p_.presets) {
      const auto fail = [](const char* what) { throw ImageError(std::string("a preset register ") + what); };
      if (preset.row + (preset.wide ? 2u : 1u) > p_.rows || (preset.wide && preset.row % 2 != 0))
        fail("is none of the kernel's");
      for (unsigned row = preset.row; row < preset.row + (preset.wide ? 2u : 1u); ++row) {
        if (taken[row]) fail("has another one's row");
        taken[row] = true;
      }
      if (preset.bytes > 8) fail("has more than 8 bytes");
      if (preset.special != SpecialRegister::kNone) {
        if (!is_dimension(preset.special)) fail("is no dimension of the launch");
      } else if (preset.in_memory) {
        if (preset.bytes != 0 && !in_constant_memory(preset)) fail("does not come from constant memory");
      } else if (preset.bytes == 0 || preset.offset > p_.param_bytes ||
                 preset.bytes > p_.param_bytes - preset.offset) {
        fail("does not come from the arguments");
      }
    }
  }
  static bool is_dimension(SpecialRegister s) {
    return (s >= SpecialRegister::ntid_x && s <= SpecialRegister::ntid_z) ||
           (s >= SpecialRegister::nctaid_x && s <= SpecialRegister::nctaid_z);
  }
  bool in_constant_memory(const PresetRow& preset) const {
    return std::any_of(p_.const_ranges.begin(), p_.const_ranges.end(), [&](const auto& range) {
      return preset.address >= range.first && preset.address <= range.second &&
             preset.bytes <= range.second - preset.address;
    });
  }

  const Program& p_;
  const MemoryBounds memory_;
  const std::size_t instructions_;
  const std::uint32_t frame_;
  const std::size_t constants_;
  std::size_t at_ = 0;
};

}  // namespace

void check_program(const Program& program, const MemoryBounds& memory) { Checker(program, memory).check(); }

}  // namespace warpvp::ptx::image
