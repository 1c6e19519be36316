#pragma once
// The driver's side of the device's memory manager (regmap::mm): each call is an access to its registers or
// two, which take no simulated time.

#include <cstdint>
#include <optional>

#include "interconnect/host_interface.h"
#include "interconnect/register_map.h"

namespace warpvp::rt {

class DeviceMemoryClient {
 public:
  /// `host` outlives it.
  explicit DeviceMemoryClient(HostInterface& host) : host_(host) {}

  struct Range {
    std::uint64_t begin = 0, end = 0;
    unsigned owner = 0;  ///< a context, or one of memory_owner
  };

  std::uint64_t size() const { return value(regmap::mm::kSize); }
  std::uint64_t bytes_in_use() const { return value(regmap::mm::kInUse); }
  /// 0: contexts have no page tables.
  std::uint64_t page_bytes() const { return value(regmap::mm::kPageBytes); }
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t size = this->size();
    return address >= regmap::kMemoryBase && bytes <= size && address - regmap::kMemoryBase <= size - bytes;
  }

  /// As low as possible, aligned to 256 bytes at least; nullopt: no room.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment, unsigned owner) const {
    return begin_of(command(Operation::kAllocate, owner, 0, bytes, alignment));
  }
  /// As high as possible.
  std::optional<std::uint64_t> allocate_last(std::uint64_t bytes, std::uint64_t alignment,
                                             unsigned owner) const {
    return begin_of(command(Operation::kAllocateLast, owner, 0, bytes, alignment));
  }
  /// A range from `address` on, or a longer one; false: something else is in the way.
  bool grow(std::uint64_t address, std::uint64_t bytes, unsigned owner) const {
    return command(Operation::kGrow, owner, address, bytes).has_value();
  }
  /// False: no range begins there.
  bool release(std::uint64_t address) const { return command(Operation::kRelease, 0, address).has_value(); }
  /// The range that the address lies in.
  std::optional<Range> range_of(std::uint64_t address) const { return command(Operation::kFind, 0, address); }
  /// Unless the context has one. False: no room.
  bool create_heap(std::uint64_t bytes, unsigned context) const {
    return command(Operation::kCreateHeap, context, 0, bytes).has_value();
  }
  /// The root of the context's page tables; nullopt: no room.
  std::optional<std::uint64_t> create_space(unsigned context) const {
    return begin_of(command(Operation::kCreateSpace, context));
  }

 private:
  using Operation = regmap::mm::Operation;

  std::uint64_t value(std::uint64_t at) const {
    std::uint64_t v = 0;
    host_.read_untimed(regmap::mm::kBase + at, &v, sizeof v);
    return v;
  }
  std::optional<Range> command(Operation operation, unsigned owner, std::uint64_t address = 0,
                               std::uint64_t bytes = 0, std::uint64_t alignment = 1) const {
    const regmap::mm::Command c{static_cast<std::uint32_t>(operation), owner, address, bytes, alignment};
    host_.write_untimed(regmap::mm::kBase + regmap::mm::kCommand, &c, sizeof c);
    regmap::mm::Answer a;
    host_.read_untimed(regmap::mm::kBase + regmap::mm::kAnswer, &a, sizeof a);
    if (a.status != static_cast<std::uint32_t>(regmap::mm::Status::kDone)) return std::nullopt;
    return Range{a.begin, a.end, a.owner};
  }
  static std::optional<std::uint64_t> begin_of(const std::optional<Range>& range) {
    return range ? std::optional(range->begin) : std::nullopt;
  }

  HostInterface& host_;
};

}  // namespace warpvp::rt
