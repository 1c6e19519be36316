#include "modules/command_processor/queues/decision_log.h"

#include <fmt/format.h>

#include "base/error.h"
#include "interconnect/register_map.h"

namespace warpvp {

DecisionLog::DecisionLog(const std::string& path) : file_(path) {
  if (!file_)
    throw InputError(fmt::format(
        "command_processor.decisions: cannot write {}; name a file in a folder that exists", path));
  file_ << "time_ns,decision,queue,packet,detail\n";
}

void DecisionLog::decision(const SchedulingDecision& d) {
  using Kind = SchedulingDecision::Kind;
  const char* what = "";
  std::string packet = fmt::format("{}", d.packet), detail;
  switch (d.kind) {
    case Kind::kForward:
      what = "forward";
      detail = fmt::format("destination {}", d.detail);
      break;
    case Kind::kTake:
      what = "take";
      detail = d.detail == regmap::qc::kNoDestination ? "barrier" : fmt::format("destination {}", d.detail);
      break;
    case Kind::kStop:
      what = "stop";
      detail = regmap::cp::queue_error_text(static_cast<regmap::cp::QueueError>(d.detail));
      break;
    case Kind::kComplete:
      what = "complete";
      packet.clear();  // hardware does not know which
      detail = fmt::format("signal {:#x}", d.detail);
      break;
  }
  file_ << fmt::format("{:.3f},{},{},{},{}\n", d.at.to_seconds() * 1e9, what, d.queue, packet, detail);
}

}  // namespace warpvp
