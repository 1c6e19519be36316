#pragma once
// The folder of one run. It is made, and found writable, before anything runs; files in it appear whole or
// not at all.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "platform/config/setting.h"
#include "platform/results/result_visitor.h"

namespace warpvp {

/// The program's version, as `warpvp version` prints it.
const char* version();

/// For names of temporary files: no process on any machine that shares the folder has the same.
std::string process_mark();

/// Makes the folder (with those above it). InputError saying what is wrong and what to do if it cannot be
/// made or written.
void make_writable_folder(const std::filesystem::path& folder);
/// Writes a file so that readers see the old content or the new, never half. InputError if that fails.
void write_file_atomically(const std::filesystem::path& file, const std::string& content);

/// The text of a result.json, with its checksum.
std::string result_text(const nlohmann::ordered_json& result);

class ResultWriter {
 public:
  /// Also removes a result.json of an earlier run in the same folder, which would no longer be true.
  explicit ResultWriter(std::filesystem::path folder);
  /// A folder made by this writer in which nothing was written is removed again.
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Writes result.json, whose text is `text`.
  void write_result(const std::string& text) { write_file("result.json", text); }
  /// Writes another file of the run, `name` without folders.
  void write_file(const std::string& name, const std::string& content);

 private:
  std::filesystem::path folder_;
  bool made_here_ = false;
};

/// What every result.json begins with.
struct ResultHeader {
  ExitCode exit_code = ExitCode::kOk;
  std::string message;    ///< why it ended so; empty when all is well
  bool verified = false;  ///< every check of results was made and none differed
  std::uint64_t seed = 1;
  void stats(ResultVisitor& v) const;
};

}  // namespace warpvp
