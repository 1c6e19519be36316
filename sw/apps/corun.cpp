// App `corun`: two to four workloads share the device, each launched again as it ends until a horizon is reached, as
// studies of concurrent kernels run them (CCBP, section 3.3). Each has a host thread and a stream of its own in one
// context, so that their CTAs may share SMs.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct CorunParams {
  PolicyChoice k[4] = {"mm", "vec", "pc", "his"};
  std::uint32_t kernels = 2;
  std::uint64_t horizon_cycles = 1'000'000;
  std::uint32_t ahead = 2;

  void fields(FieldVisitor& v) {
    v.field("kernels", kernels, "", "How many of k1 to k4 run.", Constraint::range(1, 4));
    v.policy("k1", Workload::kKind, k[0], "The first kernel.");
    v.policy("k2", Workload::kKind, k[1], "The second kernel.");
    v.policy("k3", Workload::kKind, k[2], "The third kernel.");
    v.policy("k4", Workload::kKind, k[3], "The fourth kernel.");
    v.field("horizon_cycles", horizon_cycles, "SM cycles",
            "From the moment at which all are ready: no launch begins after it, and those under way run to their ends.",
            Constraint::range(1, 1e12));
    v.field("ahead", ahead, "launches",
            "Launches of a kernel that the device has at a time, one running and the others waiting behind it in "
            "order, so that it is never short of work.",
            Constraint::range(1, 16));
  }
};

/// One kernel, in its thread.
struct Member {
  std::unique_ptr<Workload> workload;
  std::string name;
  bool ready = false;
  std::uint64_t launches = 0;
  AppResult result;
};

class Corun : public App {
 public:
  explicit Corun(const CorunParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    std::vector<Member> members(params_.kernels);
    std::vector<rt::HostThread> threads;
    for (unsigned i = 0; i < params_.kernels; ++i) {
      Member& member = members[i];
      member.workload = Registry<Workload>::instance().make(params_.k[i]);
      member.name = fmt::format("K{}", i + 1);
      threads.push_back(device.start_thread(member.name, [this, i, &members, &context](rt::Runtime& own) {
        run_member(members, i, own, context);
      }));
    }
    for (const rt::HostThread thread : threads) device.join(thread);
    AppResult result{true, ""};
    for (const Member& member : members) {
      if (member.result.verified) continue;
      result.verified = false;
      result.message += fmt::format("{}{}: {}", result.message.empty() ? "" : "; ", member.name, member.result.message);
    }
    return result;
  }

 private:
  void run_member(std::vector<Member>& members, unsigned index, rt::Runtime& device, const AppContext& context) {
    Member& member = members[index];
    Workload& workload = *member.workload;
    rt::StreamOptions options;
    options.name = member.name;
    const rt::Stream stream = device.create_stream(options);
    workload.prepare(device, context, index, stream);
    device.synchronize(stream);
    member.ready = true;
    HostInterface& host = device.host();
    const auto ready = [](const Member& m) { return m.ready; };
    while (!std::all_of(members.begin(), members.end(), ready)) host.sleep(SimTime::from_ns(1000));
    const SimTime horizon =
        host.now() + SimTime::from_ns(static_cast<double>(params_.horizon_cycles) * 1e3 / device.sm_clock_mhz());
    std::vector<rt::Event> under_way;
    rt::LaunchOptions launch;
    launch.name = member.name;
    while (host.now() < horizon) {
      if (under_way.size() == params_.ahead) {
        host.wait_until([&] { return device.completed(under_way.front()); });
        under_way.erase(under_way.begin());
        continue;
      }
      workload.reset(device, stream);
      workload.launch(device, stream, launch);
      under_way.push_back(device.mark(stream));
      ++member.launches;
    }
    device.synchronize(stream);
    workload.collect(device, stream);
    device.synchronize(stream);
    member.result = workload.verify();
    workload.release(device);
  }

  const CorunParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Corun, CorunParams, "corun",
                                   "Two to four workloads at once, each launched again and again up to a horizon.");

}  // namespace
}  // namespace warpvp::apps
