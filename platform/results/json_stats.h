#pragma once
// Statistics as JSON, and values of a result found by name.

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/results/result_visitor.h"

namespace warpvp {

/// Turns what is visited into a JSON object, keys in the order of declaration. A value that is not finite
/// becomes null.
class JsonStatVisitor : public ResultVisitor {
 public:
  JsonStatVisitor();

  using ResultVisitor::value;
  void value(const char* key, std::uint64_t value, const char* unit, const char* doc) override;
  void value(const char* key, double value, const char* unit, const char* doc) override;
  void text(const char* key, const std::string& text, const char* doc) override;
  void flag(const char* key, bool flag, const char* doc) override;
  void values(const char* key, const std::vector<std::uint64_t>& values, const char* unit,
              const char* doc) override;
  void named(const char* key, const std::vector<std::pair<std::string, double>>& values, const char* name,
             const char* unit, const char* doc, const char* value_doc) override;
  void apart(const char*, const char*) override {}

  /// What has been visited, once.
  nlohmann::ordered_json take() { return std::move(stack_.front()); }

 protected:
  void begin_group(const char* key, const char* doc) override;
  void end_group() override;
  void unknown(const char* key, const char* unit, const char* doc) override;
  void signed_number(const char* key, std::int64_t number, const char* doc) override;
  void unsigned_number(const char* key, std::uint64_t number, const char* doc) override;
  void begin_list(const char* key, const char* doc) override;
  void end_list() override { end_group(); }
  void begin_item() override;
  void end_item() override;

 private:
  std::vector<nlohmann::ordered_json> stack_;
  std::vector<std::string> keys_;
};

/// The statistics of anything with `stats(StatVisitor&) const` or `stats(ResultVisitor&) const`.
template <class Stats>
nlohmann::ordered_json stats_to_json(const Stats& stats) {
  JsonStatVisitor visitor;
  stats.stats(visitor);
  return visitor.take();
}

/// The value at a dotted path: "simulation.cycles", "kernels.0.end_us", or by the value of a member,
/// "kernels[name=K2].end_us" (the first that matches). nullptr if there is none.
const nlohmann::ordered_json* find_value(const nlohmann::ordered_json& root, const std::string& path);

/// Every leaf with its dotted path; list items by index.
std::vector<std::pair<std::string, nlohmann::ordered_json>> flatten(const nlohmann::ordered_json& root);

}  // namespace warpvp
