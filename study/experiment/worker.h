#pragma once
// The processes that work on one experiment at the same time, on one machine or on many that share its
// folder.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warpvp {

/// This process, as the others see it: a file in FOLDER/.workers that it writes anew every so often (a
/// heartbeat), and the means to see whether others live.
///
/// A worker of the same machine is dead as soon as its process is gone. One of another machine is dead when
/// its file has not changed for the time of a lease, as measured by the clock of the one who looks: no clocks
/// are compared, no locks of the file system are needed, and files are opened anew for each look, which is
/// when NFS asks its server.
class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  /// Makes the file. `session` tells apart workers that would do different runs. InputError if the folder
  /// cannot be written.
  Worker(std::filesystem::path folder, std::uint64_t session, std::chrono::duration<double> lease);
  /// Removes it.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// A name that no other process has: machine, boot, process, and when it started.
  const std::string& id() const { return id_; }
  /// What a person calls the worker of that id: "process 123 on HOST".
  static std::string described(const std::string& id);
  std::chrono::duration<double> lease() const { return lease_; }

  /// To be called several times a second: writes the file when it is time to.
  void beat();
  /// Whether the worker of that id lives, as far as can be known now. A remote one is taken to live when it
  /// is seen for the first time.
  bool alive(const std::string& id);
  /// Whether alive(id) knows: local, or seen to change, or not seen to change for a lease.
  bool certain(const std::string& id) const;
  /// Whether it is a lease since this was first asked about `what`: for things that nobody's heartbeat
  /// vouches for.
  bool waited(const std::string& what);
  /// The workers that live, without this one: id and session. Files of dead ones are removed.
  std::vector<std::pair<std::string, std::uint64_t>> others();

 private:
  struct Seen {
    std::string content;
    Clock::time_point looked, changed;
    bool has_changed = false;
    bool alive = true;
  };
  std::filesystem::path file_of(const std::string& id) const { return folder_ / id; }
  void write();

  std::filesystem::path folder_;
  std::string id_;
  std::uint64_t session_;
  std::chrono::duration<double> lease_;
  std::uint64_t beats_ = 0;
  Clock::time_point written_;
  std::map<std::string, Seen> seen_;  ///< remote ones
  std::map<std::string, Clock::time_point> asked_;
};

}  // namespace warpvp
