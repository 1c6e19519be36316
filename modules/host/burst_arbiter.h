#pragma once
// Who of several transfers moves its next burst: the most urgent one, and among equals each in turn. Plain
// C++, so that a hand-worked sequence tests it.

#include <cstdint>
#include <optional>
#include <vector>

namespace warpvp {

class BurstArbiter {
 public:
  /// A transfer that has bursts left joins; `id` is its channel.
  void join(unsigned id, int priority);
  /// Nothing happens if it does not wait.
  void leave(unsigned id);
  bool empty() const { return waiting_.empty(); }

  /// Grants a burst. Nothing: nobody waits.
  std::optional<unsigned> grant();
  /// Grants that went to another transfer although the one before had bursts left.
  std::uint64_t switches() const { return switches_; }
  /// Transfers that the last grant has overtaken: less urgent than its own, begun, with bursts left, and not
  /// overtaken yet since their last burst.
  const std::vector<unsigned>& overtaken() const { return overtaken_; }
  /// The last grant's transfer had been overtaken.
  bool goes_on() const { return goes_on_; }
  std::uint64_t overtakings() const { return overtakings_; }

 private:
  struct Waiting {
    unsigned id = 0;
    int priority = 0;
    bool begun = false, overtaken = false;
  };
  using Places = std::vector<Waiting>;
  /// That of the channel, or where it would be.
  Places::iterator place_of(unsigned id);

  Places waiting_;  // in the order of channels
  std::vector<unsigned> overtaken_;
  bool goes_on_ = false;
  std::uint64_t overtakings_ = 0;
  std::optional<unsigned> last_;
  std::uint64_t switches_ = 0;
};

}  // namespace warpvp
