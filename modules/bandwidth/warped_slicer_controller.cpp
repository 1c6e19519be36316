// `bandwidth_controller.type: warped_slicer`: the number of CTAs of each kernel by Warped-Slicer (Xu et al.,
// ISCA 2016). For each mix of kernels SMs are divided among them for a while, and those of a kernel have 1,
// 2, 3, ... of its CTAs: what they issue is the kernel's curve. Then all SMs have the combination that
// water-filling finds. It looks at instructions alone, and rations nothing.

#include <algorithm>

#include "base/fields.h"
#include "base/sm_part.h"
#include "modules/bandwidth/mix_controller.h"
#include "modules/bandwidth/warped_slicer.h"

namespace warpvp {
namespace {

struct WarpedSlicerConfig {
  std::uint32_t warm_up_cycles = 20'000, sample_cycles = 5'000, tries = 10, absent_cycles = 200'000;
  void fields(FieldVisitor& v) {
    v.field("warm_up_cycles", warm_up_cycles, "SM cycles",
            "After SMs have got their numbers of CTAs, before anything is measured. A guess of ours.",
            Constraint::range(0, 100000000));
    v.field("sample_cycles", sample_cycles, "SM cycles",
            "In which instructions are counted. A guess of ours.", Constraint::range(100, 100000000));
    v.field(
        "tries", tries, "",
        "Warm-ups and samples at most, until each number of CTAs has issued something: CTAs of the others "
        "may have to end first.",
        Constraint::range(1, 1000));
    v.field("absent_cycles", absent_cycles, "SM cycles",
            "A kernel that has ended and does not come again for so long has left the mix.",
            Constraint::range(0, 1000000000));
  }
};

struct WarpedSlicerStats {
  std::uint64_t profiles = 0, samples = 0;
  Cycle settled_at = 0;
  CtaCombination combination;  ///< the last one

  void stats(StatVisitor& v) const {
    v.value("profiles", profiles, "times", "Curves of a mix of kernels were measured.");
    v.value("samples", samples, "times", "Instructions were counted for them.");
    v.value("settled_at", settled_at, "cycles",
            "SM cycle in which the last combination was found; 0: none was.");
    v.value(
        "least_performance", combination.least_performance, "share",
        "Of its best performance alone, what the kernel that is worst off is expected to have with the last "
        "combination.");
    for (std::size_t k = 0; k < std::size(kKernelKeys); ++k)
      v.when(k < combination.ctas.size(), "when so many kernels came", [&] {
        v.group(kKernelKeys[k], Share{k < combination.ctas.size() ? combination.ctas[k] : 0},
                "A kernel of the last mix, in the order in which they first came.");
      });
  }

 private:
  struct Share {
    std::uint32_t ctas;
    void stats(StatVisitor& v) const { v.value("ctas", std::uint64_t{ctas}, "CTAs", "On each SM."); }
  };
};

class WarpedSlicerController : public MixController {
 public:
  WarpedSlicerController(sc_core::sc_module_name name, const WarpedSlicerConfig& config,
                         const BandwidthControllerPlace& place)
      : MixController(name, place, {false, config.absent_cycles}), config_(config) {}

  void stats(StatVisitor& v) const override { counted_.stats(v); }

 private:
  void control() override {
    const std::vector<MixKernel*> kernels = mix().present();
    if (kernels.size() < 2) {
      for (MixKernel* kernel : kernels) give(*kernel, {});
      return;
    }
    std::vector<ScalableKernel> curves;
    if (!profile(kernels, curves)) return;
    const CtaCombination& found = counted_.combination = slice_by_water_filling(place().resources, curves);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      KernelTerms terms;
      // Where no combination is found, nobody is held to one.
      if (found.ctas[k] != 0) terms.ctas = found.ctas[k];
      terms.drains = true;
      give(*kernels[k], terms);
    }
    counted_.settled_at = now();
  }

  /// Each kernel's curve. Where it may have more CTAs than its part has SMs, SMs take several numbers in
  /// turn; a number that no SM has got to in time, as CTAs are long or too few, counts for nothing.
  bool profile(const std::vector<MixKernel*>& kernels, std::vector<ScalableKernel>& curves) {
    ++counted_.profiles;
    std::size_t rounds = 1;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const SmPart part = sms_of(k, kernels.size());
      const unsigned sms = part.end - part.begin, most = kernels[k]->needs.most_ctas;
      rounds = std::max<std::size_t>(rounds, (most + sms - 1) / sms);
      curves.push_back({kernels[k]->needs, std::vector<double>(most, 0)});
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        KernelTerms terms;
        terms.ctas_of_sm.assign(place().sms, 0);
        for_each_number(k, kernels, round, [&](unsigned sm, unsigned ctas) { terms.ctas_of_sm[sm] = ctas; });
        give(*kernels[k], terms);
      }
      bool complete = false;
      for (unsigned t = 0; t < config_.tries && !complete; ++t)
        if (!sample(kernels, round, curves, complete)) return false;
    }
    return true;
  }

  /// One point of the curve for each SM. `complete`: all SMs have issued something. False: the mix has
  /// changed.
  bool sample(const std::vector<MixKernel*>& kernels, std::size_t round, std::vector<ScalableKernel>& curves,
              bool& complete) {
    if (!wait_cycles(config_.warm_up_cycles)) return false;
    std::vector<std::vector<std::uint64_t>> before;
    for (MixKernel* kernel : kernels) {
      look(*kernel);
      before.push_back(kernel->instructions_of_sm);
    }
    const Cycle begin = now();
    if (!wait_cycles(config_.sample_cycles)) return false;
    ++counted_.samples;
    const auto took = static_cast<double>(std::max<Cycle>(now() - begin, 1));
    complete = true;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      look(*kernels[k]);
      for_each_number(k, kernels, round, [&](unsigned sm, unsigned ctas) {
        const std::uint64_t issued = kernels[k]->instructions_of_sm[sm] - before[k][sm];
        curves[k].performance[ctas - 1] = static_cast<double>(issued) / took;
        complete = complete && issued != 0;
      });
    }
    return true;
  }

  SmPart sms_of(std::size_t k, std::size_t kernels) const {
    return part_of(place().sms, static_cast<unsigned>(k), static_cast<unsigned>(kernels));
  }
  /// Calls f(SM, number of CTAs) for the SMs that measure kernel k in a round.
  template <class F>
  void for_each_number(std::size_t k, const std::vector<MixKernel*>& kernels, std::size_t round,
                       F&& f) const {
    const SmPart part = sms_of(k, kernels.size());
    const unsigned most = kernels[k]->needs.most_ctas;
    for (unsigned sm = part.begin; sm < part.end; ++sm) {
      const auto number = static_cast<unsigned>(round * (part.end - part.begin) + (sm - part.begin));
      if (number < most) f(sm, number + 1);
    }
  }

  const WarpedSlicerConfig config_;
  WarpedSlicerStats counted_;
};

class WarpedSlicerType : public BandwidthControllerType {
 public:
  explicit WarpedSlicerType(const WarpedSlicerConfig& config) : config_(config) {}
  void visit_stats(StatVisitor& v) const override { WarpedSlicerStats().stats(v); }
  std::unique_ptr<BandwidthController> build(const char* name,
                                             const BandwidthControllerPlace& place) const override {
    return std::make_unique<WarpedSlicerController>(name, config_, place);
  }

 private:
  const WarpedSlicerConfig config_;
};
WARPVP_REGISTER_BLOCK(BandwidthControllerType, WarpedSlicerType, WarpedSlicerConfig, "warped_slicer",
                      "Warped-Slicer: CTAs by how kernels' performance grows with them; bandwidth is not "
                      "divided.");

}  // namespace
}  // namespace warpvp
