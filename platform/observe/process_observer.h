#pragma once
// What is told of the processes of a run while they run, for timelines.

#include <cstdint>
#include <string>

#include "base/sim_time.h"

namespace warpvp {

/// A process runs its program once.
struct ProcessExecution {
  enum class Kind : std::uint8_t { kAlone, kFirst, kAgain };
  std::string name;
  unsigned context = 0;
  int priority = 0;
  Kind kind = Kind::kFirst;
  SimTime begun;
  /// "alone", "first" or "again".
  const char* what() const;
};

/// Told about processes, for timelines, at the time of the event.
class ProcessObserver {
 public:
  virtual ~ProcessObserver() = default;
  virtual void process_begin(const ProcessExecution&) {}
  virtual void process_end(const ProcessExecution&) {}
};

}  // namespace warpvp
