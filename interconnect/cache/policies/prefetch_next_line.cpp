// The lines that follow (Smith, "Cache memories", ACM Computing Surveys 1982, section 2.1: always, on a miss,
// or tagged, which is on a miss and on the first use of a prefetched line).

#include "base/registry.h"
#include "interconnect/cache/prefetcher.h"

namespace warpvp {
namespace {

struct NextLineParams {
  std::uint32_t degree = 1;
  std::uint32_t distance = 1;
  std::string when = "tagged";

  void fields(FieldVisitor& v) {
    v.field("degree", degree, "lines", "Neighbouring lines proposed at a time.",
            Constraint::range(1, Prefetcher::kMostProposals));
    v.field("distance", distance, "lines", "How far behind the load's line the first of them lies.",
            Constraint::range(1, 1 << 20));
    v.field(
        "when", when,
        "Loads that propose. miss: those that miss; tagged: also the first of a line that was prefetched; "
        "always: all.",
        Constraint::words({"always", "miss", "tagged"}));
  }
};

class NextLine : public Prefetcher {
 public:
  explicit NextLine(const NextLineParams& params) : params_(params) {}

  void configure(const Cache& cache) override { line_bytes_ = cache.line_bytes; }
  void access(const Access& access, Proposals& proposals) override {
    const bool wanted =
        params_.when == "always" || !access.hit || (params_.when == "tagged" && access.first_use);
    if (!wanted) return;
    for (std::uint64_t i = 0; i < params_.degree; ++i)
      proposals.push_back(access.line + (params_.distance + i) * line_bytes_);
  }

 private:
  const NextLineParams params_;
  std::uint64_t line_bytes_ = 128;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(Prefetcher, NextLine, NextLineParams, "next_line",
                                   "The lines behind one that missed or was prefetched.");

}  // namespace
}  // namespace warpvp
