// Loads of whole lines in patterns that show what network and DRAM sustain.

#include <fmt/format.h>

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kLineWords = 32, kLineBytes = 128;
constexpr std::uint32_t kAhead = 4;  // bandwidth_probe.cu
constexpr std::uint32_t kMostCtas = 2;

struct ProbeParams {
  std::string pattern = "l2_random";
  std::uint32_t warps = 32, entries = 128, passes = 2, footprint = 1024;
  std::uint32_t banks = 16, interleave_bytes = 256;
  std::string hash = "xor";

  void fields(FieldVisitor& v) {
    v.field(
        "pattern", pattern,
        "Which lines: l2_stream, all SMs the same in the same order; l2_random, each any; l2_own_bank, each "
        "SM those of one L2 bank; dram_stream and dram_random, each line once, in order or in any; "
        "dram_copy, in order, to another place.",
        Constraint::words(
            {"l2_stream", "l2_random", "l2_own_bank", "dram_stream", "dram_random", "dram_copy"}));
    v.field("warps", warps, "warps",
            "Warps a CTA, of which an SM has up to two; fewer where that many do not fit.",
            Constraint::pow2(1, 32));
    v.field("entries", entries, "lines", "Lines that a CTA loads in a pass.", Constraint::range(1, 4096));
    v.field("passes", passes, "", "l2_*: over the same lines; dram_*: over others.",
            Constraint::range(1, 1u << 16));
    v.field("footprint", footprint, "lines", "Lines of 128 bytes that l2_* load from.",
            Constraint::range(1, 1u << 24));
    v.field("banks", banks, "", "For l2_own_bank, as the next two: L2 banks.", Constraint::range(1, 4096));
    v.field("interleave_bytes", interleave_bytes, "B", "As address_map has it.",
            Constraint::pow2(128, 1 << 20));
    v.field("hash", hash, "As address_map has it.", Constraint::words({"none", "xor"}));
    v.require(entries % (warps * kAhead) == 0, "entries", "must be a multiple of 4 * warps");
  }
};

class BandwidthProbe : public App {
 public:
  explicit BandwidthProbe(const ProbeParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const bool copy = params_.pattern == "dram_copy", once = params_.pattern.rfind("dram", 0) == 0;
    const rt::Kernel kernel = device.kernel(device.load_module(context.kernel_folder + "bandwidth_probe.ptx"),
                                            copy ? "probe_copy" : "probe_read");
    rt::LaunchOptions options;
    options.dynamic_shared_bytes = params_.entries * 4;
    std::uint32_t warps = params_.warps;
    const auto fit = [&] { return device.occupancy(kernel, warps * 32, options.dynamic_shared_bytes); };
    while (warps > 1 && fit() == 0) warps /= 2;
    if (fit() == 0) throw InputError("bandwidth_probe: no CTA fits an SM; take fewer entries");
    const std::uint32_t ctas = std::min(fit(), kMostCtas), rows = device.sm_count() * ctas;
    const std::uint64_t lines =
        once ? std::uint64_t{rows} * params_.entries * params_.passes : params_.footprint;
    if (lines > (1u << 25)) throw InputError("bandwidth_probe: more than 4 GiB; take fewer passes");

    const rt::Stream s = device.create_stream();
    Inputs inputs(context.seed, 1);
    const std::vector<std::uint32_t> in = inputs.words(lines * kLineWords);
    DeviceArray<std::uint32_t> device_in(device, in, s), out(device, copy ? in.size() : 1);
    const std::vector<std::uint32_t> order = order_of(rows, ctas, warps, device_in.pointer(), inputs);
    DeviceArray<std::uint32_t> device_order(device, order, s), arrived(device, device.sm_count());
    DeviceArray<std::uint32_t> folded(device, std::size_t{rows} * warps * 32);
    arrived.fill_zero(s);
    const std::uint32_t step = once ? rows * params_.entries : 0;
    device.launch(kernel, rows, warps * 32,
                  rt::Args::of(device_in.pointer(), out.pointer(), device_order.pointer(), arrived.pointer(),
                               folded.pointer(), params_.entries, params_.passes, step, ctas),
                  s, options);
    const AppResult result = compare("folded", folded.read(s), reference(in, order, rows, warps, step));
    return copy && result.verified ? compare("out", out.read(s), in) : result;
  }

 private:
  /// The rows of the CTAs, `ctas` of them for each SM.
  std::vector<std::uint32_t> order_of(std::uint32_t rows, std::uint32_t ctas, std::uint32_t warps,
                                      rt::DevicePtr base, Inputs& inputs) const {
    const std::uint32_t entries = params_.entries, footprint = params_.footprint;
    std::vector<std::uint32_t> order(std::size_t{rows} * entries);
    const auto fill = [&](auto line) {
      for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t e = 0; e < entries; ++e) order[std::size_t{row} * entries + e] = line(row, e);
    };
    if (params_.pattern == "l2_stream") {
      fill([&](std::uint32_t row, std::uint32_t e) { return (row % ctas * entries + e) % footprint; });
    } else if (params_.pattern == "l2_random") {
      // Each line as often as any other: what is loaded again in every pass must not make a bank the busiest.
      fill([&](std::uint32_t row, std::uint32_t e) { return (row * entries + e) % footprint; });
      shuffle(order, inputs);
    } else if (params_.pattern == "l2_own_bank") {
      std::vector<std::vector<std::uint32_t>> of_bank(params_.banks);
      for (std::uint32_t line = 0; line < footprint; ++line)
        of_bank[bank_of(base + std::uint64_t{line} * kLineBytes)].push_back(line);
      for (const auto& lines : of_bank)
        if (lines.empty()) throw InputError("bandwidth_probe: footprint is too small for l2_own_bank");
      fill([&](std::uint32_t row, std::uint32_t e) {
        const auto& lines = of_bank[row / ctas % params_.banks];
        return lines[(row % ctas * entries + e) % lines.size()];
      });
    } else {
      // Each round of a CTA's warps reads neighbouring lines, and so do the CTAs of a round.
      const std::uint32_t round = warps * kAhead;
      fill([&](std::uint32_t row, std::uint32_t e) { return (e / round * rows + row) * round + e % round; });
      if (params_.pattern == "dram_random") shuffle(order, inputs);
    }
    return order;
  }

  /// As interconnect/address_map.h, which apps are linked without.
  std::uint64_t bank_of(std::uint64_t address) const {
    const std::uint64_t banks = params_.banks, chunk = address / params_.interleave_bytes;
    if (params_.hash == "none" || banks == 1) return chunk % banks;
    unsigned bits = 1;
    while ((std::uint64_t{1} << bits) < banks) ++bits;
    std::uint64_t key = 0;
    for (std::uint64_t upper = chunk / banks; upper; upper >>= bits) key ^= upper;
    key &= (std::uint64_t{1} << bits) - 1;
    if (key >= banks) key -= banks;
    return (banks & (banks - 1)) == 0 ? chunk % banks ^ key : (chunk % banks + key) % banks;
  }

  static void shuffle(std::vector<std::uint32_t>& order, Inputs& inputs) {
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[inputs.below(static_cast<std::uint32_t>(i + 1))]);
  }

  /// What each thread's loads fold to.
  std::vector<std::uint32_t> reference(const std::vector<std::uint32_t>& in,
                                       const std::vector<std::uint32_t>& order, std::uint32_t rows,
                                       std::uint32_t warps, std::uint32_t step) const {
    std::vector<std::uint32_t> folded(std::size_t{rows} * warps * 32, 0);
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t pass = 0; pass < params_.passes; ++pass) {
        for (std::uint32_t e = 0; e < params_.entries; ++e) {
          const std::size_t line = order[std::size_t{row} * params_.entries + e] + std::size_t{pass} * step;
          std::uint32_t* fold = &folded[(std::size_t{row} * warps + e / kAhead % warps) * 32];
          for (std::uint32_t lane = 0; lane < 32; ++lane)
            fold[lane] = fold[lane] * 33 + in[line * kLineWords + lane];
        }
      }
    }
    return folded;
  }

  ProbeParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, BandwidthProbe, ProbeParams, "bandwidth_probe",
                                   "Loads of lines from L2 or DRAM in streams or at random: what network and "
                                   "DRAM sustain.");

}  // namespace
}  // namespace warpvp::apps
