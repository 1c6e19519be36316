// Apps `pair` and `mix`: the QAWS paper's experiment with two kernels, and with any number.

#include "sw/apps/mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "sw/apps/start_gate.h"

namespace warpvp::apps {

std::vector<unsigned> equal_warp_shares(const std::vector<unsigned>& warps_per_cta,
                                        const std::vector<unsigned>& occupancy) {
  const auto kernels = static_cast<unsigned>(warps_per_cta.size());
  unsigned step = 1;  // warps of each kernel must be a multiple of every CTA's warps
  unsigned warps = ~0u;
  for (unsigned k = 0; k < kernels; ++k) {
    step = std::lcm(step, warps_per_cta[k]);
    warps = std::min(warps, occupancy[k] / kernels * warps_per_cta[k]);
  }
  warps = warps / step * step;
  if (warps == 0) {
    throw InputError(fmt::format(
        "{} kernels do not fit on an SM with equally many warps of each; take fewer kernels or smaller CTAs",
        kernels));
  }
  std::vector<unsigned> ctas;
  for (unsigned of_cta : warps_per_cta) ctas.push_back(warps / of_cta);
  return ctas;
}

AppResult run_mix(std::vector<MixEntry>& entries, MixMode mode, const MixStart& start, MixShares shares,
                  double size, rt::Runtime& device, const AppContext& context) {
  std::vector<rt::Stream> streams;
  std::vector<unsigned> warps, occupancy;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    rt::StreamOptions options;
    options.name = fmt::format("K{}", i + 1);
    options.priority = entries[i].priority;
    streams.push_back(device.create_stream(options));
    Workload& workload = *entries[i].workload;
    workload.scale(size);
    workload.prepare(device, context, i, streams[i]);
    workload.reset(device, streams[i]);
    warps.push_back(workload.warps_per_cta());
    occupancy.push_back(workload.occupancy(device));
  }
  std::vector<unsigned> ctas;
  if (shares == MixShares::kEqual) ctas = equal_warp_shares(warps, occupancy);
  device.synchronize();

  std::optional<StartGate> gate;
  if (start.together) gate.emplace(device, static_cast<unsigned>(entries.size()));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    rt::LaunchOptions options;
    options.name = fmt::format("K{}", i + 1);
    options.budget = entries[i].budget;
    if (shares == MixShares::kEqual) entries[i].workload->use_persistent_form(ctas[i]);
    entries[i].workload->launch(device, streams[i], options);
    if (mode == MixMode::kSerial) device.synchronize(streams[i]);
  }
  if (gate) gate->open(streams, SimTime::from_ns(start.gap_ns));
  device.synchronize();

  AppResult result{true, ""};
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].workload->collect(device, streams[i]);
  device.synchronize();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const AppResult one = entries[i].workload->verify();
    entries[i].workload->release(device);
    if (one.verified) continue;
    result.verified = false;
    result.message += fmt::format("{}K{} ({}): {}", result.message.empty() ? "" : "; ", i + 1,
                                  entries[i].label, one.message);
  }
  return result;
}

namespace {

MixMode mode_of(const std::string& word) {
  return word == "serial" ? MixMode::kSerial : MixMode::kConcurrent;
}

MixShares shares_of(const std::string& word) { return word == "free" ? MixShares::kFree : MixShares::kEqual; }

void common_fields(FieldVisitor& v, std::string& mode, MixStart& start, std::string& shares, double& size) {
  v.field("mode", mode, "concurrent: all launched at once; serial: one after the other, with the same grids.",
          Constraint::words({"concurrent", "serial"}));
  v.field("together", start.together,
          "The kernels wait at the work distributor (KSR_HOLD) until each has a register there, and then "
          "begin in their "
          "order; otherwise each begins when its launch arrives.");
  v.require(!start.together || mode == "concurrent", "together", "needs mode: concurrent");
  v.field("gap_ns", start.gap_ns, "ns",
          "With together: time of the host between one kernel's start and the next.",
          Constraint::range(0, 1e9));
  v.require(start.together || start.gap_ns == 0, "gap_ns", "needs together: true");
  v.field("shares", shares,
          "equal: persistent threads, equally many warps of each kernel on every SM; free: a CTA a piece of "
          "work, and the work distributor decides.",
          Constraint::words({"equal", "free"}));
  v.field("size", size, "", "Multiplies the work of every kernel.", Constraint::range(1e-4, 1e4));
}

struct PairParams {
  PolicyChoice k1 = "pc", k2 = "pc";
  std::uint32_t budget1 = 1, budget2 = 1;
  std::int32_t priority1 = 0, priority2 = 0;
  std::string mode = "concurrent", shares = "equal";
  MixStart start;
  double size = 1.0;

  void fields(FieldVisitor& v) {
    v.policy("k1", Workload::kKind, k1, "The kernel launched first.");
    v.policy("k2", Workload::kKind, k2,
             "The kernel launched right after it, which wants the shorter response time.");
    v.field("budget1", budget1, "", "QAWS budget of K1.", Constraint::at_least(1));
    v.field("budget2", budget2, "", "QAWS budget of K2.", Constraint::at_least(1));
    v.field("priority1", priority1, "", "Stream priority of K1, greater is more urgent.",
            Constraint::range(-100, 100));
    v.field("priority2", priority2, "", "Stream priority of K2.", Constraint::range(-100, 100));
    common_fields(v, mode, start, shares, size);
  }
};

class Pair : public App {
 public:
  explicit Pair(const PairParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    std::vector<MixEntry> entries;
    const Registry<Workload>& workloads = Registry<Workload>::instance();
    entries.push_back({workloads.make(params_.k1), params_.k1.name, params_.budget1, params_.priority1});
    entries.push_back({workloads.make(params_.k2), params_.k2.name, params_.budget2, params_.priority2});
    return run_mix(entries, mode_of(params_.mode), params_.start, shares_of(params_.shares), params_.size,
                   device, context);
  }

 private:
  PairParams params_;
};

struct MixParams {
  std::string kernels = "pc, vec, mm";
  std::vector<std::uint32_t> budgets, priorities;
  std::string mode = "concurrent", shares = "equal";
  MixStart start;
  double size = 1.0;

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    std::string word;
    for (char c : kernels + ",") {
      if (c == ',') {
        out.push_back(word);
        word.clear();
      } else if (c != ' ') {
        word += c;
      }
    }
    return out;
  }
  void fields(FieldVisitor& v) {
    v.field("kernels", kernels, "Names of workloads, K1 first, separated by commas.");
    const std::vector<std::string> wanted = names();
    for (const std::string& name : wanted) {
      v.require(Registry<Workload>::instance().contains(name), "kernels",
                fmt::format("unknown workload '{}'; allowed: {}", name,
                            join_names(Registry<Workload>::instance().names())));
    }
    v.field("budgets", budgets, "", "QAWS budget of each kernel; empty: 1 for all.", Constraint::at_least(1));
    v.require(budgets.empty() || budgets.size() == wanted.size(), "budgets",
              fmt::format("{} numbers; needs one number for each of the {} in `kernels`", budgets.size(),
                          wanted.size()));
    v.field("priorities", priorities, "",
            "Stream priority of each kernel, greater is more urgent; empty: 0 for all.",
            Constraint::range(0, 100));
    v.require(priorities.empty() || priorities.size() == wanted.size(), "priorities",
              "needs one number for each of `kernels`");
    common_fields(v, mode, start, shares, size);
  }
};

class Mix : public App {
 public:
  explicit Mix(const MixParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    std::vector<MixEntry> entries;
    const std::vector<std::string> names = params_.names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      MixEntry entry;
      entry.workload = Registry<Workload>::instance().make(names[i].c_str());
      entry.label = names[i];
      if (!params_.budgets.empty()) entry.budget = params_.budgets[i];
      if (!params_.priorities.empty()) entry.priority = static_cast<std::int32_t>(params_.priorities[i]);
      entries.push_back(std::move(entry));
    }
    return run_mix(entries, mode_of(params_.mode), params_.start, shares_of(params_.shares), params_.size,
                   device, context);
  }

 private:
  MixParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Pair, PairParams, "pair",
    "Two workloads in two streams, sharing every SM equally (QAWS section V-A) or freely.");
WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Mix, MixParams, "mix",
    "Any number of workloads, each in its stream, sharing every SM equally or freely.");

}  // namespace
}  // namespace warpvp::apps
