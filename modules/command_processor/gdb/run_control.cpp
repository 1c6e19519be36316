#include "modules/command_processor/gdb/run_control.h"

#include <algorithm>

namespace warpvp::gdb {

namespace {

bool is_breakpoint(PointKind kind) { return kind == PointKind::kSoftware || kind == PointKind::kHardware; }

}  // namespace

bool RunControl::insert(PointKind kind, std::uint32_t address, std::uint32_t bytes) {
  std::vector<Point>& points = is_breakpoint(kind) ? breakpoints_ : watchpoints_;
  const bool in_range = bytes > 0 && bytes - 1 <= ~address;
  if (!is_breakpoint(kind) && !in_range) return false;
  const Point point{kind, address, bytes};
  if (std::find(points.begin(), points.end(), point) != points.end()) return true;
  if (breakpoints_.size() + watchpoints_.size() >= kMostPoints) return false;
  points.push_back(point);
  return true;
}

void RunControl::remove(PointKind kind, std::uint32_t address, std::uint32_t bytes) {
  std::vector<Point>& points = is_breakpoint(kind) ? breakpoints_ : watchpoints_;
  points.erase(std::remove(points.begin(), points.end(), Point{kind, address, bytes}), points.end());
}

void RunControl::clear() { *this = RunControl(); }

void RunControl::resume(bool step, bool executes_now) {
  steps_ = step ? (executes_now ? 1 : 2) : 0;
  wanted_ = false;
  watch_hit_.reset();
}

std::optional<Stop> RunControl::breakpoint_at(std::uint32_t pc) const {
  for (const Point& point : breakpoints_)
    if (point.address == pc) return Stop{Stop::Cause::kBreakpoint, point.kind, pc};
  return std::nullopt;
}

std::optional<Stop> RunControl::before_instruction(std::uint32_t pc) {
  const bool stepped = steps_ > 0 && --steps_ == 0;
  std::optional<Stop> stop = watch_hit_;
  watch_hit_.reset();
  if (!stop && !breakpoints_.empty()) stop = breakpoint_at(pc);
  if (!stop && stepped) stop = Stop{Stop::Cause::kStep};
  if (!stop && wanted_) stop = Stop{Stop::Cause::kInterrupt};
  return stop;
}

void RunControl::accessed(std::uint32_t address, unsigned bytes, bool store) {
  for (const Point& point : watchpoints_) {
    if (point.kind == (store ? PointKind::kRead : PointKind::kWrite)) continue;
    // Differences, not ends: a range may reach the end of the address space.
    const bool overlaps =
        address >= point.address ? address - point.address < point.bytes : point.address - address < bytes;
    if (!overlaps) continue;
    watch_hit_ = Stop{Stop::Cause::kWatchpoint, point.kind, std::max(address, point.address)};
    return;
  }
}

}  // namespace warpvp::gdb
