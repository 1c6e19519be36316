#include "ptx/exec/cta.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "ptx/exec/barrier_ops.h"
#include "ptx/exec/warp.h"
#include "ptx/mbarrier.h"

namespace warpvp::ptx {

void ExecEnv::forget_ranges(unsigned context) {
  for (AddressRange& r : recent_ranges) r = {};
  for (AddressRange& r : native_ranges) r = {};
  range = surroundings = granted = {};
  range_strays = false;
  range_generation = global->generation();
  range_context = context;
}

void ExecEnv::forget_stores() {
  std::fill(native_ranges + NativeFrame::kLoads, std::end(native_ranges), AddressRange());
  stores->forget_ranges();
}

void ExecEnv::grant_load(std::uint64_t begin, std::uint64_t end) {
  granted = stores->free_around({begin, end}, range);
}

void ExecEnv::grant_store(std::uint64_t begin, std::uint64_t end) {
  // All of the allocation: a store that goes back and forth would be called again and again.
  const bool in_range = begin >= range.begin && end <= range.end;
  granted = in_range ? range : AddressRange{begin, end};
  const AddressRange taken = stores->note_range(granted);
  for (AddressRange* of = native_ranges; taken.end != 0 && of != native_ranges + NativeFrame::kLoads; ++of)
    if (of->begin < taken.end && of->end > taken.begin) *of = {};
  if (!in_range) granted = {};
}

bool ExecEnv::find_range(std::uint64_t address, unsigned context) {
  renew_ranges(context);
  for (const GlobalMemory::Range& r : recent_ranges) {
    if (address >= r.begin && address < r.end) {
      range = r;
      range_strays = false;
      return true;
    }
  }
  const GlobalMemory::Range r = global->range_of(address, context);
  if (address < r.begin || address >= r.end) return false;
  recent_ranges[next_recent] = r;
  next_recent = (next_recent + 1) % kRecentRanges;
  range = r;
  range_strays = false;
  return true;
}

bool ExecEnv::find_reachable(std::uint64_t address, unsigned context, unsigned bytes) {
  if (find_range(address, context) && range.end - address >= bytes) return true;
  const auto holds = [&](const GlobalMemory::Range& r) {
    return address >= r.begin && address < r.end && r.end - address >= bytes;
  };
  if (!holds(surroundings)) surroundings = global->surroundings_of(address, context);
  if (!holds(surroundings)) return false;
  range = surroundings;
  range_strays = true;
  return true;
}

void Cta::start(const Program& program, ExecEnv& env, Dim3 grid, Dim3 block, Dim3 cta,
                unsigned dynamic_shared_bytes, unsigned context, std::uint64_t grid_id,
                const std::uint8_t* params) {
  program_ = &program;
  stretches_ = nullptr;
  env_ = &env;
  grid_ = grid;
  block_ = block;
  cta_ = cta;
  threads_ = block.x * block.y * block.z;
  context_ = context;
  grid_id_ = grid_id;
  live_warps_ = warps();
  released_ = 0;
  shared_.assign(program.static_shared_bytes + std::size_t{dynamic_shared_bytes}, std::byte{0});
  shared_data_ = shared_.data();
  shared_bytes_ = static_cast<std::uint32_t>(shared_.size());
  params_.assign(params, params + program.param_bytes);
  param_data_ = params_.data();
  param_bytes_ = program.param_bytes;
  presets_.clear();
  for (const PresetRow& p : program.presets) presets_.push_back(preset(p));
  if (barriers_touched_)
    for (BarrierState& b : barriers_) b = BarrierState{};
  barriers_touched_ = false;
  arrivals_ = 0;
  acted_outside_ = false;
  signals_.clear();
  warps_.assign(live_warps_, nullptr);
}

std::uint64_t Cta::preset(const PresetRow& p) const {
  if (p.special != SpecialRegister::kNone) {
    const bool of_grid = p.special >= SpecialRegister::nctaid_x;
    const Dim3 d = of_grid ? grid_ : block_;
    const auto first = of_grid ? SpecialRegister::nctaid_x : SpecialRegister::ntid_x;
    const unsigned axis = static_cast<unsigned>(p.special) - static_cast<unsigned>(first);
    return axis == 0 ? d.x : axis == 1 ? d.y : d.z;
  }
  if (p.in_memory && p.bytes == 0) return p.address;
  std::uint64_t value = 0;
  if (p.in_memory) {
    const GlobalMemory& memory = *env_->global;
    std::memcpy(&value, memory.host + (p.address - memory.origin), p.bytes);
  } else {
    std::memcpy(&value, param_data_ + p.offset, p.bytes);
  }
  const unsigned unused = 64 - 8u * p.bytes;
  return p.sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused) : value;
}

void Cta::complete_barrier(unsigned id) {
  BarrierState& b = barriers_[id];
  released_ |= b.waiting;
  if (b.reduction) {
    for (std::uint64_t m = b.waiting; m != 0; m &= m - 1) BarrierOps::deliver(*warps_[__builtin_ctzll(m)], b);
  }
  b = BarrierState{};
}

bool Cta::barrier_arrive(unsigned id, Warp& warp, unsigned threads, bool wait) {
  BarrierState& b = barriers_[id];
  barriers_touched_ = true;
  warp.last_arrival_ = {++arrivals_, id, threads, wait};
  if (b.arrived == 0) {
    b.whole_cta = threads == 0;
    b.expected = threads == 0 ? live_warps_ * kWarpSize : threads;
  }
  b.arrived += kWarpSize;
  if (b.arrived < b.expected) {
    if (wait) b.waiting |= 1ull << warp.index();
    return wait;
  }
  if (wait && b.reduction) BarrierOps::deliver(warp, b);
  complete_barrier(id);
  return false;
}

std::uint32_t Cta::keep_signal(const CopySignal& signal) {
  std::uint32_t number = 0;
  while (number < signals_.size() && signals_[number].lanes != 0) ++number;
  if (number == signals_.size()) signals_.emplace_back();
  signals_[number] = signal;
  return number;
}

void Cta::deliver_signal(std::uint32_t number) {
  deliver(signals_[number]);
  signals_[number].lanes = 0;
}

void Cta::deliver(const CopySignal& signal) {
  for (LaneMask m = signal.lanes; m != 0; m &= m - 1) {
    const unsigned lane = first_lane(m);
    std::uint64_t word;
    std::memcpy(&word, shared_data_ + signal.barrier[lane], sizeof word);
    word = mbarrier::changed(word, std::uint64_t{signal.bytes[lane]} << mbarrier::kBytesAt);
    std::memcpy(shared_data_ + signal.barrier[lane], &word, sizeof word);
  }
}

void Cta::warp_exited(Warp& warp) {
  --live_warps_;
  if (!barriers_touched_) return;
  for (unsigned id = 0; id < kBarriers; ++id) {
    BarrierState& b = barriers_[id];
    if (b.arrived == 0 || !b.whole_cta) continue;
    b.expected = live_warps_ * kWarpSize;
    if (b.arrived >= b.expected) complete_barrier(id);
  }
}

}  // namespace warpvp::ptx
