// The reader of kernel images: any bytes are read or refused with ImageError, with their own checksum and
// with one that fits.

#include <cstdint>
#include <vector>

#include "ptx/image/image_reader.h"
#include "ptx/image/image_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpvp::ptx::image;
  const MemoryBounds memory{0x1'0000'0000ull, 1ull << 32};
  std::vector<std::uint8_t> bytes(data, data + size);
  const auto take = [&] {
    try {
      write_image(*read_image(bytes.data(), bytes.size(), memory));
    } catch (const ImageError&) {
    }
  };
  take();
  if (size < kHeaderBytes) return 0;
  std::uint64_t total = 0;
  for (unsigned i = 0; i < 4; ++i) total |= std::uint64_t{bytes[kTotalAt + i]} << (8 * i);
  if (total < kHeaderBytes || total > size) return 0;
  const std::uint64_t sum = checksum(bytes.data(), total);
  for (unsigned i = 0; i < 8; ++i) bytes[kChecksumAt + i] = static_cast<std::uint8_t>(sum >> (8 * i));
  take();
  return 0;
}
