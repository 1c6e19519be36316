#include "platform/results/progress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace warpvp {

HostClock steady_host_clock() {
  return [begin = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

std::string minutes_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, 1e15));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::optional<double> seconds_to_go(double elapsed, double done, double total) {
  if (done <= 0 || total <= 0) return std::nullopt;
  return elapsed * std::max(0.0, total - done) / done;
}

std::string rewritten_line(const std::string& text) {
  const std::string cleared = "\r\033[K";
  return text.empty() ? cleared : "\033[?7l" + cleared + text + "\033[?7h";
}

}  // namespace warpvp
