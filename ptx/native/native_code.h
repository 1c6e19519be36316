#pragma once
// Stretches of a program as code of the host: instructions whose 32 lanes AVX-512 computes in a few of its
// own become those, one after the other, with values kept in the host's registers; others are calls of the
// functions that execute them (Inst::exec), which throw nothing: nobody could catch it. All compute the same
// bits. For streams that nobody watches instruction by instruction (InstructionStream::run); the timing
// models do not get here.

#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/program.h"

namespace warpvp::ptx {

/// Addresses [begin, end); empty: none.
struct AddressRange {
  std::uint64_t begin = 0, end = 0;
};

/// What code of a piece works on: the warp's present frame.
struct NativeFrame {
  static constexpr unsigned kRanges = 64;
  /// Which of `ranges` a load has to itself, but for others that are as far apart.
  static constexpr unsigned range_of(Pc pc) { return pc % kRanges; }

  Warp* warp = nullptr;
  std::uint32_t* rows = nullptr;             ///< of the frame, 64-byte aligned
  const std::uint32_t* constants = nullptr;  ///< Program::constants
  LaneMask* preds = nullptr;                 ///< of the frame
  Pc* pc = nullptr;                          ///< set before an instruction that is called
  const bool* faulted = nullptr;             ///< set by one that is called and cannot take effect
  LaneMask active = 0;                       ///< not none
  const std::uint32_t* sizes = nullptr;  ///< of the grid and the block, and the CTA's place: x, y, z of each
  const std::uint8_t* arguments = nullptr;  ///< of the launch
  // Memory that loads may read themselves. Others are called.
  std::uintptr_t global = 0;             ///< where address 0 of global memory would lie
  AddressRange* ranges = nullptr;        ///< kRanges of them, where loads have lately read; empty: not known
  const AddressRange* latest = nullptr;  ///< where a load that was called has read, or an empty one
  std::uintptr_t shared = 0;             ///< the CTA's shared memory
  std::uint64_t shared_bytes = 0;
};

class NativeCode {
 public:
  /// Goes past the piece; how many of its instructions it has gone past, fewer than all behind a fault.
  using Run = std::uint32_t (*)(NativeFrame&);
  /// Instructions from one on, none of which but the first is gone to from elsewhere.
  struct Piece {
    std::uint32_t length = 0;  ///< 0: none begins here
    bool reads = false;        ///< it wants what the frame says of memory
    Run all_lanes = nullptr;   ///< for frames in which all lanes are active
    Run some_lanes = nullptr;
  };

  /// This host and this build have what it takes, and programs may write code for themselves.
  static bool available();
  /// Of `program`, which stays where it is as long as this. `straight[pc]`: how many instructions from `pc`
  /// on may be taken as one (stretches.h). Requires available().
  NativeCode(const Program& program, const std::vector<std::uint32_t>& straight);
  ~NativeCode();

  const Piece& at(Pc pc) const { return pieces_[pc]; }
  /// Instructions that are in pieces, and of these those that are not calls. For tests.
  std::uint32_t instructions() const { return instructions_; }
  std::uint32_t translated() const { return translated_; }

 private:
  struct Code;
  std::vector<Piece> pieces_;  // by pc
  std::uint32_t instructions_ = 0, translated_ = 0;
  std::unique_ptr<Code> code_;
};

}  // namespace warpvp::ptx
