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

DecisionText text_of(const SchedulingDecision& d) {
  using Kind = SchedulingDecision::Kind;
  DecisionText text{"", fmt::format("{}", d.packet), {}};
  switch (d.kind) {
    case Kind::kForward:
      text.what = "forward";
      text.detail = fmt::format("destination {}", d.detail);
      break;
    case Kind::kTake:
      text.what = "take";
      text.detail =
          d.detail == regmap::qc::kNoDestination ? "barrier" : fmt::format("destination {}", d.detail);
      break;
    case Kind::kStop:
      text.what = "stop";
      text.detail = regmap::cp::queue_error_text(static_cast<regmap::cp::QueueError>(d.detail));
      break;
    case Kind::kComplete:
      text.what = "complete";
      text.packet.clear();  // hardware does not know which
      text.detail = fmt::format("signal {:#x}", d.detail);
      break;
    case Kind::kReject:
      text.what = "reject";
      text.detail = fmt::format("code {}", d.detail);
      break;
  }
  return text;
}

void DecisionLog::decision(const SchedulingDecision& d) {
  const DecisionText text = text_of(d);
  file_ << fmt::format("{:.3f},{},{},{},{}\n", d.at.to_seconds() * 1e9, text.what, d.queue, text.packet,
                       text.detail);
}

}  // namespace warpvp
