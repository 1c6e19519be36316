#include "platform/results/json_stats.h"

#include <cmath>

#include "platform/config/setting.h"

namespace warpvp {

using Json = nlohmann::ordered_json;

namespace {

/// An object that grows beyond its room is copied, with all that it holds.
Json object_with_room(std::size_t members) {
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(members);
  return object;
}
constexpr std::size_t kMembersOfResult = 64, kMembers = 8;  // more than most have

}  // namespace

JsonStatVisitor::JsonStatVisitor() { stack_.push_back(object_with_room(kMembersOfResult)); }

void JsonStatVisitor::begin_item() { stack_.push_back(object_with_room(kMembers)); }

void JsonStatVisitor::value(const char* key, std::uint64_t value, const char*, const char*) {
  stack_.back()[key] = value;
}

void JsonStatVisitor::value(const char* key, double value, const char*, const char*) {
  stack_.back()[key] = std::isfinite(value) ? Json(value) : Json(nullptr);
}

void JsonStatVisitor::text(const char* key, const std::string& text, const char*) {
  stack_.back()[key] = text;
}

void JsonStatVisitor::flag(const char* key, bool flag, const char*) { stack_.back()[key] = flag; }

void JsonStatVisitor::values(const char* key, const std::vector<std::uint64_t>& values, const char*,
                             const char*) {
  stack_.back()[key] = values;
}

void JsonStatVisitor::named(const char* key, const std::vector<std::pair<std::string, double>>& values,
                            const char*, const char*, const char*, const char*) {
  Json& group = stack_.back()[key] = Json::object();
  for (const auto& [name, value] : values) group[name] = value;
}

void JsonStatVisitor::unknown(const char* key, const char*, const char*) { stack_.back()[key] = nullptr; }

void JsonStatVisitor::signed_number(const char* key, std::int64_t number, const char*) {
  stack_.back()[key] = number;
}

void JsonStatVisitor::unsigned_number(const char* key, std::uint64_t number, const char*) {
  stack_.back()[key] = number;
}

void JsonStatVisitor::begin_group(const char* key, const char*) {
  keys_.emplace_back(key);
  stack_.push_back(object_with_room(kMembers));
}

void JsonStatVisitor::begin_list(const char* key, const char*) {
  keys_.emplace_back(key);
  stack_.push_back(Json::array());
}

void JsonStatVisitor::end_item() {
  Json item = std::move(stack_.back());
  stack_.pop_back();
  stack_.back().push_back(std::move(item));
}

void JsonStatVisitor::end_group() {
  Json group = std::move(stack_.back());
  stack_.pop_back();
  stack_.back()[keys_.back()] = std::move(group);
  keys_.pop_back();
}

namespace {

std::string as_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

const Json* step(const Json* at, const std::string& name) {
  if (at->is_object()) {
    const auto it = at->find(name);
    return it == at->end() ? nullptr : &*it;
  }
  std::uint64_t index = 0;
  if (at->is_array() && parse_unsigned(name, index) && index < at->size()) return &(*at)[index];
  return nullptr;
}

const Json* select(const Json* at, const std::string& condition) {
  const std::size_t equals = condition.find('=');
  if (!at->is_array() || equals == std::string::npos) return nullptr;
  for (const Json& item : *at) {
    const Json* member = step(&item, condition.substr(0, equals));
    if (member && as_text(*member) == condition.substr(equals + 1)) return &item;
  }
  return nullptr;
}

void flatten_into(const Json& value, const std::string& path,
                  std::vector<std::pair<std::string, Json>>& out) {
  if (!value.is_structured()) {
    out.emplace_back(path, value);
    return;
  }
  const std::string prefix = path.empty() ? "" : path + ".";
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) flatten_into(member, prefix + key, out);
  } else {
    for (std::size_t i = 0; i < value.size(); ++i) flatten_into(value[i], prefix + std::to_string(i), out);
  }
}

}  // namespace

const Json* find_value(const Json& root, const std::string& path) {
  const Json* at = &root;
  std::size_t i = 0;
  while (at && i < path.size()) {
    if (path[i] == '[') {
      const std::size_t close = path.find(']', i);
      if (close == std::string::npos) return nullptr;
      at = select(at, path.substr(i + 1, close - i - 1));
      i = close + 1;
      if (i < path.size() && path[i] == '.') ++i;
    } else {
      std::size_t end = path.find_first_of(".[", i);
      if (end == std::string::npos) end = path.size();
      at = step(at, path.substr(i, end - i));
      i = end < path.size() && path[end] == '.' ? end + 1 : end;
    }
  }
  return path.empty() ? nullptr : at;
}

std::vector<std::pair<std::string, Json>> flatten(const Json& root) {
  std::vector<std::pair<std::string, Json>> out;
  flatten_into(root, "", out);
  return out;
}

}  // namespace warpvp
