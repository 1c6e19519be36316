#include "base/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace warpvp {

namespace {

std::string too_large(std::uint64_t bytes, std::uint64_t limit) {
  return fmt::format("it has {} bytes, more than the {} allowed", bytes, limit);
}

std::string why_not(const struct stat& status, std::uint64_t limit) {
  if (S_ISDIR(status.st_mode)) return "it is a folder";
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) return "it is a device";
  if (S_ISFIFO(status.st_mode)) return "it is a FIFO";
  if (S_ISSOCK(status.st_mode)) return "it is a socket";
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  return bytes > limit ? too_large(bytes, limit) : "";
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& place, const std::string& why,
                         const std::string& remedy) {
  throw InputError(fmt::format("{}{}cannot read {}: {}{}{}", place, place.empty() ? "" : ": ", path.string(),
                               why, remedy.empty() ? "" : "; ", remedy));
}

/// Closes the file whatever happens.
struct Descriptor {
  explicit Descriptor(int d) : number(d) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  const int number;
};

}  // namespace

std::string why_unreadable(const std::filesystem::path& path, std::uint64_t limit) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::strerror(errno);
  return why_not(status, limit);
}

void check_input_file(const std::filesystem::path& path, std::uint64_t limit, const std::string& place,
                      const std::string& remedy) {
  if (const std::string why = why_unreadable(path, limit); !why.empty()) refuse(path, place, why, remedy);
}

std::string read_input_file(const std::filesystem::path& path, std::uint64_t limit, const std::string& place,
                            const std::string& remedy) {
  // Looked at before it is opened, since opening a device may already do something; and again afterwards,
  // since the name may have changed hands. Opening a FIFO without O_NONBLOCK would wait for a writer.
  check_input_file(path, limit, place, remedy);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (file.number < 0 || fstat(file.number, &status) != 0) refuse(path, place, std::strerror(errno), remedy);
  if (const std::string why = why_not(status, limit); !why.empty()) refuse(path, place, why, remedy);

  std::string content;
  content.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  for (;;) {
    // One byte more than the size: a file that has not grown ends here. (Those of /proc say 0.)
    if (filled == content.size()) content.resize(filled + std::clamp<std::size_t>(filled, 1, 1 << 20));
    const ssize_t got = read(file.number, content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, place, std::strerror(errno), remedy);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > limit) refuse(path, place, too_large(filled, limit), remedy);
  }
  content.resize(filled);
  return content;
}

}  // namespace warpvp
