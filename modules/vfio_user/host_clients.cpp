// The host of clients outside: how a client comes, what it waits for, and what is left of it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "interconnect/device_memory.h"
#include "interconnect/register_map.h"
#include "interconnect/sim_time.h"
#include "modules/vfio_user/served_client.h"

namespace warpvp {

namespace cp = regmap::cp;
namespace ep = regmap::ep;
namespace mm = regmap::mm;
namespace wd = regmap::wd;
using vfio_user::Session;

namespace {
std::uint64_t power_of_two_from(std::uint64_t bytes) {
  std::uint64_t power = 1 << 20;
  while (power < bytes) power <<= 1;
  return power;
}

void say(const std::string& what) {
  fmt::print(stderr, "serve: {}\n", what);
  std::fflush(stderr);
}
}  // namespace

vfio_user::DeviceShape VfioUserHost::shape() const {
  vfio_user::DeviceShape shape;
  shape.bar0_bytes = regmap::kRegisterBytes;
  shape.memory_bytes = view_.memory->size();
  shape.bar2_bytes = power_of_two_from(shape.memory_bytes);
  shape.memory_file = view_.memory->file();
  shape.vectors = kEndpointVectors;
  shape.dma_limit = kDmaWindowBytes;
  return shape;
}

void VfioUserHost::see_device(const DeviceView& view) {
  view_ = view;
  if (view.properties.size() > ep::kPropertiesBytes)
    throw InputError(
        fmt::format("the device's properties have {} bytes; allowed: up to {}; shorten "
                    "platform.runtime.device_name",
                    view.properties.size(), ep::kPropertiesBytes));
}

void VfioUserHost::tell(const Client& client, const std::string& what) const {
  say(fmt::format("client {} {}", client.number, what));
}

std::uint32_t VfioUserHost::peek(std::uint64_t address) {
  std::uint32_t value = 0;
  transfer_untimed(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
  return value;
}

void VfioUserHost::poke(std::uint64_t address, std::uint32_t value) {
  transfer(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
}

// ---- Coming

/// What a further client would get; nothing: there is no room for one.
std::optional<EndpointPart> VfioUserHost::free_part() {
  for (unsigned slot = 0; slot < config_.clients; ++slot) {
    EndpointPart part;
    part.queues = view_.queues / config_.clients;
    part.first_queue = slot * part.queues;
    part.vectors = kEndpointVectors;
    part.first_interrupt = slot * kEndpointVectors;
    part.dma_base = regmap::kHostBusBase + (slot + 1) * kDmaWindowBytes;
    part.dma_bytes = kDmaWindowBytes;
    part.memory_bytes = view_.memory->size();
    part.context = shared() ? slot + 1 : 0;  // 0 is the driver's
    part.properties = view_.properties;
    const bool taken = std::any_of(clients_.begin(), clients_.end(), [&](const auto& client) {
      return client->part.dma_base == part.dma_base;
    });
    if (!taken) return part;
  }
  return std::nullopt;
}

void VfioUserHost::take_clients() {
  while (true) {
    const auto part = free_part();
    // While what a client has left is cleaned up, the next one waits.
    if (!part) hear_clients();
    const bool leaving = std::any_of(clients_.begin(), clients_.end(),
                                     [](const auto& client) { return client->session.over(); });
    if (!part && leaving) return;
    auto connection = listener_.accept();
    if (!connection) return;
    if (part)
      welcome(std::move(*connection), *part);
    else
      say(fmt::format("a client was refused: there is room for {} (clients)", config_.clients));
  }
}

void VfioUserHost::welcome(vfio_user::Connection connection, const EndpointPart& part) {
  auto place = std::make_shared<Client*>(nullptr);
  EndpointActions actions;
  actions.now_fs = [this] { return now().fs(); };
  actions.burst = [this, place](std::uint32_t offset, std::uint32_t bytes) {
    Client& client = **place;
    if (bytes > ep::kBurstBytes || offset < ep::kBase + ep::kBytes) return;
    std::vector<std::uint8_t> data(client.registers.burst_data(), client.registers.burst_data() + bytes);
    access_registers(client, true, offset, data.data(), bytes);
  };
  actions.memory_burst = [this, place](std::uint64_t offset, std::uint32_t bytes, bool untimed) {
    Client& client = **place;
    if (bytes > ep::kBurstBytes) return;
    std::vector<std::uint8_t> data(client.registers.burst_data(), client.registers.burst_data() + bytes);
    access_memory_window(client, true, offset, data.data(), bytes, untimed);
  };
  vfio_user::PaceActions pace;
  pace.wait = [this, place](std::uint64_t latest) { wait_for_device(**place, latest); };
  pace.advance = [this, place](std::uint64_t fs) { advance(**place, fs); };
  clients_.push_back(std::make_unique<Client>(clients_seen_++, std::move(connection), shape(), *this, part,
                                              std::move(actions), std::move(pace)));
  Client& client = *clients_.back();
  *place = &client;
  tell(client, "has come");
  add_program(fmt::format("client_{}", client.number), [this, &client](HostInterface&) { work(client); });
}

/// With page tables a context has a tree of its own, which the distributor tells SMs, and local memory.
/// False: device memory has no room for them.
bool VfioUserHost::make_context(unsigned context) {
  std::uint64_t page_bytes = 0;
  transfer_untimed(tlm::TLM_READ_COMMAND, mm::kBase + mm::kPageBytes, &page_bytes, sizeof page_bytes);
  if (page_bytes == 0 || made_contexts_.count(context) != 0) return true;
  const auto manage = [&](mm::Operation operation, std::uint64_t bytes) {
    mm::Command command{static_cast<std::uint32_t>(operation), context, 0, bytes, page_bytes};
    mm::Answer answer;
    transfer_untimed(tlm::TLM_WRITE_COMMAND, mm::kBase + mm::kCommand, &command, sizeof command);
    transfer_untimed(tlm::TLM_READ_COMMAND, mm::kBase + mm::kAnswer, &answer, sizeof answer);
    return answer;
  };
  const auto done = static_cast<std::uint32_t>(mm::Status::kDone);
  const mm::Answer space = manage(mm::Operation::kCreateSpace, 0);
  if (space.status != done) return false;
  wd::ContextRow row;
  row.page_table = space.begin;
  transfer(tlm::TLM_WRITE_COMMAND, wd::context(context), &row, sizeof row);
  if (view_.local_bytes != 0) {
    mm::Answer local = manage(mm::Operation::kAllocate, view_.local_bytes);
    if (local.status != done) return false;
    transfer(tlm::TLM_WRITE_COMMAND, wd::local_memory(context), &local.begin, sizeof local.begin);
  }
  made_contexts_.insert(context);
  return true;
}

std::optional<QueueOwner> VfioUserHost::owner_of_queue(unsigned queue) const {
  if (!shared()) return std::nullopt;
  for (const auto& client : clients_) {
    const EndpointPart& part = client->part;
    if (queue >= part.first_queue && queue - part.first_queue < part.queues)
      return QueueOwner{part.context, part.dma_base, part.dma_bytes};
  }
  return QueueOwner{};  // nobody's: it reaches nothing
}

void VfioUserHost::allocated_for(unsigned queue, std::uint64_t begin) {
  for (const auto& client : clients_)
    if (queue >= client->part.first_queue && queue - client->part.first_queue < client->part.queues)
      client->ranges.insert(begin);
}

// ---- Its thread

void VfioUserHost::work(Client& client) {
  if (shared() && !make_context(client.part.context)) {
    client.session.end("device memory has no room for its page tables and local memory");
  }
  while (true) {
    while (!client.busy && !client.session.over()) sc_core::wait(client.turn);
    if (client.session.over()) break;
    client.session.handle_next();
    // One that says whose time it is goes on at this very point of the simulation.
    while (hold_for(client)) client.session.handle_next();
    client.busy = false;
    activity_.notify(sc_core::SC_ZERO_TIME);
  }
  const std::string& problem = client.session.problem();
  tell(client, problem.empty() ? "has gone" : "was sent away: " + problem);
  clean_up(client);
  client.left = true;
  any_came_ = any_came_ || client.session.negotiated();
  activity_.notify(sc_core::SC_ZERO_TIME);
}

// For ever means: as long as there is something on the device that could write.
void VfioUserHost::wait_for_device(Client& client, std::uint64_t latest_fs) {
  if (faulted_) return;
  if (latest_fs != ~std::uint64_t{0}) return pass_time(client, latest_fs, true);
  client.written = false;
  client.waits = true;
  while (!client.written && !client.session.over() && !view_.rests())
    sc_core::wait(sc_core::sc_time(kLookNs, sc_core::SC_NS), client.woken);
  client.waits = false;
}

void VfioUserHost::advance(Client& client, std::uint64_t fs) {
  if (faulted_) return;
  constexpr std::uint64_t kEnd = ~std::uint64_t{0} >> 1;
  pass_time(client, now().fs() + std::min(fs, kEnd - now().fs()), false);
}

void VfioUserHost::pass_time(Client& client, std::uint64_t end_fs, bool until_written) {
  client.written = false;
  client.waits = client.sleeps = true;
  while (now().fs() < end_fs && !client.session.over() && !(until_written && client.written))
    sc_core::wait(to_sc_time(SimTime::from_fs(end_fs - now().fs())), client.woken);
  client.waits = client.sleeps = false;
}

/// Waits for a paced client's next command with the simulation held. False: it has none, or others have to
/// have a turn.
bool VfioUserHost::hold_for(Client& client) {
  if (config_.clock == "client" || config_.clients != 1 || !client.registers.paced()) return false;
  vfio_user::Connection& connection = client.session.connection();
  while (!client.session.over() && !connection.has_command() && view_.may_hold()) {
    wait_for_sockets(kPauseMs);
    hear_clients();
    take_clients();  // who comes beside it is refused
  }
  return !client.session.over() && connection.has_command();
}

// ---- Leaving

void VfioUserHost::reset(Session& session) {
  Client& client = **std::find_if(clients_.begin(), clients_.end(),
                                  [&](const auto& c) { return &c->session == &session; });
  if (faulted_) return;  // nothing mends that
  clean_up(client);
  client.registers.reset();
}

void VfioUserHost::kill_queues(unsigned first, unsigned count) {
  for (unsigned q = first; q < first + count; ++q)
    if (peek(cp::queue(q) + cp::kState) != static_cast<std::uint32_t>(cp::QueueState::kOff))
      poke(cp::queue(q) + cp::kControl, static_cast<std::uint32_t>(cp::kKill));
}

void VfioUserHost::end_context(unsigned context, bool for_good) {
  poke(wd::kBase + wd::kKillContext, context | (for_good ? 0 : wd::kBeginContext));
}

/// Nothing of the client is under way. Where it is alone that is all of the device.
bool VfioUserHost::rests(const Client& client) {
  if (!shared()) return view_.rests();
  for (unsigned q = client.part.first_queue; q < client.part.first_queue + client.part.queues; ++q)
    if (peek(cp::queue(q) + cp::kInFlight) != 0) return false;
  return true;
}

void VfioUserHost::let_rest(Client& client) {
  do {
    sc_core::wait(sc_core::sc_time(shared() ? kSettleNs : kLookNs, sc_core::SC_NS));
  } while (!rests(client));
}

/// Nothing of the client is to be on the device: its queues are killed, what runs of it is dropped, the
/// queues are unmapped, its memory is freed.
void VfioUserHost::clean_up(Client& client) {
  const EndpointPart& part = client.part;
  // A client that is alone may have more contexts than one: those of its memory.
  std::set<unsigned> contexts = {part.context};
  for (const std::uint64_t begin : client.ranges)
    if (const auto range = view_.memory->range_of(begin); range && range->context < wd::kMaxContexts)
      contexts.insert(range->context);
  kill_queues(part.first_queue, part.queues);
  for (const unsigned context : contexts) end_context(context, true);
  let_rest(client);
  for (unsigned q = part.first_queue; q < part.first_queue + part.queues; ++q) {
    if (peek(cp::queue(q) + cp::kState) != static_cast<std::uint32_t>(cp::QueueState::kOff))
      poke(cp::queue(q) + cp::kControl, 0);
    if (peek(cp::kBase + cp::kInterrupts + q * cp::kInterruptStride) != 0)
      poke(cp::kBase + cp::kInterrupts + q * cp::kInterruptStride, 0);
  }
  if (!shared()) {
    for (const std::uint64_t address :
         {cp::kBase + cp::kErrorMailbox, cp::kBase + cp::kErrorMailbox + 4, cp::kBase + cp::kErrorInterrupt})
      if (peek(address) != 0) poke(address, 0);
  }
  for (const unsigned context : contexts) end_context(context, false);
  let_rest(client);
  for (const std::uint64_t begin : client.ranges) {
    mm::Command release{static_cast<std::uint32_t>(mm::Operation::kRelease), 0, begin, 0, 1};
    transfer_untimed(tlm::TLM_WRITE_COMMAND, mm::kBase + mm::kCommand, &release, sizeof release);
  }
  client.ranges.clear();
  client.ended = false;
}

}  // namespace warpvp
