#pragma once
// Space in device memory for what accompanies packets: of each command, its signal, its extension record and
// its argument block, in one piece. A ring: pieces are dealt in order and come back in order, once their
// command is complete and nobody waits for its signal any more.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace warpvp::rt {

/// A command under way, as the host sees it.
struct Command {
  std::uint64_t address = 0;  ///< of its piece: signal, extension, arguments
  std::uint64_t bytes = 0;
  unsigned mirror = 0;  ///< which host copy of the signal
  bool done = false;
  unsigned holds = 0;  ///< commands on the device that still look at its signal
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t code = 0;                           ///< of a rejection; 0: it ran
  std::vector<std::uint32_t> jobs;                  ///< empty: of none; several: a batch
  std::vector<std::uint64_t> mapped;                ///< host memory to unmap when done
  std::vector<std::shared_ptr<Command>> waits_for;  ///< whose holds to release when done
};

class CommandRing {
 public:
  CommandRing(std::uint64_t base, std::uint64_t bytes) : base_(base), bytes_(bytes) {}

  /// A piece of `bytes` (multiple of 64) for `command`; false while the ring is full.
  bool place(const std::shared_ptr<Command>& command, std::uint64_t bytes) {
    reap();
    std::uint64_t at = head_;
    if (pieces_.empty()) {
      at = 0;
      if (bytes > bytes_) return false;
    } else {
      const std::uint64_t tail = pieces_.front()->address - base_;
      if (head_ > tail) {
        if (bytes_ - head_ < bytes) {
          if (tail <= bytes) return false;
          at = 0;
        }
      } else if (tail - head_ <= bytes) {
        return false;  // head_ never catches up with tail, so equal means empty
      }
    }
    command->address = base_ + at;
    command->bytes = bytes;
    head_ = at + bytes;
    pieces_.push_back(command);
    return true;
  }
  std::uint64_t capacity() const { return bytes_; }
  /// The command whose completion makes room next; null if the ring is empty.
  Command* oldest() { return pieces_.empty() ? nullptr : pieces_.front().get(); }

 private:
  void reap() {
    while (!pieces_.empty() && pieces_.front()->done && pieces_.front()->holds == 0) pieces_.pop_front();
  }

  std::uint64_t base_, bytes_, head_ = 0;
  std::deque<std::shared_ptr<Command>> pieces_;
};

}  // namespace warpvp::rt
