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

void TaskBatch::add(const TaskSpec& task, unsigned function) {
  TaskRecord record{};
  record.function = function;
  record.threads = task.threads;
  record.blocks = task.blocks;
  if (!task.arguments.empty())
    std::memcpy(record.arguments, task.arguments.data(), task.arguments.size());
  for (record.block = 0; record.block < task.blocks; ++record.block) records_.push_back(record);
  for (const TaskCopy& copy : task.inputs) add_copy(inputs_, copy);
  for (const TaskCopy& copy : task.outputs) add_copy(outputs_, copy);
  ++tasks_;
}

void TaskBatch::add_copy(std::vector<TaskCopy>& copies, const TaskCopy& next) const {
  if (join_ && !copies.empty()) {
    TaskCopy& last = copies.back();
    if (last.device + last.bytes == next.device && static_cast<char*>(last.host) + last.bytes == next.host) {
      last.bytes += next.bytes;
      return;
    }
  }
  copies.push_back(next);
}

void TaskBatch::copy_inputs(rt::Runtime& device, rt::Stream s) const {
  for (const TaskCopy& copy : inputs_) device.copy_to_device_async(copy.device, copy.host, copy.bytes, s);
}
void TaskBatch::copy_outputs(rt::Runtime& device, rt::Stream s) const {
  for (const TaskCopy& copy : outputs_) device.copy_to_host_async(copy.host, copy.device, copy.bytes, s);
}

void TaskBatch::clear() {
  tasks_ = 0;
  records_.clear();
  inputs_.clear();
  outputs_.clear();
}

}  // namespace warpvp::pagoda
