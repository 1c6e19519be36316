#include "platform/timeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpvp {

namespace {
std::uint64_t picoseconds(const sc_core::sc_time& t) {
  return static_cast<std::uint64_t>(t.to_seconds() * 1e12 + 0.5);
}
std::uint64_t now_ps() { return picoseconds(sc_core::sc_time_stamp()); }
}  // namespace

void Timeline::kernel_end(const KernelRecord& r) {
  trace_.slice(trace_.track("Kernels", fmt::format("stream {}", r.stream)), name_of_(r.launch_id),
               picoseconds(r.launched_at), picoseconds(r.ended_at),
               {{"launch", std::to_string(r.launch_id)},
                {"CTAs", std::to_string(r.ctas)},
                {"priority", std::to_string(r.priority)},
                {"budget", std::to_string(r.budget)}});
}

void Timeline::cta_begin(const CtaLaunch& launch, unsigned sm) {
  auto& running = running_[sm];
  unsigned row = 0;
  while (std::any_of(running.begin(), running.end(), [&](const Running& r) { return r.row == row; })) ++row;
  running.push_back({launch.launch_id, now_ps(), {launch.cta[0], launch.cta[1], launch.cta[2]}, row});
  trace_.counter(trace_.track("Kernels", "CTAs in flight"), "CTAs in flight", now_ps(),
                 static_cast<double>(++in_flight_));
}

void Timeline::cta_end(const CtaDone& done) {
  auto& running = running_[done.sm];
  auto it = std::find_if(running.begin(), running.end(), [&](const Running& r) {
    return r.launch_id == done.launch_id && std::equal(r.cta, r.cta + 3, done.cta);
  });
  if (it == running.end()) return;
  trace_.slice(trace_.track(fmt::format("SM {}", done.sm), fmt::format("CTA slot {}", it->row)),
               name_of_(it->launch_id), it->begin_ps, now_ps(),
               {{"CTA", fmt::format("({},{},{})", it->cta[0], it->cta[1], it->cta[2])}});
  running.erase(it);
  trace_.counter(trace_.track("Kernels", "CTAs in flight"), "CTAs in flight", now_ps(),
                 static_cast<double>(--in_flight_));
}

void Timeline::queue_depth(unsigned queue, std::uint64_t packets) {
  const std::string name = fmt::format("queue {}", queue);
  trace_.counter(trace_.track("Queues", name), name, now_ps(), static_cast<double>(packets));
}

}  // namespace warpvp
