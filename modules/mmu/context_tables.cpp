#include "modules/mmu/context_tables.h"

#include <utility>
#include <vector>

namespace warpvp {

ContextTables::ContextTables(DeviceMemory& memory, std::uint64_t page_bytes,
                             std::function<void(unsigned, std::uint64_t, std::uint64_t)> unmapped)
    : memory_(memory), tables_(memory, page_bytes), unmapped_(std::move(unmapped)) {
  memory_.keep_apart(page_bytes);
  memory_.watch(this);
  create(0);
  std::vector<DeviceMemory::Range> before;
  for (const auto& [begin, range] : memory_.ranges())
    before.push_back(range);  // mapping allocates tables, which changes what is iterated over
  for (const DeviceMemory::Range& range : before) allocated(range);
}

ContextTables::~ContextTables() { memory_.watch(nullptr); }

std::uint64_t ContextTables::create(unsigned context) {
  const auto found = roots_.find(context);
  if (found != roots_.end()) return found->second;
  return roots_[context] = tables_.create();
}

std::uint64_t ContextTables::root(unsigned context) const {
  const auto found = roots_.find(context);
  return found == roots_.end() ? 0 : found->second;
}

void ContextTables::allocated(const DeviceMemory::Range& range) {
  if (range.context == DeviceMemory::kDriver) return;
  const std::uint64_t page = page_bytes(), begin = range.begin / page * page;
  tables_.map(create(tree_of(range)), begin, begin, (range.end - begin + page - 1) / page * page);
}

// Neighbours on the first and the last page keep these mapped.
void ContextTables::released(const DeviceMemory::Range& range) {
  if (range.context == DeviceMemory::kDriver) return;
  const std::uint64_t page = page_bytes();
  std::uint64_t begin = range.begin / page * page, end = (range.end + page - 1) / page * page;
  if (memory_.occupied(begin, range.begin) || memory_.occupied(range.end, begin + page)) begin += page;
  if (end > begin && (memory_.occupied(range.end, end) || memory_.occupied(end - page, range.begin)))
    end -= page;
  if (begin >= end) return;
  const unsigned context = tree_of(range);
  tables_.unmap(root(context), begin, end - begin);
  unmapped_(context, begin, end - begin);
}

}  // namespace warpvp
