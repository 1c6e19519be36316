#include "platform/run/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "platform/results/text_table.h"

namespace warpvp {

namespace {

constexpr double kOnTerminal = 0.5, kElsewhere = 30;  // seconds between lines
constexpr double kFirst = 2;                          // shorter runs show none on a terminal
constexpr unsigned kStepsPerLook = 8;  // a step of an idle device takes less than reading the clock

std::string simulated_text(double us) {
  if (us < 1000) return fmt::format("{:.3f} us", us);
  if (us < 1e6) return fmt::format("{:.3f} ms", us / 1e3);
  return fmt::format("{:.3f} s", us / 1e6);
}

std::string rate_text(double per_second) {
  if (per_second < 1e6) return fmt::format("{:.0f} k/s", per_second / 1e3);
  return fmt::format("{:.1f} M/s", per_second / 1e6);
}

/// The rest of the time, with a comma before it; empty if nothing bounds it.
std::string rest_text(const SimulationProgress& p, double elapsed) {
  if (p.expected_ctas != 0) {
    const auto rest =
        seconds_to_go(elapsed, static_cast<double>(p.ctas_done), static_cast<double>(p.expected_ctas));
    return rest ? fmt::format(", about {} to go", minutes_text(*rest)) : "";
  }
  std::optional<double> most;
  if (p.cycle_limit != 0)
    most = seconds_to_go(elapsed, static_cast<double>(p.cycle), static_cast<double>(p.cycle_limit));
  if (p.wall_limit > 0) most = std::min(most.value_or(p.wall_limit), std::max(0.0, p.wall_limit - elapsed));
  return most ? fmt::format(", at most {} to go", minutes_text(*most)) : "";
}

}  // namespace

std::string progress_text(const SimulationProgress& p, double elapsed_seconds,
                          double instructions_per_second) {
  const std::uint64_t begun = p.kernels_done + p.kernels_running;
  const std::uint64_t to_come = std::max(p.kernels_launched, p.expected_kernels) - begun;
  return fmt::format("{} simulated; kernels: {} done, {} running, {}{}; {} instructions, {}; {} elapsed{}",
                     simulated_text(p.simulated_us), with_thousands(p.kernels_done),
                     with_thousands(p.kernels_running), with_thousands(to_come),
                     p.expected_kernels != 0 ? " to come" : " queued", with_thousands(p.instructions),
                     rate_text(instructions_per_second), minutes_text(elapsed_seconds),
                     rest_text(p, elapsed_seconds));
}

ProgressLine::ProgressLine(std::ostream& out, bool terminal, double every, HostClock clock)
    : out_(out),
      terminal_(terminal),
      every_(every > 0  ? every
             : terminal ? kOnTerminal
                        : kElsewhere),
      clock_(std::move(clock)),
      due_(every > 0 ? every : std::max(kFirst, every_)) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::between_steps(Simulation& simulation) {
  if (++steps_ % kStepsPerLook != 0) return;
  show([&simulation] { return simulation.progress(); });
}

void ProgressLine::show(const std::function<SimulationProgress()>& progress) {
  const double now = clock_();
  if (now < due_) return;
  const SimulationProgress p = progress();
  const double since = now - last_seconds_;
  const double rate = since > 0 ? static_cast<double>(p.instructions - last_instructions_) / since : 0;
  const std::string text = progress_text(p, now, rate);
  out_ << (terminal_ ? rewritten_line(text) : text + "\n") << std::flush;
  shown_ = terminal_;
  due_ = now + every_;
  last_seconds_ = now;
  last_instructions_ = p.instructions;
}

void ProgressLine::clear() {
  if (shown_) out_ << rewritten_line("") << std::flush;
  shown_ = false;
}

}  // namespace warpvp
