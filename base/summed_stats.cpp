#include "base/summed_stats.h"

namespace warpvp {

SummedStats::Node& SummedStats::member(Node::Kind kind, const std::string& key) {
  auto& members = open_.back()->members;
  for (const auto& m : members)
    if (m->kind == kind && m->key == key) return *m;
  members.push_back(std::make_unique<Node>());
  members.back()->kind = kind;
  members.back()->key = key;
  return *members.back();
}

void SummedStats::value(const char* key, std::uint64_t value, const char* unit, const char* doc) {
  Node& node = member(Node::Kind::kValue, key);
  node.unit = unit;
  node.doc = doc;
  node.sum += value;
}

void SummedStats::amount(const char* key, double amount, const char* unit, const char* doc) {
  Node& node = member(Node::Kind::kAmount, key);
  node.unit = unit;
  node.doc = doc;
  node.amount += amount;
}

void SummedStats::begin_group(const char* key, const char* doc) {
  Node& node = member(Node::Kind::kGroup, key);
  node.doc = doc;
  open_.push_back(&node);
}

void SummedStats::begin_condition(const std::string& condition) {
  open_.push_back(&member(Node::Kind::kCondition, condition));
}

void SummedStats::Node::stats(StatVisitor& v) const {
  for (const auto& m : members) {
    if (m->kind == Kind::kValue) v.value(m->key.c_str(), m->sum, m->unit.c_str(), m->doc.c_str());
    if (m->kind == Kind::kAmount) v.amount(m->key.c_str(), m->amount, m->unit.c_str(), m->doc.c_str());
    if (m->kind == Kind::kGroup) v.group(m->key.c_str(), *m, m->doc.c_str());
    if (m->kind == Kind::kCondition) v.when(true, m->key, [&] { m->stats(v); });
  }
}

void SummedStats::stats(StatVisitor& v) const { root_.stats(v); }

}  // namespace warpvp
