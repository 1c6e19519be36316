#include "study/experiment/run_folder.h"

#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "base/input_file.h"
#include "platform/config/setting.h"
#include "platform/results/json_input.h"
#include "platform/results/result_checksum.h"
#include "platform/results/result_writer.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

constexpr char kDigestFile[] = "result.digest";

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

/// Of a regular file of a size that a result may have; else empty, as of something that cannot be used.
std::string text_of(const fs::path& file) {
  if (!why_unreadable(file, json_limit::kBytes).empty()) return "";
  try {
    return read_input_file(file, json_limit::kBytes);
  } catch (const InputError&) {
    return "";
  }
}

nlohmann::ordered_json parse(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(text, nullptr, false);
}

/// Null unless it can be a result.
nlohmann::ordered_json result_of(const std::string& text) {
  nlohmann::ordered_json result = parse(text);
  const bool good = result.is_object() && result.contains("exit_code") &&
                    result["exit_code"].is_number_integer() && result.contains("simulation") &&
                    result["simulation"].is_object();
  return good ? result : nullptr;
}

std::string digest_line(const std::string& text) { return fmt::format("{:016x}\n", digest(text)); }

}  // namespace

bool RunFolder::is_this_run() const { return text_of(folder_ / "run.yaml") == run_yaml_; }

std::string RunFolder::result_text() const {
  const fs::path file = folder_ / "result.json";
  return why_no_json(file).empty() ? text_of(file) : "";
}

bool RunFolder::is_as_written(const std::string& text) const {
  // Another run's result holds its own checksum.
  const std::string left = text_of(folder_ / kDigestFile);
  const Checksum own = check_checksum(text);
  // Of a program that writes no checksum there is what the run left, or nothing that vouches for it.
  if (left.empty()) return own == Checksum::kHolds;
  return own != Checksum::kBroken && left == digest_line(text);
}

nlohmann::ordered_json RunFolder::any_result() const { return result_of(result_text()); }

nlohmann::ordered_json RunFolder::good_result() const {
  if (!is_this_run()) return nullptr;
  const std::string text = result_text();
  nlohmann::ordered_json result = result_of(text);
  return result.is_object() && result["exit_code"] == 0 && is_as_written(text) ? result : nullptr;
}

bool RunFolder::was_changed() const {
  std::error_code error;
  if (!fs::exists(folder_ / "result.json", error) || !is_this_run()) return false;
  // What is no result any more was one if the run noted it.
  const std::string text = result_text();
  if (fs::exists(folder_ / kDigestFile, error)) return !is_as_written(text);
  const nlohmann::ordered_json result = result_of(text);
  return check_checksum(text) == Checksum::kBroken ||
         (result.is_object() && result["exit_code"] == 0 && !is_as_written(text));
}

std::optional<RunFailure> RunFolder::failure() const {
  const nlohmann::ordered_json record = parse(text_of(folder_ / "failure.json"));
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
  for (const char* name : {"result.json", kDigestFile}) fs::remove(folder_ / name, error);
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
  const std::string text = result_text();
  run.result = result_of(text);
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
  } else {
    write_file_atomically(folder_ / kDigestFile, digest_line(text));
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
