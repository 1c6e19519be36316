#pragma once
// Whose each SM is, on the Perfetto timeline: of partition policies (docs/control-path.md, "Whose an SM is").
// A track an SM with its set-ups, the kernels that it runs, and its drains; and as counters how many SMs each
// context has and, under the token policy, how many tokens it has left (CUsched, section III-C): one is taken
// when an SM becomes, or is reserved for, one of its kernels, and comes back when the SM is handed on.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/work_distributor/work_distributor.h"
#include "platform/results/trace_writer.h"

namespace warpvp {

class SmTimeline {
 public:
  struct Names {
    std::function<std::string(std::uint32_t launch_id)> launch;
    std::function<std::uint32_t(std::uint32_t launch_id)> context_of;
    std::function<std::string(std::uint32_t context)> context;
  };
  /// The tracks lie in a group of that name and order; `trace` outlives this.
  SmTimeline(TraceWriter& trace, std::string group, std::uint32_t group_order, Names names)
      : trace_(trace), group_(std::move(group)), group_order_(group_order), names_(std::move(names)) {}

  /// Shows tokens, too: those that contexts 1, 2, .. are given; others have none.
  void show_tokens(std::vector<std::uint32_t> given) { tokens_ = std::move(given); }

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
  void take_tokens(const SmHandover& handover, int change, std::uint64_t now_ps);
  void counter(const std::string& what, std::uint32_t context, std::uint32_t order, std::uint64_t now_ps,
               std::int64_t value);

  TraceWriter& trace_;
  std::string group_;
  std::uint32_t group_order_;
  Names names_;
  std::optional<std::vector<std::uint32_t>> tokens_;
  std::map<unsigned, Span> sms_;                       // those that are not idle
  std::map<std::uint32_t, unsigned> sms_of_;           // by context
  std::map<std::uint32_t, std::int64_t> tokens_left_;  // by context
};

}  // namespace warpvp
