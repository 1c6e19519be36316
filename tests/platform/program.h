#pragma once
// Runs the program as a user does and looks at what it left.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warpvp::test {

struct Finished {
  int status = -1;  ///< exit status
  std::string out, err;
};

/// Runs `warpvp` with these words in the project's folder.
Finished run_program(const std::vector<std::string>& words);
/// The same of the program at that path.
Finished run_program_at(const std::string& program, const std::vector<std::string>& words);

/// A folder of this test process that is removed at its end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// `warpvp run` of an app on a platform, with further words; the run's folder is `out`.
Finished run_app(const std::string& platform, const std::string& app, const std::filesystem::path& out,
                 const std::vector<std::string>& settings);

nlohmann::json read_json(const std::filesystem::path& file);
/// result.json of a run's folder without what differs from run to run: `host` and `provenance`.
nlohmann::json read_result(const std::filesystem::path& folder);
/// That of an app on a platform, run for it; null, and a failure of the test, when the run failed.
nlohmann::json result_of_app(const std::string& platform, const std::string& app,
                             const std::vector<std::string>& settings);
std::string read_text(const std::filesystem::path& file);

}  // namespace warpvp::test
