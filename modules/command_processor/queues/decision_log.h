#pragma once
// Writes scheduling decisions to a file, a line each, so that runs of different firmware or cores can be
// compared with diff.

#include <fstream>
#include <string>

#include "modules/command_processor/queues/queue_observer.h"

namespace warpvp {

/// A decision in words.
struct DecisionText {
  const char* what;    ///< "forward", "take", "stop", "complete", "reject"
  std::string packet;  ///< empty: not known
  std::string detail;
};
DecisionText text_of(const SchedulingDecision& decision);

class DecisionLog : public QueueObserver {
 public:
  /// Throws InputError when the file cannot be written.
  explicit DecisionLog(const std::string& path);

  void decision(const SchedulingDecision& decision) override;

 private:
  std::ofstream file_;
};

}  // namespace warpvp
