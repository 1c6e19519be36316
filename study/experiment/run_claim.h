#pragma once
// Who does a run: a claim in its folder, so that of several workers one does it, and another takes it over
// when that one dies.

#include <filesystem>
#include <string>

#include "study/experiment/worker.h"

namespace warpvp {

/// Claims are files `.claim-1`, `.claim-2`, ... that hold a worker's id; the last one counts. Each is made
/// with an exclusive create, which one of several workers succeeds in, on NFS too; a claim of a dead worker
/// is taken over by making the next one, so that of two who find it dead one gets it. Where a remote worker
/// is taken for dead and is not (it was suspended for longer than a lease), a run is done twice, with the
/// same result.
class RunClaim {
 public:
  enum class Outcome {
    kMine,   ///< this worker has it now
    kTaken,  ///< another worker that lives has it, or was faster
  };

  /// `folder` of the run must exist. InputError if the claim cannot be written.
  static Outcome take(const std::filesystem::path& folder, Worker& worker);
  /// Gives up this worker's claim, and clears away those that it took over.
  static void release(const std::filesystem::path& folder, const Worker& worker);
  /// The worker that has the run and lives; empty: none.
  static std::string owner(const std::filesystem::path& folder, Worker& worker);
};

}  // namespace warpvp
