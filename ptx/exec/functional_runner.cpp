#include "ptx/exec/functional_runner.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace warpvp::ptx {

FlatMemory::FlatMemory(std::size_t bytes) : data_(bytes) {
  host = data_.data();
  origin = kOrigin;
}

std::uint64_t FlatMemory::allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kAlignment = 256;
  const std::uint64_t begin = next_;
  if (bytes > data_.size() || begin - kOrigin > data_.size() - bytes)
    throw InputError("flat device memory is full");
  ends_[begin] = begin + bytes;
  next_ = (begin + bytes + kAlignment) / kAlignment * kAlignment + kAlignment;
  return begin;
}

void FlatMemory::release(std::uint64_t address) {
  ends_.erase(address);
  ++generation_;
}

void FlatMemory::write(std::uint64_t address, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(data_.data() + (address - kOrigin), from, bytes);
}
void FlatMemory::read(std::uint64_t address, void* to, std::size_t bytes) const {
  if (bytes != 0) std::memcpy(to, data_.data() + (address - kOrigin), bytes);
}

GlobalMemory::Range FlatMemory::range_of(std::uint64_t address, unsigned) const {
  auto after = ends_.upper_bound(address);
  if (after == ends_.begin()) return {};
  --after;
  if (address >= after->second) return {};
  return {after->first, after->second};
}

std::uint64_t FlatMemory::heap_allocate(std::uint64_t bytes, unsigned) {
  if (!heap_) heap_.emplace(allocate(heap_bytes), heap_bytes);
  return heap_->allocate(bytes);
}
bool FlatMemory::heap_release(std::uint64_t address, unsigned) { return heap_ && heap_->release(address); }

FunctionalRunner::FunctionalRunner(GlobalMemory& memory) {
  env_.global = &memory;
  env_.fault = &exec_fault_;
  env_.print = [this](const std::string& text, unsigned) {
    if (print) print(text);
  };
}

DeviceFault FunctionalRunner::describe(const Warp& warp, Dim3 id, const char* what) const {
  const Program& program = cta_.program();
  DeviceFault f;
  f.what = what;
  f.kernel = program.name;
  if (!warp.exited()) f.ptx_location = program.locate(warp.pc());
  f.cta[0] = id.x;
  f.cta[1] = id.y;
  f.cta[2] = id.z;
  f.warp = static_cast<int>(warp.index());
  return f;
}

FunctionalResult FunctionalRunner::run(const Program& program, Dim3 grid, Dim3 block,
                                       const std::vector<std::uint8_t>& arguments,
                                       unsigned dynamic_shared_bytes, unsigned context) {
  if (arguments.size() != program.param_bytes) {
    throw InputError(fmt::format("{}: {} bytes of arguments given; the kernel takes {}", program.name,
                                 arguments.size(), program.param_bytes));
  }
  FunctionalResult result;
  env_.divergence = divergence;
  ++grid_id_;
  for (std::uint32_t z = 0; z < grid.z; ++z) {
    for (std::uint32_t y = 0; y < grid.y; ++y) {
      for (std::uint32_t x = 0; x < grid.x; ++x) {
        const Dim3 id{x, y, z};
        cta_.start(program, env_, grid, block, id, dynamic_shared_bytes, context, grid_id_, arguments.data());
        if (!run_cta(program, id, result)) return result;
      }
    }
  }
  return result;
}

bool FunctionalRunner::run_cta(const Program& program, Dim3 id, FunctionalResult& result) {
  const unsigned count = cta_.warps();
  while (warps_.size() < count) warps_.push_back(std::make_unique<Warp>());
  for (unsigned i = 0; i < count; ++i) {
    if (stale) warps_[i]->leave_in_registers(program.rows_reserved(), *stale);
    warps_[i]->launch(cta_, i);
  }
  std::uint64_t runnable = count == 64 ? ~0ull : (1ull << count) - 1, exited = 0;
  const std::uint64_t all = runnable;
  while (exited != all) {
    if (runnable == 0) {
      unsigned first = 0;
      while (((exited >> first) & 1) != 0) ++first;
      DeviceFault f =
          describe(*warps_[first], id, "deadlock: warps wait at a barrier that can never complete");
      for (unsigned b = 0; b < Cta::kBarriers; ++b) {
        const BarrierState& s = cta_.barrier(b);
        if (s.arrived == 0) continue;
        f.detail +=
            fmt::format("barrier {}: {} of {} threads arrived; waiting warps:", b, s.arrived, s.expected);
        for (unsigned i = 0; i < count; ++i) {
          if ((s.waiting >> i) & 1) f.detail += fmt::format(" {}", i);
        }
        f.detail += '\n';
      }
      result.fault = std::move(f);
      return false;
    }
    for (unsigned i = 0; i < count; ++i) {
      if (((runnable >> i) & 1) == 0) continue;
      Warp& warp = *warps_[i];
      for (std::uint64_t turn = 0; turn < kTurn;) {
        InstructionTally tally;
        const std::uint64_t left =
            limit == 0 ? kTurn - turn : std::min(kTurn - turn, limit - result.warp_instructions);
        const StepKind kind = whole_turns ? warp.run(left, tally) : warp.step();
        if (kind == StepKind::kFault) {
          DeviceFault f = describe(warp, id, exec_fault_.what);
          if (exec_fault_.pc != kNoPc) f.ptx_location = program.locate(exec_fault_.pc);
          f.lane = exec_fault_.lane;
          f.detail = exec_fault_.detail;
          if (exec_fault_.has_address) {
            f.address = exec_fault_.address;
            f.what += fmt::format(" of {} bytes", exec_fault_.bytes);
          }
          result.fault = std::move(f);
          return false;
        }
        if (!whole_turns) {
          tally.warp_instructions = 1;
          tally.thread_instructions = static_cast<unsigned>(__builtin_popcount(warp.executed()));
        }
        turn += tally.warp_instructions;
        env_.cycle += tally.warp_instructions;
        result.warp_instructions += tally.warp_instructions;
        result.thread_instructions += tally.thread_instructions;
        if (limit != 0 && result.warp_instructions >= limit && !warp.exited()) {
          result.fault = describe(warp, id, "instruction limit reached");
          return false;
        }
        const std::uint64_t bit = 1ull << i;
        if (kind == StepKind::kExited) {
          exited |= bit;
          runnable &= ~bit;
        } else if (kind == StepKind::kBarrier) {
          runnable &= ~bit;
        }
        runnable |= cta_.take_released();
        if ((runnable & bit) == 0) break;
      }
    }
  }
  return true;
}

}  // namespace warpvp::ptx
