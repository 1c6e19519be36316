#pragma once
// The CPU's TaskTable (Yeh's thesis, section 5.2.2): which entries hold a task that is not known to be over.
// Plain data, shared by the host threads that spawn.

#include <cstddef>
#include <optional>
#include <vector>

#include "sw/kernels/pagoda/task_table.h"
#include "sw/pagoda/task_runtime.h"

namespace warpvp::pagoda {

class TaskTable {
 public:
  /// `columns` thread blocks of the MasterKernel.
  explicit TaskTable(unsigned columns) : columns_(columns), entries_(std::size_t{columns} * ::pagoda::kRows) {
    ids_.resize(entries_.size(), 0);
    generations_.resize(entries_.size(), 0);
  }

  unsigned columns() const { return columns_; }
  unsigned size() const { return static_cast<unsigned>(entries_.size()); }
  unsigned taken() const { return taken_; }
  ::pagoda::TaskEntry& operator[](unsigned entry) { return entries_[entry]; }
  const ::pagoda::TaskEntry& operator[](unsigned entry) const { return entries_[entry]; }

  /// Takes a free entry for a new task, or nothing if there is none. The search goes on where the last one
  /// ended, a row over all columns after the other, so that neighbouring tasks go to different thread blocks.
  /// `looked` is how many entries it has looked at.
  std::optional<unsigned> take(unsigned& looked) {
    for (looked = 0; looked < size();) {
      const unsigned entry = cursor_ % columns_ * ::pagoda::kRows + cursor_ / columns_;
      cursor_ = (cursor_ + 1) % size();
      ++looked;
      if (ids_[entry] != 0) continue;
      // Ids of one entry differ for so many tasks that none of them can still be asked for.
      const std::uint32_t generations = (0xffffffffu - ::pagoda::kFirstReference) / size();
      ids_[entry] = ::pagoda::kFirstReference + entry + size() * generations_[entry];
      generations_[entry] = (generations_[entry] + 1) % generations;
      ++taken_;
      return entry;
    }
    return std::nullopt;
  }
  /// The entry's task is over.
  void release(unsigned entry) {
    ids_[entry] = 0;
    entries_[entry].ready = ::pagoda::kFree;
    --taken_;
  }

  /// The task that the entry holds; 0: none.
  TaskId id(unsigned entry) const { return ids_[entry]; }
  /// The entry that holds the task, or nothing if it is over.
  std::optional<unsigned> entry_of(TaskId id) const {
    if (id < ::pagoda::kFirstReference) return std::nullopt;
    const unsigned entry = (id - ::pagoda::kFirstReference) % size();
    return ids_[entry] == id ? std::optional<unsigned>(entry) : std::nullopt;
  }

 private:
  unsigned columns_;
  std::vector<::pagoda::TaskEntry> entries_;
  std::vector<TaskId> ids_;
  std::vector<std::uint32_t> generations_;
  unsigned cursor_ = 0, taken_ = 0;
};

}  // namespace warpvp::pagoda
