#include "modules/command_processor/devices/performance_counters.h"

#include <string>

#include "interconnect/register_map.h"

namespace warpvp {

namespace perf = regmap::perf;

namespace {

constexpr unsigned kCounters = static_cast<unsigned>(PerformanceCounter::kCount);
static_assert(kCounters <= perf::kMaxCounters);

struct Text {
  const char* name;
  const char* doc;
};
constexpr Text kTexts[kCounters] = {
    {"SM_CYCLES", "cycles of the SM clock"},
    {"WARP_INSTRUCTIONS", "warp instructions issued, all SMs"},
    {"CTAS_ISSUED", "CTAs launched"},
    {"CTAS_DONE", "CTAs done"},
    {"L2_ACCESSES", "accesses to the L2 cache, all banks"},
    {"L2_MISSES", "of these, misses"},
    {"DRAM_BYTES", "bytes read from and written to DRAM, all channels"},
    {"REGISTER_ACCESSES", "accesses on the register bus"},
};

std::string value_doc() {
  std::string doc = "Counters since the start:";
  for (unsigned i = 0; i < kCounters; ++i)
    doc += std::string(i == 0 ? " " : ", ") + std::to_string(i) + " " + kTexts[i].name + " (" +
           kTexts[i].doc + ")";
  return doc + "; further ones are 0.";
}

}  // namespace

const char* name_of(PerformanceCounter counter) { return kTexts[static_cast<unsigned>(counter)].name; }
const char* doc_of(PerformanceCounter counter) { return kTexts[static_cast<unsigned>(counter)].doc; }

PerformanceCounters::PerformanceCounters(sc_core::sc_module_name name)
    : Device(name, "Performance counters", perf::kBytes, "Counts of the platform, for the firmware.") {
  block_.add({"COUNT", perf::kCount, 4, 1, 0, RegisterAccess::kReadOnly, kCounters, "Counters there are."});
  block_.add(in_halves(
      {"VALUE", perf::kValues, 8, perf::kMaxCounters, 8, RegisterAccess::kReadOnly, 0, value_doc(),
       [this](unsigned i) { return i < kCounters && sources_[i] ? sources_[i]() : std::uint64_t{0}; }}));
}

}  // namespace warpvp
