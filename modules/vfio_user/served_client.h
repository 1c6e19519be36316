#pragma once
// What the host keeps of one client, for the files that VfioUserHost is written in.

#include <cstdint>
#include <set>
#include <systemc>
#include <utility>

#include "interconnect/register_map.h"
#include "modules/vfio_user/vfio_user_host.h"

namespace warpvp {

/// Bus addresses of a client's memory; the first such window is left to programs inside.
inline constexpr std::uint64_t kDmaWindowBytes = std::uint64_t{1} << 40;
/// So often the session may act while nothing happens.
inline constexpr int kPauseMs = 20;
/// So often it is looked whether the device rests.
inline constexpr double kLookNs = 100;
/// After this time nothing is on its way to or from a queue that has ended.
inline constexpr double kSettleNs = 10'000;

inline bool within(std::uint64_t address, std::uint64_t bytes, std::uint64_t base, std::uint64_t size) {
  return address >= base && address - base <= size && bytes <= size - (address - base);
}

struct VfioUserHost::Client {
  unsigned number;  ///< of the run
  vfio_user::Session session;
  EndpointPart part;
  vfio_user::ServedEndpoint registers;
  std::set<std::uint64_t> ranges = {};  ///< of device memory that it has allocated
  regmap::mm::Answer answer = {};       ///< to its last command to the memory manager
  sc_core::sc_event turn, woken;
  bool busy = false;     ///< a command is being carried out
  bool waits = false;    ///< for the device, in WAIT
  bool sleeps = false;   ///< until a time
  bool written = false;  ///< since WAIT began
  bool ended = false;    ///< a fault has ended its context
  bool left = false;     ///< all that was its own is cleaned up

  Client(unsigned n, vfio_user::Connection connection, const vfio_user::DeviceShape& shape,
         vfio_user::Device& device, const EndpointPart& p, EndpointActions actions,
         vfio_user::PaceActions pace)
      : number(n),
        session(std::move(connection), shape, device),
        part(p),
        registers(p, std::move(actions), std::move(pace)) {}
};

}  // namespace warpvp
