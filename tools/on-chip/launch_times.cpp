#include "tools/on-chip/launch_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "tools/on-chip/chip_runtime.h"

namespace warpvp::chip {
namespace {

// stamp writes the GPU's nanosecond counter at its begin and its end; spin holds the stream until others have
// been queued behind it.
constexpr const char* kText = R"(.version 7.5
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
.visible .entry stamp(.param .u64 times)
{
  .reg .b64 %t<4>;
  mov.u64 %t1, %globaltimer;
  ld.param.u64 %t0, [times];
  cvta.to.global.u64 %t0, %t0;
  st.global.u64 [%t0], %t1;
  membar.gl;
  mov.u64 %t2, %globaltimer;
  st.global.u64 [%t0+8], %t2;
  ret;
}
.visible .entry spin(.param .u64 cycles)
{
  .reg .b64 %t<4>;
  .reg .pred %p;
  ld.param.u64 %t0, [cycles];
  mov.u64 %t1, %clock64;
AGAIN:
  mov.u64 %t2, %clock64;
  sub.u64 %t3, %t2, %t1;
  setp.lt.u64 %p, %t3, %t0;
  @%p bra AGAIN;
  ret;
}
)";

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

void line(std::ostream& out, const std::string& what, const char* unit, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  out << fmt::format("{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{}\n", what, unit, values[values.size() / 2],
                     values.front(), values.back(), values.size());
}

}  // namespace

void measure_launches(std::ostream& out) {
  out << "what\tunit\tmedian\tleast\tmost\tmeasurements\n";
  const Clock::time_point opened = Clock::now();
  ChipRuntime device;
  line(out, "opening the driver and the GPU, host", "us", {microseconds(opened)});
  const Clock::time_point loading = Clock::now();
  const rt::ModuleHandle module = device.load_module_text("launch_times.ptx", kText);
  line(out, "loading a module of three small kernels from PTX, host", "us", {microseconds(loading)});
  const rt::Kernel nothing = device.kernel(module, "nothing"), spin = device.kernel(module, "spin"),
                   stamp = device.kernel(module, "stamp");
  const rt::Stream s = device.create_stream();
  const auto one = [&] {
    const Clock::time_point begin = Clock::now();
    device.launch(nothing, 1, 32, {}, s);
    device.synchronize(s);
    return microseconds(begin);
  };
  line(out, "first launch of a kernel and waiting for it, host", "us", {one()});
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(one());
  line(out, "launch of an empty kernel and waiting for it, host", "us", values);
  values.clear();
  for (int i = 0; i < 500; ++i) {
    const Clock::time_point begin = Clock::now();
    device.launch(nothing, 1, 32, {}, s);
    values.push_back(microseconds(begin));
  }
  device.synchronize(s);
  line(out, "call of a launch alone, host", "us", values);

  // Kernels in a row in one stream, queued while it is held.
  constexpr std::uint64_t kHold = 20'000'000;  // cycles
  constexpr int kLaunches = 400;
  const auto row = [&](rt::Dim3 grid, rt::Dim3 block) {
    std::vector<double> each;
    for (int round = 0; round < 5; ++round) {
      device.launch(spin, 1, 32, rt::Args::of(kHold), s);
      const rt::Event begin = device.record(s);
      for (int i = 0; i < kLaunches; ++i) device.launch(nothing, grid, block, {}, s);
      const rt::Event end = device.record(s);
      device.synchronize(s);
      each.push_back(device.elapsed_us(begin, end) / kLaunches);
    }
    return each;
  };
  for (const unsigned ctas : {1u, 16u, 132u, 1056u, 16896u})
    line(out, fmt::format("empty kernels in a row in one stream, each, {} CTAs of 128 threads", ctas), "us",
         row(ctas, 128));

  // The gap between them, by the GPU's own counter.
  const rt::DevicePtr times = device.malloc(16 * kLaunches);
  device.launch(spin, 1, 32, rt::Args::of(kHold), s);
  for (int i = 0; i < kLaunches; ++i)
    device.launch(stamp, 1, 1, rt::Args::of(times + 16 * static_cast<std::uint64_t>(i)), s);
  std::vector<std::uint64_t> stamps(2 * kLaunches);
  device.copy_to_host_async(stamps.data(), times, 16 * kLaunches, s);
  device.synchronize(s);
  std::vector<double> gaps, starts, within;
  for (int i = 1; i < kLaunches; ++i) {
    const auto at = [&](int k) { return static_cast<double>(stamps[static_cast<std::size_t>(k)]); };
    gaps.push_back((at(2 * i) - at(2 * i - 1)) * 1e-3);
    starts.push_back((at(2 * i) - at(2 * i - 2)) * 1e-3);
    within.push_back((at(2 * i + 1) - at(2 * i)) * 1e-3);
  }
  line(out, "from the last instruction of a kernel of one thread to the first of the next, GPU's counter",
       "us", gaps);
  line(out, "from the first instruction of a kernel of one thread to the first of the next, GPU's counter",
       "us", starts);
  line(out, "from its first instruction to its last, which waits for a store", "us", within);
  device.free(times);
}

}  // namespace warpvp::chip
