#include "study/experiment/needed_keys.h"

#include <algorithm>
#include <cctype>

namespace warpvp {

namespace {

/// An index of a list, or `*` for all of it: the path goes on with the members of its items.
bool is_index(const std::string& step) {
  return step == "*" ||
         std::all_of(step.begin(), step.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

NeededKeys::NeededKeys(const Experiment& experiment, const std::vector<std::string>& more) {
  for (const TableSpec& table : experiment.tables) {
    if (table.each) {
      for (const auto& condition : table.each->only) add(table.each->list + "." + condition.first);
      add(table.each->of(table.each->label, 0));
    }
    for (const ValueSpec& value : table.values) {
      for (const Expression* e : {&value.key, &value.relative_key, &value.against}) add(*e);
      if (value.best) add(value.best->by);
    }
  }
  for (const std::string& key : more) add(key);
}

void NeededKeys::add(const Expression& expression) {
  for (const std::string& name : expression.names()) {
    if (name[0] == '$' || name[0] == '#') continue;
    add(name[0] == '@' ? Expression::elsewhere(name).key : name);
  }
}

void NeededKeys::add(const std::string& key) {
  Node* node = &root_;
  for (std::size_t at = 0; at < key.size();) {
    if (key[at] == '.') {
      ++at;
    } else if (key[at] == '[') {  // an item by the value of a member, which has to be kept for that
      const std::size_t close = std::min(key.find(']', at), key.size());
      const std::string condition = key.substr(at + 1, close - at - 1);
      node->members[condition.substr(0, condition.find('='))].whole = true;
      at = close + 1;
    } else {
      const std::size_t end = std::min(key.find_first_of(".[", at), key.size());
      const std::string step = key.substr(at, end - at);
      if (!is_index(step)) node = &node->members[step];
      at = end;
    }
  }
  node->whole = true;
}

nlohmann::ordered_json NeededKeys::pick(const nlohmann::ordered_json& value, const Node& node) {
  if (node.whole) return value;
  if (value.is_array()) {
    auto out = nlohmann::ordered_json::array();
    for (const nlohmann::ordered_json& item : value) out.push_back(pick(item, node));
    return out;
  }
  auto out = nlohmann::ordered_json::object();
  if (!value.is_object()) return out;
  for (const auto& [name, below] : node.members)
    if (const auto found = value.find(name); found != value.end()) out[name] = pick(*found, below);
  for (const auto& [name, member] : value.items())
    if (is_index(name)) out[name] = pick(member, node);  // a name like an index
  return out;
}

}  // namespace warpvp
