#pragma once
// When a core that is debugged stops: breakpoints, watchpoints, single step, and the client's wish. Code in
// memory is never changed for a breakpoint, so the client and the firmware see what is really there.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpvp::gdb {

/// Kinds of break- and watchpoints, numbered as in the protocol's Z packets.
enum class PointKind : std::uint8_t { kSoftware = 0, kHardware = 1, kWrite = 2, kRead = 3, kAccess = 4 };

/// Why the core stopped.
struct Stop {
  enum class Cause : std::uint8_t { kAttach, kInterrupt, kStep, kBreakpoint, kWatchpoint, kFault };
  Cause cause = Cause::kAttach;
  PointKind point = PointKind::kSoftware;  ///< breakpoint or watchpoint
  std::uint32_t address = 0;               ///< of the access that a watchpoint saw
};

class RunControl {
 public:
  /// Points there can be at once, of all kinds.
  static constexpr std::size_t kMostPoints = 256;

  /// False: too many, or a watched range of no bytes or beyond the end of the address space. Setting a point
  /// twice is setting it once.
  bool insert(PointKind kind, std::uint32_t address, std::uint32_t bytes);
  /// Removing what is not there does nothing.
  void remove(PointKind kind, std::uint32_t address, std::uint32_t bytes);
  /// Forgets points, step and wish.
  void clear();

  /// The client lets the core go, for one instruction if `step`. `executes_now`: the core stopped within
  /// before_instruction, so the next call of that comes after the instruction; otherwise before it.
  void resume(bool step, bool executes_now);
  /// The core shall stop before its next instruction.
  void request_stop() { wanted_ = true; }

  /// Why the core shall stop before the instruction at `pc`, if it shall.
  std::optional<Stop> before_instruction(std::uint32_t pc);
  /// A breakpoint at `pc`, without regard to anything else.
  std::optional<Stop> breakpoint_at(std::uint32_t pc) const;
  void accessed(std::uint32_t address, unsigned bytes, bool store);

 private:
  struct Point {
    PointKind kind;
    std::uint32_t address;
    std::uint32_t bytes;
    bool operator==(const Point& o) const {
      return kind == o.kind && address == o.address && bytes == o.bytes;
    }
  };
  std::vector<Point> breakpoints_, watchpoints_;
  std::optional<Stop> watch_hit_;
  bool wanted_ = false;
  unsigned steps_ = 0;  // calls of before_instruction until the step is done; 0: not stepping
};

}  // namespace warpvp::gdb
