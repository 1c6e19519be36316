#include "ptx/exec/call_frames.h"

#include <cstring>

namespace warpvp::ptx {

std::uint32_t CallFrames::place(const Warp& w, std::uint32_t base) {
  const std::uint32_t lowest = base, size = w.cta_->program().frame_rows;
  // What begins below `lowest` are frames of callers and of groups that wait in them, which end there too;
  // what has not begun moves out of the way when it does. Without turns taken in functions there is nothing
  // else.
  for (bool moved = true; moved;) {
    moved = false;
    for (const Warp::Entry& e : w.stack_) {
      if (e.mask == 0 || e.fresh || e.row_base < lowest) continue;
      if ((e.mask & w.active_) != 0) continue;  // a caller without registers
      if (base < e.row_base + size && e.row_base < base + size) {
        base = e.row_base + size;
        moved = true;
      }
    }
  }
  return base;
}

void CallFrames::grow(Warp& w) {
  const Program& program = w.cta_->program();
  const std::size_t rows = program.rows_needed(w.row_base_);
  if (rows > w.row_capacity_) {
    const std::size_t capacity = rows * 2;
    const std::size_t slack = 16;
    std::vector<std::uint32_t> storage(capacity * kWarpSize + slack);
    auto address = reinterpret_cast<std::uintptr_t>(storage.data());
    std::uint32_t* base = storage.data() + ((64 - address % 64) % 64) / sizeof(std::uint32_t);
    std::memcpy(base, w.regs_, w.row_capacity_ * kWarpSize * sizeof(std::uint32_t));
    w.reg_storage_.swap(storage);
    w.regs_ = base;
    w.row_capacity_ = capacity;
  }
  // Predicates and depots are of lanes: frames of different lanes may lie at the same place.
  if (!program.recursive) return;
  const std::size_t preds = w.pred_base_ + std::size_t{program.preds};
  if (preds > w.pred_capacity_) {
    w.pred_capacity_ = preds * 2;
    w.pred_storage_.resize(w.pred_capacity_ + 1);
    w.preds_ = w.pred_storage_.data();
  }
  // Twice: the parameters of the next recursive call lie behind this frame.
  const std::size_t depot = w.depot_base_ + std::size_t{2} * program.depot_bytes;
  if (depot > w.depot_stride_) {
    const std::size_t stride = (depot * 2 + 15) & ~std::size_t{15};
    std::vector<std::byte> storage(stride * kWarpSize);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (w.depot_stride_ == 0) break;
      std::memcpy(storage.data() + lane * stride, w.depot_ + lane * std::size_t{w.depot_stride_},
                  w.depot_stride_);
    }
    w.depot_storage_.swap(storage);
    w.depot_ = w.depot_storage_.data();
    w.depot_stride_ = static_cast<unsigned>(stride);
  }
}

}  // namespace warpvp::ptx
