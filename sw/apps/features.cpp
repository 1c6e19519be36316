// One small kernel for each feature of PTX that the other apps leave out.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kCtas = 3, kBlock = 128, kFeatureThreads = kCtas * kBlock;

/// What a check needs: the device, the kernel, its inputs.
struct Bench {
  rt::Runtime& device;
  rt::Kernel kernel;
  rt::Stream s;
  Inputs inputs;

  void launch(const rt::Args& args, unsigned dynamic_shared_bytes = 0) {
    rt::LaunchOptions options;
    options.dynamic_shared_bytes = dynamic_shared_bytes;
    device.launch(kernel, rt::Dim3(kCtas), rt::Dim3(kBlock), args, s, options);
  }
};

/// A kernel that takes no input: its output against a function of the thread.
AppResult compare_by_thread(Bench& b, const std::function<u32(u32)>& expected_of) {
  DeviceArray<u32> out(b.device, kFeatureThreads);
  b.launch(rt::Args::of(out.pointer()));
  std::vector<u32> expected(kFeatureThreads);
  for (u32 t = 0; t < kFeatureThreads; ++t) expected[t] = expected_of(t);
  return compare("out", out.read(b.s), expected);
}

AppResult dynamic_shared(Bench& b) {
  const std::vector<u32> in = b.inputs.words(kFeatureThreads);
  DeviceArray<u32> device_in(b.device, in, b.s), out(b.device, kFeatureThreads);
  b.launch(rt::Args::of(device_in.pointer(), out.pointer()), kBlock * sizeof(u32));
  std::vector<u32> expected(in);
  for (u32 cta = 0; cta < kCtas; ++cta) {
    std::reverse(expected.begin() + cta * kBlock, expected.begin() + (cta + 1) * kBlock);
  }
  return compare("out", out.read(b.s), expected);
}

AppResult struct_parameter(Bench& b) {
  struct Mixture {
    std::uint8_t tag;
    std::int32_t weights[5];
    u64 big;
    double scale;
  };
  Mixture m{};
  m.tag = 7;
  for (std::int32_t& w : m.weights) w = static_cast<std::int32_t>(b.inputs.below(2000)) - 1000;
  m.big = u64{1} << 40;
  m.scale = b.inputs.real64(-4, 4);
  DeviceArray<double> out(b.device, kFeatureThreads);
  b.launch(rt::Args::of(m, out.pointer()));
  std::vector<double> expected(kFeatureThreads);
  for (u32 t = 0; t < kFeatureThreads; ++t) {
    expected[t] =
        std::fma(m.scale, static_cast<double>(m.weights[t % 5]), static_cast<double>(m.big + m.tag));
  }
  return compare("out", out.read(b.s), expected);
}

AppResult local_array(Bench& b) {
  const std::vector<u32> in = b.inputs.words(8 * kFeatureThreads);
  DeviceArray<u32> device_in(b.device, in, b.s), out(b.device, in.size());
  b.launch(rt::Args::of(device_in.pointer(), out.pointer()));
  std::vector<u32> expected(in);
  for (auto at = expected.begin(); at != expected.end(); at += 8) std::sort(at, at + 8);
  return compare("out", out.read(b.s), expected);
}

AppResult indirect_call(Bench& b) {
  return compare_by_thread(b, [](u32 t) { return t % 3 == 0 ? 2 * t : t % 3 == 1 ? t * t : ~t; });
}

AppResult recursion(Bench& b) {
  return compare_by_thread(b, [](u32 t) {
    u32 now = 0, next = 1;
    for (u32 n = t % 11; n > 0; --n) next = std::exchange(now, next) + next;
    return now;
  });
}

/// 128-bit numbers as two words, schoolbook, modulo 2^128.
struct Wide {
  u64 high, low;
};
Wide operator+(Wide a, Wide b) {
  const u64 low = a.low + b.low;
  return {a.high + b.high + (low < a.low), low};
}
Wide negated(Wide a) { return Wide{~a.high, ~a.low} + Wide{0, 1}; }
Wide product(u64 a, u64 b) {
  Wide sum{0, 0};
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((a >> bit & 1) != 0) sum = sum + Wide{bit == 0 ? 0 : b >> (64 - bit), b << bit};
  }
  return sum;
}

AppResult wide_arithmetic(Bench& b) {
  std::vector<u64> in(2 * kFeatureThreads);
  for (u64& v : in) v = u64{b.inputs.word()} << 32 | b.inputs.word();
  in[0] = in[1] = ~u64{0};
  DeviceArray<u64> device_in(b.device, in, b.s), out(b.device, in.size());
  b.launch(rt::Args::of(device_in.pointer(), out.pointer()));
  std::vector<u64> expected;
  for (u32 t = 0; t < kFeatureThreads; ++t) {
    const u64 h = in[2 * t], l = in[2 * t + 1];
    const Wide cross = product(h, l);
    const Wide square = product(l, l) + Wide{2 * cross.low, 0};  // h * h is a multiple of 2^128
    const Wide r = square + Wide{h >> 3, h << 61 | l >> 3} + negated(cross);
    expected.insert(expected.end(), {r.high, r.low});
  }
  return compare("out", out.read(b.s), expected);
}

AppResult last_cta_sum(Bench& b) {
  const u32 n = 1000;
  const std::vector<u32> in = b.inputs.words(n);
  DeviceArray<u32> device_in(b.device, in, b.s), partial(b.device, kCtas), done(b.device, 1),
      result(b.device, 1);
  done.fill_zero(b.s);
  b.launch(rt::Args::of(device_in.pointer(), n, partial.pointer(), done.pointer(), result.pointer()));
  return compare("result", result.read(b.s), {std::accumulate(in.begin(), in.end(), u32{0})});
}

AppResult named_barriers(Bench& b) {
  return compare_by_thread(b, [](u32 t) {
    const u32 warp = t % kBlock / 32, lane = t % 32;
    return warp == 0 ? lane : 100 * warp + 31 - lane;
  });
}

AppResult match_keys(Bench& b) {
  std::vector<u32> keys(kFeatureThreads), expected(kFeatureThreads, 0);
  for (u32& key : keys) key = b.inputs.below(6);
  for (u32 t = 0; t < kFeatureThreads; ++t) {
    const auto warp = keys.begin() + t / 32 * 32;
    const bool first = std::find(warp, keys.begin() + t, keys[t]) == keys.begin() + t;
    if (first) expected[t] = static_cast<u32>(std::count(warp, warp + 32, keys[t]));
  }
  DeviceArray<u32> device_keys(b.device, keys, b.s), out(b.device, kFeatureThreads);
  b.launch(rt::Args::of(device_keys.pointer(), out.pointer()));
  return compare("out", out.read(b.s), expected);
}

AppResult spin_lock(Bench& b) {
  DeviceArray<u32> lock(b.device, 1), counter(b.device, 1);
  lock.fill_zero(b.s);
  counter.fill_zero(b.s);
  b.launch(rt::Args::of(lock.pointer(), counter.pointer()));
  return compare("counter", counter.read(b.s), {kFeatureThreads / 32});
}

AppResult bits_and_bytes(Bench& b) {
  std::vector<u32> in = b.inputs.words(kFeatureThreads);
  in[0] = 0;
  in[1] = 1;
  in[2] = ~0u;
  DeviceArray<u32> device_in(b.device, in, b.s), out(b.device, 4 * kFeatureThreads);
  DeviceArray<std::uint8_t> bytes(b.device, kFeatureThreads);
  DeviceArray<std::uint16_t> halves(b.device, kFeatureThreads);
  b.launch(rt::Args::of(device_in.pointer(), out.pointer(), bytes.pointer(), halves.pointer()));
  std::vector<u32> expected;
  std::vector<std::uint8_t> expected_bytes;
  std::vector<std::uint16_t> expected_halves;
  for (u32 t = 0; t < kFeatureThreads; ++t) {
    const u32 v = in[t];
    u32 reversed = 0, ones = 0, zeros = 0;
    for (u32 bit = 0; bit < 32; ++bit) {
      reversed |= (v >> bit & 1) << (31 - bit);
      ones += v >> bit & 1;
    }
    while (zeros < 32 && (v >> (31 - zeros) & 1) == 0) ++zeros;
    const u32 swapped = v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
    const u32 rotated = t % 32 == 0 ? v : v << t % 32 | v >> (32 - t % 32);
    expected.insert(expected.end(), {reversed, zeros << 16 | ones, swapped, rotated});
    expected_bytes.push_back(static_cast<std::uint8_t>(v >> 24));
    expected_halves.push_back(static_cast<std::uint16_t>(v >> 8));
  }
  AppResult result = compare("out", out.read(b.s), expected);
  if (result.verified) result = compare("bytes", bytes.read(b.s), expected_bytes);
  if (result.verified) result = compare("halves", halves.read(b.s), expected_halves);
  return result;
}

AppResult branch_tree(Bench& b) {
  return compare_by_thread(b, [](u32 t) {
    u32 v = t;
    for (u32 k = 0; k < 4; ++k) {
      const u32 way = (t + k) % 8;
      v = way == 0   ? v + 17
          : way == 1 ? v * 3
          : way == 2 ? v ^ 0x55
          : way == 3 ? (v << 2 | 1)
          : way == 4 ? v - k
          : way == 5 ? ~v
          : way == 6 ? v + (v >> 1)
                     : v * v;
    }
    return v;
  });
}

struct Feature {
  const char* name;
  AppResult (*check)(Bench&);
};
constexpr Feature kFeatures[] = {{"dynamic_shared", dynamic_shared}, {"struct_parameter", struct_parameter},
                                 {"local_array", local_array},       {"indirect_call", indirect_call},
                                 {"recursion", recursion},           {"wide_arithmetic", wide_arithmetic},
                                 {"last_cta_sum", last_cta_sum},     {"named_barriers", named_barriers},
                                 {"match_keys", match_keys},         {"spin_lock", spin_lock},
                                 {"bits_and_bytes", bits_and_bytes}, {"branch_tree", branch_tree}};

struct FeaturesParams {
  std::string kernel = "all";
  void fields(FieldVisitor& v) {
    std::vector<std::string> words{"all"};
    for (const Feature& f : kFeatures) words.emplace_back(f.name);
    v.field("kernel", kernel, "Which kernel to run.", Constraint::words(words));
  }
};

class Features : public App {
 public:
  explicit Features(const FeaturesParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "features.ptx");
    const rt::Stream s = device.create_stream();
    AppResult all{true, ""};
    for (const Feature& f : kFeatures) {
      if (params_.kernel != "all" && params_.kernel != f.name) continue;
      Bench bench{device, device.kernel(module, f.name), s, Inputs(context.seed, 1)};
      const AppResult one = f.check(bench);
      if (one.verified) continue;
      all.verified = false;
      all.message += fmt::format("{}{}: {}", all.message.empty() ? "" : "; ", f.name, one.message);
    }
    return all;
  }

 private:
  FeaturesParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Features, FeaturesParams, "features",
                                   "One small kernel for each feature of PTX the other apps leave out.");

}  // namespace
}  // namespace warpvp::apps
