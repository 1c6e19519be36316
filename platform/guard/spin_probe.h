#pragma once
// Finds out whether the warps of the device are stuck: watches what they execute for a while and looks for
// states that come again.
//
// A warp goes round for ever when all its paths come back to where they stood (ptx::WarpPosition), with the
// same values in all registers that the loop depends on (LoopSlice), and nothing that it looked at in memory
// on the way can change: what it does next depends on nothing else. So the warps are stuck when each of them
// - has gone round so, since the last time that anybody looked at a place in memory for the first time, and
//   all that was written into such places is what was there already; or
// - waits at a barrier at which nobody has arrived meanwhile.
// By induction over what happens next: the first step that is not one of these rounds would need another
// value in a register, in memory or at a barrier, and there is nobody to make one. In which order the warps
// run, and how long anything takes, is not used. What no loop looks at may change: `atomicAdd(&polls, 1)`.
//
// Left unproven: loops that read the time, print, use heap, textures or asynchronous copies, loops with loads
// that the front end skips, and values that
// change in circles, where the order decides who sees which.
//
// The reference that a warp is compared with moves on at powers of two of its instructions (Brent's cycle
// detection), so a loop of any length is found within a few rounds.

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/sm/issue/issue_observer.h"
#include "modules/sm/sm.h"
#include "modules/sm/warp_slot.h"
#include "platform/guard/looked_at.h"
#include "platform/guard/loop_slice.h"
#include "ptx/exec/warp_position.h"

namespace warpvp {

class SpinProbe {
 public:
  enum class Finding : std::uint8_t {
    kLooking,
    kSpins,  ///< the warps are stuck, unless somebody else acts
    kMoves,  ///< something looked at changed, or a CTA came or went
    kGaveUp  ///< a warp's state did not come again within the budget, or does things that are not looked into
  };

  /// Watches the SMs from now on, as an observer beside one that may be there. `budget`: instructions of one
  /// warp after which it gives up. Requires can_watch().
  SpinProbe(const std::vector<std::unique_ptr<Sm>>& sms, DeviceMemory& memory, std::uint64_t budget);
  ~SpinProbe();
  /// All of them show their warps.
  static bool can_watch(const std::vector<std::unique_ptr<Sm>>& sms);
  SpinProbe(const SpinProbe&) = delete;
  SpinProbe& operator=(const SpinProbe&) = delete;

  /// `patient_since`: a warp that waits for memory, and has issued nothing from that edge on, is taken to
  /// wait for what never comes; 0: none is. Requires that the probe watched then.
  Finding finding(Cycle patient_since);
  /// After kSpins: who goes round where and sees what, and who waits, in lines; as many as tell it all, but
  /// `at_most` of a kind.
  std::string proof(unsigned at_most) const;

 private:
  class Watch;
  static constexpr std::uint64_t kNoVote = 1;  // a value of no lane
  /// A load of the loop that it depends on.
  struct Look {
    const ptx::Inst* inst = nullptr;
    ptx::Pc pc = 0;
    ptx::Space space = ptx::Space::kNone;
    std::uint64_t address = 0, value = 0;
    unsigned bytes = 0;
  };
  /// A warp and the state it is compared with. Times are counted in instructions of all warps.
  struct Tracked {
    std::uint64_t steps = 0, next_reference = 1;
    std::uint64_t issued = 0;  // when it last issued; 0: not since the probe began
    const ptx::Inst* inst = nullptr;
    ptx::Pc pc = 0;       // of `inst`
    Cycle issued_at = 0;  // edge
    std::uint64_t arrival = 0;
    std::uint64_t vote = kNoVote;  // the lanes and values that it brings to barrier reductions
    // The reference.
    std::uint64_t taken = 0, taken_at_step = 0;
    ptx::WarpPosition position;
    std::vector<std::uint32_t> rows;
    std::vector<ptx::LaneMask> preds;
    ptx::LaneMask carry = 0;
    std::vector<bool> executed;  // since the reference
    LoopSlice slice;
    bool sliced = false;  // `slice` is that of `executed` and of the telling operands' `version`
    std::uint64_t version = 0;
    // The last round that was seen whole.
    std::uint64_t round_began = 0, round_steps = 0;  // 0: none
    Cycle round_began_at = 0, taken_at = 0;
    Look look;
  };
  struct Arrival {
    const ptx::Cta* cta;
    unsigned barrier;
    std::uint64_t when;
  };

  void issued(Cycle now, unsigned sm, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst& inst);
  void skipped(unsigned sm, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst& inst);
  void memory_issued(unsigned sm, const WarpSlot& slot, const ptx::MemoryAccess& access);
  void note_barrier(Tracked& tracked, const ptx::Inst& inst, ptx::Warp& warp);
  void compare(Cycle now, Tracked& tracked, ptx::Warp& warp);
  void take_reference(Cycle now, Tracked& tracked, ptx::Warp& warp);
  static bool same_registers(const Tracked& tracked, ptx::Warp& warp);
  void note_read(Tracked& tracked, ptx::Warp& warp, const ptx::MemoryAccess& access);
  void note_write(const Tracked& tracked, ptx::Warp& warp, const ptx::MemoryAccess& access);
  const unsigned char* place(ptx::Warp& warp, const ptx::MemoryAccess& access, unsigned lane) const;
  bool goes_round(const Tracked& tracked) const {
    return tracked.round_began != 0 && tracked.round_began >= void_before_;
  }
  bool waits_at_barrier(const WarpSlot& slot, const Tracked& tracked, std::uint64_t since) const;
  std::string describe_round(unsigned sm, const WarpSlot& slot, const Tracked& tracked) const;

  const std::vector<std::unique_ptr<Sm>>& sms_;
  DeviceMemory& memory_;
  std::uint64_t budget_;
  std::vector<std::unique_ptr<Watch>> watches_;  // one an SM
  std::vector<std::vector<Tracked>> warps_;      // by SM and warp slot
  std::uint64_t time_ = 0;                       // instructions so far
  LookedAt looked_at_;
  TellingOperands telling_;
  std::uint64_t version_ = 0;  // of telling_
  /// Rounds that began earlier prove nothing: since then somebody has begun to look at something, or has been
  /// found to write what is looked at.
  std::uint64_t void_before_ = 0;
  std::vector<Arrival> arrivals_;  // the last one at each barrier
  /// Who last wrote to a place that is looked at by a reduction, and at which edge.
  std::unordered_map<const unsigned char*, std::pair<Cycle, const ptx::Warp*>> reduced_;
  ptx::WarpPosition position_;  // of the warp that is being compared
  bool moved_ = false, gave_up_ = false;
};

}  // namespace warpvp
