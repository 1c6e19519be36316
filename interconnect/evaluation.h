#pragma once
// Who runs the first half of an edge, and in which order. A block's evaluate changes nothing but the block,
// so results cannot depend on it (clock_domain.h): the blocks of an edge may be evaluated backwards, or on
// several threads.

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/cycle.h"
#include "base/fields.h"

namespace warpvp {

class Clocked;

struct EvaluationConfig {
  static constexpr std::uint32_t kMostThreads = 64;
  std::uint32_t threads = 1;  // 0: as many as make sense here
  std::string order = "forward";
  std::uint32_t window = 1;

  void fields(FieldVisitor& v);
  /// Something else than what clock domains do by themselves.
  bool chosen() const { return threads > 1 || order != "forward"; }
};

class Evaluation {
 public:
  explicit Evaluation(const EvaluationConfig& config);
  ~Evaluation();

  /// Evaluates blocks[i] at edge `now` for each i of `active`, which ascend. What a block throws is thrown
  /// when all are done; of several exceptions that of the first block.
  void run(const std::vector<Clocked*>& blocks, const std::vector<unsigned>& active, Cycle now);

 private:
  class Helpers;
  bool reverse_;
  std::unique_ptr<Helpers> helpers_;  // none with one thread
};

}  // namespace warpvp
