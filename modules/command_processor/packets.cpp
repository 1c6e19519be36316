// Taking packets from rings: what they refer to and what is wrong with them.
#include <cstring>

#include "modules/command_processor/simple_command_processor.h"

namespace warpvp {

using aql::PacketType;

SimpleCommandProcessor::QueueError SimpleCommandProcessor::decode(Queue& queue, sc_core::sc_time& delay) {
  Command& c = queue.head;
  const std::uint64_t ring_offset = queue.read & (queue.ring_packets - 1);
  c.index = queue.read;
  if (!access(memory, tlm::TLM_READ_COMMAND, queue.ring_base + 64 * ring_offset, c.raw, sizeof c.raw, delay))
    return QueueError::kBadAddress;
  std::memcpy(&c.header, c.raw, sizeof c.header);
  const PacketType type = c.type();
  if (type != PacketType::kKernelDispatch && type != PacketType::kBarrierAnd &&
      type != PacketType::kBarrierOr && type != PacketType::kVendor)
    return QueueError::kBadPacketType;

  // Both live at the same place in every packet this device knows.
  std::uint64_t extension = 0;
  std::memcpy(&extension, c.raw + 48, sizeof extension);
  std::memcpy(&c.signal, c.raw + 56, sizeof c.signal);
  c.extension = {};
  c.extension.priority = static_cast<std::int32_t>(block_.get(priority_, c.queue));
  c.extension.context = static_cast<std::uint16_t>(block_.get(context_, c.queue));
  if (extension != 0) {
    if (extension % 64 != 0 ||
        !access(memory, tlm::TLM_READ_COMMAND, extension, &c.extension, sizeof c.extension, delay))
      return QueueError::kBadAddress;
    if (c.extension.magic != aql::Extension::kMagic) return QueueError::kBadAddress;
  }
  aql::Signal probe;
  sc_core::sc_time unused;
  const auto reachable = [&](std::uint64_t signal) {
    return signal % 64 == 0 && access(memory, tlm::TLM_READ_COMMAND, signal, &probe, sizeof probe, unused);
  };
  if (c.signal != 0 && !reachable(c.signal)) return QueueError::kBadAddress;
  switch (type) {
    case PacketType::kKernelDispatch:
      return decode_dispatch(c, delay);
    case PacketType::kVendor: {
      const auto kind = static_cast<aql::CopyKind>(c.copy.kind);
      return kind == aql::CopyKind::kCopy || kind == aql::CopyKind::kFill ? QueueError::kNone
                                                                          : QueueError::kBadCopy;
    }
    default:
      for (std::uint64_t signal : c.barrier.dep_signal)
        if (signal != 0 && !reachable(signal)) return QueueError::kBadAddress;
      return QueueError::kNone;
  }
}

SimpleCommandProcessor::QueueError SimpleCommandProcessor::decode_dispatch(Command& c,
                                                                           sc_core::sc_time& delay) {
  for (int d = 0; d < 3; ++d) {
    const std::uint32_t workgroup = c.dispatch.workgroup_size[d], grid = c.dispatch.grid_size[d];
    // The CUDA model knows no partial CTAs.
    if (workgroup == 0 || grid == 0 || grid % workgroup != 0) return QueueError::kBadDimensions;
  }
  const std::uint64_t object = c.dispatch.kernel_object;
  if (object % 64 != 0 || !access(memory, tlm::TLM_READ_COMMAND, object, &c.kernel, sizeof c.kernel, delay) ||
      c.kernel.magic != KernelDescriptor::kMagic)
    return QueueError::kBadKernelObject;
  if (c.dispatch.group_segment_size < c.kernel.static_shared_bytes) return QueueError::kBadDimensions;
  if (c.kernel.param_bytes > 0) {
    std::vector<unsigned char> arguments(c.kernel.param_bytes);
    sc_core::sc_time unused;  // looked at, not fetched: the SM reads them
    if (!access(memory, tlm::TLM_READ_COMMAND, c.dispatch.kernarg_address, arguments.data(),
                c.kernel.param_bytes, unused))
      return QueueError::kBadAddress;
  }
  return QueueError::kNone;
}

}  // namespace warpvp
