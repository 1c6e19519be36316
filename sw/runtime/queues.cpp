// The lower half of the runtime: streams on hardware queues, packets and doorbells, signals and waiting.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/runtime/runtime_impl.h"

namespace warpvp::rt {

namespace cp = regmap::cp;

namespace {
// Offsets within a command's piece of the command ring.
constexpr std::uint64_t kExtensionAt = sizeof(aql::Signal);
constexpr std::uint64_t kArgumentsAt = kExtensionAt + sizeof(aql::Extension);
}  // namespace

RuntimeImpl::RuntimeImpl(HostInterface& host, RuntimeServices& services)
    : host_(host), services_(services), memory_(host), page_bytes_(memory_.page_bytes()) {
  if (!services_.error.memory && services_.whole_device) {
    services_.error = host_.share(sizeof(cp::QueueErrorRecord));
    host_.write(cp::kBase + cp::kErrorMailbox, &services_.error.bus, sizeof services_.error.bus);
  }
  const std::uint64_t bytes = std::uint64_t{services_.config.command_kib} << 10;
  ring_ = std::make_unique<CommandRing>(allocate(bytes, 4096, 0, "command ring"), bytes);
  for (unsigned i = services_.config.command_kib; i-- > 0;) free_mirrors_.push_back(i);
  mirrors_ = host_.share(services_.config.command_kib * sizeof(Mirror));
  nothing_ = std::make_shared<Command>();
  nothing_->done = true;
  create_stream();
}

RuntimeImpl::~RuntimeImpl() = default;

RuntimeImpl::StreamState& RuntimeImpl::stream(Stream s, const char* call) {
  if (s.id < streams_.size()) return streams_[s.id];
  throw InputError(fmt::format("{}: no stream {}; there are {}", call, s.id, streams_.size()));
}

Command& RuntimeImpl::event(Event e, const char* call) {
  if (e.id < events_.size()) return *events_[e.id];
  throw InputError(fmt::format("{}: no event {}; {} were recorded", call, e.id, events_.size()));
}

unsigned RuntimeImpl::create_context() {
  const unsigned context = services_.next_context++;
  if (page_bytes_ == 0) return context;
  if (context >= regmap::wd::kMaxContexts)
    throw InputError(fmt::format("create_context: with page tables there are at most {} contexts",
                                 regmap::wd::kMaxContexts));
  regmap::wd::ContextRow row;
  const auto root = memory_.create_space(context);
  if (!root) throw InputError("device memory has no room for page tables");
  row.page_table = *root;
  host_.write(regmap::wd::context(context), &row, sizeof row);
  if (services_.local_bytes != 0) {
    const std::uint64_t local =
        allocate(services_.local_bytes, page_bytes_, context,
                 fmt::format("the local memory (platform.memory.local_mib) of context {}", context));
    host_.write(regmap::wd::local_memory(context), &local, sizeof local);
  }
  return context;
}

Stream RuntimeImpl::create_stream(const StreamOptions& options) {
  if (options.context >= services_.next_context)
    throw InputError(
        fmt::format("create_stream: no context {}; there are {}", options.context, services_.next_context));
  StreamState state;
  state.id = services_.next_stream++;
  state.name = options.name.empty() ? fmt::format("stream{}", streams_.size()) : options.name;
  state.priority = options.priority;
  state.context = options.context;
  state.queue = queue_for_stream(options.context);
  streams_.push_back(state);
  return Stream{static_cast<unsigned>(streams_.size() - 1)};
}

void RuntimeImpl::set_priority(Stream s, std::int32_t priority) {
  StreamState& st = stream(s, "set_priority");
  const auto value = static_cast<std::uint32_t>(priority);
  if (value == cp::kOwnPriority)
    throw InputError(
        fmt::format("set_priority: {} for stream '{}'; allowed: greater than that", priority, st.name));
  st.priority = priority;
  host_.write(cp::queue(queues_[st.queue].number) + cp::kLivePriority, &value, sizeof value);
}

// A hardware queue of its own while there are any; after that this program's queues take turns. Streams that
// share a queue are also ordered among each other, since packets of a queue start in order.
unsigned RuntimeImpl::queue_for_stream(unsigned context) {
  if (services_.next_queue >= services_.queues) {
    if (queues_.empty())
      throw InputError(
          fmt::format("all {} hardware queues are taken by other host programs; raise "
                      "command_processor.queues",
                      services_.queues));
    return static_cast<unsigned>(streams_.size() % queues_.size());
  }
  HardwareQueue queue;
  queue.number = services_.next_queue++;
  services_.queue_contexts[queue.number] = context;
  const std::uint32_t packets = services_.config.ring_packets;
  queue.ring = allocate(64ull * packets, 4096, 0, "packet ring");
  const std::uint64_t base = cp::queue(queue.number);
  const std::uint32_t on = 1;
  host_.write(base + cp::kRingBase, &queue.ring, sizeof queue.ring);
  host_.write(base + cp::kRingPackets, &packets, sizeof packets);
  host_.write(base + cp::kControl, &on, sizeof on);
  queues_.push_back(std::move(queue));
  return static_cast<unsigned>(queues_.size() - 1);
}

unsigned RuntimeImpl::take_mirror() {
  if (free_mirrors_.empty()) {
    host_.wait_until([this] {
      poll();
      return !free_mirrors_.empty();
    });
  }
  const unsigned number = free_mirrors_.back();
  free_mirrors_.pop_back();
  mirror(number) = {1, 0, 0};
  return number;
}

template <class Packet>
RuntimeImpl::CommandPtr RuntimeImpl::submit(StreamState& stream, Packet packet, aql::PacketType type,
                                            aql::Extension extension,
                                            const std::vector<std::uint8_t>& arguments, std::uint64_t mapped,
                                            const CommandPtr& after, const std::vector<Job>& batch) {
  const double call_ns =
      services_.config.call_ns + (type == aql::PacketType::kKernelDispatch ? services_.config.launch_ns : 0);
  if (call_ns > 0) host_.compute(SimTime::from_ns(call_ns));
  poll();
  auto command = std::make_shared<Command>();
  const std::uint64_t bytes = kArgumentsAt + (arguments.size() + 63) / 64 * 64;
  if (bytes > ring_->capacity())
    throw InputError(fmt::format("an argument block of {} bytes does not fit the command ring of {} bytes",
                                 arguments.size(), ring_->capacity()));
  if (!ring_->place(command, bytes)) {
    host_.wait_until([&] {
      poll();
      return ring_->place(command, bytes);
    });
  }
  command->mirror = take_mirror();
  if (mapped != 0) command->mapped.push_back(mapped);
  if (after) {
    ++after->holds;
    command->waits_for.push_back(after);
  }

  std::vector<std::uint8_t> piece(bytes, 0);
  aql::Signal signal;
  signal.value = 1;
  signal.mailbox = mirrors_.bus + command->mirror * sizeof(Mirror);
  extension.stream = static_cast<std::uint16_t>(stream.id);
  extension.context = static_cast<std::uint16_t>(services_.device_context + stream.context);
  extension.priority = stream.priority;
  if (stream.job != 0 && extension.job == 0) {
    command->jobs.push_back(stream.job);
    add_to_job(stream.job, type == aql::PacketType::kKernelDispatch, extension);
  }
  // To the device a batch is a kernel of no job: it has no deadline of its own.
  for (const Job& of : batch) {
    aql::Extension ignored;
    command->jobs.push_back(of.id);
    add_to_job(of.id, true, ignored);
  }
  extension.enqueue_ns = static_cast<std::uint64_t>(host_.now().to_seconds() * 1e9);
  std::memcpy(piece.data(), &signal, sizeof signal);
  std::memcpy(piece.data() + kExtensionAt, &extension, sizeof extension);
  if (!arguments.empty()) std::memcpy(piece.data() + kArgumentsAt, arguments.data(), arguments.size());
  host_.write(command->address, piece.data(), piece.size());

  packet.header = aql::header(type, true);  // a stream's commands run one after the other
  packet.extension = command->address + kExtensionAt;
  packet.completion_signal = command->address;
  if constexpr (std::is_same_v<Packet, aql::KernelDispatch>)
    packet.kernarg_address = command->address + kArgumentsAt;
  put(stream, command, &packet);
  return command;
}

template RuntimeImpl::CommandPtr RuntimeImpl::submit(StreamState&, aql::KernelDispatch, aql::PacketType,
                                                     aql::Extension, const std::vector<std::uint8_t>&,
                                                     std::uint64_t, const CommandPtr&,
                                                     const std::vector<Job>&);
template RuntimeImpl::CommandPtr RuntimeImpl::submit(StreamState&, aql::Copy, aql::PacketType, aql::Extension,
                                                     const std::vector<std::uint8_t>&, std::uint64_t,
                                                     const CommandPtr&, const std::vector<Job>&);
template RuntimeImpl::CommandPtr RuntimeImpl::submit(StreamState&, aql::Barrier, aql::PacketType,
                                                     aql::Extension, const std::vector<std::uint8_t>&,
                                                     std::uint64_t, const CommandPtr&,
                                                     const std::vector<Job>&);

void RuntimeImpl::put(StreamState& stream, const CommandPtr& command, const void* packet) {
  HardwareQueue& queue = queues_[stream.queue];
  const std::uint32_t packets = services_.config.ring_packets;
  if (queue.outstanding.size() >= packets) {
    host_.wait_until([&] {
      poll();
      return queue.outstanding.size() < packets;
    });
  }
  host_.write(queue.ring + 64 * (queue.write_index % packets), packet, 64);
  ++queue.write_index;
  queue.outstanding.push_back(command);
  stream.last = command;
  host_.write(cp::doorbell(queue.number), &queue.write_index, sizeof queue.write_index);
}

void RuntimeImpl::poll() {
  check_queues();
  take_completions();
  check_context_ended();
}

void RuntimeImpl::take_completions() {
  for (HardwareQueue& queue : queues_) {
    while (!queue.outstanding.empty() && mirror(queue.outstanding.front()->mirror).value <= 0) {
      const CommandPtr command = queue.outstanding.front();
      queue.outstanding.pop_front();
      complete(*command);
    }
  }
}

void RuntimeImpl::complete(Command& command) {
  const Mirror& seen = mirror(command.mirror);
  command.code = aql::rejection_code(seen.start_ns);
  command.start_ns = command.code == 0 ? seen.start_ns : seen.end_ns;
  command.end_ns = seen.end_ns;
  command.done = true;
  if (!command.jobs.empty()) note_in_jobs(command);
  free_mirrors_.push_back(command.mirror);
  for (std::uint64_t bus : command.mapped) host_.unmap(bus);
  command.mapped.clear();
  for (const CommandPtr& other : command.waits_for) --other->holds;
  command.waits_for.clear();
}

void RuntimeImpl::check_queues() {
  if (!services_.error.memory) return;
  const auto& error = *static_cast<const cp::QueueErrorRecord*>(services_.error.memory.get());
  if (error.count == 0) return;
  for (const HardwareQueue& queue : queues_) {
    if (queue.number != error.queue) continue;
    {
      DeviceFault fault;
      if (services_.queue_contexts.at(queue.number) != 0)
        fault.context = services_.queue_contexts.at(queue.number);
      fault.what = fmt::format("hardware queue {} stopped at packet {}: {}", error.queue, error.packet_index,
                               cp::queue_error_text(static_cast<cp::QueueError>(error.error)));
      if (services_.faults.raise(std::move(fault)))
        return;  // this program ends, when the driver has seen to it
    }
    host_.wait_until([] { return false; });  // the run ends here
  }
}

void RuntimeImpl::wait_for(const Command& command) {
  host_.wait_until([&] {
    poll();
    return command.done;
  });
}

Event RuntimeImpl::record(Stream s) {
  StreamState& st = stream(s, "record");
  events_.push_back(submit(st, aql::Barrier{}, aql::PacketType::kBarrierAnd, {}, {}, 0, nullptr));
  return Event{static_cast<unsigned>(events_.size() - 1)};
}

Event RuntimeImpl::mark(Stream s) {
  const CommandPtr& last = stream(s, "mark").last;
  events_.push_back(last != nullptr ? last : nothing_);
  return Event{static_cast<unsigned>(events_.size() - 1)};
}

bool RuntimeImpl::completed(Event e) {
  const Command& command = event(e, "completed");
  poll();
  return command.done;
}

void RuntimeImpl::wait(Stream s, Event e) {
  StreamState& st = stream(s, "wait");
  event(e, "wait");
  poll();
  if (events_[e.id]->done) return;
  aql::Barrier packet;
  packet.dep_signal[0] = events_[e.id]->address;
  submit(st, packet, aql::PacketType::kBarrierAnd, {}, {}, 0, events_[e.id]);
}

void RuntimeImpl::synchronize(Event e) { wait_for(event(e, "synchronize")); }

void RuntimeImpl::synchronize(Stream s) {
  const CommandPtr last = stream(s, "synchronize").last;
  if (last) wait_for(*last);
}

void RuntimeImpl::synchronize() {
  for (unsigned i = 0; i < streams_.size(); ++i) synchronize(Stream{i});
}

double RuntimeImpl::elapsed_us(Event from, Event to) {
  poll();
  const Command& a = event(from, "elapsed_us");
  const Command& b = event(to, "elapsed_us");
  if (!a.done || !b.done) throw InputError("elapsed_us: both events must have completed; synchronize first");
  return (static_cast<double>(b.end_ns) - static_cast<double>(a.end_ns)) / 1000.0;
}

HostThread RuntimeImpl::start_thread(const std::string& name, std::function<void(Runtime&)> program) {
  RuntimeServices& services = services_;
  return HostThread{host_.start(name, [&services, program = std::move(program)](HostInterface& host) {
    RuntimeImpl runtime(host, services);
    program(runtime);
    runtime.synchronize();
    host.unmap(runtime.mirrors_.bus);
  })};
}

void RuntimeImpl::copy(std::uint64_t destination, std::uint64_t source, std::size_t bytes, aql::CopyKind kind,
                       std::uint8_t value, std::uint64_t mapped, Stream s) {
  aql::Copy packet;
  packet.kind = static_cast<std::uint16_t>(kind);
  packet.value = value;
  packet.source = source;
  packet.destination = destination;
  packet.bytes = bytes;
  // Context 0 is the driver's: from there a host program fills and reads the memory of all its contexts.
  StreamState& st = stream(s, "copy");
  if (services_.device_context + st.context == 0) packet.flags = aql::Copy::kAnyContext;
  submit(st, packet, aql::PacketType::kVendor, {}, {}, mapped, nullptr);
}

void RuntimeImpl::copy_mapped(void* host, DevicePtr device, std::size_t bytes, bool to_device, Stream s) {
  const std::vector<HostInterface::Piece> pieces = host_.map_pieces(host, bytes, !to_device);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const HostInterface::Piece& piece = pieces[i];
    const std::uint64_t mapped = i + 1 == pieces.size() ? pieces.front().bus : 0;
    copy(to_device ? device : piece.bus, to_device ? piece.bus : device, piece.bytes, aql::CopyKind::kCopy, 0,
         mapped, s);
    device += piece.bytes;
  }
}

void RuntimeImpl::copy_to_device_async(DevicePtr destination, const void* source, std::size_t bytes,
                                       Stream s) {
  stream(s, "copy_to_device_async");
  check_range(destination, bytes, "copy_to_device_async");
  if (bytes == 0) return;
  copy_mapped(const_cast<void*>(source), destination, bytes, true, s);
}

void RuntimeImpl::copy_to_host_async(void* destination, DevicePtr source, std::size_t bytes, Stream s) {
  stream(s, "copy_to_host_async");
  check_range(source, bytes, "copy_to_host_async");
  if (bytes == 0) return;
  copy_mapped(destination, source, bytes, false, s);
}

void RuntimeImpl::copy_on_device_async(DevicePtr destination, DevicePtr source, std::size_t bytes, Stream s) {
  stream(s, "copy_on_device_async");
  check_range(source, bytes, "copy_on_device_async");
  check_range(destination, bytes, "copy_on_device_async");
  if (bytes != 0) copy(destination, source, bytes, aql::CopyKind::kCopy, 0, 0, s);
}

void RuntimeImpl::memset_async(DevicePtr destination, std::uint8_t value, std::size_t bytes, Stream s) {
  stream(s, "memset_async");
  check_range(destination, bytes, "memset_async");
  if (bytes != 0) copy(destination, 0, bytes, aql::CopyKind::kFill, value, 0, s);
}

}  // namespace warpvp::rt
