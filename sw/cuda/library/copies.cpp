#include "sw/cuda/library/copies.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/shared_memory.h"

namespace warpvp::cuda {

namespace {

/// Which way a copy goes, with cudaMemcpyDefault decided by the addresses.
cudaMemcpyKind way(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDefault) return kind;
  return static_cast<cudaMemcpyKind>((on_device(to) ? 1 : 0) + (on_device(from) ? 2 : 0));
}

}  // namespace

bool on_device(const void* pointer) {
  if (Connection::instance().open() != kSuccess) return false;
  const DeviceFacts& device = Connection::instance().facts();
  return address_of(pointer) - device.memory_base < device.memory_bytes && !is_pinned(pointer);
}

Error bytes_at(const void* pointer, std::size_t& bytes, std::uint64_t* begin) {
  Writer arguments;
  arguments.put(address_of(pointer));
  Answer answer = Connection::instance().call(Call::kBytesAt, arguments);
  if (answer.error != kSuccess) return answer.error;
  bytes = answer.in.get<std::uint64_t>();
  if (begin != nullptr) *begin = answer.in.get<std::uint64_t>();
  return kSuccess;
}

Error fill(std::uint64_t at, int value, std::size_t bytes, std::uint64_t stream, bool waits) {
  Writer arguments;
  arguments.put(stream).put(std::uint32_t{waits}).put(on_the_device(reinterpret_cast<void*>(at)));
  arguments.put(static_cast<std::uint64_t>(bytes)).put(static_cast<std::uint32_t>(value));
  return Connection::instance().call(Call::kFill, arguments).error;
}

bool returns_late(const void* to, const void* from, cudaMemcpyKind kind) {
  SharedRange range;
  return way(to, from, kind) == cudaMemcpyDeviceToHost && !find_shared(to, range);
}

Error copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, std::uint64_t stream,
           bool waits) {
  if (const Error error = Connection::instance().open()) return error;
  if (bytes == 0) return kSuccess;
  kind = way(to, from, kind);
  // Managed memory counts as the device's, wherever the program says that it lies.
  if (kind == cudaMemcpyHostToHost && is_managed(to)) kind = cudaMemcpyHostToDevice;
  const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
  const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
  if ((from_host && from == nullptr) || (to_host && to == nullptr)) return kInvalidValue;
  Writer arguments;
  arguments.put(stream).put(std::uint32_t{waits});
  const auto length = static_cast<std::uint64_t>(bytes);
  Connection& simulator = Connection::instance();
  switch (kind) {
    case cudaMemcpyHostToHost:
      std::memcpy(to, from, bytes);
      return kSuccess;
    case cudaMemcpyHostToDevice:
      arguments.put(on_the_device(to));
      if (reached_by_device(from) < bytes) return simulator.call(Call::kCopyIn, arguments, from, bytes).error;
      arguments.put(length).put(on_the_device(from));
      return simulator.call(Call::kCopyShared, arguments).error;
    case cudaMemcpyDeviceToHost: {
      const std::uint64_t there = reached_by_device(to) < bytes ? address_of(to) : on_the_device(to);
      arguments.put(on_the_device(from)).put(length).put(there);
      return simulator.call(Call::kCopyOut, arguments).error;
    }
    case cudaMemcpyDeviceToDevice:
      arguments.put(on_the_device(to)).put(on_the_device(from)).put(length);
      return simulator.call(Call::kCopyOnDevice, arguments).error;
    case cudaMemcpyDefault:
      break;
  }
  return kInvalidMemcpyDirection;
}

Error copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                std::size_t height, cudaMemcpyKind kind, std::uint64_t stream, bool waits) {
  if (width > to_pitch || width > from_pitch) return kInvalidPitchValue;
  if (to_pitch == width && from_pitch == width) return copy(to, from, width * height, kind, stream, waits);
  for (std::size_t row = 0; row < height; ++row) {
    const bool last = row + 1 == height;
    if (const Error error =
            copy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                 width, kind, stream, waits && last))
      return error;
  }
  return kSuccess;
}

Error fill_rows(void* at, std::size_t pitch, int value, std::size_t width, std::size_t height,
                std::uint64_t stream, bool waits) {
  if (width > pitch) return kInvalidPitchValue;
  if (pitch == width) return fill(address_of(at), value, width * height, stream, waits);
  for (std::size_t row = 0; row < height; ++row)
    if (const Error error =
            fill(address_of(at) + row * pitch, value, width, stream, waits && row + 1 == height))
      return error;
  return kSuccess;
}

Error fill_block(const Fill& what, std::uint64_t stream, bool waits) {
  const std::size_t element = what.element, bytes = what.width * element;
  if (element != 1 && element != 2 && element != 4) return kInvalidValue;
  if (address_of(what.at) % element != 0 || (what.height > 1 && what.pitch % element != 0))
    return kInvalidValue;
  if (bytes == 0 || what.height == 0) return kSuccess;
  const std::size_t pitch = what.height > 1 ? what.pitch : bytes;
  unsigned char value[sizeof what.value];
  std::memcpy(value, &what.value, sizeof value);  // its lower bytes come first
  if (std::all_of(value, value + element, [&](unsigned char b) { return b == value[0]; }))
    return fill_rows(what.at, pitch, value[0], bytes, what.height, stream, waits);
  if (bytes > pitch) return kInvalidPitchValue;
  std::vector<unsigned char> row(bytes);
  for (std::size_t i = 0; i < bytes; ++i) row[i] = value[i % element];
  for (std::size_t y = 0; y < what.height; ++y)
    if (const Error error = copy(static_cast<char*>(what.at) + y * pitch, row.data(), bytes,
                                 cudaMemcpyHostToDevice, stream, waits && y + 1 == what.height))
      return error;
  return kSuccess;
}

}  // namespace warpvp::cuda
