#include "modules/bandwidth/bandwidth_model.h"

#include <algorithm>
#include <limits>

namespace warpvp {

RequestFactors RequestFactors::of(std::uint64_t requests, std::uint64_t reads, std::uint64_t answers,
                                  std::uint64_t dram_accesses) {
  const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  return {ratio(reads, requests), ratio(dram_accesses, answers)};
}

double BandwidthModel::rate_within(const RequestFactors& f, double network_part, double dram_part) const {
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  const double of_network = network_share(f, 1), of_dram = dram_share(f, 1);
  return std::min(of_network > 0 ? network_part / of_network : kUnlimited,
                  of_dram > 0 ? dram_part / of_dram : kUnlimited);
}

bool BandwidthModel::network_first(const RequestFactors& f) const {
  // Inequality 6: the same without a division by rf, which is 0 for a kernel that never reads.
  return network_share(f, 1) > dram_share(f, 1);
}

BandwidthType BandwidthModel::type_of(const RequestFactors& f, double demand, unsigned kernels) const {
  if (demand < even_rate(f, kernels)) return BandwidthType::kLatencySensitive;
  return network_first(f) ? BandwidthType::kNetworkIntensive : BandwidthType::kDramIntensive;
}

}  // namespace warpvp
