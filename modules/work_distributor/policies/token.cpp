// The token scheduler (CUsched section III.C): dynamic spatial sharing. A context has tokens; one is taken
// when an SM becomes, or is reserved for, one of its kernels, and comes back when the SM is handed on, so
// that the count may be negative. The context with the most tokens gets the next SM: an idle one, or one that
// is reserved and drained of the context with the fewest, until no hand-over would bring the counts closer.
#include <fmt/format.h>

#include <map>
#include <numeric>

#include "modules/work_distributor/partition_policy.h"

namespace warpvp {
namespace {

struct TokenParams {
  std::vector<std::uint32_t> tokens;
  void fields(FieldVisitor& v) {
    v.field(
        "tokens", tokens, "",
        "Tokens of contexts 1, 2, ...; at most as many as there are SMs in all. A context without a number "
        "has none; with equal numbers all contexts have equal shares.",
        Constraint::range(0, 1024));
  }
};

class Token : public PartitionPolicy {
 public:
  explicit Token(const TokenParams& params) : tokens_(params.tokens) {}

  std::string check(unsigned sm_count) const override {
    const std::uint64_t sum = std::accumulate(tokens_.begin(), tokens_.end(), std::uint64_t{0});
    if (sum <= sm_count) return {};
    return fmt::format("tokens: {} in all; allowed: at most {}, the number of SMs", sum, sm_count);
  }

  void partition(const DispatchState& state, SmVerbs& sms) override {
    const std::vector<unsigned> order = by_arrival(state);  // the active queue
    while (true) {
      const std::map<std::uint32_t, std::int64_t> counts = count(state);
      const auto count_of = [&](unsigned k) { return counts.at(state.kernels()[k].context); };
      std::optional<unsigned> richest, poorest;
      for (unsigned k : order) {
        if (state.wants_sm(k) && (!richest || count_of(k) > count_of(*richest))) richest = k;
        if (first_to_give(state, state.kernels()[k].slot) && (!poorest || count_of(k) <= count_of(*poorest)))
          poorest = k;
      }
      if (!richest) return;
      if (const auto idle = idle_sm(state)) {
        sms.set_up(*richest, *idle);
        continue;
      }
      if (!poorest || count_of(*richest) - count_of(*poorest) < 2) return;
      hand_over(state, sms, *richest, *first_to_give(state, state.kernels()[*poorest].slot));
    }
  }

 private:
  std::map<std::uint32_t, std::int64_t> count(const DispatchState& state) const {
    std::map<std::uint32_t, std::int64_t> counts;
    for (const ResidentKernel& kernel : state.kernels()) {
      const std::uint32_t c = kernel.context;
      const auto at = counts.emplace(c, c >= 1 && c <= tokens_.size() ? tokens_[c - 1] : 0).first;
      at->second -= state.sms_of(kernel.slot);
    }
    return counts;
  }
  static std::optional<unsigned> idle_sm(const DispatchState& state) {
    for (unsigned sm = 0; sm < state.sm_count(); ++sm)
      if (state.sm(sm).state == SmState::kIdle) return sm;
    return std::nullopt;
  }

  std::vector<std::uint32_t> tokens_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    CtaDispatchPolicy, Token, TokenParams, "token",
    "Dynamic spatial sharing by tokens of contexts: SMs drain for the one with the most left (CUsched)");

}  // namespace
}  // namespace warpvp
