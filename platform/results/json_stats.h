#pragma once
// Statistics as JSON, and values of a result found by name.

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/stats.h"

namespace warpvp {

/// Turns visited statistics into a JSON object, keys in the order of declaration. A value that is not finite
/// becomes null.
class JsonStatVisitor : public StatVisitor {
 public:
  JsonStatVisitor() { stack_.push_back(nlohmann::ordered_json::object()); }

  void value(const char* key, std::uint64_t value, const char* unit, const char* doc) override;
  void value(const char* key, double value, const char* unit, const char* doc) override;

  const nlohmann::ordered_json& json() const { return stack_.front(); }

 protected:
  void begin_group(const char* key) override;
  void end_group() override;

 private:
  std::vector<nlohmann::ordered_json> stack_;
  std::vector<std::string> keys_;
};

/// The statistics of anything with `void stats(StatVisitor&) const`.
template <class Stats>
nlohmann::ordered_json stats_to_json(const Stats& stats) {
  JsonStatVisitor visitor;
  stats.stats(visitor);
  return visitor.json();
}

/// The value at a dotted path: "simulation.cycles", "kernels.0.end_us", or by the value of a member,
/// "kernels[name=K2].end_us" (the first that matches). nullptr if there is none.
const nlohmann::ordered_json* find_value(const nlohmann::ordered_json& root, const std::string& path);

/// Every leaf with its dotted path; list items by index.
std::vector<std::pair<std::string, nlohmann::ordered_json>> flatten(const nlohmann::ordered_json& root);

}  // namespace warpvp
