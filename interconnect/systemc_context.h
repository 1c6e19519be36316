#pragma once
// SystemC simulates once with one simulation context, and a process has one at a time. Whoever simulates
// takes it; when all of its modules are gone, the next one gets a new context and begins at time zero.

namespace warpvp {

/// Sets the simulation's time resolution (1 fs). Call once a context, before any sc_time is made.
void configure_time();

class SystemcContext {
 public:
  SystemcContext() = default;
  /// Puts a new simulation context in the place of the one that was taken, unless modules of others are in
  /// it, who still need it: then no further one can be taken. Processes that have not ended are not
  /// unwound, and keep their stacks.
  ~SystemcContext();
  SystemcContext(const SystemcContext&) = delete;
  SystemcContext& operator=(const SystemcContext&) = delete;

  /// False: somebody else has it, or has had it and could not give it back.
  bool take();

 private:
  bool taken_ = false;
};

}  // namespace warpvp
