#pragma once
// The endpoint's registers at the beginning of BAR 0 (regmap::ep), for a host outside of the model: what of
// the device is its own, what went wrong, and writes of whole records for those who have words only. They
// belong to the endpoint: an access takes no simulated time.

#include <cstdint>
#include <functional>
#include <string>

#include "interconnect/register_block.h"
#include "interconnect/register_map.h"

namespace warpvp {

/// MSI-X vectors of the function. Vector 0 tells of errors.
inline constexpr unsigned kEndpointVectors = 32;

/// What of the device belongs to whom an endpoint is shown.
struct EndpointPart {
  std::uint64_t dma_base = 0, dma_bytes = 0;  ///< bus addresses of its memory
  std::uint64_t memory_bytes = 0;             ///< of BAR 2
  unsigned context = 0;
  unsigned first_queue = 0, queues = 0;
  unsigned first_interrupt = 0, vectors = 0;
  std::string properties;  ///< for PROPERTIES
};

/// What reads of TIME and writes to BURST and MEMORY_BURST do. The calls may take simulated time.
struct EndpointActions {
  std::function<std::uint64_t()> now_fs;
  std::function<void(std::uint32_t offset, std::uint32_t bytes)> burst;
  std::function<void(std::uint64_t offset, std::uint32_t bytes, bool untimed)> memory_burst;
};

class EndpointRegisters {
 public:
  EndpointRegisters(const EndpointPart& part, EndpointActions actions);
  EndpointRegisters(const EndpointRegisters&) = delete;

  RegisterBlock& block() { return block_; }
  const std::uint8_t* burst_data() const { return burst_data_; }
  /// Notes an error. The address and the text of the first one stay until ERROR has been cleared.
  void note(std::uint32_t error, std::uint64_t address, const std::string& text);
  void reset();

 private:
  void add_facts(const EndpointPart& part);
  void add_error();
  void add_bursts(EndpointActions actions);
  void add_words(const EndpointPart& part);

  RegisterBlock block_;
  RegisterBlock::Id error_, error_address_, burst_, memory_burst_;
  std::uint8_t text_[regmap::ep::kErrorTextBytes] = {};
  std::uint8_t burst_data_[regmap::ep::kBurstBytes] = {};
  std::uint8_t properties_[regmap::ep::kPropertiesBytes] = {};
};

}  // namespace warpvp
