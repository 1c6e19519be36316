#pragma once
// CCBP's relations between the rate at which kernels issue requests and the bandwidth that they use (TACO
// 2019, sections 5.3 and 5.4, equations 1 to 7), as plain functions. A rate is requests of one SM in one
// interval; a bandwidth is bytes of all SMs together in one interval.

#include <cstdint>

namespace warpvp {

/// What a kernel's requests are, on average.
struct RequestFactors {
  double rf = 0;  ///< reads per request (equation 2)
  double df = 0;  ///< DRAM accesses per request (equation 4)

  /// From the counters of the RF and DF monitors; 0 where nothing was counted.
  static RequestFactors of(std::uint64_t requests, std::uint64_t reads, std::uint64_t answers,
                           std::uint64_t dram_accesses);
};

enum class BandwidthType : std::uint8_t { kLatencySensitive, kNetworkIntensive, kDramIntensive };

/// Bandwidths of a device.
class BandwidthModel {
 public:
  /// What a device has; all must be greater than 0.
  struct Device {
    unsigned sms = 1;
    unsigned reply_bytes = 160;       ///< of a read, with its header: L1BlkSize + FlitSize
    unsigned dram_bytes = 128;        ///< of a DRAM access: L2BlkSize
    double network_per_interval = 1;  ///< SustainBW_n: bytes to all SMs; infinite: never short
    double dram_per_interval = 1;     ///< SustainBW_d: bytes from and to DRAM; likewise
  };
  explicit BandwidthModel(const Device& device) : device_(device) {}
  const Device& device() const { return device_; }

  /// Equations 1 and 3.
  double network_use(const RequestFactors& f, double rate) const {
    return f.rf * rate * device_.sms * device_.reply_bytes;
  }
  double dram_use(const RequestFactors& f, double rate) const {
    return f.df * rate * device_.dram_bytes * device_.sms;
  }
  /// The same as parts of what can be sustained.
  double network_share(const RequestFactors& f, double rate) const {
    return network_use(f, rate) / device_.network_per_interval;
  }
  double dram_share(const RequestFactors& f, double rate) const {
    return dram_use(f, rate) / device_.dram_per_interval;
  }
  /// The greatest rate with at most these parts of both; infinite for requests that use neither.
  double rate_within(const RequestFactors& f, double network_share, double dram_share) const;
  /// Equation 5: each of `kernels` has an equal part.
  double even_rate(const RequestFactors& f, unsigned kernels) const {
    return rate_within(f, 1.0 / kernels, 1.0 / kernels);
  }
  /// Inequality 7 holds: the network is used up before DRAM.
  bool network_first(const RequestFactors& f) const;
  /// `demand`: requests of one SM in an interval that it would send, with the even rate in force.
  BandwidthType type_of(const RequestFactors& f, double demand, unsigned kernels) const;

 private:
  Device device_;
};

}  // namespace warpvp
