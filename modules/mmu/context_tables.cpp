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
    if (range.context != DeviceMemory::kEverybody) before.push_back(range);
  for (const DeviceMemory::Range& range : before) allocated(range);
}

ContextTables::~ContextTables() { memory_.watch(nullptr); }

std::uint64_t ContextTables::create(unsigned context) {
  const auto found = roots_.find(context);
  if (found != roots_.end()) return found->second;
  const std::uint64_t root = roots_[context] = tables_.create();
  std::vector<DeviceMemory::Range> shared;  // mapping allocates tables, which changes what is iterated over
  for (const auto& [begin, range] : memory_.ranges())
    if (range.context == DeviceMemory::kEverybody) shared.push_back(range);
  for (const DeviceMemory::Range& range : shared) map(root, range);
  return root;
}

std::uint64_t ContextTables::root(unsigned context) const {
  const auto found = roots_.find(context);
  return found == roots_.end() ? 0 : found->second;
}

void ContextTables::map(std::uint64_t root, const DeviceMemory::Range& range) {
  const std::uint64_t page = page_bytes(), begin = range.begin / page * page;
  tables_.map(root, begin, begin, (range.end - begin + page - 1) / page * page);
}

void ContextTables::allocated(const DeviceMemory::Range& range) {
  if (range.context == DeviceMemory::kDriver) return;
  if (range.context == DeviceMemory::kEverybody) {
    for (const auto& [context, root] : roots_) map(root, range);
    return;
  }
  map(create(range.context), range);
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
  const auto forget = [&](unsigned context, std::uint64_t root) {
    tables_.unmap(root, begin, end - begin);
    unmapped_(context, begin, end - begin);
  };
  if (range.context == DeviceMemory::kEverybody) {
    for (const auto& [context, root] : roots_) forget(context, root);
  } else {
    forget(range.context, root(range.context));
  }
}

}  // namespace warpvp
