#pragma once
// CTAs that were taken off their SMs before their ends: what each needs to go on, kept under a number until
// an SM takes it up again. One store for all SMs, since a CTA may go on on another one. Values stay here;
// where they lie in device memory decides the time that saving and restoring take.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace warpvp {

/// The state of a CTA; each type of SM has its own.
class SavedCta {
 public:
  virtual ~SavedCta() = default;
  std::uint64_t address = 0;  ///< device memory, aligned to a line
  std::uint64_t bytes = 0;
};

class SavedCtas {
 public:
  /// States lie in their contexts' local memory of `bytes`, one behind the other, from its beginning again
  /// behind its end.
  explicit SavedCtas(std::uint64_t bytes = ~std::uint64_t{0}) : bytes_(bytes) {}

  /// Gives `state`, whose length is known, its place in the local memory that begins at `base`.
  void place(SavedCta& state, std::uint64_t base) {
    const std::uint64_t room = (state.bytes + kLine - 1) / kLine * kLine;
    if (next_ + room > bytes_) next_ = 0;
    state.address = base + next_;
    next_ += room;
  }
  /// Returns its number, which is not 0.
  std::uint32_t put(std::unique_ptr<SavedCta> state) {
    states_[++last_] = std::move(state);
    return last_;
  }
  /// nullptr: there is none of that number.
  std::unique_ptr<SavedCta> take(std::uint32_t number) {
    const auto at = states_.find(number);
    if (at == states_.end()) return nullptr;
    std::unique_ptr<SavedCta> state = std::move(at->second);
    states_.erase(at);
    return state;
  }
  std::size_t size() const { return states_.size(); }

 private:
  static constexpr std::uint64_t kLine = 128;
  std::uint64_t bytes_, next_ = 0;
  std::uint32_t last_ = 0;
  std::map<std::uint32_t, std::unique_ptr<SavedCta>> states_;
};

}  // namespace warpvp
