// mov with its packing and special-register forms, cvta, isspacep (PTX ISA 9.7.9, chapter 10).

#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

struct Copy {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

/// Address of a variable in the frame's depot.
template <class T>
void depot_address(const Inst& inst, Warp& w, LaneMask active) {
  const T base = w.depot_base();
  map1<T, T>(inst, w, active, [base](T a) { return static_cast<T>(a + base); });
}

void move_pred(const Inst& inst, Warp& w, LaneMask active) {
  set_pred(w, inst.dst[0], w.pred_value(inst.src[0]), active);
}

/// d = {src...}, the first element lowest. aux: bits per element.
void pack(const Inst& inst, Warp& w, LaneMask active) {
  const unsigned bits = static_cast<unsigned>(inst.aux);
  const u64 keep = (u64{1} << bits) - 1;
  u64 v[kWarpSize] = {};
  for (unsigned k = 0; k < inst.src_count; ++k) {
    const Row32* a = source<u32>(w, inst.src[k]);
    WARPVP_LANES v[i] |= (u64{a[i]} & keep) << (bits * k);
  }
  if (dst_wide(inst)) {
    with_destination<u64, false>(inst, w, active, [&](Row64* o) { WARPVP_LANES o[i] = v[i]; });
  } else {
    with_destination<u32, false>(inst, w, active,
                                 [&](Row32* o) { WARPVP_LANES o[i] = static_cast<u32>(v[i]); });
  }
}
/// {dst...} = a.
void unpack(const Inst& inst, Warp& w, LaneMask active) {
  const unsigned bits = static_cast<unsigned>(inst.aux);
  const u64 keep = (u64{1} << bits) - 1;
  alignas(64) u64 v[kWarpSize];
  if (src_wide(inst, 0)) {
    const Row64* a = source<u64>(w, inst.src[0]);
    WARPVP_LANES v[i] = a[i];
  } else {
    const Row32* a = source<u32>(w, inst.src[0]);
    WARPVP_LANES v[i] = a[i];
  }
  for (unsigned k = 0; k < inst.dst_count; ++k) {
    if (inst.dst[k].kind != OperandKind::kReg) continue;
    alignas(64) Row32 t[kWarpSize];
    WARPVP_LANES t[i] = static_cast<u32>((v[i] >> (bits * k)) & keep);
    blend(destination<u32>(w, inst.dst[k]), t, active);
  }
}

/// %tid of the warp's lanes, along x (0), y (1) or z.
template <class T>
void thread_index(u32 first, Dim3 block, unsigned axis, T* v) {
  const u32 row = first / block.x;
  u32 x = first % block.x, y = row % block.y, z = row / block.y;
  if (block.x - x >= kWarpSize) {  // as usual, all in one row of the block
    const T base = axis == 0 ? x : axis == 1 ? y : z, step = axis == 0 ? 1 : 0;
    WARPVP_LANES v[i] = base + step * static_cast<T>(i);
    return;
  }
  for (unsigned i = 0; i < kWarpSize; ++i) {
    v[i] = axis == 0 ? x : axis == 1 ? y : z;
    if (++x != block.x) continue;
    x = 0;
    if (++y != block.y) continue;
    y = 0;
    ++z;
  }
}

/// Values of a special register in the 32 lanes.
template <class T>
void special_values(Warp& w, SpecialRegister reg, T* v) {
  Cta& cta = w.cta();
  const ExecEnv& env = cta.env();
  const Dim3 block = cta.block();
  const u32 first = w.index() * kWarpSize;
  u64 same = 0;
  switch (reg) {
    case SpecialRegister::tid_x:
      return thread_index(first, block, 0, v);
    case SpecialRegister::tid_y:
      return thread_index(first, block, 1, v);
    case SpecialRegister::tid_z:
      return thread_index(first, block, 2, v);
    case SpecialRegister::laneid:
      for (u32 i = 0; i < kWarpSize; ++i) v[i] = i;
      return;
    case SpecialRegister::lanemask_eq:
      for (u32 i = 0; i < kWarpSize; ++i) v[i] = 1u << i;
      return;
    case SpecialRegister::lanemask_le:
      for (u32 i = 0; i < kWarpSize; ++i) v[i] = ~0u >> (31 - i);
      return;
    case SpecialRegister::lanemask_lt:
      for (u32 i = 0; i < kWarpSize; ++i) v[i] = (1u << i) - 1;
      return;
    case SpecialRegister::lanemask_ge:
      for (u32 i = 0; i < kWarpSize; ++i) v[i] = ~((1u << i) - 1);
      return;
    case SpecialRegister::lanemask_gt:
      for (u32 i = 0; i < kWarpSize; ++i) v[i] = ~(~0u >> (31 - i));
      return;
    case SpecialRegister::ntid_x:
      same = block.x;
      break;
    case SpecialRegister::ntid_y:
      same = block.y;
      break;
    case SpecialRegister::ntid_z:
      same = block.z;
      break;
    case SpecialRegister::ctaid_x:
      same = cta.id().x;
      break;
    case SpecialRegister::ctaid_y:
      same = cta.id().y;
      break;
    case SpecialRegister::ctaid_z:
      same = cta.id().z;
      break;
    case SpecialRegister::nctaid_x:
      same = cta.grid().x;
      break;
    case SpecialRegister::nctaid_y:
      same = cta.grid().y;
      break;
    case SpecialRegister::nctaid_z:
      same = cta.grid().z;
      break;
    case SpecialRegister::warpid:
      same = w.index();
      break;
    case SpecialRegister::nwarpid:
      same = cta.warps();
      break;
    case SpecialRegister::smid:
      same = env.sm_id;
      break;
    case SpecialRegister::nsmid:
      same = env.sm_count;
      break;
    case SpecialRegister::gridid:
      same = cta.grid_id();
      break;
    case SpecialRegister::clock:
    case SpecialRegister::globaltimer_lo:
      same = static_cast<u32>(env.cycle);
      break;
    case SpecialRegister::clock_hi:
    case SpecialRegister::globaltimer_hi:
      same = env.cycle >> 32;
      break;
    case SpecialRegister::clock64:
    case SpecialRegister::globaltimer:
      same = env.cycle;
      break;
    case SpecialRegister::clusterid_x:
      same = cta.id().x;
      break;
    case SpecialRegister::clusterid_y:
      same = cta.id().y;
      break;
    case SpecialRegister::clusterid_z:
      same = cta.id().z;
      break;
    case SpecialRegister::nclusterid_x:
      same = cta.grid().x;
      break;
    case SpecialRegister::nclusterid_y:
      same = cta.grid().y;
      break;
    case SpecialRegister::nclusterid_z:
      same = cta.grid().z;
      break;
    case SpecialRegister::cluster_nctaid_x:
    case SpecialRegister::cluster_nctaid_y:
    case SpecialRegister::cluster_nctaid_z:
    case SpecialRegister::cluster_nctarank:
      same = 1;  // every CTA is a cluster of its own
      break;
    case SpecialRegister::dynamic_smem_size:
      same = u64{cta.shared_bytes()} - cta.dynamic_shared_offset();
      break;
    case SpecialRegister::total_smem_size:
      same = u64{cta.shared_bytes()} - cta.program().reserved_shared_bytes;
      break;
    case SpecialRegister::aggr_smem_size:
      same = u64{cta.shared_bytes()};
      break;
    case SpecialRegister::reserved_smem_end:
    case SpecialRegister::reserved_smem_cap:
      same = Program::kReservedSharedBytes;
      break;
    case SpecialRegister::reserved_smem_1:
      same = Program::kReservedSharedBytes / 2;
      break;
    default:
      break;  // fourth components, %envreg, %pm and the like read as 0
  }
  const T of_all = static_cast<T>(same);
  WARPVP_LANES v[i] = of_all;
}
/// aux: the register.
template <class T>
void special(const Inst& inst, Warp& w, LaneMask active) {
  with_destination<T, true>(
      inst, w, active, [&](Cell<T>* o) { special_values(w, static_cast<SpecialRegister>(inst.aux), o); });
}

std::uint64_t window_of(Space space) {
  switch (space) {
    case Space::kShared:
      return kSharedWindow;
    case Space::kLocal:
      return kLocalWindow;
    case Space::kParam:
      return kParamWindow;
    default:
      return 0;  // global and constant memory lie in the generic space as they are
  }
}

/// aux: what to add, the start of the space's window or its negative.
void convert_address(const Inst& inst, Warp& w, LaneMask active) {
  const u64 delta = inst.aux;
  map1<u64, u64>(inst, w, active, [delta](u64 a) { return a + delta; });
}
/// Constant variables lie in device memory like global ones; which is which, only their places tell.
bool is_constant(const Warp& w, u64 address) {
  for (const auto& [begin, end] : w.cta().program().const_ranges)
    if (address >= begin && address < end) return true;
  return false;
}
void isspacep(const Inst& inst, Warp& w, LaneMask active) {
  const Row64* a = source<u64>(w, inst.src[0]);
  const u64 window = inst.aux;
  const LaneMask r =
      window != 0 ? mask_of([&](unsigned i) { return a[i] - window < kWindowBytes; })
      : inst.space == Space::kConst
          ? mask_of([&](unsigned i) { return is_constant(w, a[i]); })
          : mask_of([&](unsigned i) { return a[i] < kFunctionWindow && !is_constant(w, a[i]); });
  set_pred(w, inst.dst[0], r, active);
}

bool one_of_widths(const Inst& inst, bool wide) {
  return inst.dst[0].kind == OperandKind::kReg && dst_wide(inst) == wide && src_wide(inst, 0) == wide;
}

ExecFn select_mov(Inst& inst, const Modifiers& m) {
  if (m.special != 0) {
    if (inst.dst[0].kind != OperandKind::kReg) return nullptr;
    inst.aux = m.special;
    return dst_wide(inst) ? &special<u64> : &special<u32>;
  }
  if (m.type == Type::pred) {
    const bool legal = inst.dst[0].kind == OperandKind::kPred && inst.src[0].kind == OperandKind::kPred;
    return legal ? &move_pred : nullptr;
  }
  const unsigned bits = type_bits(m.type);
  if (bits == 0) return nullptr;
  if (inst.src_count > 1 || inst.dst_count > 1) {
    const unsigned count = inst.src_count > 1 ? inst.src_count : inst.dst_count;
    if (count != 2 && count != 4) return nullptr;
    inst.aux = bits / count;
    if (inst.aux < 8) return nullptr;
    return inst.src_count > 1 ? &pack : &unpack;
  }
  if (!one_of_widths(inst, bits == 64)) return nullptr;
  if (inst.depot) return bits == 64 ? &depot_address<u64> : bits == 32 ? &depot_address<u32> : nullptr;
  return bits == 64 ? &unary<Copy, u64> : &unary<Copy, u32>;
}

}  // namespace

ExecFn select_move(Inst& inst, const Modifiers& m) {
  switch (inst.opcode) {
    case Opcode::mov:
      return select_mov(inst, m);
    case Opcode::cvta:
      // Generic addresses have 64 bits.
      if (!one_of_widths(inst, true)) return nullptr;
      inst.aux = m.to_space ? 0 - window_of(inst.space) : window_of(inst.space);
      return inst.aux == 0 ? &unary<Copy, u64> : &convert_address;
    case Opcode::isspacep:
      if (inst.dst[0].kind != OperandKind::kPred || !src_wide(inst, 0)) return nullptr;
      inst.aux = window_of(inst.space);
      return &isspacep;
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
