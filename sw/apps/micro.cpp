// Microbenchmarks: what an instruction costs, alone and among others.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/micro_code.h"

namespace warpvp::apps {
namespace {

/// An entry in a file, and how many instructions a round of it measures.
struct MicroEntry {
  const char* name;
  const char* file;
  std::uint32_t instructions = 128;
};

/// What there is besides the instructions of micro_code.h.
constexpr MicroEntry kEntries[] = {
    {"shared_load_4", "micro/memory.ptx"},    {"shared_load_8", "micro/memory.ptx"},
    {"shared_load_16", "micro/memory.ptx"},   {"global_load_4", "micro/memory.ptx"},
    {"global_load_16", "micro/memory.ptx"},   {"l2_load_16", "micro/memory.ptx"},
    {"global_atomic", "micro/memory.ptx"},    {"global_reduction", "micro/memory.ptx"},
    {"shared_atomic", "micro/memory.ptx"},    {"barrier", "micro/memory.ptx"},
    {"chain_uniform", "micro/chains.ptx", 8}, {"chain_middle", "micro/chains.ptx", 8},
    {"chain_tail", "micro/chains.ptx", 8},    {"chain_normal", "micro/chains.ptx", 8},
};
constexpr const char* kInstructionCache = "instruction_cache";

std::vector<std::string> entry_names() {
  std::vector<std::string> names;
  for (const MicroInstruction& i : micro_instructions()) names.emplace_back(i.name);
  for (const MicroEntry& e : kEntries) names.emplace_back(e.name);
  names.emplace_back(kInstructionCache);
  return names;
}

struct MicroParams {
  std::string kernel = "add_s32";
  bool chain = true;
  std::uint32_t warps = 1, ctas = 1, rounds = 8, stride = 0;

  void fields(FieldVisitor& v) {
    v.field("kernel", kernel,
            "What is measured: an instruction; shared loads of 4, 8 or 16 bytes; global loads that hit the "
            "L1, or that pass it by; atomics, with and without the old value; the barrier; "
            "instruction_cache, the rate of straight code; chain_*, elements of a long dependent chain.",
            Constraint::words(entry_names()));
    v.field("chain", chain,
            "Instructions that wait each for the one before, or for the eighth before; of kernels that come "
            "in both forms.");
    v.field("warps", warps, "warps", "Warps a CTA.", Constraint::range(1, 32));
    v.field("ctas", ctas, "CTAs", "Grid; each CTA counts with its own SM's clock.",
            Constraint::range(1, 1024));
    v.field("rounds", rounds, "", "Repetitions of the measured instructions, mostly 128.",
            Constraint::range(1, 1u << 20));
    v.field(
        "stride", stride, "bytes",
        "Distance of neighbouring lanes' accesses, 0 for one place; shift count of shl_b32 and bfe_u32; for "
        "instruction_cache the size of the code in units of 128 instructions, 1 to 80.",
        Constraint::range(0, 4096));
    v.require(kernel != kInstructionCache || (stride >= 1 && stride <= 80), "stride",
              "must be from 1 to 80 for instruction_cache");
  }
};

class Micro : public App {
 public:
  explicit Micro(const MicroParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t threads = params_.ctas * params_.warps * 32;
    const auto [kernel, instructions] = load(device, context);
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint64_t> times(device, std::size_t{threads} / 32 * 2);
    DeviceArray<std::uint32_t> sink(device, threads);
    DeviceArray<std::uint8_t> memory(device, std::size_t{threads} * params_.stride + 16);
    memory.fill_zero(s);
    device.launch(
        kernel, params_.ctas, params_.warps * 32,
        rt::Args::of(params_.rounds, params_.stride, memory.pointer(), times.pointer(), sink.pointer()), s);
    const std::vector<std::uint32_t> got = sink.read(s);
    // All threads compute the same.
    AppResult result = compare("sink", got, std::vector<std::uint32_t>(threads, got[0]));
    if (!result.verified) return result;
    return report(times.read(s), static_cast<double>(params_.rounds) * instructions);
  }

 private:
  struct Loaded {
    rt::Kernel kernel;
    std::uint32_t instructions;  ///< in a round
  };
  Loaded load(rt::Runtime& device, const AppContext& context) const {
    const std::string& name = params_.kernel;
    const auto made = [&](const std::string& ptx) {
      return device.load_module_text("micro/" + name + ".ptx", ptx);
    };
    if (name == kInstructionCache)
      return {device.kernel(made(instruction_cache_ptx()), name), kMicroCopies * params_.stride};
    for (const MicroInstruction& i : micro_instructions()) {
      if (name == i.name)
        return {device.kernel(made(micro_ptx(i)), name + (params_.chain ? "_chain" : "_rate")),
                kMicroCopies * i.instructions};
    }
    const MicroEntry& entry = *std::find_if(std::begin(kEntries), std::end(kEntries),
                                            [&](const MicroEntry& e) { return name == e.name; });
    return {device.kernel(device.load_module(context.kernel_folder + entry.file), name), entry.instructions};
  }
  AppResult report(const std::vector<std::uint64_t>& times, double instructions) const {
    double cycles = 0, rate = 0;
    for (std::uint32_t cta = 0; cta < params_.ctas; ++cta) {
      std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;
      for (std::uint32_t warp = 0; warp < params_.warps; ++warp) {
        const std::size_t at = (std::size_t{cta} * params_.warps + warp) * 2;
        if (times[at + 1] <= times[at])
          return {false, fmt::format("times[{}] = {}, not after {}", at + 1, times[at + 1], times[at])};
        cycles += static_cast<double>(times[at + 1] - times[at]) / instructions;
        first = std::min(first, times[at]);
        last = std::max(last, times[at + 1]);
      }
      rate += params_.warps * instructions / static_cast<double>(last - first);
    }
    cycles /= params_.ctas * params_.warps;
    rate /= params_.ctas;
    return {true,
            fmt::format("{:.2f} cycles an instruction of a warp, {:.3f} instructions a cycle of a CTA",
                        cycles, rate),
            true,
            {{"cycles_per_instruction", cycles}, {"instructions_per_cycle", rate}}};
  }
  MicroParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Micro, MicroParams, "micro",
    "Microbenchmarks: latency and rate of an instruction, of shared memory, atomics, "
    "the barrier, straight code.");

}  // namespace
}  // namespace warpvp::apps
