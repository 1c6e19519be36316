#include "sw/apps/workload.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpvp::apps {

void Workload::launch_forms(rt::Runtime& device, const Forms& forms, rt::Dim3 work, rt::Args args,
                            rt::Stream s, const rt::LaunchOptions& options) {
  if (!form_.persistent) {
    device.launch(forms.normal, work, forms.block, args, s, options);
    return;
  }
  const unsigned ctas_per_sm = form_.ctas_per_sm != 0 ? form_.ctas_per_sm : occupancy_of(device, forms);
  const std::uint32_t total = work.x * work.y;
  if (forms.two_dimensional) args.add(&work.x, sizeof work.x);
  args.add(&total, sizeof total);
  device.launch(forms.persistent, rt::Dim3(device.sm_count() * ctas_per_sm), forms.block, args, s, options);
}

AppResult run_alone(Workload& workload, unsigned repeat, rt::Runtime& device, const AppContext& context) {
  const rt::Stream s = device.create_stream();
  workload.prepare(device, context, 0, s);
  AppResult result{true, ""};
  for (unsigned round = 0; round < repeat && result.verified; ++round) {
    workload.reset(device, s);
    workload.launch(device, s, {});
    workload.collect(device, s);
    device.synchronize(s);
    result = workload.verify();
    if (!result.verified && repeat > 1)
      result.message += fmt::format(", in round {} of {}", round + 1, repeat);
  }
  workload.release(device);
  return result;
}

}  // namespace warpvp::apps
