#include "modules/host/memory_manager.h"

#include <cstring>

#include "base/error.h"

namespace warpvp {

namespace mm = regmap::mm;
using mm::Status;

MemoryManager::MemoryManager(sc_core::sc_module_name name, DeviceMemory& memory, AddressSpaces* spaces)
    : sc_module(name),
      registers("registers"),
      memory_(memory),
      spaces_(spaces),
      block_("Memory manager", mm::kBytes,
             "What of device memory is whose. A record written to COMMAND is carried out at once; STATUS to "
             "END then say "
             "what came of it. Debug accesses do what others do: a driver sets memory up in no simulated "
             "time. Memory that "
             "was another owner's is cleared before it is given away.") {
  registers.register_b_transport(this, &MemoryManager::b_transport);
  registers.register_transport_dbg(this, &MemoryManager::transport_dbg);
  const auto value = [this](const char* name, std::uint64_t at, unsigned width, const char* doc,
                            std::function<std::uint64_t()> read) {
    block_.add({name, at, width, 1, 0, RegisterAccess::kReadOnly, 0, doc,
                [read = std::move(read)](unsigned) { return read(); }});
  };
  value("SIZE", mm::kSize, 8, "Bytes of device memory.", [this] { return memory_.size(); });
  value("IN_USE", mm::kInUse, 8, "Bytes that are allocated.", [this] { return memory_.allocated_bytes(); });
  value("PAGE_BYTES", mm::kPageBytes, 8, "Of a page; 0: contexts have no page tables.",
        [this] { return spaces_ ? spaces_->page_bytes() : 0; });
  block_.add({"COMMAND", mm::kCommand, sizeof(mm::Command),
              "Operation (u32): 1 allocate BYTES, as low as possible; 2 the same, as high as possible; 3 "
              "free the range "
              "that begins at ADDRESS; 4 find the range that ADDRESS lies in; 5 make the heap of the owner, "
              "of BYTES, unless "
              "it has one; 6 make the page tables of the owner, unless it has some; 7 give the owner BYTES "
              "from ADDRESS "
              "on, where it has fewer there or nothing. Owner (u32): a context, "
              "or all ones for "
              "the driver. Then ADDRESS, BYTES and the alignment (u64 each).",
              [this](const unsigned char* record) {
                mm::Command command;
                std::memcpy(&command, record, sizeof command);
                carry_out(command);
              }});
  value("STATUS", mm::kAnswer, 4,
        "Of the last command: 0 done, 1 no room, 2 nothing there, 3 no such operation.",
        [this] { return answer_.status; });
  value("OWNER", mm::kAnswer + 4, 4, "Of the range.", [this] { return answer_.owner; });
  value("BEGIN", mm::kAnswer + 8, 8,
        "Of the range that was made, freed or found; or the root of the page tables.",
        [this] { return answer_.begin; });
  value("END", mm::kAnswer + 16, 8, "The first address behind it.", [this] { return answer_.end; });
}

unsigned MemoryManager::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_write()) return block_.transport_dbg(payload);
  block_.transport(payload);
  return payload.is_response_ok() ? payload.get_data_length() : 0;
}

void MemoryManager::carry_out(const mm::Command& command) {
  answer_ = {};
  const auto status = [&] {
    switch (static_cast<mm::Operation>(command.operation)) {
      case mm::Operation::kAllocate:
        return allocate(command, false);
      case mm::Operation::kAllocateLast:
        return allocate(command, true);
      case mm::Operation::kRelease:
        return release(command.address);
      case mm::Operation::kFind:
        return find(command.address);
      case mm::Operation::kCreateHeap:
        return create_heap(command.bytes, command.owner);
      case mm::Operation::kCreateSpace:
        return create_space(command.owner);
      case mm::Operation::kGrow:
        return grow(command);
    }
    return Status::kUnknown;
  };
  try {
    answer_.status = static_cast<std::uint32_t>(status());
  } catch (const InputError&) {  // page tables have no room
    answer_ = {};
    answer_.status = static_cast<std::uint32_t>(Status::kNoRoom);
  }
}

Status MemoryManager::allocate(const mm::Command& command, bool last) {
  const auto power_of_two = [](std::uint64_t v) { return v != 0 && (v & (v - 1)) == 0; };
  if (command.bytes > memory_.size() || !power_of_two(command.alignment) ||
      command.alignment > memory_.size())
    return Status::kNoRoom;
  const auto begin = last ? memory_.allocate_last(command.bytes, command.alignment, command.owner)
                          : memory_.allocate(command.bytes, command.alignment, command.owner);
  if (!begin) return Status::kNoRoom;
  answer(*memory_.range_of(*begin));
  freed_.taken(memory_, answer_.begin, answer_.end, answer_.owner);
  return Status::kDone;
}

Status MemoryManager::grow(const mm::Command& command) {
  const auto range = memory_.range_of(command.address);
  const std::uint64_t begin =
      range && range->begin == command.address ? range->end : command.address;  // of what is new
  if (!memory_.grow(command.address, command.bytes, command.owner)) return Status::kNoRoom;
  answer(*memory_.range_of(command.address));
  freed_.taken(memory_, begin, answer_.end, answer_.owner);
  return Status::kDone;
}

Status MemoryManager::release(std::uint64_t address) {
  const auto range = memory_.range_of(address);
  if (!range || range->begin != address || !memory_.release(address)) return Status::kNothing;
  answer(*range);
  freed_.freed(range->begin, range->end, range->context);
  return Status::kDone;
}

Status MemoryManager::find(std::uint64_t address) {
  const auto range = memory_.range_of(address);
  if (!range) return Status::kNothing;
  answer(*range);
  return Status::kDone;
}

Status MemoryManager::create_heap(std::uint64_t bytes, unsigned owner) {
  if (bytes > memory_.size()) return Status::kNoRoom;
  if (!memory_.has_heap(owner)) {
    if (!memory_.create_heap(bytes, owner)) return Status::kNoRoom;
    const DeviceMemory::Range heap = *memory_.heap_of(owner);
    freed_.taken(memory_, heap.begin, heap.end, owner);
  }
  answer(*memory_.heap_of(owner));
  return Status::kDone;
}

Status MemoryManager::create_space(unsigned owner) {
  if (!spaces_) return Status::kNothing;
  answer_.owner = owner;
  answer_.begin = spaces_->create(owner);
  return Status::kDone;
}

void MemoryManager::answer(const DeviceMemory::Range& range) {
  answer_.owner = range.context;
  answer_.begin = range.begin;
  answer_.end = range.end;
}

}  // namespace warpvp
