#include "sw/pagoda/task_batch.h"

#include <cstring>

namespace warpvp::pagoda {

unsigned FunctionNumbers::of(const std::string& function) {
  const auto found = known_.find(function);
  if (found != known_.end()) return found->second;
  unsigned number = 0;
  device_->copy_to_host(&number, device_->symbol(module_, function + "_number"), sizeof number);
  return known_[function] = number;
}

bool goes_on(const rt::Runtime& device, const TaskCopy& last, const TaskCopy& next) {
  if (last.device + last.bytes != next.device || static_cast<char*>(last.host) + last.bytes != next.host)
    return false;
  const auto there = device.allocation_at(last.device);
  return there && next.device - there->begin < there->bytes;
}

void TaskBatch::add(const TaskSpec& task, unsigned function) {
  TaskRecord record{};
  record.function = function;
  record.threads = task.threads;
  record.blocks = task.blocks;
  if (!task.arguments.empty()) std::memcpy(record.arguments, task.arguments.data(), task.arguments.size());
  for (record.block = 0; record.block < task.blocks; ++record.block) records_.push_back(record);
  inputs_.insert(inputs_.end(), task.inputs.begin(), task.inputs.end());
  outputs_.insert(outputs_.end(), task.outputs.begin(), task.outputs.end());
  ++tasks_;
}

template <class Copy>
void TaskBatch::each_copy(const rt::Runtime& device, const std::vector<TaskCopy>& copies, Copy copy) const {
  for (std::size_t i = 0; i < copies.size();) {
    TaskCopy joined = copies[i++];
    for (; join_ && i < copies.size() && goes_on(device, joined, copies[i]); ++i)
      joined.bytes += copies[i].bytes;
    copy(joined);
  }
}

void TaskBatch::copy_inputs(rt::Runtime& device, rt::Stream s) const {
  each_copy(device, inputs_,
            [&](const TaskCopy& c) { device.copy_to_device_async(c.device, c.host, c.bytes, s); });
}
void TaskBatch::copy_outputs(rt::Runtime& device, rt::Stream s) const {
  each_copy(device, outputs_,
            [&](const TaskCopy& c) { device.copy_to_host_async(c.host, c.device, c.bytes, s); });
}

void TaskBatch::clear() {
  tasks_ = 0;
  records_.clear();
  inputs_.clear();
  outputs_.clear();
}

}  // namespace warpvp::pagoda
