// The host of clients outside: their accesses to BAR 0 and BAR 2, and who may access what.
#include <cerrno>
#include <cstring>

#include "interconnect/device_memory.h"
#include "interconnect/memory_owner.h"
#include "interconnect/register_map.h"
#include "modules/vfio_user/served_client.h"

namespace warpvp {

namespace cp = regmap::cp;
namespace ep = regmap::ep;
namespace mm = regmap::mm;
using vfio_user::Session;

namespace {

int errno_of(tlm::tlm_response_status answer) {
  switch (answer) {
    case tlm::TLM_OK_RESPONSE:
      return 0;
    case tlm::TLM_ADDRESS_ERROR_RESPONSE:
      return ENXIO;
    case tlm::TLM_BURST_ERROR_RESPONSE:
      return EINVAL;
    case tlm::TLM_COMMAND_ERROR_RESPONSE:
      return EPERM;
    case tlm::TLM_GENERIC_ERROR_RESPONSE:
      return EBUSY;
    default:
      return EIO;
  }
}

}  // namespace

int VfioUserHost::access(Session& session, bool write, std::uint32_t region, std::uint64_t offset,
                         std::uint8_t* data, std::size_t bytes) {
  Client& client = **std::find_if(clients_.begin(), clients_.end(),
                                  [&](const auto& c) { return &c->session == &session; });
  if (region == vfio_user::kBar0) return access_registers(client, write, offset, data, bytes);
  return access_memory_window(client, write, offset, data, bytes, client.registers.untimed());
}

int VfioUserHost::access_memory_window(Client& client, bool write, std::uint64_t offset, std::uint8_t* data,
                                       std::size_t bytes, bool untimed) {
  if (faulted_) return EIO;
  if (!within(offset, bytes, 0, client.part.memory_bytes)) return EINVAL;
  const std::uint64_t address = regmap::kMemoryBase + offset;
  if (shared() && !owns(client, address, bytes)) return EPERM;
  const tlm::tlm_command command = write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
  if (untimed) return transfer_untimed(command, address, data, bytes) == bytes ? 0 : EIO;
  return errno_of(transfer(command, address, data, bytes));
}

int VfioUserHost::access_registers(Client& client, bool write, std::uint64_t offset, std::uint8_t* data,
                                   std::size_t bytes) {
  if (offset % 4 != 0 || bytes % 4 != 0) return EINVAL;
  if (offset < ep::kBase + ep::kBytes) return access_endpoint(client, write, offset, data, bytes);
  if (faulted_) return EIO;
  if (within(offset, bytes, mm::kBase, mm::kBytes)) return manage_memory(client, write, offset, data, bytes);
  if (write && (client.registers.untimed() || (shared() && !may_write(client, offset, data, bytes))))
    return EPERM;
  if (client.registers.untimed())
    return transfer_untimed(tlm::TLM_READ_COMMAND, offset, data, bytes) == bytes ? 0 : ENXIO;
  return errno_of(transfer(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, offset, data, bytes));
}

int VfioUserHost::access_endpoint(Client& client, bool write, std::uint64_t offset, std::uint8_t* data,
                                  std::size_t bytes) {
  if (!within(offset, bytes, ep::kBase, ep::kBytes)) return EINVAL;
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset - ep::kBase);
  payload.set_data_ptr(data);
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  client.registers.block().transport(payload);
  return errno_of(payload.get_response_status());
}

/// Of registers that all share, a client of several writes those of its own queues: the queue's, its
/// doorbell, and which of the client's interrupts it raises.
bool VfioUserHost::may_write(const Client& client, std::uint64_t offset, const std::uint8_t* data,
                             std::size_t bytes) const {
  const EndpointPart& part = client.part;
  const std::uint64_t first = part.first_queue, count = part.queues;
  if (within(offset, bytes, cp::doorbell(part.first_queue), count * cp::kDoorbellStride)) return true;
  if (within(offset, bytes, cp::kBase + cp::kInterrupts + first * cp::kInterruptStride,
             count * cp::kInterruptStride)) {
    for (std::size_t at = 0; at < bytes; at += 4) {
      std::uint32_t value = 0;
      std::memcpy(&value, data + at, sizeof value);
      const std::uint32_t number = value & cp::kInterruptNumber;
      if (value != 0 && (number < part.first_interrupt || number - part.first_interrupt >= part.vectors))
        return false;
    }
    return true;
  }
  return within(offset, bytes, cp::queue(part.first_queue), count * cp::kQueueStride);
}

/// All of it is memory that the client has allocated.
bool VfioUserHost::owns(const Client& client, std::uint64_t address, std::uint64_t bytes) const {
  const auto range = view_.memory->range_of(address);
  return range && client.ranges.count(range->begin) != 0 && bytes <= range->end - address;
}

// In no simulated time, as drivers do it (register map). What a client allocates is noted, to be freed when
// it goes. Of several clients each has one context, whatever it calls it, and memory of the driver for its
// kernels' images; what is not its own is not there.
int VfioUserHost::manage_memory(Client& client, bool write, std::uint64_t offset, std::uint8_t* data,
                                std::size_t bytes) {
  const tlm::tlm_command command = write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
  mm::Command asked;
  const bool whole = write && offset == mm::kBase + mm::kCommand && bytes == sizeof asked;
  // The device has one answer; another client's command may have come between this one's and its look.
  if (const std::uint64_t answers = mm::kBase + mm::kAnswer;
      !write && shared() && within(offset, bytes, answers, sizeof client.answer)) {
    std::memcpy(data, reinterpret_cast<const std::uint8_t*>(&client.answer) + (offset - answers), bytes);
    return 0;
  }
  if (whole) std::memcpy(&asked, data, sizeof asked);
  const auto operation = static_cast<mm::Operation>(asked.operation);
  if (whole && shared()) {
    if (operation == mm::Operation::kCreateSpace) return EPERM;
    const auto range = view_.memory->range_of(asked.address);
    const bool by_address = operation == mm::Operation::kRelease || operation == mm::Operation::kFind ||
                            (operation == mm::Operation::kGrow && range);
    if (by_address && (!range || client.ranges.count(range->begin) == 0)) asked.address = 0;
    if (asked.owner != memory_owner::kDriver) asked.owner = client.part.context;
    std::memcpy(data, &asked, sizeof asked);
  }
  if (transfer_untimed(command, offset, data, bytes) != bytes) return write ? EINVAL : ENXIO;
  if (!whole) return 0;
  mm::Answer& answer = client.answer;
  transfer_untimed(tlm::TLM_READ_COMMAND, mm::kBase + mm::kAnswer, &answer, sizeof answer);
  if (answer.status != static_cast<std::uint32_t>(mm::Status::kDone)) return 0;
  if (operation == mm::Operation::kAllocate || operation == mm::Operation::kAllocateLast ||
      operation == mm::Operation::kGrow)
    client.ranges.insert(answer.begin);
  if (operation == mm::Operation::kRelease) client.ranges.erase(answer.begin);
  return 0;
}

}  // namespace warpvp
