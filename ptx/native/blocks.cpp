// What lies between instructions: where code is entered and left, blocks, branches, guards, calls and what is
// counted.

#include <algorithm>

#include "ptx/native/kept_registers.h"
#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

unsigned precision_of(const Inst& inst) { return inst.flops / kDoubleFlops; }
int flops_of(const Inst& inst) { return inst.flops & ~kDoubleFlops; }

/// It may access memory that is not of the CTA alone.
bool goes_outside(const Inst& inst) {
  return inst.effect == Effect::kMemory && inst.space != Space::kShared && inst.space != Space::kLocal &&
         inst.space != Space::kParam;
}

}  // namespace

std::size_t LaneCode::write_entry() {
  align(64);
  const std::size_t offset = getSize();
  push(rbx);
  push(r12);
  push(r13);
  push(r14);
  push(r15);
  mov(kFrame, rdi);
  mov(kRows, ptr[kFrame + offsetof(NativeFrame, rows)]);
  mov(kConstants, ptr[kFrame + offsetof(NativeFrame, constants)]);
  mov(kPreds, ptr[kFrame + offsetof(NativeFrame, preds)]);
  mov(kActive, ptr[kFrame + offsetof(NativeFrame, active)]);
  some_lanes_ = true;
  load_masks();
  jmp(rsi);
  L(leave_);
  vzeroupper();
  pop(r15);
  pop(r14);
  pop(r13);
  pop(r12);
  pop(rbx);
  ret();
  return offset;
}

void LaneCode::begin_blocks(bool some_lanes) {
  some_lanes_ = blocks_of_some_ = some_lanes;
  const std::size_t pcs = program_.code.size() + 1;
  blocks_ = std::vector<Xbyak::Label>(pcs);
  stops_ = std::vector<Xbyak::Label>(pcs);
  gone_to_.assign(pcs, false);
}

std::size_t LaneCode::begin_block(Pc begin, std::uint32_t length) {
  for (Held& held : held_) held = {};
  known_.go_to(begin);
  begin_ = begin;
  end_ = begin + length;
  dead_.assign(length, {});
  RowSet live = live_.behind(end_ - 1);
  for (Pc pc = end_; pc-- > begin;) {
    const Inst& inst = program_.code[pc];
    const auto note = [&](unsigned row) {
      if (!live[row]) dead_[pc - begin].push_back(row);
    };
    for (unsigned i = 0; i < inst.written_rows; ++i) note(inst.writes[i]);
    for_each_read_row(inst, note);
    live_.step_back(inst, live);
  }
  const std::size_t offset = getSize();
  L(blocks_[begin]);
  sub(qword[kFrame + offsetof(NativeFrame, left)], length);
  jb(stop_before(begin), T_NEAR);
  rests_.back().counted = false;
  count(begin_, end_, true);
  return offset;
}

void LaneCode::end_instruction(Pc pc) {
  known_.pass(program_.code[pc]);
  for (const unsigned row : dead_[pc - begin_])
    for (Held& held : held_) {
      if (held.of != Of::kRow || held.which / 128 != row) continue;
      held.of = Of::kNothing;
      held.unwritten = false;
    }
}

void LaneCode::count(Pc begin, Pc end, bool executed) {
  std::uint32_t parts = 0, guarded = 0, flops[2] = {};
  for (Pc pc = begin; pc < end; ++pc) {
    const Inst& inst = program_.code[pc];
    parts += inst.is_part;
    // Of a branch that is taken all active lanes execute it.
    if (inst.effect == Effect::kBranch && inst.opcode == Opcode::bra) continue;
    if (inst.guard.kind == OperandKind::kNone)
      flops[precision_of(inst)] += flops_of(inst);
    else
      ++guarded;
  }
  const auto add_to = [&](std::size_t at, std::uint32_t value) {
    if (value != 0) add(qword[kFrame + at], executed ? value : 0 - value);
  };
  add_to(offsetof(NativeFrame, parts), parts);
  add_to(offsetof(NativeFrame, guarded), guarded);
  for (unsigned precision = 0; precision < 2; ++precision)
    add_to(offsetof(NativeFrame, flops) + precision * sizeof(std::uint64_t), flops[precision]);
}

void LaneCode::goes(Pc pc, Pc following) {
  write_all_back();
  if (meetings_[pc]) {
    gone_to_[pc] = true;
    cmp(dword[kFrame + offsetof(NativeFrame, reconverge)], pc);
    je(stops_[pc], T_NEAR);
  }
  if (pc == following) return;
  gone_to_[pc] = true;
  jmp(blocks_[pc], T_NEAR);
}

Xbyak::Label& LaneCode::stop_before(Pc pc) {
  Rest& rest = rests_.emplace_back();
  rest.pc = pc;
  rest.end = end_;
  return rest.label;
}

void LaneCode::end_blocks(const std::vector<bool>& is_block) {
  write_detours();
  for (Rest& rest : rests_) {
    L(rest.label);
    add(qword[kFrame + offsetof(NativeFrame, left)], rest.end - rest.pc);
    // A block that has not begun has not been counted.
    if (rest.counted) count(rest.pc, rest.end, false);
    mov(dword[kFrame + offsetof(NativeFrame, next)], rest.pc);
    jmp(leave_, T_NEAR);
  }
  rests_.clear();
  for (Pc pc = 0; pc < gone_to_.size(); ++pc) {
    if (!gone_to_[pc] || (is_block[pc] && !meetings_[pc])) continue;
    L(stops_[pc]);
    if (!is_block[pc]) L(blocks_[pc]);
    mov(dword[kFrame + offsetof(NativeFrame, next)], pc);
    jmp(leave_, T_NEAR);
  }
}

void LaneCode::branch(const Inst& inst, Pc pc, Pc following) {
  Xbyak::Label stays;
  write_all_back();
  if (inst.guard.kind == OperandKind::kPred) {
    load_pred(eax, inst.guard);
    if (some_lanes_) and_(eax, kActive);
    test(eax, eax);
    jz(stays, T_NEAR);
    // Lanes part.
    cmp(eax, kActive);
    jne(stop_before(pc), T_NEAR);
  }
  if (inst.loop_units != 0) {
    // A path's loops are counted behind the place where it meets others.
    Xbyak::Label& stop = stop_before(pc);
    if (meetings_[inst.target]) {
      cmp(dword[kFrame + offsetof(NativeFrame, reconverge)], inst.target);
      je(stop, T_NEAR);
    }
    mov(rax, qword[kFrame + offsetof(NativeFrame, loop_units)]);
    add(rax, inst.loop_units);
    cmp(rax, qword[kFrame + offsetof(NativeFrame, look_at)]);
    jae(stop, T_NEAR);
    mov(qword[kFrame + offsetof(NativeFrame, loop_units)], rax);
  }
  if (inst.guard.kind != OperandKind::kPred) return goes(inst.target, following);
  goes(inst.target, kNoPc);
  L(stays);
  inc(qword[kFrame + offsetof(NativeFrame, guarded)]);
  goes(pc + 1, following);
}

void LaneCode::none_or_stop(const Inst& inst, Pc pc) {
  write_all_back();
  load_pred(eax, inst.guard);
  some_lanes_ ? test(eax, kActive) : test(eax, eax);
  jnz(stop_before(pc), T_NEAR);
}

void LaneCode::begin_guarded(const Inst& inst, Xbyak::Label& none) {
  write_all_back();
  std::copy(held_, held_ + kRegisters, unguarded_);
  load_pred(eax, inst.guard);
  if (some_lanes_) and_(eax, kActive);
  test(eax, eax);
  jz(none, T_NEAR);
  mov(kActive, eax);
  some_lanes_ = true;
  load_masks();
}

void LaneCode::end_guarded(const Inst& inst, Xbyak::Label& none) {
  write_all_back();
  popcnt(eax, kActive);
  add(qword[kFrame + offsetof(NativeFrame, guarded_lanes)], rax);
  if (flops_of(inst) != 0) {
    if (flops_of(inst) != 1) imul(eax, eax, flops_of(inst));
    add(qword[kFrame + offsetof(NativeFrame, guarded_flops) + precision_of(inst) * sizeof(std::uint64_t)],
        rax);
  }
  mov(kActive, ptr[kFrame + offsetof(NativeFrame, active)]);
  some_lanes_ = blocks_of_some_;
  load_masks();
  L(none);
  // What a register holds either way.
  for (unsigned i = 0; i < kRegisters; ++i)
    if (held_[i].of != unguarded_[i].of || held_[i].which != unguarded_[i].which) held_[i] = {};
}

void LaneCode::load_masks() {
  if (!some_lanes_) return;
  kmovd(k1, kActive);
  kshiftrd(k2, k1, 16);
  kshiftrd(k3, k1, 8);
  kshiftrd(k4, k1, 24);
}

void LaneCode::at_once_or_stop(Pc pc) {
  write_all_back();
  cmp(qword[kFrame + offsetof(NativeFrame, journal)], 0);
  jne(stop_before(pc), T_NEAR);
}

void LaneCode::call(const Inst& inst, Pc pc) {
  write_all_back();
  call_function(inst, pc, stop_before(pc));
  for (Held& held : held_) held = {};
}

void LaneCode::call_function(const Inst& inst, Pc pc, Xbyak::Label& failed) {
  mov(rax, ptr[kFrame + offsetof(NativeFrame, pc)]);
  mov(dword[rax], pc);
  mov(rdi, reinterpret_cast<std::uint64_t>(&inst));
  mov(rsi, ptr[kFrame + offsetof(NativeFrame, warp)]);
  mov(edx, kActive);
  mov(rax, reinterpret_cast<std::uint64_t>(inst.exec));
  vzeroupper();
  CodeGenerator::call(rax);
  mov(rax, ptr[kFrame + offsetof(NativeFrame, faulted)]);
  cmp(byte[rax], 0);
  jne(failed, T_NEAR);
  load_masks();
}

// The function does it all; then registers get what they hold behind it.
void LaneCode::write_detours() {
  for (Detour& detour : detours_) {
    L(detour.begin);
    for (const auto& [number, at] : detour.unwritten)
      vmovdqa64(ptr[kRows + static_cast<std::uint32_t>(at)], Zmm(number));
    call_function(*detour.inst, detour.pc, *detour.failed);
    if (goes_outside(*detour.inst)) {
      // Where it has been.
      mov(rax, ptr[kFrame + offsetof(NativeFrame, ranges)]);
      add(rax, range_place(detour.pc));
      mov(rcx, ptr[kFrame + offsetof(NativeFrame, latest)]);
      vmovdqu(xmm0, ptr[rcx]);
      vmovdqu(ptr[rax], xmm0);
    }
    for (unsigned i = 0; i < kRegisters; ++i)
      fill(Zmm(static_cast<int>(i)), detour.held[i].of, detour.held[i].which);
    jmp(detour.end, T_NEAR);
  }
  detours_.clear();
}

}  // namespace warpvp::ptx::native
