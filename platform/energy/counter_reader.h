#pragma once
// Reads chosen counters out of statistics as they are visited.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/results/result_visitor.h"

namespace warpvp {

/// Visit it with statistics; it keeps the counters it was told of, by their paths. Items of lists are added
/// up.
class CounterReader : public ResultVisitor {
 public:
  /// `paths` in the order of counts(); `root` is the path of what is visited, empty or with a dot at its end.
  explicit CounterReader(const std::vector<std::string>& paths, std::string root = "");

  /// By the place of its path; nothing where it was not visited.
  const std::vector<std::optional<double>>& counts() const { return counts_; }

  using ResultVisitor::value;
  void value(const char* key, std::uint64_t value, const char* unit, const char* doc) override;
  void value(const char*, double, const char*, const char*) override {}  // ratios
  void amount(const char* key, double amount, const char* unit, const char* doc) override;
  void text(const char*, const std::string&, const char*) override {}
  void flag(const char*, bool, const char*) override {}
  void values(const char*, const std::vector<std::uint64_t>&, const char*, const char*) override {}
  void named(const char*, const std::vector<std::pair<std::string, double>>&, const char*, const char*,
             const char*, const char*) override {}
  void apart(const char*, const char*) override {}

 protected:
  void begin_group(const char* key, const char* doc) override;
  void end_group() override;
  void unknown(const char*, const char*, const char*) override {}
  void signed_number(const char*, std::int64_t, const char*) override {}
  void unsigned_number(const char*, std::uint64_t, const char*) override {}
  void begin_list(const char* key, const char* doc) override { begin_group(key, doc); }
  void end_list() override { end_group(); }
  void begin_item() override {}
  void end_item() override {}

 private:
  void add(const char* key, double count);

  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::optional<double>> counts_;
  std::string path_;                  // of the group under way, with a dot at its end
  std::vector<std::size_t> lengths_;  // of path_ before each group
};

}  // namespace warpvp
