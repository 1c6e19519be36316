#include "study/experiment/worker.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "platform/results/result_writer.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

constexpr int kBeatsPerLease = 6;
constexpr int kLooksPerLease = 12;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// State and start time of a process, from its line in /proc; empty if there is none.
std::pair<char, std::string> process(const std::string& pid) {
  const std::string line = first_line(fs::path("/proc") / pid / "stat");
  const std::size_t bracket = line.rfind(')');  // the name before it may hold anything
  if (bracket == std::string::npos) return {};
  std::istringstream fields(line.substr(bracket + 1));
  std::string field, state;
  fields >> state;
  for (int i = 4; i <= 22; ++i) fields >> field;
  return {state.empty() ? 'X' : state[0], field};
}

/// What tells machines apart, and containers on one: processes of another cannot be seen from here.
std::string machine() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  std::string host = name;
  for (char& c : host)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '-';
  struct stat space {};
  stat("/proc/self/ns/pid", &space);
  return fmt::format("{}.{}.{:x}", host.empty() ? "host" : host,
                     first_line("/proc/sys/kernel/random/boot_id").substr(0, 8), space.st_ino);
}

/// The parts of an id: machine, process, start.
struct Parts {
  std::string machine, pid, start;
};
Parts parts_of(const std::string& id) {
  const std::size_t last = id.rfind('.');
  const std::size_t before = last == std::string::npos || last == 0 ? last : id.rfind('.', last - 1);
  if (before == std::string::npos) return {id, "", ""};
  return {id.substr(0, before), id.substr(before + 1, last - before - 1), id.substr(last + 1)};
}

}  // namespace

Worker::Worker(fs::path folder, std::uint64_t session, std::chrono::duration<double> lease)
    : folder_(std::move(folder) / ".workers"), session_(session), lease_(lease) {
  const std::string pid = fmt::format("{}", getpid());
  id_ = fmt::format("{}.{}.{}", machine(), pid, process(pid).second);
  make_writable_folder(folder_);
  write();
}

Worker::~Worker() {
  std::error_code error;
  fs::remove(file_of(id_), error);
}

std::string Worker::described(const std::string& id) {
  const Parts parts = parts_of(id);
  return fmt::format("process {} on {}", parts.pid, parts.machine.substr(0, parts.machine.find('.')));
}

void Worker::write() {
  // Always as long: written over in place, so that a reader never finds an empty file.
  const std::string line = fmt::format("{:016x} {:08}\n", session_, ++beats_);
  std::fstream out(file_of(id_), std::ios::binary | std::ios::in | std::ios::out);
  if (out) {
    out << line;
  } else {
    write_file_atomically(file_of(id_), line);  // the first time, or somebody took this worker for dead
  }
  written_ = Clock::now();
}

void Worker::beat() {
  if (Clock::now() - written_ >= lease_ / kBeatsPerLease) write();
}

bool Worker::alive(const std::string& id) {
  if (id == id_) return true;
  const Parts parts = parts_of(id);
  if (parts.machine == parts_of(id_).machine) {
    const auto [state, start] = process(parts.pid);
    return start == parts.start && state != 'Z' && state != 'X';
  }
  const Clock::time_point now = Clock::now();
  const auto [at, first] = seen_.try_emplace(id);
  Seen& seen = at->second;
  if (!first && now - seen.looked < lease_ / kLooksPerLease) return seen.alive;
  seen.looked = now;
  if (!fs::exists(file_of(id))) {
    seen.alive = false;
    return false;
  }
  const std::string content = first_line(file_of(id));
  if (first || content != seen.content) {
    seen.has_changed = seen.has_changed || !first;
    seen.content = content;
    seen.changed = now;
  }
  seen.alive = now - seen.changed < lease_;
  return seen.alive;
}

bool Worker::certain(const std::string& id) const {
  const auto at = seen_.find(id);
  return at == seen_.end() || at->second.has_changed || !at->second.alive;
}

bool Worker::waited(const std::string& what) {
  const Clock::time_point now = Clock::now();
  return now - asked_.try_emplace(what, now).first->second >= lease_;
}

std::vector<std::pair<std::string, std::uint64_t>> Worker::others() {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  std::error_code error;
  std::vector<std::string> ids;
  for (const auto& entry : fs::directory_iterator(folder_, error))
    if (const std::string id = entry.path().filename().string(); id != id_ && id[0] != '.') ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  for (const std::string& id : ids) {
    if (!alive(id)) {
      fs::remove(file_of(id), error);
      continue;
    }
    std::uint64_t session = 0;
    std::istringstream(first_line(file_of(id))) >> std::hex >> session;
    if (session != 0) out.emplace_back(id, session);
  }
  return out;
}

}  // namespace warpvp
