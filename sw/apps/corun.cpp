// App `corun`: one to four apps share the device, a round of launches of each repeated up to a horizon, as
// studies of concurrent kernels run them (CCBP, section 3.3: a kernel that ends is executed again). Each has
// a host thread of its own and the same context, so that their CTAs may share SMs. What they compute is
// checked as ever.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "interconnect/host_interface.h"
#include "sw/apps/app.h"
#include "sw/apps/repeating_runtime.h"

namespace warpvp::apps {
namespace {

struct CorunParams {
  PolicyChoice k[4] = {"matmul", "vector_add", "histogram", "pathfinder"};
  std::uint32_t kernels = 2, alone = 0;
  std::vector<std::uint32_t> rounds;
  std::uint64_t warm_up_cycles = 0, horizon_cycles = 1'000'000;
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
    v.field("warm_up_cycles", warm_up_cycles, "SM cycles",
            "From the moment at which all are ready: rounds of this time go into streams 'K1 before' and so "
            "on, and are not "
            "part of what streams K1 and so on reach.",
            Constraint::range(0, 1e12));
    v.field("horizon_cycles", horizon_cycles, "SM cycles",
            "After the warm-up: no round begins after it, and those under way run to their ends.",
            Constraint::range(1, 1e12));
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
  std::string name;                   ///< K1, ...
  std::optional<SimTime> ready = {};  ///< its round can begin, since then; or it has ended
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
    for (const rt::HostThread thread : threads) device.join(thread);
    AppResult result{true, ""};
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
    RepeatingRuntime repeating(device, round, [&](const RepeatingRuntime::Launch& launch) {
      rt::StreamOptions options;
      options.name = member.name + " before";
      const rt::Stream before = device.create_stream(options);
      options.name = member.name;
      const rt::Stream measured = device.create_stream(options);
      const SimTime begin = wait_for_all(members, member, device.host());
      const auto after = [&](std::uint64_t cycles) {
        return begin + SimTime::from_ns(static_cast<double>(cycles) * 1e3 / device.sm_clock_mhz());
      };
      const std::uint64_t end = params_.warm_up_cycles + params_.horizon_cycles;
      launch_until(after(params_.warm_up_cycles), launch, member.name, device, before);
      launch_until(after(end), launch, member.name, device, measured);
    });
    member.result = app->run(repeating, context);
    if (!repeating.finish())
      member.result = {
          false,
          fmt::format("it has no round {} to be repeated; allowed in `rounds`: a smaller number", round)};
    if (!member.ready) member.ready = device.host().now();
  }

  /// The moment at which the last of them was ready.
  static SimTime wait_for_all(const std::vector<Member>& members, Member& member, HostInterface& host) {
    member.ready = host.now();
    const auto ready = [](const Member& m) { return m.ready.has_value(); };
    while (!std::all_of(members.begin(), members.end(), ready)) host.sleep(SimTime::from_ns(1000));
    SimTime last;
    for (const Member& other : members) last = std::max(last, *other.ready);
    return last;
  }

  /// Launches rounds again and again, and waits for what is under way in the end: a kernel has one stream at
  /// a time.
  void launch_until(SimTime end, const RepeatingRuntime::Launch& launch, const std::string& name,
                    rt::Runtime& device, rt::Stream stream) const {
    HostInterface& host = device.host();
    std::vector<rt::Event> under_way;
    while (host.now() < end) {
      if (under_way.size() == params_.ahead) {
        host.wait_until([&] { return device.completed(under_way.front()); });
        under_way.erase(under_way.begin());
        continue;
      }
      launch(stream, name);
      under_way.push_back(device.mark(stream));
    }
    device.synchronize(stream);
  }

  const CorunParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Corun, CorunParams, "corun",
    "One to four apps at once, a round of launches of each repeated up to a horizon.");

}  // namespace
}  // namespace warpvp::apps
