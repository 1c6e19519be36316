#pragma once
// Visits everything that result.json holds: statistics, and what only a whole result has: texts, lists,
// values that are not known yet.

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/stats.h"

namespace warpvp {

class ResultVisitor : public StatVisitor {
 public:
  using StatVisitor::value;
  /// null while it is not known.
  template <class Number>
  void value(const char* key, const std::optional<Number>& number, const char* unit, const char* doc) {
    if (number) {
      value(key, *number, unit, doc);
    } else {
      unknown(key, unit, doc);
    }
  }
  virtual void text(const char* key, const std::string& text, const char* doc) = 0;
  virtual void flag(const char* key, bool flag, const char* doc) = 0;
  /// A number that names something (an index, a status, a level) and has no unit.
  template <class Whole>
  void number(const char* key, Whole number, const char* doc) {
    if constexpr (std::is_signed_v<Whole>) {
      signed_number(key, number, doc);
    } else {
      unsigned_number(key, number, doc);
    }
  }
  virtual void values(const char* key, const std::vector<std::uint64_t>& values, const char* unit,
                      const char* doc) = 0;
  /// Values by names that come from the run; the reference shows `name` for them, in capitals.
  virtual void named(const char* key, const std::vector<std::pair<std::string, double>>& values,
                     const char* name, const char* unit, const char* doc, const char* value_doc) = 0;
  /// A member that the writer of the result puts there by itself.
  virtual void apart(const char* key, const char* doc) = 0;

  template <class Group>
  void group(const char* key, const Group& value, const char* doc) {
    begin_group(key, doc);
    value.stats(*this);
    end_group();
  }
  template <class Item>
  void list(const char* key, const std::vector<Item>& items, const char* doc) {
    begin_list(key, doc);
    const auto visit = [&](const Item& item) {
      begin_item();
      item.stats(*this);
      end_item();
    };
    for (const Item& item : items) visit(item);
    if (items.empty() && collects_declarations()) visit(Item{});
    end_list();
  }

 protected:
  virtual void unknown(const char* key, const char* unit, const char* doc) = 0;
  virtual void signed_number(const char* key, std::int64_t number, const char* doc) = 0;
  virtual void unsigned_number(const char* key, std::uint64_t number, const char* doc) = 0;
  virtual void begin_list(const char* key, const char* doc) = 0;
  virtual void end_list() = 0;
  virtual void begin_item() = 0;
  virtual void end_item() = 0;
};

}  // namespace warpvp
