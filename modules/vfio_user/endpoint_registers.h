#pragma once
// The registers at the beginning of BAR 0 (regmap::ep), of which each client has its own: who it is, what it
// may use, what went wrong, and whose time it is. They belong to the endpoint: an access takes no simulated
// time.

#include <cstdint>
#include <functional>
#include <string>

#include "interconnect/register_block.h"
#include "interconnect/register_map.h"

namespace warpvp::vfio_user {

/// What of the device is a client's.
struct ClientPart {
  std::uint64_t dma_base = 0, dma_bytes = 0;  ///< bus addresses of its memory
  std::uint64_t memory_bytes = 0;             ///< of BAR 2
  unsigned context = 0;
  unsigned first_queue = 0, queues = 0;
  unsigned first_interrupt = 0, vectors = 0;
  std::string properties;  ///< for PROPERTIES
};

/// What writes to the registers do. The calls may take simulated time.
struct EndpointActions {
  std::function<std::uint64_t()> now_fs;
  std::function<void(std::uint64_t latest_fs)> wait;
  std::function<void(std::uint64_t fs)> advance;
  std::function<void(std::uint32_t offset, std::uint32_t bytes)> burst;
  std::function<void(std::uint64_t offset, std::uint32_t bytes, bool untimed)> memory_burst;
};

class EndpointRegisters {
 public:
  EndpointRegisters(const ClientPart& part, EndpointActions actions);

  RegisterBlock& block() { return block_; }
  bool paced() const { return block_.get(pace_) != 0; }
  bool untimed() const { return block_.get(untimed_) != 0; }
  const std::uint8_t* burst_data() const { return burst_data_; }
  /// Notes an error. The address and the text of the first one stay until the client has cleared ERROR.
  void note(std::uint32_t error, std::uint64_t address, const std::string& text);
  void reset();

 private:
  RegisterBlock block_;
  RegisterBlock::Id pace_, untimed_, error_, error_address_;
  std::uint8_t text_[regmap::ep::kErrorTextBytes] = {};
  std::uint8_t burst_data_[regmap::ep::kBurstBytes] = {};
  std::uint8_t properties_[regmap::ep::kPropertiesBytes] = {};
};

}  // namespace warpvp::vfio_user
