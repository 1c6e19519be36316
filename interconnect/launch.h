#pragma once
// The records that travel on the register bus when work moves: the distributor writes a CtaLaunch into an
// SM's launch window, the SM writes a CtaDone into the distributor's completion mailbox. Plain data, fixed
// layout.

#include <cstdint>

namespace warpvp {

/// One CTA handed to an SM. Written whole (one burst) to the SM's LAUNCH window.
struct CtaLaunch {
  std::uint64_t kernel_object = 0;    ///< device address of the kernel descriptor; key of the kernel store
  std::uint64_t kernarg_address = 0;  ///< device address of the argument block
  std::uint32_t launch_id = 0;        ///< counts launches of the whole run; key of per-kernel statistics
  std::uint16_t kernel_slot = 0;      ///< kernel status register of the distributor
  std::uint16_t context = 0;
  std::uint16_t stream = 0;
  std::int16_t priority = 0;  ///< greater is more urgent
  std::uint32_t budget = 1;   ///< QAWS budget, >= 1
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t cta[3] = {0, 0, 0};
  std::uint32_t dynamic_shared_bytes = 0;
  /// CTAs behind this one in the grid that the SM begins by itself, each in the place of the one before when
  /// that has ended. Only for SMs whose type says so (SmType::most_followers).
  std::uint32_t followers = 0;
};

/// From a CTA to the next one of its grid.
inline void go_to_next_cta(std::uint32_t (&cta)[3], const std::uint32_t (&grid)[3]) {
  for (int axis = 0; axis < 3 && ++cta[axis] == grid[axis] && axis < 2; ++axis) cta[axis] = 0;
}

/// One CTA finished. Written whole to the distributor's COMPLETION mailbox.
struct CtaDone {
  std::uint32_t launch_id = 0;
  std::uint16_t kernel_slot = 0;
  std::uint16_t sm = 0;
  std::uint32_t cta[3] = {0, 0, 0};
  std::uint32_t before = 0;  ///< CTAs that ended before it, which it has followed
};

/// How an SM that is taken from a kernel gets rid of the CTAs that run on it.
enum class Preemption : std::uint8_t {
  kDrain = 0,   ///< they run to their ends
  kSwitch = 1,  ///< their state goes to memory, and they go on later, on any SM
  kFlush = 2,   ///< those that may are dropped and run again from the start; the others drain
  kKill = 3,    ///< all are dropped, and none comes back: their context has ended
};

/// One CTA that was taken off its SM before its end. Written whole to the distributor's PREEMPTED mailbox.
struct CtaPreempted {
  std::uint32_t launch_id = 0;
  std::uint16_t kernel_slot = 0;
  std::uint16_t sm = 0;
  std::uint32_t cta[3] = {0, 0, 0};
  std::uint32_t state = 0;      ///< what RESUME takes to let it go on; 0: it runs again from the start
  std::uint16_t before = 0;     ///< CTAs that have ended, which it had followed
  std::uint16_t followers = 0;  ///< those behind it, which have not begun
  /// 1: neither has it: the SM does not begin followers of this kernel, and the one before it goes on.
  std::uint32_t declined = 0;
};

}  // namespace warpvp
