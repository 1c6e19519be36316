#include "sw/cuda/library/device_code.h"

#include <cstring>

#include "sw/cuda/library/connection.h"

namespace warpvp::cuda {

std::uint32_t magic_of(const void* image) {
  // Byte by byte, as a text may be shorter.
  const auto* const bytes = static_cast<const unsigned char*>(image);
  std::uint32_t magic = 0;
  for (int i = 0; i < 4; ++i) {
    if (bytes[i] == 0) break;
    magic |= std::uint32_t{bytes[i]} << (8 * i);
  }
  return magic;
}

std::size_t bytes_of(const void* image) {
  if (magic_of(image) != kBinaryMagic) return std::strlen(static_cast<const char*>(image)) + 1;
  std::uint16_t header;
  std::uint64_t follow;
  std::memcpy(&header, static_cast<const char*>(image) + 6, sizeof header);
  std::memcpy(&follow, static_cast<const char*>(image) + 8, sizeof follow);
  return header + follow;
}

Error load_module(const Image& image, std::uint64_t& module) {
  Answer answer = Connection::instance().call(Call::kLoadModule, {}, image.data, image.bytes);
  if (answer.error == kSuccess) module = answer.in.get<std::uint64_t>();
  return answer.error;
}

Error link_images(const std::vector<Image>& images, std::string& ptx) {
  Writer arguments;
  arguments.put(static_cast<std::uint32_t>(images.size()));
  for (const Image& image : images)
    arguments.put(static_cast<std::uint64_t>(image.bytes)).put_bytes(image.data, image.bytes);
  Answer answer = Connection::instance().call(Call::kLink, arguments);
  if (answer.error == kSuccess) ptx = answer.in.get_text();
  return answer.error;
}

}  // namespace warpvp::cuda
