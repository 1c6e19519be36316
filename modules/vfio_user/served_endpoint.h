#pragma once
// The endpoint that a client sees: with registers that say whose time it is (docs/serve.md).

#include <cstdint>
#include <functional>

#include "modules/host/endpoint_registers.h"

namespace warpvp::vfio_user {

/// What writes to WAIT and ADVANCE do. The calls may take simulated time.
struct PaceActions {
  std::function<void(std::uint64_t latest_fs)> wait;
  std::function<void(std::uint64_t fs)> advance;
};

class ServedEndpoint : public EndpointRegisters {
 public:
  ServedEndpoint(const EndpointPart& part, EndpointActions actions, PaceActions pace);

  bool paced() const { return paced_ != 0; }
  bool untimed() const { return untimed_ != 0; }
  void reset();

 private:
  std::uint32_t paced_ = 0, untimed_ = 0;
};

}  // namespace warpvp::vfio_user
