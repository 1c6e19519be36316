// `bandwidth_controller.type: cta_search`: the best number of CTAs of each kernel by trying all combinations
// that fit on an SM, one after the other, while the kernels run: the CTA oracle of the CCBP paper
// (section 7.1) and, with `spatial`, its spatial one. It looks at instructions alone, and rations nothing.

#include <algorithm>
#include <map>

#include "base/fields.h"
#include "base/sm_part.h"
#include "modules/bandwidth/cta_combinations.h"
#include "modules/bandwidth/mix_controller.h"
#include "modules/bandwidth/speedup_goal.h"

namespace warpvp {
namespace {

struct CtaSearchConfig {
  std::uint32_t drain_cycles = 2'000'000, settle_cycles = 20'000, sample_cycles = 30'000,
                most_combinations = 400, absent_cycles = 200'000;
  bool spatial = false;
  SpeedupGoal goal;

  void fields(FieldVisitor& v) {
    v.field("spatial", spatial,
            "The SMs are divided evenly among the kernels, each of which has a number of CTAs on its own; "
            "otherwise they "
            "share all SMs.");
    goal.fields(v,
                "Of each kernel alone on the device, in the order in which they first come; for the goal. "
                "Kernels without "
                "one are compared with the most that they reach with any combination.");
    v.field("drain_cycles", drain_cycles, "SM cycles",
            "The longest that a combination waits for CTAs of the one before it to end. A guess of ours.",
            Constraint::range(0, 1000000000));
    v.field("settle_cycles", settle_cycles, "SM cycles",
            "After that, before instructions are counted. A guess of ours.",
            Constraint::range(0, 1000000000));
    v.field("sample_cycles", sample_cycles, "SM cycles",
            "In which they are counted for each combination. A guess of ours.",
            Constraint::range(100, 1000000000));
    v.field("most_combinations", most_combinations, "combinations",
            "A mix that has more is refused: with each kernel there are several times as many.",
            Constraint::range(1, 1000000));
    v.field("absent_cycles", absent_cycles, "SM cycles",
            "A kernel that has ended and does not come again for so long has left the mix.",
            Constraint::range(0, 1000000000));
  }
};

/// The best combination by one goal.
struct BestCombination {
  double speedup = 0;
  CtaNumbers ctas;
};

struct CtaSearchStats {
  std::uint64_t searches = 0, combinations = 0;
  Cycle settled_at = 0;
  BestCombination harmonic, weighted;

  void stats(StatVisitor& v) const {
    v.value("searches", searches, "times", "All combinations of a mix of kernels were tried.");
    v.value("combinations", combinations, "combinations", "That were tried.");
    v.value("settled_at", settled_at, "cycles", "SM cycle since which what it found is in force; 0: never.");
    v.group("harmonic", Best{harmonic}, "The combination of the highest harmonic speedup.");
    v.group("weighted", Best{weighted}, "The combination of the highest weighted speedup.");
  }

 private:
  struct Share {
    std::uint32_t ctas;
    void stats(StatVisitor& v) const {
      v.value("ctas", std::uint64_t{ctas}, "CTAs", "On each SM where it has any.");
    }
  };
  struct Best {
    const BestCombination& found;
    void stats(StatVisitor& v) const {
      v.value("speedup", found.speedup, "speedup", "In the sample of the search.");
      for (std::size_t k = 0; k < std::size(kKernelKeys); ++k)
        v.when(k < found.ctas.size(), "when so many kernels came", [&] {
          v.group(kKernelKeys[k], Share{k < found.ctas.size() ? found.ctas[k] : 0},
                  "A kernel of the last mix, in the order in which they first came.");
        });
    }
  };
};

class CtaSearchController : public MixController {
 public:
  CtaSearchController(sc_core::sc_module_name name, const CtaSearchConfig& config,
                      const BandwidthControllerPlace& place)
      : MixController(name, place, {false, config.absent_cycles}), config_(config) {}

  void stats(StatVisitor& v) const override { counted_.stats(v); }

 private:
  using Kernels = std::vector<MixKernel*>;

  void control() override {
    const Kernels kernels = mix().present();
    counted_.settled_at = 0;
    if (kernels.size() < 2) {
      for (MixKernel* kernel : kernels) give(*kernel, {});
      return;
    }
    std::vector<unsigned> numbers;
    for (const MixKernel* kernel : kernels) numbers.push_back(kernel->number);
    auto found = found_.find(numbers);
    if (found == found_.end()) {
      CtaNumbers best;
      if (!search(kernels, best)) return;
      found = found_.emplace(std::move(numbers), std::move(best)).first;
    }
    put_in_force(kernels, found->second);
    if (wait_until_in_force(kernels, found->second) == Drained::kYes) counted_.settled_at = now();
  }

  /// False: the mix has changed, or there is nothing that can be tried.
  bool search(const Kernels& kernels, CtaNumbers& best) {
    std::vector<CtaNeeds> needs;
    for (const MixKernel* kernel : kernels) needs.push_back(kernel->needs);
    const std::vector<CtaNumbers> all =
        cta_combinations(place().resources, needs, !config_.spatial, config_.most_combinations);
    if (all.empty() || all.size() > config_.most_combinations) {
      fail(all.empty()
               ? "an SM has no room for one CTA of each kernel; allowed: kernels that fit beside each other"
               : "more combinations of CTAs fit on an SM than bandwidth_controller.most_combinations; "
                 "allowed: "
                 "fewer kernels, or a higher number there");
      return false;
    }
    std::vector<std::vector<double>> reached;  // IPC of each kernel with each combination
    for (const CtaNumbers& ctas : all) {
      reached.emplace_back();
      if (!sample(kernels, ctas, reached.back())) return false;
    }
    counted_.harmonic = best_of(kernels, all, reached, SpeedupGoal::Kind::kHarmonic);
    counted_.weighted = best_of(kernels, all, reached, SpeedupGoal::Kind::kWeighted);
    ++counted_.searches;
    best = (config_.goal.kind() == SpeedupGoal::Kind::kHarmonic ? counted_.harmonic : counted_.weighted).ctas;
    return true;
  }

  bool sample(const Kernels& kernels, const CtaNumbers& ctas, std::vector<double>& ipc) {
    put_in_force(kernels, ctas);
    if (wait_until_in_force(kernels, ctas) == Drained::kMixChanged || !wait_cycles(config_.settle_cycles))
      return false;
    std::vector<std::uint64_t> before;
    for (MixKernel* kernel : kernels) before.push_back(look(*kernel).instructions);
    const Cycle begin = now();
    if (!wait_cycles(config_.sample_cycles)) return false;
    const auto took = static_cast<double>(std::max<Cycle>(now() - begin, 1));
    for (std::size_t k = 0; k < kernels.size(); ++k)
      ipc.push_back(static_cast<double>(look(*kernels[k]).instructions - before[k]) / took);
    ++counted_.combinations;
    return true;
  }

  Drained wait_until_in_force(const Kernels& kernels, const CtaNumbers& ctas) {
    return wait_until_drained(
        kernels, [&](std::size_t k) { return std::uint64_t{ctas[k]} * sms_of(k, kernels.size()); },
        config_.drain_cycles);
  }

  BestCombination best_of(const Kernels& kernels, const std::vector<CtaNumbers>& all,
                          const std::vector<std::vector<double>>& reached, SpeedupGoal::Kind kind) const {
    std::vector<double> alone;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      double most = 0;
      for (const std::vector<double>& ipc : reached) most = std::max(most, ipc[k]);
      alone.push_back(config_.goal.alone_ipc(kernels[k]->number).value_or(most));
    }
    BestCombination best;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double speedup = speedup_of(kind, reached[i], alone);
      if (best.ctas.empty() || speedup > best.speedup) best = {speedup, all[i]};
    }
    return best;
  }

  void put_in_force(const Kernels& kernels, const CtaNumbers& ctas) {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      KernelTerms terms;
      terms.ctas = ctas[k];
      terms.drains = true;
      if (config_.spatial) terms.keep_to(part(k, kernels.size()), place().sms);
      give(*kernels[k], terms);
    }
  }

  unsigned sms_of(std::size_t k, std::size_t kernels) const {
    if (!config_.spatial) return place().sms;
    return part(k, kernels).end - part(k, kernels).begin;
  }

  SmPart part(std::size_t k, std::size_t kernels) const {
    return part_of(place().sms, static_cast<unsigned>(k), static_cast<unsigned>(kernels));
  }

  const CtaSearchConfig config_;
  CtaSearchStats counted_;
  std::map<std::vector<unsigned>, CtaNumbers> found_;  // by the numbers of the mix's kernels
};

class CtaSearchType : public BandwidthControllerType {
 public:
  explicit CtaSearchType(const CtaSearchConfig& config) : config_(config) {}
  void visit_stats(StatVisitor& v) const override { CtaSearchStats().stats(v); }
  std::unique_ptr<BandwidthController> build(const char* name,
                                             const BandwidthControllerPlace& place) const override {
    return std::make_unique<CtaSearchController>(name, config_, place);
  }

 private:
  const CtaSearchConfig config_;
};
WARPVP_REGISTER_BLOCK(BandwidthControllerType, CtaSearchType, CtaSearchConfig, "cta_search",
                      "The best combination of CTAs, by trying all that fit; bandwidth is not divided.");

}  // namespace
}  // namespace warpvp
