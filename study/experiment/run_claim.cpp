#include "study/experiment/run_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

fs::path claim_file(const fs::path& folder, unsigned number) {
  return folder / fmt::format(".claim-{}", number);
}

/// The number of the last claim and who wrote it; 0: none.
std::pair<unsigned, std::string> last_claim(const fs::path& folder) {
  unsigned number = 0;
  std::string owner;
  for (;;) {
    std::ifstream in(claim_file(folder, number + 1));
    if (!in) return {number, owner};
    ++number;
    owner.clear();
    std::getline(in, owner);
  }
}

}  // namespace

RunClaim::Outcome RunClaim::take(const fs::path& folder, Worker& worker) {
  const std::pair<unsigned, std::string> claim = last_claim(folder);
  const unsigned last = claim.first;
  const std::string& owner = claim.second;
  if (last > 0 && owner == worker.id()) return Outcome::kMine;
  // A claim without a name is just being written, or its writer died over it.
  const auto dead = [&] {
    return owner.empty() ? worker.waited(claim_file(folder, last)) : !worker.alive(owner);
  };
  if (last > 0 && !dead()) return Outcome::kTaken;
  const fs::path file = claim_file(folder, last + 1);
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) {
    if (errno == EEXIST) return Outcome::kTaken;
    throw InputError(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
  }
  const std::string line = worker.id() + "\n";
  const bool written = write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int why = errno;
  if (close(fd) == 0 && written) return Outcome::kMine;
  unlink(file.c_str());
  throw InputError(fmt::format("cannot write {}: {}", file.string(), std::strerror(why)));
}

void RunClaim::release(const fs::path& folder, const Worker& worker) {
  const auto [last, owner] = last_claim(folder);
  if (owner != worker.id()) return;  // taken over meanwhile: the other clears it away
  // The dead ones' first: as long as ours is there, so that nobody finds one of theirs alone.
  for (unsigned number = 1; number <= last; ++number) unlink(claim_file(folder, number).c_str());
}

std::string RunClaim::owner(const fs::path& folder, Worker& worker) {
  const auto [last, owner] = last_claim(folder);
  return last > 0 && !owner.empty() && worker.alive(owner) ? owner : "";
}

}  // namespace warpvp
