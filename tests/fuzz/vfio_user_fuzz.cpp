// What a client writes to the socket of a served device: cut into pieces, read as messages, carried out by a
// session with a device behind it that takes everything. Whatever the bytes, the session goes on or is over;
// nothing else happens.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "modules/vfio_user/session.h"

namespace {

using namespace warpvp::vfio_user;

constexpr std::uint64_t kBarBytes = 1 << 20;

class Anything : public Device {
 public:
  int access(Session& session, bool write, std::uint32_t region, std::uint64_t offset, std::uint8_t* data,
             std::size_t bytes) override {
    if (offset > kBarBytes || bytes > kBarBytes - offset) std::abort();  // the session lets nothing through
    if (!write) std::memset(data, static_cast<int>(region), bytes);
    session.interrupts().raise(static_cast<unsigned>(offset % session.interrupts().count()));
    // An access to the client's memory, which it answers or not, and not later.
    std::uint8_t word[4] = {};
    session.access_memory((offset & 4) != 0, offset, word, sizeof word, 0);
    return static_cast<int>(offset % 3 == 1);
  }
  void reset(Session&) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  int ends[2];
  if (size < 2 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return 0;
  FileDescriptor client(ends[0]);
  DeviceShape shape;
  shape.bar0_bytes = shape.bar2_bytes = shape.memory_bytes = kBarBytes;
  shape.vectors = 4;
  shape.dma_limit = std::uint64_t{1} << 40;
  Anything device;
  Session session(Connection(FileDescriptor(ends[1])), shape, device);
  const std::size_t piece = std::size_t{data[0]} + 1;
  for (std::size_t at = 1; at < size && !session.over(); at += piece) {
    [[maybe_unused]] const ssize_t sent = write(client.get(), data + at, std::min(piece, size - at));
    if (!session.connection().receive()) break;
    while (!session.over() && session.connection().has_command()) {
      session.next_needs_device();
      session.handle_next();
    }
    std::uint8_t answers[4096];
    while (read(client.get(), answers, sizeof answers) > 0) {
    }
  }
  return 0;
}
