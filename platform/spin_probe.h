#pragma once
// Finds out whether the warps of the device only spin: watches what they execute for a while and looks for a
// state that comes again.
//
// A warp goes round for ever when it comes back to the same instruction with the same lanes and the same
// values in all registers that its loop looks at (LoopSlice), and no memory changed in between: what it does
// next depends on nothing else. If that holds for every warp that issues, and the others wait, nothing will
// ever happen again. Registers that count up and are looked at (a loop that will end, a time-out, a clock)
// never come again, so such loops are not taken for spinning. Of a warp whose paths have parted, the state
// must come again more often than a path may go round before another one has its turn.
//
// The reference that a warp is compared with moves on at powers of two of its instructions (Brent's cycle
// detection), so a loop of any length is found within a few rounds.

#include <memory>
#include <unordered_map>
#include <vector>

#include "modules/sm/issue/issue_observer.h"
#include "modules/sm/sm.h"
#include "modules/sm/warp_slot.h"
#include "platform/loop_slice.h"

namespace warpvp {

class SpinProbe {
 public:
  enum class Finding : std::uint8_t {
    kLooking,
    kSpins,  ///< every warp that issues goes round for ever
    kMoves,  ///< something of use happened: a value in memory changed, text was printed, a CTA came or went
    kGaveUp  ///< a warp's state did not come again within the budget
  };

  /// Watches the SMs from now on, as an observer beside one that may be there. `budget`: instructions of one
  /// warp after which it gives up. Requires can_watch().
  SpinProbe(const std::vector<std::unique_ptr<Sm>>& sms, DeviceMemory& memory, std::uint64_t budget);
  ~SpinProbe();
  /// All of them show their warps.
  static bool can_watch(const std::vector<std::unique_ptr<Sm>>& sms);
  SpinProbe(const SpinProbe&) = delete;
  SpinProbe& operator=(const SpinProbe&) = delete;

  /// Once every warp that issued has been found to spin, kSpins. `patient`: the probe has lasted so long that
  /// a warp that issued nothing all the while and is not at a barrier waits for what never comes.
  Finding finding(bool patient) const;

 private:
  class Watch;
  /// A warp and the state it is compared with.
  struct Tracked {
    bool spins = false;
    std::uint64_t epoch = ~std::uint64_t{0};
    std::uint64_t steps = 0, next_reference = 1;
    std::uint64_t repeats = 0;  // of the reference's state
    ptx::Pc pc = 0;
    ptx::LaneMask active = 0;
    unsigned row_base = 0, pred_base = 0;
    std::vector<std::uint32_t> rows;
    std::vector<ptx::LaneMask> preds;
    std::vector<bool> executed;  // since the reference
    bool sliced = false;         // `slice` is that of `executed`
    LoopSlice slice;
  };

  void issued(unsigned sm, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst& inst);
  void memory_issued(const WarpSlot& slot, const ptx::MemoryAccess& access);
  /// `own`: in memory that only the thread itself can see.
  void note_write(const void* place, unsigned bytes, bool own = false);
  static void take_reference(Tracked& tracked, ptx::Warp& warp);
  static bool same_state(Tracked& tracked, ptx::Warp& warp);

  const std::vector<std::unique_ptr<Sm>>& sms_;
  DeviceMemory& memory_;
  std::uint64_t budget_;
  std::vector<std::unique_ptr<Watch>> watches_;  // one an SM
  std::vector<std::vector<Tracked>> warps_;      // by SM and warp slot
  /// What stores and atomics left behind. The key is a place in the host's memory and only looked up.
  std::unordered_map<const void*, std::uint64_t> written_;
  std::uint64_t epoch_ = 0;  // counts places written for the first time: what was seen before does not hold
  bool moved_ = false, gave_up_ = false;
};

}  // namespace warpvp
