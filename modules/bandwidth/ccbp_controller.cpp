#include "modules/bandwidth/ccbp_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "interconnect/sim_time.h"

namespace warpvp {

void CcbpConfig::fields(FieldVisitor& v) {
  v.field("units", units, "", "M: units that each bandwidth is dealt in (CCBP, section 5.2).",
          Constraint::range(1, 10000));
  v.field("detection", detection,
          "online: each step takes the cycles below; offline: ten times as many (CCBP, section 5.4).",
          Constraint::words({"online", "offline"}));
  v.field("warm_up_cycles", warm_up_cycles, "SM cycles", "Before anything is measured (CCBP, section 5.4).",
          Constraint::range(0, 100000000));
  v.field(
      "drain_cycles", drain_cycles, "SM cycles",
      "The longest that the warm-up is put off for CTAs above the even share to end. Without this a kernel "
      "that finds no room is taken for one that asks for nothing.",
      Constraint::range(0, 1000000000));
  v.field("factor_cycles", factor_cycles, "SM cycles", "In which rf and df are measured (CCBP, section 5.4).",
          Constraint::range(1000, 100000000));
  v.field("type_cycles", type_cycles, "SM cycles",
          "In which demand under even bandwidth is measured. The paper does not say how long.",
          Constraint::range(1000, 100000000));
  v.field("throttle_skip_cycles", throttle_skip_cycles, "SM cycles",
          "After a change of the number of CTAs, before its use is measured (CCBP, section 5.4).",
          Constraint::range(0, 100000000));
  v.field("throttle_cycles", throttle_cycles, "SM cycles",
          "In which the use of each number of CTAs is measured (CCBP, section 5.4).",
          Constraint::range(1000, 100000000));
  v.field("adjust", adjust,
          "Whether the priority of latency-sensitive kernels is adjusted (CCBP, section 5.5).");
  v.field("prior_lsk", prior_lsk, "",
          "priorLSK that is begun with; without adjust the one that stays. Smaller is more urgent.",
          Constraint::range(0.01, 10));
  v.field("prior_step", prior_step, "", "By which it is lowered (CCBP, section 5.5).",
          Constraint::range(0.001, 1));
  v.field("adjust_cycles", adjust_cycles, "SM cycles",
          "For which each priority is tried (CCBP, section 5.5).", Constraint::range(1000, 1000000000));
  goal.fields(v,
              "Of each kernel alone on the device, in the order in which they first come; for the goal. "
              "Kernels without "
              "one are compared with what they reach with even shares.");
  v.field("ration_sensitive", ration_sensitive,
          "Whether latency-sensitive kernels are held to a quota too, that of what they were measured to "
          "use; otherwise "
          "they send what they like, before the others. The paper has quotas for all kernels.");
  v.field("combination", combination,
          "What happens to CTAs above a new limit: drain, they run to their ends; throttle, they keep their "
          "state and the "
          "room that they take, and wait until older ones have ended.",
          Constraint::words({"drain", "throttle"}));
  v.field("absent_cycles", absent_cycles, "SM cycles",
          "A kernel that has ended and does not come again for so long has left the mix.",
          Constraint::range(0, 1000000000));
}

namespace {

BandwidthModel model_of(const BandwidthControllerPlace& place, const CcbpConfig& config) {
  const double seconds =
      to_sim_time(place.clock.period()).fs() * 1e-15 * static_cast<double>(place.credit_interval);
  BandwidthModel::Device device;
  device.sms = place.sms;
  device.reply_bytes = place.line_bytes + place.header_bytes;
  device.dram_bytes = place.line_bytes;
  const auto per_interval = [seconds](double per_second) {
    return per_second > 0 ? per_second * seconds : std::numeric_limits<double>::infinity();
  };
  device.network_per_interval = per_interval(place.network_bytes_per_second);
  device.dram_per_interval = per_interval(place.dram_bytes_per_second);
  return BandwidthModel(device);
}

}  // namespace

CcbpController::CcbpController(sc_core::sc_module_name name, const CcbpConfig& config,
                               const BandwidthControllerPlace& place)
    : MixController(name, place, {true, config.absent_cycles}),
      config_(config),
      model_(model_of(place, config)),
      prior_lsk_(config.prior_lsk) {
  declare_registers();
}

CcbpController::Known& CcbpController::known(const MixKernel& kernel) {
  if (known_.size() <= kernel.number) known_.resize(kernel.number + 1);
  return known_[kernel.number];
}

// Section 5.4: an equal part of the CTAs that it would have alone.
unsigned CcbpController::even_ctas(const MixKernel& kernel, std::size_t kernels) const {
  return std::max(1u, kernel.needs.most_ctas / static_cast<unsigned>(kernels));
}

void CcbpController::control() {
  const std::vector<MixKernel*> kernels = mix().present();
  if (kernels.size() < 2) {
    enter(Phase::kAlone);
    for (MixKernel* kernel : kernels) give(*kernel, {});
    return;
  }
  if (kernels.size() > regmap::bandwidth::kMaxKernels)
    return fail(
        fmt::format("{} kernels run at once; allowed: at most {}, one for each sub-queue of the miss queue",
                    kernels.size(), regmap::bandwidth::kMaxKernels));
  // Of kernels that others have left alone everything is known.
  const bool all_known =
      std::all_of(kernels.begin(), kernels.end(), [&](MixKernel* k) { return known(*k).detected; });
  if (!all_known && !detect(kernels)) return;
  prior_lsk_ = config_.prior_lsk;
  if (config_.adjust) {
    if (!adjust_priority(kernels)) return;
  } else {
    apply(kernels, allocate(kernels, prior_lsk_));
  }
  enter(Phase::kSettled);
  if (!all_known) settled_at_ = now();
}

bool CcbpController::measure(const std::vector<MixKernel*>& kernels, Cycle cycles,
                             std::vector<Rates>& rates) {
  std::vector<KernelCounts> before;
  for (MixKernel* kernel : kernels) before.push_back(look(*kernel));
  const Cycle begin = now();
  if (!wait_cycles(cycles)) return false;
  const double took = static_cast<double>(std::max<Cycle>(now() - begin, 1));
  const double sm_intervals = took / static_cast<double>(place().credit_interval) * place().sms;
  rates.clear();
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const KernelCounts c = look(*kernels[k]) - before[k];
    Rates r;
    r.factors = RequestFactors::of(c.requests, c.reads, c.answers, c.dram_accesses);
    r.rate = static_cast<double>(c.requests) / sm_intervals;
    r.demand = static_cast<double>(c.demand) / sm_intervals;
    r.ipc = static_cast<double>(c.instructions) / took;
    rates.push_back(r);
  }
  return true;
}

bool CcbpController::detect(const std::vector<MixKernel*>& kernels) {
  ++detections_;
  enter(Phase::kWarmUp);
  for (MixKernel* kernel : kernels) {
    known(*kernel) = {};
    KernelTerms even;
    even.ctas = even_ctas(*kernel, kernels.size());
    even.drains = true;  // who waited would keep the room that others are to have
    give(*kernel, even);
  }
  // The first kernel of a mix may have all of the device, and its CTAs take long.
  const auto even = [&](std::size_t k) {
    return std::uint64_t{even_ctas(*kernels[k], kernels.size())} * place().sms;
  };
  if (wait_until_drained(kernels, even, config_.drain_cycles) == Drained::kMixChanged ||
      !wait_cycles(config_.detection_cycles(config_.warm_up_cycles)))
    return false;

  enter(Phase::kFactors);
  std::vector<Rates> rates;
  if (!measure(kernels, config_.detection_cycles(config_.factor_cycles), rates)) return false;
  const auto count = static_cast<unsigned>(kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    Known& found = known(*kernels[k]);
    found.factors = rates[k].factors;
    found.even_rate = model_.even_rate(found.factors, count);
    KernelTerms even = terms_of(*kernels[k]);
    if (std::isfinite(found.even_rate))
      even.quota = static_cast<std::uint32_t>(std::clamp(found.even_rate, 1.0, 65534.0));
    give(*kernels[k], even);
  }

  enter(Phase::kTypes);
  if (!measure(kernels, config_.detection_cycles(config_.type_cycles), rates)) return false;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    Known& found = known(*kernels[k]);
    found.demand = rates[k].demand;
    found.type = model_.type_of(found.factors, found.demand, count);
    found.reference_ipc = config_.goal.alone_ipc(kernels[k]->number).value_or(rates[k].ipc);
    // Section 5.4: use grows with the number of CTAs.
    const unsigned ctas = even_ctas(*kernels[k], kernels.size());
    const double of_network = model_.network_share(found.factors, rates[k].rate) * config_.units / ctas;
    const double of_dram = model_.dram_share(found.factors, rates[k].rate) * config_.units / ctas;
    for (unsigned n = 0; n <= kernels[k]->needs.most_ctas; ++n) {
      found.network.push_back(of_network * n);
      found.dram.push_back(of_dram * n);
    }
  }

  enter(Phase::kThrottling);
  for (MixKernel* kernel : kernels)
    if (known(*kernel).type != BandwidthType::kLatencySensitive && !detect_use(kernels, *kernel))
      return false;
  for (MixKernel* kernel : kernels) known(*kernel).detected = true;
  return true;
}

// Section 5.4: its bandwidth is not limited while CTAs are throttled. More CTAs than an even share are not
// there to be tried: their use goes on growing as that of those that are, up to what can be sustained.
bool CcbpController::detect_use(const std::vector<MixKernel*>& kernels, MixKernel& kernel) {
  Known& found = known(kernel);
  const KernelTerms before = terms_of(kernel);
  const unsigned most = even_ctas(kernel, kernels.size());
  std::vector<Rates> rates;
  for (unsigned n = 1; n <= most; ++n) {
    KernelTerms throttled;
    throttled.ctas = n;
    give(kernel, throttled);
    if (!wait_cycles(config_.detection_cycles(config_.throttle_skip_cycles))) return false;
    if (!measure({&kernel}, config_.detection_cycles(config_.throttle_cycles), rates)) return false;
    // A window may fall between two launches: more CTAs are never held to use less than fewer of them.
    found.network[n] =
        std::max(found.network[n - 1], model_.network_share(rates[0].factors, rates[0].rate) * config_.units);
    found.dram[n] =
        std::max(found.dram[n - 1], model_.dram_share(rates[0].factors, rates[0].rate) * config_.units);
  }
  const double units = config_.units;
  for (unsigned n = most + 1; n < found.network.size(); ++n) {
    found.network[n] = std::max(found.network[most], std::min(units, found.network[most] / most * n));
    found.dram[n] = std::max(found.dram[most], std::min(units, found.dram[most] / most * n));
  }
  give(kernel, before);
  return true;
}

std::vector<CcbpShare> CcbpController::allocate(const std::vector<MixKernel*>& kernels, double prior_lsk) {
  ++allocations_;
  std::vector<CcbpKernel> inputs;
  for (MixKernel* kernel : kernels) {
    const Known& found = known(*kernel);
    inputs.push_back({found.type, kernel->needs, found.network, found.dram});
  }
  CcbpOptions options;
  options.units = config_.units;
  options.prior_lsk = prior_lsk;
  return ccbp_allocate(inputs, place().resources, options);
}

// Section 5.2, end: assigned bandwidth becomes a rate of requests. Credits are whole: latency-sensitive
// kernels are rounded up, so that they are not held to less than they use, and the others give back what that
// exceeds.
std::vector<std::uint32_t> CcbpController::quotas(const std::vector<MixKernel*>& kernels,
                                                  const std::vector<CcbpShare>& shares) const {
  std::vector<std::uint32_t> out;
  double network = 0, dram = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const Known& found = known_[kernels[k]->number];
    constexpr double kAll = std::numeric_limits<double>::infinity();
    const double of_network = shares[k].network / config_.units, of_dram = shares[k].dram / config_.units;
    double rate = 0;
    if (found.type == BandwidthType::kLatencySensitive && !config_.ration_sensitive) {
      out.push_back(KernelTerms::kNoQuota);
      network += of_network;
      dram += of_dram;
      continue;
    }
    switch (found.type) {
      case BandwidthType::kNetworkIntensive:
        rate = std::floor(model_.rate_within(found.factors, of_network, kAll));
        break;
      case BandwidthType::kDramIntensive:
        rate = std::floor(model_.rate_within(found.factors, kAll, of_dram));
        break;
      case BandwidthType::kLatencySensitive:
        rate = std::ceil(
            std::max(found.factors.rf > 0 ? model_.rate_within(found.factors, of_network, kAll) : 0.0,
                     found.factors.df > 0 ? model_.rate_within(found.factors, kAll, of_dram) : 0.0));
        break;
    }
    // Of whose requests nothing was seen, nothing is known that it could be held to.
    if (!std::isfinite(rate) || (found.factors.rf == 0 && found.factors.df == 0))
      rate = KernelTerms::kNoQuota - 1;
    out.push_back(static_cast<std::uint32_t>(std::clamp(rate, 1.0, KernelTerms::kNoQuota - 1.0)));
    network += model_.network_share(found.factors, out[k]);
    dram += model_.dram_share(found.factors, out[k]);
  }
  // Of both the one that exceeds; never below one request, which would be none at all.
  while (network > 1 || dram > 1) {
    std::size_t most = kernels.size();
    for (std::size_t k = 0; k < kernels.size(); ++k)
      if (known_[kernels[k]->number].type != BandwidthType::kLatencySensitive && out[k] > 1 &&
          (most == kernels.size() || out[k] > out[most]))
        most = k;
    if (most == kernels.size()) break;
    --out[most];
    network -= model_.network_share(known_[kernels[most]->number].factors, 1);
    dram -= model_.dram_share(known_[kernels[most]->number].factors, 1);
  }
  return out;
}

void CcbpController::apply(const std::vector<MixKernel*>& kernels, const std::vector<CcbpShare>& shares) {
  const std::vector<std::uint32_t> quota = quotas(kernels, shares);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (shares[k].ctas == 0)
      return fail(fmt::format(
          "an SM has no room for one CTA of each of the {} kernels that run at once; allowed: fewer "
          "kernels, or kernels with smaller CTAs",
          kernels.size()));
    Known& found = known(*kernels[k]);
    found.share = shares[k];
    found.quota = quota[k];
    KernelTerms terms;
    terms.ctas = shares[k].ctas;
    terms.quota = quota[k];
    terms.latency_sensitive = found.type == BandwidthType::kLatencySensitive;
    terms.drains = config_.combination == "drain";
    give(*kernels[k], terms);
  }
}

double CcbpController::performance(const std::vector<MixKernel*>& kernels,
                                   const std::vector<Rates>& rates) const {
  std::vector<double> ipc, alone;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    ipc.push_back(rates[k].ipc);
    alone.push_back(known_[kernels[k]->number].reference_ipc);
  }
  return speedup_of(config_.goal.kind(), ipc, alone);
}

// Section 5.5: hill climbing. Priorities that lead to what has been tried already need no window of their
// own.
bool CcbpController::adjust_priority(const std::vector<MixKernel*>& kernels) {
  enter(Phase::kAdjusting);
  const auto same = [](const std::vector<CcbpShare>& a, const std::vector<CcbpShare>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const CcbpShare& x, const CcbpShare& y) {
      return x.ctas == y.ctas && x.network == y.network && x.dram == y.dram;
    });
  };
  std::vector<CcbpShare> best, tried;
  for (unsigned step = 0; config_.prior_lsk - step * config_.prior_step > 1e-6; ++step) {
    const double prior = config_.prior_lsk - step * config_.prior_step;
    std::vector<CcbpShare> shares = allocate(kernels, prior);
    if (step != 0 && same(shares, tried)) continue;
    tried = shares;
    apply(kernels, shares);
    std::vector<Rates> rates;
    if (!measure(kernels, config_.adjust_cycles, rates)) return false;
    ++windows_;
    const double reached = performance(kernels, rates);
    if (step != 0 && reached <= best_performance_) break;
    best_performance_ = reached;
    prior_lsk_ = prior;
    best = std::move(shares);
  }
  apply(kernels, best);
  return true;
}

void CcbpController::declare_registers() {
  namespace bw = regmap::bandwidth;
  const auto show = [this](const char* name, std::uint64_t offset, const char* doc, auto value) {
    block().add({name, offset, 4, 1, 0, RegisterAccess::kReadOnly, 0, doc,
                 [value](unsigned) { return static_cast<std::uint64_t>(value()); }});
  };
  show("PHASE", bw::kPhase,
       "0 fewer than two kernels, 1 warming up, 2 measuring rf and df, 3 types, 4 use by number of CTAs, 5 "
       "adjusting "
       "the priority, 6 settled.",
       [this] { return static_cast<std::uint32_t>(phase_); });
  show("KERNELS", bw::kKernels, "Kernels that have been seen.", [this] { return known_.size(); });
  show("PRIOR_LSK", bw::kPriorLsk, "priorLSK in force, in thousandths.",
       [this] { return std::lround(prior_lsk_ * 1000); });
  const auto row = [this](const char* name, std::uint64_t offset, const char* doc, auto value) {
    block().add({name, bw::kRows + offset, 4, bw::kMaxKernels, bw::kRowStride, RegisterAccess::kReadOnly, 0,
                 doc, [this, value](unsigned i) {
                   return i < known_.size() ? static_cast<std::uint64_t>(value(known_[i])) : 0;
                 }});
  };
  row("TYPE", bw::kType, "0 latency-sensitive, 1 network-intensive, 2 DRAM-intensive.",
      [](const Known& k) { return static_cast<std::uint32_t>(k.type); });
  row("CTAS", bw::kCtas, "CTAs on each SM that it was given.", [](const Known& k) { return k.share.ctas; });
  row("QUOTA", bw::kQuota, "Requests of each SM in an interval that it was given.",
      [](const Known& k) { return k.quota; });
  row("RF", bw::kRf, "rf (CCBP, equation 2), in thousandths.",
      [](const Known& k) { return std::lround(k.factors.rf * 1000); });
  row("DF", bw::kDf, "df (CCBP, equation 4), in thousandths.",
      [](const Known& k) { return std::lround(k.factors.df * 1000); });
  row("NETWORK", bw::kNetwork, "Units of network bandwidth that it was given, in thousandths.",
      [](const Known& k) { return std::lround(k.share.network * 1000); });
  row("DRAM", bw::kDram, "Units of DRAM bandwidth that it was given, in thousandths.",
      [](const Known& k) { return std::lround(k.share.dram * 1000); });
}

namespace {

struct KernelStats {
  std::uint64_t type = 0, ctas = 0, quota = 0;
  double rf = 0, df = 0, demand = 0, even_rate = 0, network = 0, dram = 0;
  void stats(StatVisitor& v) const {
    v.value("type", type, "class", "What it is: 0 latency-sensitive, 1 network-intensive, 2 DRAM-intensive.");
    v.value("rf", rf, "share", "Reads among its requests (CCBP, equation 2).");
    v.value("df", df, "accesses", "DRAM accesses a request (CCBP, equation 4).");
    v.value("demand", demand, "requests", "That an SM wanted to send in an interval under even bandwidth.");
    v.value("even_rate", even_rate, "requests", "That it might (IREven; CCBP, equation 5).");
    v.value("ctas", ctas, "CTAs", "On each SM that it was given.");
    v.value("network_units", network, "units", "Of network bandwidth that it was given.");
    v.value("dram_units", dram, "units", "Of DRAM bandwidth that it was given.");
    v.value("quota", quota, "requests", "Of an SM in an interval that it was given.");
  }
};

struct CcbpStats {
  std::uint64_t detections = 0, allocations = 0, windows = 0, phase = 0;
  double prior_lsk = 1, goal = 0;
  std::vector<KernelStats> kernels;
  std::uint64_t settled_at = 0;
  void stats(StatVisitor& v) const {
    v.value("detections", detections, "times", "A mix was looked into.");
    v.value("allocations", allocations, "times", "Algorithm 1 ran.");
    v.value("windows", windows, "windows", "In which a priority was tried.");
    v.value("phase", phase, "phase", "At the end, as the register PHASE has it.");
    v.value("prior_lsk", prior_lsk, "priority", "Priority of latency-sensitive kernels that was settled on.");
    v.value("settled_at", settled_at, "cycles", "SM cycle in which it settled after a mix was last looked into; 0: never.");
    v.value("goal", goal, "speedup", "Speedup that it reached while it was tried.");
    for (std::size_t i = 0; i < std::size(kKernelKeys); ++i)
      v.when(i < kernels.size(), "when so many kernels came", [&] {
        v.group(kKernelKeys[i], i < kernels.size() ? kernels[i] : KernelStats(),
                "A kernel, in the order in which they first came.");
      });
  }
};

}  // namespace

void CcbpController::stats(StatVisitor& v) const {
  CcbpStats all{detections_, allocations_,      windows_, static_cast<std::uint32_t>(phase_),
                prior_lsk_,  best_performance_, {},       settled_at_};
  for (const Known& k : known_)
    all.kernels.push_back({static_cast<std::uint64_t>(k.type), k.share.ctas, k.quota, k.factors.rf,
                           k.factors.df, k.demand, std::isfinite(k.even_rate) ? k.even_rate : 0.0,
                           k.share.network, k.share.dram});
  all.stats(v);
}

namespace {

class CcbpType : public BandwidthControllerType {
 public:
  explicit CcbpType(const CcbpConfig& config) : config_(config) {}
  void visit_stats(StatVisitor& v) const override { CcbpStats().stats(v); }
  void check(Cycle credit_interval, const RequireField& require) const override {
    require(credit_interval != 0, "type", kNeedsCredits);
  }
  std::unique_ptr<BandwidthController> build(const char* name,
                                             const BandwidthControllerPlace& place) const override {
    return std::make_unique<CcbpController>(name, config_, place);
  }

 private:
  const CcbpConfig config_;
};
WARPVP_REGISTER_BLOCK(BandwidthControllerType, CcbpType, CcbpConfig, "ccbp",
                      "CCBP: CTA combination and bandwidth together, by dominant resource fairness.");

}  // namespace
}  // namespace warpvp
