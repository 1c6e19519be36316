#include "platform/experiment/run_folder.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "platform/results/result_writer.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

/// Why a run failed: its "warpvp: ..." line, or failing that the last line that says something.
std::string reason_in(const fs::path& file) {
  const std::string prefix = "warpvp: ";
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    line = line.substr(line.rfind('\r') + 1);  // a progress line may stand before it
    if (line.rfind(prefix, 0) == 0) return line.substr(prefix.size());
    if (line.find_first_not_of(" \t") != std::string::npos) last = line;
  }
  return last;
}

nlohmann::ordered_json read_json(const fs::path& file) {
  std::ifstream in(file);
  return in ? nlohmann::ordered_json::parse(in, nullptr, false) : nlohmann::ordered_json();
}

}  // namespace

bool RunFolder::is_this_run() const {
  std::ifstream in(folder_ / "run.yaml", std::ios::binary);
  std::ostringstream content;
  if (in) content << in.rdbuf();
  return content.str() == run_yaml_;
}

nlohmann::ordered_json RunFolder::any_result() const {
  nlohmann::ordered_json result = read_json(folder_ / "result.json");
  const bool good = result.is_object() && result.contains("exit_code") &&
                    result["exit_code"].is_number_integer() && result.contains("simulation") &&
                    result["simulation"].is_object();
  return good ? result : nullptr;
}

nlohmann::ordered_json RunFolder::good_result() const {
  if (!is_this_run()) return nullptr;
  nlohmann::ordered_json result = any_result();
  return result.is_object() && result["exit_code"] == 0 ? result : nullptr;
}

std::optional<RunFailure> RunFolder::failure() const {
  const nlohmann::ordered_json record = read_json(folder_ / "failure.json");
  if (!record.is_object() || !is_this_run()) return std::nullopt;
  const auto text = [&](const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto code = record.find("exit_code");
  if (code == record.end() || !code->is_number_integer() || *code == 0) return std::nullopt;
  return RunFailure{code->get<int>(), text("message"), text("attempt")};
}

void RunFolder::begin() const {
  std::error_code error;
  fs::remove(folder_ / "result.json", error);
  fs::remove(folder_ / "failure.json", error);
  write_file_atomically(folder_ / "run.yaml", run_yaml_);
}

ChildJob RunFolder::job(const std::vector<std::string>& program) const {
  ChildJob job;
  job.command = program;
  for (const std::string& word : {(folder_ / "run.yaml").string(), std::string("--out"), folder_.string()})
    job.command.push_back(word);
  if (!origin_.name.empty()) {
    job.command.push_back("--platform-origin");
    job.command.push_back(origin_.name + "=" + origin_.file);
  }
  job.output_file = folder_ / "log.txt";
  job.error_file = folder_ / "error.txt";
  return job;
}

FinishedRun RunFolder::collect(const ChildExit& exit, bool stopped) const {
  FinishedRun run;
  run.result = any_result();
  run.exit_code = exit.code;
  if (!exit.started) {
    run.exit_code = static_cast<int>(ExitCode::kBadInput);
    run.message = "cannot start the program";
  } else if (exit.signal != 0) {
    run.exit_code = static_cast<int>(stopped ? ExitCode::kInterrupted : ExitCode::kDeviceFault);
    run.message = fmt::format("ended by signal {}", exit.signal);
  } else if (exit.code != 0) {
    run.message = reason_in(folder_ / "error.txt");
    if (run.message.empty()) run.message = fmt::format("exit status {}", exit.code);
  } else if (!run.result.is_object()) {
    run.exit_code = static_cast<int>(ExitCode::kBadInput);
    run.message = "no readable result.json";
  }
  return run;
}

void RunFolder::write_failure(const RunFailure& failure) const {
  const nlohmann::ordered_json record = {
      {"exit_code", failure.exit_code}, {"message", failure.message}, {"attempt", failure.attempt}};
  write_file_atomically(folder_ / "failure.json",
                        record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace warpvp
