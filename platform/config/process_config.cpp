#include "platform/config/process_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/split_mix.h"

namespace warpvp {

void ProcessConfig::fields(ConfigVisitor& v) {
  v.field("name", name,
          "Shown in results; empty: the application's, numbered where it stands more than once.");
  v.custom("application", application, "A trace to play: a name in configs/applications or a path.");
  v.part("app", "params", "app", app, "Or a host program by name.");
  v.field("priority", priority, "", "Added to the priority of its streams; greater is more urgent.",
          Constraint::range(-100, 100));
  v.field("arrival_us", arrival_us, "us", "When it starts.", Constraint::range(0, 1e9));
  v.field(
      "deadline_us", deadline_us, "us",
      "For each of its requests: what it puts into a stream from a kernel on until it waits is a job with "
      "that deadline; 0: no jobs.",
      Constraint::range(0, 1e9));
  v.require(application.file.written.empty() || app.name.empty(), "app",
            "either 'application' or 'app', not both");
}

void MixConfig::fields(ConfigVisitor& v) {
  v.field("size", size, "processes", "Number of processes; 0: no mix.", Constraint::range(0, 1024));
  v.field("kind", kind,
          "Which applications to draw: short_short, the shorter half of them, long_long, the others, "
          "short_long, half and half, in_turn, one of these after the other with seeds 1, 2, 3, ..., or any.",
          Constraint::words({"short_short", "long_long", "short_long", "in_turn", "any"}));
  v.field("by", by,
          "What makes an application short or long: the mean time of its CTAs (cta: cta_us of their "
          "profiles), of its "
          "launches (launch: launch_us), or of its launches each by its CTAs (share).",
          Constraint::words({"cta", "launch", "share"}));
  v.field("number", number, "", "Number of the mix; with the run's seed it settles what is drawn.");
  v.field("applications", applications, "Folder of configs/applications to draw from.");
  v.field("urgent", urgent, "processes", "The first ones get priority 1, the others 0.");
  v.require(urgent <= size, "urgent", "more than there are processes");
}

namespace {

/// 0 .. n-1, all alike: what would make some likelier is drawn again.
std::uint64_t below(std::uint64_t n, SplitMix64& random) {
  const std::uint64_t most = ~std::uint64_t{0} - ~std::uint64_t{0} % n;
  std::uint64_t drawn = random.next();
  while (drawn >= most) drawn = random.next();
  return drawn % n;
}

/// Draws without putting back, until all have come.
class Urn {
 public:
  explicit Urn(std::vector<std::size_t> all) : all_(std::move(all)) {}
  std::size_t draw(SplitMix64& random) {
    if (left_.empty()) left_ = all_;
    const auto at = static_cast<std::ptrdiff_t>(below(left_.size(), random));
    const std::size_t drawn = left_[static_cast<std::size_t>(at)];
    left_.erase(left_.begin() + at);
    return drawn;
  }

 private:
  std::vector<std::size_t> all_, left_;
};

}  // namespace

double MixConfig::length_of(const ApplicationFile& application) const {
  return by == "cta"      ? application.mean_cta_us
         : by == "launch" ? application.mean_launch_us
                          : application.mean_share_us;
}

std::string MixConfig::kind_of(std::uint64_t seed) const {
  static constexpr const char* kKinds[] = {"short_short", "long_long", "short_long"};
  return kind == "in_turn" ? kKinds[(seed + 2) % 3] : kind;
}

std::vector<ProcessConfig> MixConfig::draw(std::uint64_t seed) const {
  std::vector<ApplicationRef> applications_found;
  for (const std::string& name : applications_in(applications, place)) {
    ApplicationRef ref;
    ref.load(Setting::string(name), "mix.applications");
    if (!(length_of(ref.application) > 0) && kind != "any")
      throw InputError(fmt::format(
          "{}: application '{}' has kernels whose profiles give no {}, so it is neither short nor long; "
          "allowed: kind: any",
          place, name, by == "cta" ? "cta_us" : "launch_us"));
    applications_found.push_back(std::move(ref));
  }
  std::vector<std::size_t> order(applications_found.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return length_of(applications_found[a].application) < length_of(applications_found[b].application);
  });
  const auto half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  Urn brief({order.begin(), half}), lasting({half, order.end()}), all(order);
  // Mixes of different numbers and kinds have nothing in common.
  const std::string drawn_kind = kind_of(seed);
  SplitMix64 random(digest(drawn_kind, digest(fmt::format("{} {} {}", seed, number, size))));
  std::vector<ProcessConfig> processes(size);
  std::vector<std::size_t> drawn;
  for (std::uint32_t i = 0; i < size; ++i) {
    Urn& urn = drawn_kind == "any"           ? all
               : drawn_kind == "short_short" ? brief
               : drawn_kind == "long_long"   ? lasting
               : i % 2 == 0                  ? brief
                                             : lasting;
    drawn.push_back(urn.draw(random));
  }
  // So that who is first, and may be urgent, is of either class.
  for (std::size_t i = drawn.size(); i > 1; --i) std::swap(drawn[i - 1], drawn[below(i, random)]);
  for (std::uint32_t i = 0; i < size; ++i) {
    processes[i].application = applications_found[drawn[i]];
    processes[i].priority = i < urgent ? 1 : 0;
  }
  return processes;
}

void check_applications_fit(const std::vector<ProcessConfig>& processes, const SmResources& sm) {
  for (const ProcessConfig& process : processes)
    for_each_trace_step(process.application.application.trace.steps, [&](const apps::TraceStep& step,
                                                                         std::uint64_t) {
      if (step.kind != apps::TraceStep::Kind::kLaunch) return;
      const auto& b = step.launch.block;
      const std::uint64_t threads = std::uint64_t{b[0]} * b[1] * b[2];
      const CtaNeeds needs =
          cta_needs(sm, static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, 1u << 20)),
                    step.launch.registers, step.launch.shared_bytes, 0);
      if (needs.most_ctas == 0)
        throw InputError(fmt::format(
            "{}: a CTA of kernel '{}' ({} threads of {} registers, {} bytes of shared memory) never fits an "
            "SM of this platform; it lacks {}",
            step.place, step.launch.kernel, threads, step.launch.registers, step.launch.shared_bytes,
            needs.limited_by));
    });
}

}  // namespace warpvp
