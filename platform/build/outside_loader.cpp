// PTX text of programs outside: loaded by the model, as the driver inside would.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <string>

#include "base/error.h"
#include "interconnect/kernel_descriptor.h"
#include "interconnect/memory_owner.h"
#include "platform/build/outside_packets.h"
#include "ptx/image/kernel_image.h"

namespace warpvp {

namespace {
constexpr std::uint64_t kMostText = 4u << 20;
}

bool OutsidePackets::reaches(unsigned queue, std::uint64_t address, std::uint64_t bytes) const {
  if (!memory_.contains(address, bytes)) return false;
  const auto owner = host_.owner_of_queue(queue);
  if (!owner) return true;
  const auto range = memory_.range_of(address);
  return range && range->context == owner->context && bytes <= range->end - address;
}

std::uint64_t OutsidePackets::allocate(unsigned queue, std::uint64_t bytes, std::uint64_t alignment,
                                       unsigned owner) {
  bytes = std::max<std::uint64_t>(bytes, 1);
  // Images lie as high as there is room, and are the driver's, as those of the runtime.
  const auto at = owner == memory_owner::kDriver ? memory_.allocate_last(bytes, alignment, owner)
                                                 : memory_.allocate(bytes, alignment, owner);
  if (!at) throw InputError(fmt::format("device memory has no room for {} bytes", bytes));
  host_.allocated_for(queue, *at);
  std::memset(memory_.at(*at), 0, bytes);
  return *at;
}

void OutsidePackets::load_kernel(unsigned queue, const LoadCommand& command, aql::LoadRecord& record) {
  if (command.bytes > kMostText || !reaches(queue, command.text, command.bytes))
    throw InputError(
        fmt::format("the text is not {} bytes of the client's device memory; allowed: at most {}",
                    command.bytes, kMostText));
  const std::string text(reinterpret_cast<const char*>(memory_.at(command.text)), command.bytes);
  const std::string entry(record.entry, strnlen(record.entry, sizeof record.entry));
  const std::unique_ptr<ptx::LoadableModule> module = loader_.parse("module", text);
  const ptx::KernelFacts facts = module->kernel(entry);
  if (facts.uses_heap && !memory_.has_heap(command.context))
    throw InputError(fmt::format(
        "kernel '{}' uses malloc, and the context has no heap; make one by the memory manager", facts.name));
  std::map<std::string, std::uint64_t> places;
  for (const ptx::ModuleVariable& variable : module->variables())
    places[variable.name] = allocate(queue, variable.bytes, variable.alignment, command.context);
  module->place([&](const ptx::ModuleVariable& v) { return places.at(v.name); },
                [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
                  std::memcpy(memory_.at(address), bytes.data(), bytes.size());
                });
  KernelDescriptor descriptor;
  descriptor.code_address = allocate(queue, facts.code_bytes, 256, command.context);
  const std::vector<std::uint8_t> image = module->image(facts.name, descriptor.code_address);
  descriptor.image_address = allocate(queue, image.size(), ptx::image::kAlignment, memory_owner::kDriver);
  descriptor.image_bytes = static_cast<std::uint32_t>(image.size());
  std::memcpy(memory_.at(descriptor.image_address), image.data(), image.size());
  descriptor.registers_per_thread = facts.registers_per_thread;
  descriptor.code_bytes = static_cast<std::uint32_t>(facts.code_bytes);
  descriptor.param_bytes = facts.parameter_bytes;
  descriptor.static_shared_bytes = facts.static_shared_bytes;
  descriptor.barriers = facts.barriers;
  descriptor.max_threads = facts.max_threads;
  descriptor.local_bytes_per_thread = facts.local_bytes_per_thread;
  record.kernel_object = allocate(queue, sizeof descriptor, 256, command.context);
  std::memcpy(memory_.at(record.kernel_object), &descriptor, sizeof descriptor);
  record.argument_bytes = facts.parameter_bytes;
  record.parameters = static_cast<std::uint32_t>(facts.parameters.size());
  record.registers = facts.registers_per_thread;
  record.static_shared_bytes = facts.static_shared_bytes;
}

void OutsidePackets::load(unsigned queue, const LoadCommand& command) {
  aql::LoadRecord record;
  if (!reaches(queue, command.record, sizeof record)) return;  // there is nowhere to say so but the signal
  std::memcpy(&record, memory_.at(command.record), sizeof record);
  std::string why;
  try {
    load_kernel(queue, command, record);
  } catch (const InputError& error) {
    why = error.what();
  } catch (const std::bad_alloc&) {
    why = "the simulator's machine has no memory for the module";
  }
  record.status = why.empty() ? aql::LoadRecord::kLoaded : aql::LoadRecord::kRefused;
  std::memset(record.message, 0, sizeof record.message);
  std::copy_n(why.begin(), std::min(why.size(), sizeof record.message - 1), record.message);
  std::memcpy(memory_.at(command.record), &record, sizeof record);
}

}  // namespace warpvp
