#include "driver.h"

#include "interconnect/kernel_descriptor.h"
#include "interconnect/memory_owner.h"
#include "interconnect/register_map.h"
#include "ptx/image/ptx_loader.h"

namespace aql = warpvp::aql;
namespace regmap = warpvp::regmap;
namespace cp = warpvp::regmap::cp;
namespace ep = warpvp::regmap::ep;

namespace {
constexpr std::uint32_t kRingPackets = 64;
/// The function's interrupts: vector 0 is for errors, and this driver takes the next one for its queue.
constexpr std::uint32_t kErrorVector = 0, kQueueVector = 1;
/// Where the device reports that signals have changed: the last bytes of the platform's memory.
constexpr std::uint64_t kMirror = address::kMemory + address::kMemoryBytes - 64;
}  // namespace

Driver::Driver(Cpu& cpu) : cpu_(cpu) {
  if (cpu_.load<std::uint32_t>(address::kBar0 + ep::kIdentity) != ep::kIdentityValue)
    throw std::runtime_error("no GPU is there");
  ring_ = allocate(64 * kRingPackets);
  signal_ = allocate(sizeof(aql::Signal));
  const std::uint64_t queue = address::kBar0 + cp::queue(0);
  cpu_.store(queue + cp::kRingBase, ring_);
  cpu_.store(queue + cp::kRingPackets, kRingPackets);
  cpu_.store(queue + cp::kControl, std::uint32_t{1});
  const std::uint32_t first =
      cp::kInterruptOn | cpu_.load<std::uint32_t>(address::kBar0 + ep::kFirstInterrupt);
  cpu_.store(address::kBar0 + cp::kBase + cp::kInterrupts, first + kQueueVector);
  cpu_.store(address::kBar0 + cp::kBase + cp::kErrorInterrupt, first + kErrorVector);
}

void Driver::write(std::uint64_t device_address, const void* data, std::size_t bytes) {
  cpu_.store(address::kBar2 + (device_address - regmap::kMemoryBase), data, bytes);
}

std::uint64_t Driver::in_host_memory(std::uint64_t at) { return regmap::kHostBusBase + at; }

std::uint64_t Driver::allocate(std::uint32_t operation, std::uint32_t owner, std::uint64_t bytes) {
  const std::uint64_t manager = address::kBar0 + regmap::mm::kBase;
  regmap::mm::Command command;
  command.operation = operation;
  command.owner = owner;
  command.bytes = bytes;
  command.alignment = 256;
  cpu_.store(manager + regmap::mm::kCommand, command);
  const auto answer = cpu_.load<regmap::mm::Answer>(manager + regmap::mm::kAnswer);
  if (answer.status != 0) throw std::runtime_error("device memory is exhausted");
  return answer.begin;
}

std::uint64_t Driver::allocate(std::uint64_t bytes) {
  return allocate(static_cast<std::uint32_t>(regmap::mm::Operation::kAllocate), 0, bytes);
}

std::uint64_t Driver::allocate_for_driver(std::uint64_t bytes) {
  return allocate(static_cast<std::uint32_t>(regmap::mm::Operation::kAllocateLast),
                  warpvp::memory_owner::kDriver, bytes);
}

std::uint64_t Driver::load(const std::string& ptx, const std::string& kernel) {
  const auto module = warpvp::ptx::make_ptx_loader({})->load(ptx);
  const warpvp::ptx::KernelFacts facts = module->kernel(kernel);
  module->place([this](const warpvp::ptx::ModuleVariable& v) { return allocate(v.bytes); },
                [this](std::uint64_t at, const std::vector<std::uint8_t>& bytes) {
                  write(at, bytes.data(), bytes.size());
                });
  warpvp::KernelDescriptor descriptor;
  descriptor.registers_per_thread = facts.registers_per_thread;
  descriptor.code_address = allocate(facts.code_bytes);
  descriptor.code_bytes = static_cast<std::uint32_t>(facts.code_bytes);
  descriptor.param_bytes = facts.parameter_bytes;
  descriptor.static_shared_bytes = facts.static_shared_bytes;
  descriptor.barriers = facts.barriers;
  descriptor.max_threads = facts.max_threads;
  descriptor.local_bytes_per_thread = facts.local_bytes_per_thread;
  const std::vector<std::uint8_t> image = module->image(facts.name, descriptor.code_address);
  descriptor.image_address = allocate_for_driver(image.size());
  descriptor.image_bytes = static_cast<std::uint32_t>(image.size());
  write(descriptor.image_address, image.data(), image.size());
  const std::uint64_t object = allocate(sizeof descriptor);
  write(object, &descriptor, sizeof descriptor);
  return object;
}

/// A packet, then how many there are: the device reads the packet when its doorbell rings.
void Driver::put(void* packet) {
  write(ring_ + 64 * (written_ % kRingPackets), packet, 64);
  ++written_;
  cpu_.store(address::kBar0 + cp::doorbell(0), written_);
}

void Driver::load_text(std::uint64_t record, std::uint64_t text, std::uint64_t bytes) {
  aql::Copy packet;
  packet.header = aql::header(aql::PacketType::kVendor, true);
  packet.kind = static_cast<std::uint16_t>(aql::CopyKind::kLoad);
  packet.source = text;
  packet.destination = record;
  packet.bytes = bytes;
  put(&packet);
}

void Driver::copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) {
  aql::Copy packet;
  packet.header = aql::header(aql::PacketType::kVendor, true);
  packet.kind = static_cast<std::uint16_t>(aql::CopyKind::kCopy);
  packet.source = source;
  packet.destination = destination;
  packet.bytes = bytes;
  packet.flags = aql::Copy::kAnyContext;
  put(&packet);
}

void Driver::launch(std::uint64_t kernel, std::uint32_t ctas, std::uint16_t threads,
                    const std::vector<unsigned char>& arguments) {
  const std::uint64_t block = allocate(arguments.size());
  write(block, arguments.data(), arguments.size());
  aql::KernelDispatch packet;
  packet.header = aql::header(aql::PacketType::kKernelDispatch, true);
  packet.workgroup_size[0] = threads;
  packet.grid_size[0] = ctas * threads;
  packet.kernel_object = kernel;
  packet.kernarg_address = block;
  put(&packet);
}

void Driver::finish() {
  aql::Signal signal;
  signal.value = 1;
  signal.mailbox = in_host_memory(kMirror);
  write(signal_, &signal, sizeof signal);
  cpu_.store(kMirror, signal.value);
  aql::Barrier packet;
  packet.header = aql::header(aql::PacketType::kBarrierAnd, true);
  packet.completion_signal = signal_;
  put(&packet);
  while (cpu_.load<std::int64_t>(kMirror) > 0)
    if (cpu_.wait_for_interrupts() & 1u << kErrorVector) throw_error();
}

void Driver::throw_error() {
  if (cpu_.load<std::uint32_t>(address::kBar0 + ep::kError) != 0) {
    char text[ep::kErrorTextBytes];
    cpu_.load(address::kBar0 + ep::kErrorText, text, sizeof text);
    throw std::runtime_error(text);
  }
  const auto why = cpu_.load<cp::QueueError>(address::kBar0 + cp::queue(0) + cp::kError);
  throw std::runtime_error(std::string("queue 0 has stopped: ") + cp::queue_error_text(why));
}
