#include "platform/results/sampled_kernels.h"

#include <fmt/format.h>

namespace warpvp {

namespace {
constexpr std::size_t kMostLines = 8;
}

std::vector<std::string> sampled_kernels(const nlohmann::ordered_json& result) {
  std::vector<std::string> text;
  std::size_t lines = 0;
  for (const auto& kernel : result["kernels"]) {
    if (!kernel.contains("sampled")) continue;
    if (++lines > kMostLines) continue;
    const auto& sampled = kernel["sampled"];
    const std::string name = kernel["name"];
    if (sampled.contains("why_not")) {
      text.push_back(fmt::format("{}: not sampled: {}", name, sampled["why_not"].get<std::string>()));
      continue;
    }
    text.push_back(
        fmt::format("{}: sampled: {} of {} CTAs in cycle detail, {} cycles +- {:.0f} (95 %, {} samples)",
                    name, sampled["ctas_detailed"].get<std::uint64_t>(), kernel["ctas"].get<std::uint64_t>(),
                    kernel["execution_cycles"].is_null()
                        ? std::string("-")
                        : std::to_string(kernel["execution_cycles"].get<std::uint64_t>()),
                    sampled["half_width_95"].get<double>(), sampled["samples"].get<std::uint64_t>()));
  }
  if (lines > kMostLines) text.push_back(fmt::format("... and {} further kernels", lines - kMostLines));
  return text;
}

}  // namespace warpvp
