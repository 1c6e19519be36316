// The app `cuda`: an unmodified CUDA program as the host program of a run (docs/cuda.md). It runs as a
// process of its own; its calls of the CUDA runtime come here over a socket (protocol.h) and are carried out
// one at a time. Between two calls simulated time stands still, so that a run is the same however fast the
// host is.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "base/data_folder.h"
#include "base/end_guard.h"
#include "base/error.h"
#include "sw/apps/app.h"
#include "sw/cuda/server/child_process.h"
#include "sw/cuda/server/client_session.h"
#include "sw/cuda/server/listener.h"
#include "sw/runtime/context_fault.h"

namespace warpvp::cuda {
namespace {
namespace fs = std::filesystem;

struct CudaProgramParams {
  std::string program, arguments, folder;

  void fields(FieldVisitor& v) {
    v.field("program", program,
            "A CUDA program: a path, a name in PATH, or warpvp:NAME, one of those that come with it.");
    v.field("arguments", arguments,
            "What it is called with: words as a shell has them, in '' or \"\" where they have spaces.");
    v.field("folder", folder, "Folder that it runs in; empty: that of this program.");
    v.require(!program.empty(), "program", "is empty; allowed: the path of a CUDA program");
  }
};

/// Where the stand-ins for CUDA's libraries lie: beside the program, or in lib/warpvp/cuda of an
/// installation.
fs::path library_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place :
       {program.parent_path() / "lib/warpvp/cuda", fs::path(WARPVP_CUDA_LIBRARIES), program / "cuda"})
    if (fs::exists(place / "libcudart.so.12", error)) return place;
  throw InputError(
      fmt::format("the libraries for CUDA programs are missing: there is no libcudart.so.12 in {} or {}; "
                  "install warpvp whole",
                  (program.parent_path() / "lib/warpvp/cuda").string(), WARPVP_CUDA_LIBRARIES));
}

constexpr const char* kOurs = "warpvp:";
bool comes_with_warpvp(const CudaProgramParams& params) { return params.program.rfind(kOurs, 0) == 0; }

std::optional<fs::path> in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return fs::path(folder) / program;
  return std::nullopt;
}

/// The file of a program: of `warpvp:NAME` that which comes with this one, of a name alone that which PATH
/// has. InputError where there is none.
fs::path program_file(const CudaProgramParams& params) {
  std::error_code error;
  if (comes_with_warpvp(params)) {
    const fs::path folder = library_folder() / "programs";
    const std::string name = params.program.substr(std::strlen(kOurs));
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder, error))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(
          fmt::format("cannot start {}: allowed after '{}': {}", params.program, kOurs, join_names(names)));
    return folder / name;
  }
  if (params.program.find('/') != std::string::npos) {
    const fs::path file = params.folder / fs::path(params.program);
    if (fs::exists(file, error)) return file;
  } else if (const auto file = in_path(params.program)) {
    return *file;
  }
  throw InputError(fmt::format("cannot start {}: No such file or directory", params.program));
}

/// Of a variable with a list, with `first` before what it has.
std::string before(const char* variable, const fs::path& first) {
  const char* const others = std::getenv(variable);
  return others == nullptr || *others == '\0' ? first.string() : first.string() + ":" + others;
}

class CudaProgram : public apps::App {
 public:
  explicit CudaProgram(const CudaProgramParams& params) : params_(params) {}

  bool handles_faults() const override { return true; }

  /// The program, and the libraries of ours that it calls.
  std::vector<std::string> files() const override {
    std::vector<std::string> all = {program_file(params_).string()};
    for (const auto& entry : fs::directory_iterator(library_folder()))
      if (entry.is_regular_file()) all.push_back(entry.path().string());
    std::sort(all.begin() + 1, all.end());
    return all;
  }

  apps::AppResult run(rt::Runtime& device, const apps::AppContext&) override {
    const std::string name = fs::path(params_.program).filename().string();
    const auto tell = [name](const std::string& line) {
      std::fflush(stdout);
      std::fprintf(stderr, "warpvp: %s: %s\n", name.c_str(), line.c_str());
    };
    listener_ = std::make_unique<Listener>();
    device.set_printer([this](const std::string& text) { printed_ += text; });
    const fs::path libraries = library_folder();
    std::vector<std::pair<std::string, std::string>> environment = {
        {"LD_LIBRARY_PATH", before("LD_LIBRARY_PATH", libraries)},
        {"LD_PRELOAD", before("LD_PRELOAD", libraries / "libwarpvp-static-cudart.so")},
        {kSocketVariable, listener_->path()}};
    if (in_path("nvcc")) environment.emplace_back("PATH", before("PATH", libraries / "bin"));
    // Where PATH is to be looked through, the system does it.
    const std::string program = comes_with_warpvp(params_) ? program_file(params_).string() : params_.program;
    child_ =
        std::make_unique<ChildProcess>(program, split_words(params_.arguments), params_.folder, environment);
    using Clock = std::chrono::steady_clock;
    Clock::time_point called = Clock::now();  // for what is said when the run has to end
    std::uint64_t calls = 0;
    std::string fault;
    const auto end = [&](std::map<int, std::unique_ptr<ClientSession>>::iterator session) {
      session->second->end();
      if (fault.empty()) fault = session->second->fault();
      sessions_.erase(session);
    };
    Header answer;
    std::vector<std::uint8_t> bytes;
    while (true) {
      Listener::Happening now = listener_->next(kLookMs);
      using What = Listener::Happening::What;
      if (now.what == What::kConnected) {
        sessions_[now.connection] = std::make_unique<ClientSession>(device, tell, printed_);
      } else if (now.what == What::kGone) {
        // Maybe in the middle of a message.
        if (EndGuard::of_process().ending()) leave_to_the_session(device, tell, Clock::now() - called);
        end(sessions_.find(now.connection));
      } else if (now.what == What::kCalled) {
        ++calls;
        ClientSession& session = *sessions_.at(now.connection);
        session.answer(static_cast<Call>(now.call.what), now.bytes, answer, bytes);
        listener_->answer(now.connection, answer, bytes, session.file());
        listener_->give_back(std::move(now.bytes));
      } else if (child_->ended() && listener_->connections() == 0) {
        break;
      } else if (EndGuard::of_process().ending()) {
        leave_to_the_session(device, tell, Clock::now() - called);
      }
      if (now.what != What::kNothing) called = Clock::now();
    }
    while (!sessions_.empty()) end(sessions_.begin());
    device.set_printer(nullptr);
    // The program has ended without waiting for it.
    std::fputs(printed_.c_str(), stdout);
    std::fflush(stdout);
    const int ended = *child_->ended(), status = exit_status(ended);
    if (!fault.empty()) throw rt::ContextFault(fault);
    apps::AppResult result;
    // The program knows whether its results are right; its status says so where it says anything.
    result.checked = status != 0;
    result.verified = status == 0;
    if (status != 0)
      result.message = WIFSIGNALED(ended) ? fmt::format("the program was ended by signal {}", WTERMSIG(ended))
                                          : fmt::format("the program ended with status {}", status);
    result.measured = {{"exit_status", status}, {"calls", static_cast<double>(calls)}};
    return result;
  }

 private:
  static constexpr int kLookMs = 20;  ///< how often it looks whether the program has ended without a word

  /// The run is to end, and the program is busy with work of its own, in which simulated time stands still.
  /// Says so if that has taken longer than a moment, and lets it go on until the session has seen that.
  template <typename Tell>
  [[noreturn]] static void leave_to_the_session(rt::Runtime& device, const Tell& tell,
                                                std::chrono::duration<double> silent) {
    if (silent.count() >= 1)
      tell(fmt::format("no call for {:.1f} s: the program itself was computing, or waiting", silent.count()));
    while (true) device.host().compute(SimTime::from_us(1));
  }

  const CudaProgramParams params_;
  // Members, as a host program that is stopped never frees what its stack holds.
  std::string printed_;  // by its kernels, and not yet by the program
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<ChildProcess> child_;
  std::map<int, std::unique_ptr<ClientSession>> sessions_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(apps::App, CudaProgram, CudaProgramParams, "cuda",
                                   "An unmodified CUDA program, as a process of its own.");

}  // namespace
}  // namespace warpvp::cuda
