#include "platform/results/result_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "platform/results/result_checksum.h"

namespace warpvp {
namespace fs = std::filesystem;

const char* version() { return WARPVP_VERSION; }

std::string process_mark() {
  static const std::string host = [] {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    std::string text = name;
    for (char& c : text)
      if (c == '/') c = '-';
    return text;
  }();
  return fmt::format("{}.{}", host, getpid());
}

void make_writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    const std::string why = error ? error.message() : "something else of that name is in the way";
    throw InputError(
        fmt::format("cannot make the output folder {}: {}; give another with --out", folder.string(), why));
  }
  const fs::path probe = folder / (".probe." + process_mark());
  errno = 0;
  if (!std::ofstream(probe).put('x').flush()) {
    const std::string why = std::strerror(errno);
    fs::remove(probe, error);
    throw InputError(fmt::format("cannot write into the output folder {}: {}; give another with --out",
                                 folder.string(), why));
  }
  fs::remove(probe, error);
}

void write_file_atomically(const fs::path& file, const std::string& content) {
  const fs::path temporary =
      file.parent_path() / fmt::format(".{}.{}", file.filename().string(), process_mark());
  errno = 0;
  std::ofstream out(temporary, std::ios::binary);
  out << content;
  out.close();
  std::error_code error;
  if (!out) {
    const std::string why = std::strerror(errno);
    fs::remove(temporary, error);
    throw InputError(fmt::format("cannot write {}: {}", file.string(), why));
  }
  fs::rename(temporary, file, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(temporary, error);
    throw InputError(fmt::format("cannot write {}: {}", file.string(), why));
  }
}

std::string result_text(const nlohmann::ordered_json& result) {
  return with_checksum(result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

ResultWriter::ResultWriter(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  made_here_ = !fs::exists(folder_, error);
  make_writable_folder(folder_);
  // What a report of this run would take for its own.
  for (const char* name : {"result.json", "intervals.csv"}) fs::remove(folder_ / name, error);
}

ResultWriter::~ResultWriter() {
  std::error_code error;
  if (made_here_) fs::remove(folder_, error);  // fails, as it should, unless empty
}

void ResultWriter::write_file(const std::string& name, const std::string& content) {
  write_file_atomically(folder_ / name, content);
}

void ResultHeader::stats(ResultVisitor& v) const {
  v.text("version", version(), "The program's version, as `warpvp version` prints it.");
  v.number("exit_code", static_cast<int>(exit_code),
           "Exit status of the run: 0 fine, 1 a result differed, 3 the device faulted or deadlocked, 124 the "
           "limit of wall-clock time was reached, 130 interrupted.");
  v.text("message", message, "Why the run ended as it did; empty when all is well.");
  v.flag("verified", verified, "Results were compared with their reference, and none differed.");
  v.number("seed", seed, "The run's `seed`.");
}

}  // namespace warpvp
