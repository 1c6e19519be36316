// The packet parser on arbitrary memory: it reads nothing that is not there, and what it lets through keeps what
// aql_parser.h promises. Input: one byte log2 of the ring's size, one byte packet index, then device memory from
// DeviceMemory::kBase on, whose begin is the ring.
#include <cstdint>
#include <cstdlib>

#include "modules/command_processor/queues/aql_parser.h"

namespace {

using namespace warpvp;

constexpr std::uint64_t kBase = 0x1'0000'0000;

void require(bool condition) {
  if (!condition) std::abort();
}

struct Memory : PacketMemory {
  const std::uint8_t* bytes;
  std::uint64_t size;
  unsigned fetches = 0;

  Memory(const std::uint8_t* b, std::uint64_t n) : bytes(b), size(n) {}
  bool there(std::uint64_t address, std::uint64_t count) const {
    return address >= kBase && address - kBase <= size && count <= size - (address - kBase);
  }
  bool fetch(std::uint64_t address, void* data, unsigned count) override {
    require(++fetches <= 3);  // packet, extension, kernel descriptor
    if (!there(address, count)) return false;
    std::memcpy(data, bytes + (address - kBase), count);
    return true;
  }
  bool reachable(std::uint64_t address, std::uint64_t count) override {
    require(count > 0 && count <= kMaxArgumentBytes);
    return there(address, count);
  }
  bool signal(std::uint64_t address) const { return address % 64 == 0 && there(address, 64); }
};

void check(const Memory& memory, const PacketPlace& place, const ParsedPacket& packet) {
  require(packet.is_kernel() + packet.is_copy() + packet.is_barrier() == 1);
  require(packet.index == place.index);
  require(packet.signal == 0 || memory.signal(packet.signal));
  if (packet.is_kernel()) {
    const auto image = packet.payload_as<regmap::wd::KernelSlotImage>();
    for (int d = 0; d < 3; ++d) require(image.grid[d] > 0 && image.block[d] > 0);
    require(image.budget > 0);
    require(image.kernel_object % 64 == 0 && memory.there(image.kernel_object, 64));
    require(image.priority == packet.extension.priority && image.context == packet.extension.context);
  } else if (packet.is_copy()) {
    const auto descriptor = packet.payload_as<regmap::dma::Descriptor>();
    require(descriptor.kind == 1 || descriptor.kind == 2);
    require(descriptor.tag == static_cast<std::uint32_t>(place.index));
  } else {
    for (std::uint64_t signal : packet.payload_as<ParsedPacket::DependentSignals>())
      require(signal == 0 || memory.signal(signal));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  PacketPlace place;
  place.ring_base = kBase;
  place.ring_packets = std::uint64_t{1} << data[0] % 33;
  place.index = data[1];
  place.priority = -1;
  place.context = 2;
  Memory memory(data + 2, size - 2);
  ParsedPacket packet;
  if (parse_packet(memory, place, packet) == regmap::cp::QueueError::kNone) check(memory, place, packet);
  return 0;
}
