#include "tests/platform/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace warpvp::test {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "warpvp-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}
std::string ScratchFolder::file(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name) << text;
  return (path_ / name).string();
}

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

nlohmann::json read_json(const fs::path& file) { return nlohmann::json::parse(read_text(file)); }

nlohmann::json read_result(const fs::path& folder) {
  nlohmann::json result = read_json(folder / "result.json");
  result.erase("host");
  result.erase("provenance");
  return result;
}

nlohmann::json result_of_app(const std::string& platform, const std::string& app,
                             const std::vector<std::string>& settings) {
  const ScratchFolder scratch;
  const Finished run = run_app(platform, app, scratch / "run", settings);
  EXPECT_EQ(run.status, 0) << run.err;
  return run.status == 0 ? read_result(scratch / "run") : nlohmann::json();
}

Finished run_program(const std::vector<std::string>& words) { return run_program_at(WARPVP_PROGRAM, words); }

Finished run_program_at(const std::string& program, const std::vector<std::string>& words) {
  const ScratchFolder scratch;
  const std::string out = (scratch / "out").string(), err = (scratch / "err").string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_CREAT | O_WRONLY, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_CREAT | O_WRONLY, 0600);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  Finished finished;
  if (posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ) == 0) {
    int status = 0;
    waitpid(child, &status, 0);
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  posix_spawn_file_actions_destroy(&actions);
  finished.out = read_text(out);
  finished.err = read_text(err);
  return finished;
}

Finished run_app(const std::string& platform, const std::string& app, const fs::path& out,
                 const std::vector<std::string>& settings) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("run.yaml", "platform: " + platform + "\nworkload: {app: " + app + "}\n");
  std::vector<std::string> words{"run", file, "--quiet", "--out", out.string()};
  for (const std::string& setting : settings) {
    words.push_back("--set");
    words.push_back(setting);
  }
  return run_program(words);
}

}  // namespace warpvp::test
