#pragma once
// The statistics of several like parts, added up.

#include <memory>
#include <string>
#include <vector>

#include "base/stats.h"

namespace warpvp {

/// Visit it with the statistics of each part, then let it be visited. Ratios do not add and are left out.
class SummedStats : public StatVisitor {
 public:
  /// `declarations`: take all that there could be, whatever the values (for the reference).
  explicit SummedStats(bool declarations = false) : declarations_(declarations) {}

  void value(const char* key, std::uint64_t value, const char* unit, const char* doc) override;
  void value(const char*, double, const char*, const char*) override {}
  void amount(const char* key, double amount, const char* unit, const char* doc) override;
  /// In the order in which they were first seen.
  void stats(StatVisitor& v) const;

 protected:
  void begin_group(const char* key, const char* doc) override;
  void end_group() override { open_.pop_back(); }
  bool collects_declarations() const override { return declarations_; }
  void begin_condition(const std::string& condition) override;
  void end_condition() override { open_.pop_back(); }

 private:
  struct Node {
    enum class Kind { kValue, kAmount, kGroup, kCondition } kind = Kind::kGroup;
    std::string key, unit, doc;  // key: of a condition, its words
    std::uint64_t sum = 0;
    double amount = 0;
    std::vector<std::unique_ptr<Node>> members;
    void stats(StatVisitor& v) const;
  };
  Node& member(Node::Kind kind, const std::string& key);

  Node root_;
  std::vector<Node*> open_ = {&root_};
  bool declarations_;
};

}  // namespace warpvp
