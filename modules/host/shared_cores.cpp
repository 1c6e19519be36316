#include "modules/host/shared_cores.h"

#include <algorithm>

namespace warpvp {

namespace {

using Wide = unsigned __int128;  // femtoseconds times a number of cores

SimTime from_wide(Wide femtoseconds) { return SimTime::from_fs(static_cast<std::uint64_t>(femtoseconds)); }

}  // namespace

void SharedCores::serve_until(SimTime now) {
  const SimTime elapsed = now - served_until_;
  served_until_ = now;
  if (left_.empty() || elapsed == SimTime{}) return;
  // Below a femtosecond is lost to each alike; nothing is while there are enough cores.
  const SimTime share =
      left_.size() <= cores_ ? elapsed : from_wide(Wide{elapsed.fs()} * cores_ / left_.size());
  for (auto& [computation, left] : left_) left = left - std::min(left, share);
}

SharedCores::Computation SharedCores::begin(SimTime now, SimTime work) {
  serve_until(now);
  left_[next_] = work;
  return next_++;
}

SimTime SharedCores::done_at(Computation computation, SimTime now) {
  serve_until(now);
  const SimTime left = left_.at(computation);
  if (left_.size() <= cores_) return now + left;
  return now + from_wide((Wide{left.fs()} * left_.size() + cores_ - 1) / cores_);
}

void SharedCores::end(Computation computation, SimTime now) {
  serve_until(now);
  left_.erase(computation);
}

}  // namespace warpvp
