#include "modules/host/copy_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/aql.h"

namespace warpvp {

namespace {

/// The first address of [begin, end) that lies in an unmapped page, or in memory of another owner; `end`:
/// none.
std::uint64_t first_foreign(std::uint64_t begin, std::uint64_t end, unsigned context,
                            const DeviceMemory& memory, const AddressSpaces* spaces) {
  if (spaces) {
    const std::uint64_t root = spaces->root(context), page = spaces->page_bytes();
    while (begin < end && spaces->translate(root, begin)) begin = std::min(end, (begin / page + 1) * page);
    return begin;
  }
  auto next = memory.ranges().upper_bound(begin);
  if (next != memory.ranges().begin() && std::prev(next)->second.end > begin) --next;
  for (; next != memory.ranges().end() && next->first < end; ++next)
    if (next->second.context != context) return std::max(begin, next->first);
  return end;
}

}  // namespace

std::optional<DeviceFault> foreign_access(const regmap::dma::Descriptor& copy, const DeviceMemory& memory,
                                          const AddressSpaces* spaces) {
  if (copy.context == regmap::dma::kAnyContext || copy.bytes == 0) return {};
  const bool fill = copy.kind == static_cast<std::uint16_t>(aql::CopyKind::kFill);
  const struct {
    std::uint64_t begin;
    const char* what;
    bool there;
  } sides[] = {{copy.source, "read", !fill}, {copy.destination, "write", true}};
  for (const auto& side : sides) {
    if (!side.there || !memory.contains(side.begin, copy.bytes)) continue;
    const std::uint64_t end = side.begin + copy.bytes;
    const std::uint64_t at = first_foreign(side.begin, end, copy.context, memory, spaces);
    if (at == end) continue;
    DeviceFault fault;
    fault.context = copy.context;
    const auto range = memory.range_of(at);
    fault.what = fmt::format(
        "{} of {} bytes by a copy of context {} in {}", side.what, copy.bytes, copy.context,
        range ? "memory of " + DeviceMemory::owner_name(range->context) : "a page that is not mapped");
    fault.address = at;
    return fault;
  }
  return {};
}

}  // namespace warpvp
