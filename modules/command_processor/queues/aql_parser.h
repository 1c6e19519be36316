#pragma once
// Decoding of queue packets (interconnect/aql.h) as a function of memory: no simulation, no state. What comes
// out is what a kernel status register, a DMA engine or a barrier needs, checked; what is malformed comes out
// as the error that stops its queue.

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "interconnect/aql.h"
#include "interconnect/register_map.h"

namespace warpvp {

/// Device memory as the parser sees it.
class PacketMemory {
 public:
  virtual ~PacketMemory() = default;
  /// Reads what parsing needs. False: not all of it is there.
  virtual bool fetch(std::uint64_t address, void* data, unsigned bytes) = 0;
  /// Whether all of [address, address + bytes) is there; nothing is read for it. bytes > 0.
  virtual bool reachable(std::uint64_t address, std::uint64_t bytes) = 0;
};

/// Which packet to parse, and what holds for packets of its queue that have no vendor extension.
struct PacketPlace {
  std::uint64_t ring_base = 0;
  std::uint64_t ring_packets = 1;  ///< a power of two
  std::uint64_t index = 0;         ///< counts from 0, wraps around the ring
  std::int32_t priority = 0;
  std::uint16_t context = 0;
};

/// A packet with what it refers to.
struct ParsedPacket {
  aql::PacketType type = aql::PacketType::kInvalid;
  bool barrier_bit = false;
  std::uint64_t index = 0;
  std::uint64_t signal = 0;  ///< completion signal, reachable and aligned; 0: none
  aql::Extension extension;  ///< the packet's own, or made from its queue's registers
  bool has_extension = false;

  std::uint64_t load_bytes =
      0;  ///< of kLoad packets, whose payload is a fill of nothing that takes their turn

  /// Barrier packets: device addresses, reachable and aligned; 0 names none.
  using DependentSignals = std::array<std::uint64_t, 5>;
  /// wd::KernelSlotImage, dma::Descriptor or DependentSignals, by `type`.
  std::array<std::uint32_t, sizeof(regmap::wd::KernelSlotImage) / 4> payload = {};

  bool is_kernel() const { return type == aql::PacketType::kKernelDispatch; }
  bool is_copy() const { return type == aql::PacketType::kVendor; }
  bool is_barrier() const {
    return type == aql::PacketType::kBarrierAnd || type == aql::PacketType::kBarrierOr;
  }
  /// Of a kernel, else 0: bits 37:6 of its object, and its CTAs (as many as 32 bits hold).
  std::uint32_t kernel() const {
    return is_kernel() ? static_cast<std::uint32_t>(payload_as<regmap::wd::KernelSlotImage>().kernel_object >> 6)
                       : 0;
  }
  std::uint32_t ctas() const;
  template <class T>
  T payload_as() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof payload);
    T out;
    std::memcpy(static_cast<void*>(&out), payload.data(), sizeof out);
    return out;
  }
  template <class T>
  void set_payload(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof payload);
    payload = {};
    std::memcpy(payload.data(), &value, sizeof value);
  }
};

/// Gives a kernel's packet, and what is forwarded of it, another number.
void set_launch(ParsedPacket& packet, std::uint32_t launch_id);
/// Gives the packet, and what is forwarded of it, another priority.
void set_priority(ParsedPacket& packet, std::int32_t priority);

/// Bytes of arguments that a kernel descriptor may ask for; CUDA's own limit is below.
inline constexpr std::uint32_t kMaxArgumentBytes = 64 * 1024;

/// Parses the packet at `place` into `out`. On an error `out` is not a packet.
regmap::cp::QueueError parse_packet(PacketMemory& memory, const PacketPlace& place, ParsedPacket& out);

}  // namespace warpvp
