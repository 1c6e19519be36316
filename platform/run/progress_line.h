#pragma once
// Tells the user, while a run goes on, how far it is: one line, written over on a terminal, written anew
// elsewhere. It looks at the host's clock between steps of the simulation only, and changes nothing in it.

#include <iosfwd>
#include <string>

#include "platform/results/progress_text.h"
#include "platform/simulation.h"

namespace warpvp {

/// "1.234 us simulated; kernels: 3 done, 1 running, 8 to come; 45,678 instructions, 812 k/s; 0:12 elapsed,
/// about 0:34 to go". The rest of the time is told where a bound is known: the CTAs of a launch list
/// ("about"), or else a limit on cycles or on the host's time ("at most").
std::string progress_text(const SimulationProgress& progress, double elapsed_seconds,
                          double instructions_per_second);

class ProgressLine : public SimulationClient {
 public:
  /// `every` seconds a line; 0: twice a second on a terminal, else every half minute. The first one comes
  /// after two seconds, or after `every` if that is more or the user has asked for less.
  ProgressLine(std::ostream& out, bool terminal, double every, HostClock clock = steady_host_clock());
  ~ProgressLine() override;

  void between_steps(Simulation& simulation) override;
  void ended(const Outcome&) override { clear(); }
  /// The next line if it is due; `between_steps` without a simulation.
  void show(const std::function<SimulationProgress()>& progress);

 private:
  void clear();

  std::ostream& out_;
  const bool terminal_;
  const double every_;
  const HostClock clock_;
  double due_;
  double last_seconds_ = 0;
  std::uint64_t last_instructions_ = 0;
  unsigned steps_ = 0;
  bool shown_ = false;  // a line stands on the terminal
};

}  // namespace warpvp
