// Memory of a CUDA process, and copies.

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "interconnect/host_interface.h"
#include "sw/cuda/server/client_session.h"

namespace warpvp::cuda {

Error ClientSession::allocate(Reader& in, bool pages) {
  const auto bytes = in.get<std::uint64_t>();
  const rt::DeviceInfo now = device_.device_info();
  // Programs ask for more than there is to see what there is: nothing to tell anybody.
  if (bytes > now.memory_bytes - now.memory_in_use) return kMemoryAllocation;
  const rt::DevicePtr address = pages ? device_.malloc_pages(bytes) : device_.malloc(bytes);
  allocated_[address] = bytes;
  out_.put(address);
  return kSuccess;
}

Error ClientSession::grow(Reader& in) {
  const auto address = in.get<std::uint64_t>(), bytes = in.get<std::uint64_t>();
  if (!device_.grow(address, bytes)) return kMemoryAllocation;
  allocated_[address] = bytes;
  return kSuccess;
}

Error ClientSession::free(Reader& in) {
  const auto address = in.get<std::uint64_t>();
  if (address == 0) return kSuccess;
  if (allocated_.erase(address) == 0) return kInvalidValue;
  device_.free(address);
  shared_.erase(address);
  deliver();
  return kSuccess;
}

std::optional<ClientSession::Range> ClientSession::range_at(std::uint64_t address) const {
  std::optional<Range> most;
  for (const auto* ranges : {&allocated_, &variables_}) {
    auto range = ranges->upper_bound(address);
    if (range == ranges->begin()) continue;
    --range;
    const std::uint64_t end = range->first + range->second;
    if (address <= end && (!most || end > most->end)) most = {range->first, end};
  }
  if (most && most->end > address) return most;
  // A variable that the program has not asked for by its name: a text that a kernel has told the address of.
  if (const auto found = device_.allocation_at(address))
    return Range{found->begin, found->begin + found->bytes};
  return most;
}
bool ClientSession::owns(std::uint64_t address, std::uint64_t bytes) const {
  const auto range = range_at(address);
  return range && bytes <= range->end - address;
}

Error ClientSession::copy_in(Reader& in) {
  const auto id = in.get<std::uint64_t>();
  const bool waits = in.get<std::uint32_t>() != 0;
  const auto to = in.get<std::uint64_t>();
  const std::uint64_t bytes = in.left();
  const std::uint8_t* const data = in.get_bytes(bytes);
  if (stream(id) == nullptr) return kInvalidResourceHandle;
  if (bytes == 0) return kSuccess;
  if (!owns(to, bytes)) return kInvalidValue;
  const rt::Stream s = enter(id);
  // Not copied once more, and kept where the call fails while the device still reads it.
  auto held = std::make_unique<std::vector<std::uint8_t>>(std::move(*request_));
  device_.copy_to_device_async(to, data, bytes, s);
  entered(id);
  hold(id, std::move(held), 0);
  if (!waits) return kSuccess;
  device_.synchronize(s);
  deliver();
  return kSuccess;
}

Error ClientSession::copy_out(Reader& in) {
  const auto id = in.get<std::uint64_t>();
  const bool waits = in.get<std::uint32_t>() != 0;
  const auto from = in.get<std::uint64_t>(), bytes = in.get<std::uint64_t>(), to = in.get<std::uint64_t>();
  if (stream(id) == nullptr) return kInvalidResourceHandle;
  if (bytes == 0) return kSuccess;
  if (!owns(from, bytes)) return kInvalidValue;
  const rt::Stream s = enter(id);
  if (std::uint8_t* const there = shared_at(to, bytes)) {  // the process sees it at once
    device_.copy_to_host_async(there, from, bytes, s);
    entered(id);
  } else {
    auto held = std::make_unique<std::vector<std::uint8_t>>(bytes);
    device_.copy_to_host_async(held->data(), from, bytes, s);
    entered(id);
    hold(id, std::move(held), to);
  }
  if (!waits) return kSuccess;
  device_.synchronize(s);
  deliver();
  return kSuccess;
}

Error ClientSession::copy_on_device(Reader& in) {
  const auto id = in.get<std::uint64_t>();
  const bool waits = in.get<std::uint32_t>() != 0;
  const auto to = in.get<std::uint64_t>(), from = in.get<std::uint64_t>(), bytes = in.get<std::uint64_t>();
  if (stream(id) == nullptr) return kInvalidResourceHandle;
  if (bytes == 0) return kSuccess;
  if (!owns(to, bytes) || !owns(from, bytes)) return kInvalidValue;
  const rt::Stream s = enter(id);
  device_.copy_on_device_async(to, from, bytes, s);
  entered(id);
  if (waits) device_.synchronize(s), deliver();
  return kSuccess;
}

Error ClientSession::fill(Reader& in) {
  const auto id = in.get<std::uint64_t>();
  const bool waits = in.get<std::uint32_t>() != 0;
  const auto at = in.get<std::uint64_t>(), bytes = in.get<std::uint64_t>();
  const auto value = in.get<std::uint32_t>();
  if (stream(id) == nullptr) return kInvalidResourceHandle;
  if (bytes == 0) return kSuccess;
  if (!owns(at, bytes)) return kInvalidValue;
  const rt::Stream s = enter(id);
  device_.memset_async(at, static_cast<std::uint8_t>(value), bytes, s);
  entered(id);
  if (waits) device_.synchronize(s), deliver();
  return kSuccess;
}

Error ClientSession::share(Reader& in) {
  const auto address = in.get<std::uint64_t>(), bytes = in.get<std::uint64_t>();
  constexpr std::uint64_t kPage = HostInterface::kPageBytes;
  // The last page may be more than the program asked for: no other allocation lies in it.
  if (!in.good() || address % kPage != 0 || bytes == 0 || bytes % kPage != 0 || shared_.count(address) != 0 ||
      !owns(address, bytes - kPage + 1))
    return kInvalidValue;
  const int file = device_.host().share_device_memory(address, bytes);
  if (file < 0) return kMemoryAllocation;
  give(file);
  return shared_[address].map(file, bytes) ? kSuccess : kMemoryAllocation;
}

void ClientSession::give(int file) {
  if (given_ >= 0) close(given_);
  given_ = file;
}

std::uint8_t* ClientSession::shared_at(std::uint64_t address, std::uint64_t bytes) const {
  auto range = shared_.upper_bound(address);
  if (range == shared_.begin()) return nullptr;
  --range;
  const std::uint64_t offset = address - range->first;
  const SharedMemory& memory = range->second;
  return offset <= memory.bytes() && bytes <= memory.bytes() - offset ? memory.data() + offset : nullptr;
}

Error ClientSession::copy_shared(Reader& in) {
  const auto id = in.get<std::uint64_t>();
  const bool waits = in.get<std::uint32_t>() != 0;
  const auto to = in.get<std::uint64_t>(), bytes = in.get<std::uint64_t>(), from = in.get<std::uint64_t>();
  if (stream(id) == nullptr) return kInvalidResourceHandle;
  if (bytes == 0) return kSuccess;
  const std::uint8_t* const data = shared_at(from, bytes);
  if (data == nullptr || !owns(to, bytes)) return kInvalidValue;
  const rt::Stream s = enter(id);
  device_.copy_to_device_async(to, data, bytes, s);
  entered(id);
  if (waits) device_.synchronize(s), deliver();
  return kSuccess;
}

void ClientSession::hold(std::uint64_t stream, std::unique_ptr<std::vector<std::uint8_t>> data,
                         std::uint64_t to) {
  held_.push_back({device_.mark(streams_[stream].stream), std::move(data), to});
}

void ClientSession::deliver() {
  const auto left = std::remove_if(held_.begin(), held_.end(), [&](const Held& held) {
    if (!device_.completed(held.end)) return false;
    if (held.to != 0) {
      deliveries_.make_room(2 * sizeof(std::uint64_t) + held.data->size());
      deliveries_.put(held.to).put(static_cast<std::uint64_t>(held.data->size()));
      deliveries_.put_bytes(held.data->data(), held.data->size());
      ++delivered_;
    } else if (request_->empty()) {
      request_->swap(*held.data);  // the next call comes to the same memory
    }
    return true;
  });
  held_.erase(left, held_.end());
}

}  // namespace warpvp::cuda
