#pragma once
// Whose each SM is, on the Perfetto timeline: of partition policies (docs/control-path.md, "Whose an SM is").
// A track an SM with its set-ups, the kernels that it runs, and its drains; and as counters how many SMs each
// context has.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "modules/work_distributor/work_distributor.h"
#include "platform/results/trace_writer.h"

namespace warpvp {

class SmTimeline {
 public:
  /// The tracks lie in a group of that name and order. `name_of` gives the name of a launch; `trace` outlives
  /// this.
  SmTimeline(TraceWriter& trace, std::string group, std::uint32_t group_order,
             std::function<std::string(std::uint32_t launch_id)> name_of)
      : trace_(trace), group_(std::move(group)), group_order_(group_order), name_of_(std::move(name_of)) {}

  void changed(const SmHandover& handover, std::uint64_t now_ps);
  /// Shows what has not ended.
  void finish(std::uint64_t now_ps);

 private:
  struct Span {
    SmHandover is;
    std::uint64_t since_ps = 0;
    std::uint64_t ready_ps = 0;  ///< end of its set-up
  };
  void write(const Span& span, std::uint64_t end_ps);
  void count(const SmHandover& handover, int change, std::uint64_t now_ps);

  TraceWriter& trace_;
  std::string group_;
  std::uint32_t group_order_;
  std::function<std::string(std::uint32_t)> name_of_;
  std::map<unsigned, Span> sms_;              // those that are not idle
  std::map<std::uint32_t, unsigned> sms_of_;  // by context
};

}  // namespace warpvp
