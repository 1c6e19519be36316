#pragma once
// Runs whole grids functionally, without timing: CTA after CTA, the warps of a CTA in turns. For tests, and
// to skip over kernels whose timing is of no interest.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/block_heap.h"
#include "base/fault.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/warp.h"

namespace warpvp::ptx {

/// Device memory as one host array with a bump allocator; the simplest GlobalMemory.
class FlatMemory : public GlobalMemory {
 public:
  /// First address handed out.
  static constexpr std::uint64_t kOrigin = 0x1'0000'0000ull;
  explicit FlatMemory(std::size_t bytes);

  /// Zeroed, 256-byte aligned, with a gap behind it so that overruns are caught. Throws InputError when full.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Makes a range unallocated again (its space is not reused).
  void release(std::uint64_t address);
  void write(std::uint64_t address, const void* from, std::size_t bytes);
  void read(std::uint64_t address, void* to, std::size_t bytes) const;

  Range range_of(std::uint64_t address, unsigned context) const override;
  std::uint64_t generation() const override { return generation_; }
  /// One heap for all contexts, allocated by the first call. Throws InputError when it does not fit.
  std::uint64_t heap_allocate(std::uint64_t bytes, unsigned context) override;
  bool heap_release(std::uint64_t address, unsigned context) override;
  std::uint64_t heap_bytes = 8ull << 20;  ///< of the heap, to be set before the first call

 private:
  std::optional<BlockHeap> heap_;
  std::vector<std::byte> data_;
  std::map<std::uint64_t, std::uint64_t> ends_;  // by begin
  std::uint64_t next_ = kOrigin, generation_ = 0;
};

/// What a run did, or why it stopped.
struct FunctionalResult {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;  ///< lanes that executed, guards counted out
  std::optional<DeviceFault> fault;       ///< fault, deadlock or exhausted limit; CTAs after it did not run
  bool ok() const { return !fault; }
};

class FunctionalRunner {
 public:
  explicit FunctionalRunner(GlobalMemory& memory);
  FunctionalRunner(const FunctionalRunner&) = delete;

  /// Receives device printf; nothing is printed by default.
  std::function<void(const std::string&)> print;
  /// Stops with a fault after so many warp instructions of one run; 0: never. A grid whose CTAs wait for
  /// later ones never ends otherwise.
  std::uint64_t limit = 0;
  /// How divergent paths of a warp share it.
  DivergencePolicy divergence;
  /// A warp's turn is gone past as a whole (InstructionStream::run), and not instruction by instruction:
  /// %clock stands still in it.
  bool whole_turns = true;
  /// What rows of registers have when a warp begins, but for those that are to be zeros: as if a warp before
  /// had left it there.
  std::optional<std::uint32_t> stale;

  /// Runs a grid to its end. `arguments` is the argument block, Program::param_bytes long.
  FunctionalResult run(const Program& program, Dim3 grid, Dim3 block,
                       const std::vector<std::uint8_t>& arguments, unsigned dynamic_shared_bytes = 0,
                       unsigned context = 0);

 private:
  bool run_cta(const Program& program, Dim3 id, FunctionalResult& result);
  DeviceFault describe(const Warp& warp, Dim3 id, const char* what) const;

  /// Instructions a warp runs before the next one has its turn.
  static constexpr std::uint64_t kTurn = 64;
  ExecEnv env_;
  ExecFault exec_fault_;
  Cta cta_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::uint64_t grid_id_ = 0;
};

}  // namespace warpvp::ptx
