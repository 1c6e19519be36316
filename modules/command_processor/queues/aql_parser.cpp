#include "modules/command_processor/queues/aql_parser.h"

#include <algorithm>

#include "interconnect/kernel_descriptor.h"

namespace warpvp {

using aql::PacketType;
using regmap::cp::QueueError;

namespace {

template <class T>
T as(const unsigned char (&raw)[64]) {
  static_assert(sizeof(T) == sizeof raw);
  T packet;
  std::memcpy(static_cast<void*>(&packet), raw, sizeof raw);
  return packet;
}

bool is_signal(PacketMemory& memory, std::uint64_t address) {
  return address % 64 == 0 && memory.reachable(address, sizeof(aql::Signal));
}

QueueError parse_dispatch(PacketMemory& memory, const aql::KernelDispatch& packet, ParsedPacket& out) {
  for (int d = 0; d < 3; ++d) {
    const std::uint32_t workgroup = packet.workgroup_size[d], grid = packet.grid_size[d];
    // The CUDA model knows no partial CTAs.
    if (workgroup == 0 || grid == 0 || grid % workgroup != 0) return QueueError::kBadDimensions;
  }
  KernelDescriptor kernel;
  if (packet.kernel_object % 64 != 0 || !memory.fetch(packet.kernel_object, &kernel, sizeof kernel) ||
      kernel.magic != KernelDescriptor::kMagic || kernel.param_bytes > kMaxArgumentBytes)
    return QueueError::kBadKernelObject;
  if (packet.group_segment_size < kernel.static_shared_bytes) return QueueError::kBadDimensions;
  // Looked at, not fetched: the SM reads them.
  if (kernel.param_bytes > 0 && !memory.reachable(packet.kernarg_address, kernel.param_bytes))
    return QueueError::kBadAddress;

  regmap::wd::KernelSlotImage image;
  image.kernel_object = packet.kernel_object;
  image.kernarg_address = packet.kernarg_address;
  image.launch_id = out.extension.launch_id;
  image.stream = out.extension.stream;
  image.context = out.extension.context;
  image.priority = out.extension.priority;
  image.budget = std::max(out.extension.budget, 1u);
  image.dynamic_shared_bytes = packet.group_segment_size - kernel.static_shared_bytes;
  for (int d = 0; d < 3; ++d) {
    image.block[d] = packet.workgroup_size[d];
    image.grid[d] = packet.grid_size[d] / image.block[d];
  }
  image.registers_per_thread = kernel.registers_per_thread;
  image.static_shared_bytes = kernel.static_shared_bytes;
  image.barriers = kernel.barriers;
  image.job = out.extension.job;
  image.deadline_ns = out.extension.deadline_ns;
  out.set_payload(image);
  return QueueError::kNone;
}

std::int16_t copy_priority(std::int32_t priority) {
  return static_cast<std::int16_t>(std::clamp(priority, -32768, 32767));
}

QueueError parse_copy(const aql::Copy& packet, ParsedPacket& out) {
  const auto kind = static_cast<aql::CopyKind>(packet.kind);
  const bool load = kind == aql::CopyKind::kLoad && packet.bytes != 0 && packet.destination % 64 == 0;
  if (kind != aql::CopyKind::kCopy && kind != aql::CopyKind::kFill && !load) return QueueError::kBadCopy;
  regmap::dma::Descriptor descriptor;
  descriptor.source = packet.source;
  descriptor.destination = packet.destination;
  descriptor.bytes = packet.bytes;
  descriptor.kind = packet.kind;
  descriptor.priority = copy_priority(out.extension.priority);
  descriptor.value = static_cast<std::uint16_t>(packet.value);
  descriptor.context =
      packet.flags & aql::Copy::kAnyContext ? regmap::dma::kAnyContext : out.extension.context;
  descriptor.tag = static_cast<std::uint32_t>(out.index);
  if (load) {
    out.load_bytes = packet.bytes;
    descriptor.kind = static_cast<std::uint16_t>(aql::CopyKind::kFill);
    descriptor.bytes = 0;
  }
  out.set_payload(descriptor);
  return QueueError::kNone;
}

QueueError parse_barrier(PacketMemory& memory, const aql::Barrier& packet, ParsedPacket& out) {
  ParsedPacket::DependentSignals signals;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    signals[i] = packet.dep_signal[i];
    if (signals[i] != 0 && !is_signal(memory, signals[i])) return QueueError::kBadAddress;
  }
  out.set_payload(signals);
  return QueueError::kNone;
}

}  // namespace

std::uint32_t ParsedPacket::ctas() const {
  if (!is_kernel()) return 0;
  const auto image = payload_as<regmap::wd::KernelSlotImage>();
  // At most 2^31 CTAs in x, 2^16 in y and z.
  const std::uint64_t plane = std::uint64_t{image.grid[0]} * image.grid[1];
  const std::uint64_t all = plane * image.grid[2];
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, 0xffff'ffffu));
}

void set_launch(ParsedPacket& packet, std::uint32_t launch_id) {
  packet.extension.launch_id = launch_id;
  auto image = packet.payload_as<regmap::wd::KernelSlotImage>();
  image.launch_id = launch_id;
  packet.set_payload(image);
}

void set_priority(ParsedPacket& packet, std::int32_t priority) {
  packet.extension.priority = priority;
  if (packet.is_kernel()) {
    auto image = packet.payload_as<regmap::wd::KernelSlotImage>();
    image.priority = priority;
    packet.set_payload(image);
  } else if (packet.is_copy()) {
    auto descriptor = packet.payload_as<regmap::dma::Descriptor>();
    descriptor.priority = copy_priority(priority);
    packet.set_payload(descriptor);
  }
}

QueueError parse_packet(PacketMemory& memory, const PacketPlace& place, ParsedPacket& out) {
  out = {};
  out.index = place.index;
  unsigned char raw[64];
  if (!memory.fetch(place.ring_base + 64 * (place.index & (place.ring_packets - 1)), raw, sizeof raw))
    return QueueError::kBadAddress;
  std::uint16_t header = 0;
  std::memcpy(&header, raw, sizeof header);
  out.type = static_cast<PacketType>(aql::type_of(header));
  out.barrier_bit = (header & aql::kBarrierBit) != 0;
  if (!out.is_kernel() && !out.is_barrier() && !out.is_copy()) return QueueError::kBadPacketType;

  // Both live at the same place in every packet this device knows.
  std::uint64_t extension = 0;
  std::memcpy(&extension, raw + 48, sizeof extension);
  std::memcpy(&out.signal, raw + 56, sizeof out.signal);
  out.extension.priority = place.priority;
  out.extension.context = place.context;
  out.has_extension = extension != 0;
  if (extension != 0) {
    if (extension % 64 != 0 || !memory.fetch(extension, &out.extension, sizeof out.extension) ||
        out.extension.magic != aql::Extension::kMagic)
      return QueueError::kBadAddress;
  }
  if (out.signal != 0 && !is_signal(memory, out.signal)) return QueueError::kBadAddress;
  if (out.is_kernel()) return parse_dispatch(memory, as<aql::KernelDispatch>(raw), out);
  if (out.is_copy()) return parse_copy(as<aql::Copy>(raw), out);
  return parse_barrier(memory, as<aql::Barrier>(raw), out);
}

}  // namespace warpvp
