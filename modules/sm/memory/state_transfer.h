#pragma once
// Moves the state of a CTA between the SM and device memory, line by line through the memory port: for CTAs
// that are taken off the SM, and for those that are put back.

#include <cstdint>

#include "modules/sm/memory/memory_port.h"
#include "modules/sm/memory/memory_side.h"

namespace warpvp {

class StateTransfer {
 public:
  StateTransfer(MemoryPort& port, std::uint32_t line_bytes) : port_(port), line_bytes_(line_bytes) {}

  /// Requires done().
  void start(const StateMove& move) {
    move_ = move;
    next_ = move.address;
  }
  bool done() const { return next_ == move_.address + move_.bytes && unanswered_ == 0; }
  /// Hands over what may be under way at once.
  void evaluate(Cycle now) {
    const std::uint64_t end = move_.address + move_.bytes;
    for (; next_ < end && unanswered_ < move_.requests; ++unanswered_) {
      const std::uint64_t bytes = std::min<std::uint64_t>(line_bytes_ - next_ % line_bytes_, end - next_);
      port_.push_state({move_.write,
                        AccessKind::kState,
                        next_,
                        static_cast<unsigned>(bytes),
                        move_.owner,
                        now,
                        {ReplyKind::kState, 0, 1}});
      next_ += bytes;
    }
  }
  void answered() { --unanswered_; }
  bool has_work() const { return next_ < move_.address + move_.bytes && unanswered_ < move_.requests; }

 private:
  MemoryPort& port_;
  std::uint32_t line_bytes_;
  StateMove move_;
  std::uint64_t next_ = 0;
  std::uint32_t unanswered_ = 0;
};

}  // namespace warpvp
