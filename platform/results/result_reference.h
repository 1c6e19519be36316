#pragma once
// The reference of all keys of result.json, from the declarations that writing it uses.

#include <functional>
#include <string>
#include <vector>

#include "platform/results/result_visitor.h"

namespace warpvp {

/// One key of result.json.
struct ResultKey {
  enum class Kind { kQuantity, kText, kFlag, kNumber, kGroup, kList };
  std::string path;  ///< dotted, without list indices: "kernels.l1.l1_hits"; NAME in capitals: any name
  Kind kind = Kind::kQuantity;
  std::string unit;  ///< of a quantity
  std::string doc;   ///< one sentence or more
  bool adds_up = false;  ///< a quantity of which like parts have a sum: a count, or an amount of time
  std::string only;      ///< on which runs alone it is there, words that go on from "Only"; empty: on all
};

/// Collects every key that is visited. A key that is visited again with the same unit and sentence is one.
class ResultReference : public ResultVisitor {
 public:
  /// Visits what each of the types that a block may have would write here. `setting` chooses the type; what
  /// not all types have is marked with those that do.
  struct Type {
    std::string name;
    std::function<void(StatVisitor&)> visit;
  };
  void types(const std::string& setting, const std::vector<Type>& types);

  const std::vector<ResultKey>& keys() const { return keys_; }
  /// The keys that a user means: the one at that path, or else those whose paths end so ("l1_hits"). Lists
  /// may have an index or a condition, as in tables of experiments ("kernels.0.name",
  /// "kernels[name=K2].end_us").
  std::vector<const ResultKey*> find(const std::string& key) const;
  /// find(), each with all that lies below it, as Markdown. InputError naming the nearest key if there is
  /// none.
  std::string describe(const std::string& key) const;
  /// Why no result.json has one value at this path, as tables of experiments write paths; empty: some have.
  /// What lies below a member that is described elsewhere (`config`) is not looked into.
  std::string why_no_number(const std::string& key) const;
  /// One table for each group.
  std::string markdown(int heading_level) const;

  using ResultVisitor::value;
  void value(const char* key, std::uint64_t, const char* unit, const char* doc) override;
  void value(const char* key, double, const char* unit, const char* doc) override;
  void amount(const char* key, double, const char* unit, const char* doc) override;
  void text(const char* key, const std::string&, const char* doc) override;
  void flag(const char* key, bool, const char* doc) override;
  void values(const char* key, const std::vector<std::uint64_t>&, const char* unit, const char* doc) override;
  void named(const char* key, const std::vector<std::pair<std::string, double>>&, const char* name,
             const char* unit, const char* doc, const char* value_doc) override;
  void apart(const char* key, const char* doc) override;

 protected:
  void begin_group(const char* key, const char* doc) override;
  void end_group() override;
  bool collects_declarations() const override { return true; }
  void begin_condition(const std::string& condition) override { conditions_.push_back(condition); }
  void end_condition() override { conditions_.pop_back(); }
  void unknown(const char* key, const char* unit, const char* doc) override;
  void signed_number(const char* key, std::int64_t, const char* doc) override;
  void unsigned_number(const char* key, std::uint64_t, const char* doc) override;
  void begin_list(const char* key, const char* doc) override;
  void end_list() override { end_group(); }
  void begin_item() override {}
  void end_item() override {}

 private:
  void add(const char* key, ResultKey::Kind kind, const std::string& unit, const std::string& doc,
           bool adds_up = false);
  void open(const char* key, ResultKey::Kind kind, const char* doc);
  std::string section(const std::string& path, int heading_level) const;
  std::string sections(const std::string& path, int heading_level) const;

  std::vector<ResultKey> keys_;
  std::vector<std::vector<std::string>> of_types_;  // by key: types of the block under way that have it
  std::vector<std::string> path_, conditions_;
  std::string type_;  // under way; empty: none
};

}  // namespace warpvp
