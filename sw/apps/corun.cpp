// App `corun`: one to four apps share the device, a round of launches of each repeated up to a horizon, as
// studies of concurrent kernels run them (CCBP, section 3.3: a kernel that ends is executed again). Each has
// a host thread of its own and the same context, so that their CTAs may share SMs. What they compute is
// checked as ever.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "interconnect/host_interface.h"
#include "sw/apps/app.h"
#include "sw/apps/repeating_runtime.h"

namespace warpvp::apps {
namespace {

struct CorunParams {
  PolicyChoice k[4] = {"matmul", "vector_add", "histogram", "pathfinder"};
  std::uint32_t kernels = 2, alone = 0;
  std::vector<std::uint32_t> rounds, budgets;
  std::string counters;
  std::uint64_t warm_up_cycles = 0, longest_wait_cycles = 20'000'000, horizon_cycles = 1'000'000;
  std::string warm_up_after;
  std::uint32_t ahead = 2;

  void fields(FieldVisitor& v) {
    v.field("kernels", kernels, "", "How many of k1 to k4 run.", Constraint::range(1, 4));
    v.policy("k1", App::kKind, k[0], "The first app.");
    v.policy("k2", App::kKind, k[1], "The second app.");
    v.policy("k3", App::kKind, k[2], "The third app.");
    v.policy("k4", App::kKind, k[3], "The fourth app.");
    v.field("alone", alone, "",
            "1 to 4: this one has the device to itself, and the others do not run; 0: all run.",
            Constraint::range(0, 4));
    v.require(alone <= kernels, "alone", "there are not so many kernels");
    v.field("rounds", rounds, "",
            "Which round of each app is repeated, the first one being 0: what it launches between two "
            "moments at which it "
            "waits or copies. Empty: the first of each.",
            Constraint::range(0, 1000000));
    v.field("budgets", budgets, "",
            "QAWS budget of each app's launches; empty: what the apps ask for, mostly 1.",
            Constraint::at_least(1));
    v.require(budgets.empty() || budgets.size() == kernels, "budgets",
              fmt::format("{} numbers; needs one for each of the {} in `kernels`", budgets.size(), kernels));
    v.field("warm_up_cycles", warm_up_cycles, "SM cycles",
            "From the moment at which all are ready, before anything is measured.",
            Constraint::range(0, 1e12));
    v.field("warm_up_after", warm_up_after,
            "A key of result.json: the warm-up begins when this number is not 0 any more, as "
            "control.bandwidth_controller.settled_at. Empty: when all are ready.");
    v.require(warm_up_after.empty() || alone == 0, "warm_up_after",
              "with `alone` nothing is divided, and no controller settles; allowed: one of them");
    v.field("longest_wait_cycles", longest_wait_cycles, "SM cycles",
            "The run is refused if that number is still 0 then.", Constraint::range(0, 1e12));
    v.field("horizon_cycles", horizon_cycles, "SM cycles",
            "After the warm-up, for which all are measured: what is under way then runs to its end, and no "
            "round begins any more.",
            Constraint::range(1, 1e12));
    v.field(
        "counters", counters,
        "Keys of result.json with spaces between: `measured` tells by how much they grow in that time, under "
        "names of letters, digits and underscores.");
    v.field("ahead", ahead, "rounds",
            "Rounds of an app that the device has at a time, one running and the others waiting behind it in "
            "order, so that it "
            "is never short of work.",
            Constraint::range(1, 16));
  }
};

/// One app, in its thread.
struct Member {
  unsigned index = 0;
  std::string name;                   ///< K1, ...; its stream, too
  std::optional<SimTime> ready = {};  ///< its round can begin, since then; or it has ended
  bool over = false;
  AppResult result = {};
};

class Corun : public App {
 public:
  explicit Corun(const CorunParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    std::vector<Member> members;
    for (unsigned i = 0; i < params_.kernels; ++i)
      if (params_.alone == 0 || params_.alone == i + 1) members.push_back({i, fmt::format("K{}", i + 1)});
    std::vector<rt::HostThread> threads;
    for (Member& member : members)
      threads.push_back(
          device.start_thread(member.name, [this, &member, &members, &context](rt::Runtime& own) {
            run_member(members, member, own, context);
          }));
    AppResult result{true, ""};
    if (context.statistic) result.measured = measure(members, device, context);
    for (const rt::HostThread thread : threads) device.join(thread);
    for (const Member& member : members) {
      result.checked = result.checked && member.result.checked;
      if (member.result.verified) continue;
      result.verified = false;
      result.message +=
          fmt::format("{}{}: {}", result.message.empty() ? "" : "; ", member.name, member.result.message);
    }
    return result;
  }

 private:
  void run_member(const std::vector<Member>& members, Member& member, rt::Runtime& device,
                  const AppContext& context) {
    const std::unique_ptr<App> app = Registry<App>::instance().make(params_.k[member.index]);
    const unsigned round = member.index < params_.rounds.size() ? params_.rounds[member.index] : 0;
    RepeatingRuntime repeating(
        device, round,
        [&](const RepeatingRuntime::Launch& launch) {
          rt::StreamOptions options;
          options.name = member.name;
          const rt::Stream stream = device.create_stream(options);
          member.ready = device.host().now();
          const SimTime begin = wait_for_all(members, device.host());
          if (&member != &members.front()) wait_for_first_kernel(*(&member - 1), device.host(), context);
          if (params_.warm_up_after.empty() || !context.statistic)
            end_ = begin + cycles(device, params_.warm_up_cycles + params_.horizon_cycles);
          launch_until_end(launch, member.name, device, stream);
        },
        params_.budgets.empty() ? 0 : params_.budgets[member.index]);
    member.result = app->run(repeating, context);
    if (!repeating.finish())
      member.result = {
          false,
          fmt::format("it has no round {} to be repeated; allowed in `rounds`: a smaller number", round)};
    member.over = true;
    if (!member.ready) member.ready = device.host().now();
  }

  static SimTime cycles(rt::Runtime& device, std::uint64_t n) {
    return SimTime::from_ns(static_cast<double>(n) * 1e3 / device.sm_clock_mhz());
  }

  /// The moment at which the last of them was ready.
  static SimTime wait_for_all(const std::vector<Member>& members, HostInterface& host) {
    const auto ready = [](const Member& m) { return m.ready.has_value(); };
    while (!std::all_of(members.begin(), members.end(), ready)) host.sleep(SimTime::from_ns(1000));
    SimTime last;
    for (const Member& member : members) last = std::max(last, *member.ready);
    return last;
  }

  /// Kernels come to the device in the order of their numbers, whatever a round begins with, so that who
  /// numbers them as they come numbers them alike.
  static void wait_for_first_kernel(const Member& before, HostInterface& host, const AppContext& context) {
    if (!context.statistic) return;
    const std::string key = fmt::format("streams[name={}].kernels", before.name);
    while (!before.over && context.statistic(key).value_or(0) == 0) host.sleep(SimTime::from_ns(1000));
  }

  /// What happens from the end of the warm-up to the horizon.
  std::vector<std::pair<std::string, double>> measure(const std::vector<Member>& members, rt::Runtime& device,
                                                      const AppContext& context) {
    std::vector<std::pair<std::string, std::string>> figures;  // name and key
    for (const Member& member : members)
      figures.emplace_back(member.name + "_instructions",
                           fmt::format("streams[name={}].warp_instructions", member.name));
    std::istringstream keys(params_.counters);
    for (std::string key; keys >> key;) {
      std::string name = key;
      std::replace_if(
          name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
      figures.emplace_back(name, key);
    }
    HostInterface& host = device.host();
    SimTime begin = wait_for_all(members, host) + cycles(device, params_.warm_up_cycles);
    std::vector<std::pair<std::string, double>> measured;
    if (!params_.warm_up_after.empty()) {
      // A controller may settle with some of the kernels before the last one comes.
      for (const Member& member : members) wait_for_first_kernel(member, host, context);
      wait_until_settled(device, context);
      begin = host.now() + cycles(device, params_.warm_up_cycles);
      end_ = begin + cycles(device, params_.horizon_cycles);
    }
    if (begin > host.now()) host.sleep(begin - host.now());
    const double begin_us = host.now().to_us();
    for (const auto& [name, key] : figures) measured.emplace_back(name, -context.statistic(key).value_or(0));
    // Not from `begin`: it may have seen a moment late that all are ready.
    host.sleep(cycles(device, params_.horizon_cycles));
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const std::optional<double> value = context.statistic(figures[i].second);
      if (!value && i >= members.size()) throw no_number("counters", figures[i].second);
      measured[i].second += value.value_or(0);
    }
    refuse_unsettled(context);
    for (std::size_t i = 0; i < members.size(); ++i)
      measured.emplace_back(members[i].name + "_ipc",
                            measured[i].second / static_cast<double>(params_.horizon_cycles));
    measured.emplace_back("begin_us", begin_us);
    return measured;
  }

  void wait_until_settled(rt::Runtime& device, const AppContext& context) const {
    HostInterface& host = device.host();
    const SimTime latest = host.now() + cycles(device, params_.longest_wait_cycles);
    while (true) {
      const std::optional<double> value = context.statistic(params_.warm_up_after);
      if (!value) throw no_number("warm_up_after", params_.warm_up_after);
      if (*value != 0) return;
      if (host.now() >= latest)
        throw InputError(fmt::format(
            "workload.params.longest_wait_cycles: '{}' is still 0 after so many; allowed: more of them, or "
            "another key in warm_up_after",
            params_.warm_up_after));
      host.sleep(cycles(device, 1000));
    }
  }

  /// What was measured while a controller looked into kernels says nothing about what it does.
  static void refuse_unsettled(const AppContext& context) {
    const std::string controller = "control.bandwidth_controller.";
    const std::optional<double> settled = context.statistic(controller + "settled_at");
    if (settled.value_or(1) != 0 || context.statistic(controller + "phase").value_or(1) == 0) return;
    throw InputError(
        "workload.params.horizon_cycles: it is over before the bandwidth controller has settled; allowed: "
        "more of them, or "
        "warm_up_after: control.bandwidth_controller.settled_at");
  }

  static InputError no_number(const char* field, const std::string& key) {
    return InputError(fmt::format(
        "workload.params.{}: the statistics have no number '{}'; `warpvp describe result` lists them", field,
        key));
  }

  /// Launches rounds again and again. The next ones wait on the device behind the one that runs, unless that
  /// is expected to run beyond the end: so the first round is alone, as nothing is known of it.
  void launch_until_end(const RepeatingRuntime::Launch& launch, const std::string& name, rt::Runtime& device,
                        rt::Stream stream) const {
    HostInterface& host = device.host();
    std::vector<rt::Event> under_way;
    if (host.now() >= end_)
      throw InputError(fmt::format(
          "workload.params.horizon_cycles: it is over before a round of {} can begin; allowed: a longer one",
          name));
    SimTime begun = host.now();
    std::optional<SimTime> lasts;  // a round
    const auto begins_in_time = [&] {
      return under_way.empty() ||
             (lasts && SimTime::from_fs(begun.fs() + under_way.size() * lasts->fs()) < end_);
    };
    while (host.now() < end_) {
      if (under_way.size() < params_.ahead && begins_in_time()) {
        launch(stream, name);
        under_way.push_back(device.mark(stream));
        continue;
      }
      host.wait_until([&] { return device.completed(under_way.front()); });
      under_way.erase(under_way.begin());
      lasts = host.now() - begun;
      begun = host.now();
    }
    device.synchronize(stream);
  }

  const CorunParams params_;
  /// No round begins after it; known when the horizon begins, at the latest.
  SimTime end_ = SimTime::from_fs(std::numeric_limits<std::uint64_t>::max());
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Corun, CorunParams, "corun",
    "One to four apps at once, a round of launches of each repeated up to a horizon.");

}  // namespace
}  // namespace warpvp::apps
