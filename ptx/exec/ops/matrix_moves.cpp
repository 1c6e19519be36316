// ldmatrix, stmatrix and movmatrix (PTX ISA 9.7.14): 8 x 8 matrices of 16 bits, in memory a row of 16 bytes
// each, whose addresses the lanes give, lane 8j + r that of row r of matrix j. All lanes take part; those
// that do not execute keep their results.

#define WARPVP_EXEC_LEVEL baseline
#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/memory_access.h"

namespace warpvp::ptx {
namespace baseline {
namespace {

/// Where in a warp's fragments element (row, column) is: lane and half of the register.
constexpr unsigned lane_of(unsigned row, unsigned column) { return 4 * row + column / 2; }

LaneMask address_lanes(unsigned count) { return count == 4 ? ~0u : (1u << (8 * count)) - 1; }

/// aux: the matrices, and in bit 8 that they are transposed.
template <Space space>
void load_matrices(const Inst& inst, Warp& w, LaneMask active) {
  const unsigned count = inst.aux & 0xff;
  const bool transposed = (inst.aux >> 8) != 0;
  AccessLanes lanes;
  if (!lanes.resolve<space>(inst, w, address_lanes(count), 16, AccessKind::kLoad)) return;
  for (unsigned j = 0; j < count; ++j) {
    u16 matrix[8][8];
    for (unsigned row = 0; row < 8; ++row) std::memcpy(matrix[row], lanes.host(8 * j + row), 16);
    Row32 d[kWarpSize] = {};
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned column = 0; column < 8; ++column)
        d[lane_of(row, column)] |= u32{transposed ? matrix[column][row] : matrix[row][column]}
                                   << (16 * (column % 2));
    blend(destination<u32>(w, inst.dst[j]), d, active);
  }
}
template <Space space>
void store_matrices(const Inst& inst, Warp& w, LaneMask) {
  const unsigned count = inst.aux & 0xff;
  const bool transposed = (inst.aux >> 8) != 0;
  AccessLanes lanes;
  if (!lanes.resolve<space>(inst, w, address_lanes(count), 16, AccessKind::kStore)) return;
  if (AccessLanes::put_off(inst, w, address_lanes(count))) return;
  for (unsigned j = 0; j < count; ++j) {
    const Row32* const from = source<u32>(w, inst.src[1 + j]);
    for (unsigned row = 0; row < 8; ++row) {
      u16 stored[8];
      for (unsigned column = 0; column < 8; ++column) {
        const unsigned r = transposed ? column : row, c = transposed ? row : column;
        stored[column] = static_cast<u16>(from[lane_of(r, c)] >> (16 * (c % 2)));
      }
      std::memcpy(lanes.host(8 * j + row), stored, 16);
    }
  }
}
void transpose(const Inst& inst, Warp& w, LaneMask active) {
  const Row32* const from = source<u32>(w, inst.src[0]);
  Row32 d[kWarpSize] = {};
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column)
      d[lane_of(row, column)] |= (from[lane_of(column, row)] >> (16 * (row % 2)) & 0xffff)
                                 << (16 * (column % 2));
  blend(destination<u32>(w, inst.dst[0]), d, active);
}

}  // namespace
}  // namespace baseline

ExecFn select_matrix_move(Inst& inst, const Modifiers& m) {
  using namespace baseline;
  if (inst.opcode == Opcode::movmatrix)
    return inst.src_count == 1 && inst.dst_count == 1 ? &transpose : nullptr;
  const unsigned count = m.matrix.count;
  if (count != 1 && count != 2 && count != 4) return nullptr;
  inst.aux = count | (m.matrix.transposed ? 0x100u : 0u);
  const bool shared = inst.space == Space::kShared;
  if (!shared && inst.space != Space::kGeneric) return nullptr;
  if (inst.opcode == Opcode::ldmatrix) {
    if (inst.dst_count != count) return nullptr;
    return shared ? &load_matrices<Space::kShared> : &load_matrices<Space::kGeneric>;
  }
  if (inst.src_count != count + 1) return nullptr;
  return shared ? &store_matrices<Space::kShared> : &store_matrices<Space::kGeneric>;
}

}  // namespace warpvp::ptx
