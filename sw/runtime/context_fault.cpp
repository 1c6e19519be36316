// What happens on the host when a context faults and others go on.
#include "sw/runtime/context_fault.h"

#include <algorithm>

#include "sw/runtime/runtime_impl.h"

namespace warpvp::rt {

namespace cp = regmap::cp;
namespace wd = regmap::wd;

// The queues first, so that what the distributor lets go is not followed by what waits.
void end_context(HostInterface& host, RuntimeServices& services, unsigned context, const std::string& why) {
  services.ended_contexts.emplace(context, why);
  const std::uint32_t kill = cp::kKill;
  for (const auto& [number, owner] : services.queue_contexts)
    if (owner == context) host.write(cp::queue(number) + cp::kControl, &kill, sizeof kill);
  host.write(wd::kBase + wd::kKillContext, &context, sizeof context);
}

const std::string* RuntimeImpl::ended() const {
  if (services_.ended_contexts.empty()) return nullptr;
  for (const StreamState& stream : streams_) {
    const auto ended = services_.ended_contexts.find(stream.context);
    if (ended != services_.ended_contexts.end()) return &ended->second;
  }
  return nullptr;
}

// Arrays of the program may go with it, so nothing that reads or writes them may be under way.
void RuntimeImpl::check_context_ended() {
  const std::string* const why = ending_ ? nullptr : ended();
  if (!why) return;
  ending_ = true;
  host_.wait_until([this] {
    take_completions();
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const HardwareQueue& queue) { return queue.outstanding.empty(); });
  });
  ending_ = false;
  throw ContextFault(*why);
}

void RuntimeImpl::fault_of(unsigned context, const std::string& what, std::uint64_t address) {
  DeviceFault fault;
  fault.what = what;
  fault.address = address;
  fault.context = context;
  services_.faults.raise(std::move(fault));
  while (true) {  // the run ends here, or the context does
    host_.sleep(SimTime::from_us(1));
    check_context_ended();
  }
}

std::string RuntimeImpl::whose_else(std::uint64_t address, std::size_t bytes, bool write,
                                    const std::set<unsigned>& contexts) const {
  if (memory_.contains(address, bytes)) {
    for (std::uint64_t at = address; at < address + bytes;) {
      const auto range = memory_.range_of(at);
      if (!range) return "memory that is not allocated";
      if (contexts.count(range->owner) == 0) return "memory of " + memory_owner::name(range->owner);
      at = range->end;
    }
    return {};
  }
  // Clocks and counters are everybody's to read.
  const auto within = [&](std::uint64_t base, std::uint64_t size) {
    return address >= base && bytes <= size && address - base <= size - bytes;
  };
  if (!write && (within(regmap::perf::kBase, regmap::perf::kBytes) || within(cp::kBase + cp::kTimestamp, 8)))
    return {};
  const std::uint64_t doorbells = cp::kBase + cp::kDoorbells;
  if (address < cp::kBase + cp::kQueues || address >= cp::doorbell(services_.queues))
    return "the driver's registers";
  const bool doorbell = address >= doorbells;
  const auto queue = static_cast<unsigned>(doorbell ? (address - doorbells) / cp::kDoorbellStride
                                                    : (address - cp::kBase - cp::kQueues) / cp::kQueueStride);
  const auto owner = services_.queue_contexts.find(queue);
  if (doorbell && owner != services_.queue_contexts.end() && contexts.count(owner->second) != 0) return {};
  const std::string what =
      (doorbell ? "the doorbell of queue " : "the registers of queue ") + std::to_string(queue);
  return owner == services_.queue_contexts.end()
             ? what + ", which is nobody's"
             : what + ", which is of " + memory_owner::name(owner->second);
}

}  // namespace warpvp::rt
