#pragma once
// What a controller makes as great as it can: a speedup of kernels that run together over each alone (CCBP,
// section 3.3).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace warpvp {

class SpeedupGoal {
 public:
  enum class Kind : std::uint8_t { kHarmonic, kWeighted };

  /// The default, and for tests: a word of the field, and the second field.
  explicit SpeedupGoal(std::string goal = "hspeedup", std::vector<std::uint32_t> alone_ipc = {})
      : goal_(std::move(goal)), alone_ipc_(std::move(alone_ipc)) {}
  /// Fields `goal` and `alone_ipc` of a controller. `otherwise` says what kernels without an IPC are compared
  /// with.
  void fields(FieldVisitor& v, const char* otherwise);
  Kind kind() const { return goal_ == "wspeedup" ? Kind::kWeighted : Kind::kHarmonic; }
  /// Warp instructions a cycle of a kernel alone, by its number in the order in which kernels first came, if
  /// it was given.
  std::optional<double> alone_ipc(std::size_t kernel) const;

 private:
  std::string goal_;
  std::vector<std::uint32_t> alone_ipc_;
};

/// Of kernels that have `ipc` together and `alone` alone; those whose `alone` is not above 0 do not count.
double speedup_of(SpeedupGoal::Kind kind, const std::vector<double>& ipc, const std::vector<double>& alone);

}  // namespace warpvp
