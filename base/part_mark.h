#pragma once
// Which part of the model a thread is working on, for the sampling profile of a run (`profile: true`). Marking
// costs two stores; nobody reads the mark unless a profile is being taken.

namespace warpvp {

/// Name of the part that this thread works on; nullptr outside all parts (SystemC kernel, host program). Read by a
/// signal handler.
inline thread_local const char* volatile current_part = nullptr;

/// Marks a part while it is in scope.
class PartMark {
 public:
  explicit PartMark(const char* part) : before_(current_part) { current_part = part; }
  ~PartMark() { current_part = before_; }
  PartMark(const PartMark&) = delete;

 private:
  const char* before_;
};

}  // namespace warpvp
