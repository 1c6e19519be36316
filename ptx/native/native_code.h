#pragma once
// A program as code of the host: instructions whose 32 lanes AVX-512 computes in a few of its own become
// those, one after the other, with values kept in the host's registers; others are calls of the functions
// that execute them (Inst::exec), which throw nothing: nobody could catch it. All compute the same bits. It
// goes on from block to block, along branches that all active lanes take, until an instruction comes that is
// the warp's own affair: where lanes part or meet, barriers, calls, atomics, exits. For streams that nobody
// watches instruction by instruction (InstructionStream::run); the timing models do not get here.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/code_blocks.h"
#include "ptx/program.h"

namespace warpvp::ptx {

/// Addresses [begin, end); empty: none.
struct AddressRange {
  std::uint64_t begin = 0, end = 0;
};

/// Stores to global memory that are not to be seen yet (ptx/exec/own_stores.h), where code puts them: records
/// one behind the other, each of half a warp's lanes, whose elements follow each other in memory.
struct StoreJournal {
  /// Then come kWarpSize / 2 elements of `bytes` bytes each, of which those of `lanes` are stored.
  struct Record {
    std::uint64_t address;  ///< of the first element
    std::uint16_t lanes, bytes;
    std::uint32_t unused;
  };
  std::byte *begin = nullptr, *next = nullptr, *end = nullptr;
};
static_assert(sizeof(StoreJournal::Record) == 16);

/// What code works on: the warp's present frame.
struct NativeFrame {
  /// Each load has its own of `ranges`, in the order of the program, if there are no more than kLoads; stores
  /// have those behind them.
  static constexpr unsigned kLoads = 192, kRanges = 256;

  // Up to `journal` without values of their own: a frame is made for each turn of a warp.
  Warp* warp;
  std::uint32_t* rows;             ///< of the frame, 64-byte aligned
  const std::uint32_t* constants;  ///< Program::constants
  LaneMask* preds;                 ///< of the frame
  Pc* pc;                          ///< set before an instruction that is called
  const bool* faulted;             ///< set by one that is called and cannot take effect
  LaneMask active;                 ///< not none
  /// Where the warp's lanes meet others: code stops there.
  Pc reconverge;
  const std::uint32_t* sizes;     ///< of the grid and the block, and the CTA's place: x, y, z of each
  const std::uint8_t* arguments;  ///< of the launch
  std::uint32_t first_thread;     ///< of the warp, in the CTA
  /// Local memory: of lane 0, from each lane's to the next one's, and where the frame's begins.
  std::byte* depot;
  std::uint32_t depot_stride, depot_base;
  // Memory that may be accessed without a call. Other accesses are called.
  std::uintptr_t global;       ///< where address 0 of global memory would lie
  AddressRange* ranges;        ///< kRanges of them, where accesses have lately been; empty: not known
  const AddressRange* latest;  ///< where one that was called has been, or an empty one
  std::uintptr_t shared;       ///< the CTA's shared memory
  std::uint64_t shared_bytes;
  bool* stored_outside;   ///< set by a store to memory that is not of the CTA alone
  StoreJournal* journal;  ///< where such stores go; nullptr: to memory
  // Of paths that wait for each other (Inst::loop_units): code stops before a branch with which `loop_units`
  // would come to `look_at`.
  std::uint64_t loop_units = 0, look_at = ~std::uint64_t{0};
  /// Instructions that may still be executed.
  std::uint64_t left = 0;
  // Of those that are, as InstructionTally has it: what all active lanes have executed, of a lane, and what
  // those did whose guards let only some of them, of all lanes.
  std::uint64_t parts = 0, flops[2] = {};
  std::uint64_t guarded = 0;  ///< instructions with guards
  std::uint64_t guarded_lanes = 0, guarded_flops[2] = {};
  /// Out: the instruction that comes next, or has failed.
  Pc next = kNoPc;
};

class NativeCode {
 public:
  /// This host and this build have what it takes, and programs may write code for themselves.
  static bool available();
  /// Of these blocks of `program`, which stays where it is as long as this. Requires available().
  NativeCode(const Program& program, const std::vector<CodeBlock>& of_all_lanes,
             const std::vector<CodeBlock>& of_some_lanes);
  ~NativeCode();

  /// Code for these active lanes that begins at `pc`; nullptr: none does.
  const void* at(Pc pc, LaneMask active) const {
    const Entry& entry = entries_[pc];
    return active == ~LaneMask{0} ? entry.all_lanes : entry.some_lanes;
  }
  /// Goes on from there.
  void run(const void* code, NativeFrame& frame) const { run_(frame, code); }

  /// Instructions that are in code for all lanes, and of these those that are not calls. For tests.
  std::uint32_t instructions() const { return instructions_; }
  std::uint32_t translated() const { return translated_; }

 private:
  struct Code;
  struct Entry {
    const void *all_lanes = nullptr, *some_lanes = nullptr;
  };
  std::vector<Entry> entries_;  // by pc, and one behind the last
  std::uint32_t instructions_ = 0, translated_ = 0;
  std::unique_ptr<Code> code_;
  void (*run_)(NativeFrame&, const void*) = nullptr;
};

}  // namespace warpvp::ptx
