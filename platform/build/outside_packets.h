#pragma once
// Packets that come from outside, whose senders nobody here knows: what they are called in results, and,
// where several clients share the device, what they may name.

#include "interconnect/aql.h"
#include "interconnect/device_memory.h"
#include "modules/command_processor/command_processor.h"
#include "modules/host/host_cpu.h"
#include "ptx/image/loadable_module.h"
#include "sw/runtime/launch_directory.h"

namespace warpvp {

class OutsidePackets : public PacketGate {
 public:
  /// All of them outlive it.
  OutsidePackets(HostCpu& host, DeviceMemory& memory, rt::LaunchDirectory& launches,
                 const ptx::ModuleLoader& loader)
      : host_(host), memory_(memory), launches_(launches), loader_(loader) {}

  /// A packet of a queue that is somebody's is of his context, whatever it says, and names signals in his
  /// device memory and copies in his part of the host's alone. A kernel gets the number of its launch, under
  /// the name that its image has, where the host does not know its launches.
  regmap::cp::QueueError admit(unsigned queue, ParsedPacket& packet) override;
  bool numbers_launches() const override { return !host_.knows_launches(); }
  bool may_post(unsigned queue, std::uint64_t bus_address) override;
  /// Loads PTX text for those who have nothing else (aql::LoadRecord).
  void load(unsigned queue, const LoadCommand& command) override;

 private:
  /// All of [address, address + bytes) is device memory that packets of the queue may name.
  bool reaches(unsigned queue, std::uint64_t address, std::uint64_t bytes) const;
  std::uint64_t allocate(unsigned queue, std::uint64_t bytes, std::uint64_t alignment, unsigned owner);
  void load_kernel(unsigned queue, const LoadCommand& command, aql::LoadRecord& record);
  bool owns_signal(const QueueOwner& owner, std::uint64_t address) const;

  HostCpu& host_;
  DeviceMemory& memory_;
  rt::LaunchDirectory& launches_;
  const ptx::ModuleLoader& loader_;
};

}  // namespace warpvp
