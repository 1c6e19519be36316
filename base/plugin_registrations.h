#pragma once
// What a plugin registers while it is being loaded.

#include <cstddef>
#include <string>
#include <vector>

namespace warpvp {

/// While one exists, whatever is registered comes from the plugin at `file`. At most one exists at a time.
class PluginRegistrations {
 public:
  explicit PluginRegistrations(std::string file);
  ~PluginRegistrations();
  PluginRegistrations(const PluginRegistrations&) = delete;
  PluginRegistrations& operator=(const PluginRegistrations&) = delete;

  const std::string& file() const { return file_; }
  /// Parts registered so far.
  std::size_t added() const { return added_; }
  /// The first part whose name was taken, as "warp_scheduler 'lrr' is registered twice: in A and in B";
  /// empty: none.
  const std::string& clash() const { return clash_; }

  void note_added() { ++added_; }
  void note_clash(const std::string& message) {
    if (clash_.empty()) clash_ = message;
  }

 private:
  std::string file_, clash_;
  std::size_t added_ = 0;
};

}  // namespace warpvp
