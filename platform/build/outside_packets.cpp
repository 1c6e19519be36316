#include "platform/build/outside_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "interconnect/kernel_descriptor.h"
#include "interconnect/sim_time.h"
#include "modules/command_processor/queues/aql_parser.h"
#include "ptx/image/kernel_image.h"

namespace warpvp {

namespace {

constexpr std::uint32_t kMostLetters = 255;

template <class T>
bool fetch(DeviceMemory& memory, std::uint64_t address, T& value) {
  if (!memory.contains(address, sizeof value)) return false;
  std::memcpy(static_cast<void*>(&value), memory.at(address), sizeof value);
  return true;
}

/// The name in the image of the kernel; empty: there is no image, or it is none yet.
std::string name_in_image(DeviceMemory& memory, std::uint64_t kernel_object) {
  namespace image = ptx::image;
  struct Entry {
    std::uint32_t kind, offset;
    std::uint64_t bytes;
  } resources, strings;
  static_assert(sizeof(Entry) == image::kEntryBytes);
  struct Text {
    std::uint32_t offset, length;
  } name;
  KernelDescriptor kernel;
  std::uint32_t magic = 0;
  if (!fetch(memory, kernel_object, kernel) || kernel.magic != KernelDescriptor::kMagic) return {};
  const std::uint64_t at = kernel.image_address;
  if (!memory.contains(at, kernel.image_bytes) || !fetch(memory, at, magic) || magic != image::kMagic)
    return {};
  const std::uint64_t table = at + image::kHeaderBytes;
  if (!fetch(memory, table, resources) ||
      !fetch(memory, table + (image::kSections - 1) * image::kEntryBytes, strings) ||
      !fetch(memory, at + resources.offset, name) || name.length > kMostLetters)
    return {};
  const std::uint64_t text = at + strings.offset + name.offset;
  if (!memory.contains(text, name.length)) return {};
  std::string letters(reinterpret_cast<const char*>(memory.at(text)), name.length);
  const bool printable =
      std::all_of(letters.begin(), letters.end(), [](unsigned char c) { return c >= ' ' && c < 0x7f; });
  return printable ? letters : std::string();
}

/// What is known of a kernel's launch from its packet and, as far as it lies in memory by now, from its
/// kernel's image.
rt::LaunchInfo launch_of_packet(DeviceMemory& memory, unsigned queue, const ParsedPacket& kernel) {
  const auto image = kernel.payload_as<regmap::wd::KernelSlotImage>();
  rt::LaunchInfo info;
  info.entry = name_in_image(memory, image.kernel_object);
  if (info.entry.empty()) info.entry = fmt::format("kernel at {:#x}", image.kernel_object);
  info.name = info.entry;
  info.stream = fmt::format("queue{}", queue);
  info.stream_id = image.stream;
  info.queue = queue;
  info.context = image.context;
  info.priority = image.priority;
  info.budget = image.budget;
  info.registers_per_thread = image.registers_per_thread;
  info.static_shared_bytes = image.static_shared_bytes;
  info.dynamic_shared_bytes = image.dynamic_shared_bytes;
  std::copy(std::begin(image.grid), std::end(image.grid), info.grid);
  std::copy(std::begin(image.block), std::end(image.block), info.block);
  info.enqueued = to_sim_time(sc_core::sc_time_stamp());
  return info;
}

}  // namespace

bool OutsidePackets::owns_signal(const QueueOwner& owner, std::uint64_t address) const {
  const auto range = memory_.range_of(address);
  return range && range->context == owner.context && range->end - address >= sizeof(aql::Signal);
}

regmap::cp::QueueError OutsidePackets::admit(unsigned queue, ParsedPacket& packet) {
  using Error = regmap::cp::QueueError;
  if (const auto owner = host_.owner_of_queue(queue)) {
    packet.extension.context = static_cast<std::uint16_t>(owner->context);
    if (packet.signal != 0 && !owns_signal(*owner, packet.signal)) return Error::kBadAddress;
    if (packet.is_barrier()) {
      for (const std::uint64_t signal : packet.payload_as<ParsedPacket::DependentSignals>())
        if (signal != 0 && !owns_signal(*owner, signal)) return Error::kBadAddress;
    } else if (packet.is_copy()) {
      auto copy = packet.payload_as<regmap::dma::Descriptor>();
      copy.context = owner->context;
      for (const std::uint64_t side : {copy.source, copy.destination})
        if (regmap::is_host_bus(side) && !owner->reaches(side, copy.bytes)) return Error::kBadAddress;
      packet.set_payload(copy);
    } else {
      auto image = packet.payload_as<regmap::wd::KernelSlotImage>();
      image.context = owner->context;
      packet.set_payload(image);
    }
  }
  if (!packet.is_kernel() || !numbers_launches()) return Error::kNone;
  auto image = packet.payload_as<regmap::wd::KernelSlotImage>();
  image.launch_id = packet.extension.launch_id = launches_.add(launch_of_packet(memory_, queue, packet));
  packet.set_payload(image);
  return Error::kNone;
}

bool OutsidePackets::may_post(unsigned queue, std::uint64_t bus_address) {
  const auto owner = host_.owner_of_queue(queue);
  return !owner || owner->reaches(bus_address, aql::kSignalMailboxBytes);
}

}  // namespace warpvp
