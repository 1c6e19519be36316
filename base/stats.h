#pragma once
// Statistics are plain structs of counters; each lists its members once in `void stats(StatVisitor& v)
// const`, from which result.json, tables, plots and the reference of docs/statistics.md are made.

#include <cstdint>
#include <string>

namespace warpvp {

/// Visits the statistics of a struct. `key` is the name in result.json, `unit` is what is counted or measured
/// ("requests", "cycles", "us"; "share" for a part of one), `doc` is one sentence.
class StatVisitor {
 public:
  virtual ~StatVisitor() = default;
  virtual void value(const char* key, std::uint64_t value, const char* unit, const char* doc) = 0;
  virtual void value(const char* key, double value, const char* unit, const char* doc) = 0;
  /// A quantity that is no whole number and of which like parts have a sum: a time. Shares, means and other
  /// ratios have none; they are a `value`.
  virtual void amount(const char* key, double amount, const char* unit, const char* doc) {
    value(key, amount, unit, doc);
  }

  template <class Group>
  void group(const char* key, const Group& value, const char* doc) {
    begin_group(key, doc);
    value.stats(*this);
    end_group();
  }

  /// Statistics that only some runs have. `visit` is called when they are `present`, and always for a visitor
  /// that collects declarations, which shows `condition`: words that go on from "Only", as in "with an
  /// oracle". With zeros in place of what is absent, `visit` must still be able to run.
  template <class Visit>
  void when(bool present, const std::string& condition, const Visit& visit) {
    if (!present && !collects_declarations()) return;
    begin_condition(condition);
    visit();
    end_condition();
  }

 protected:
  virtual void begin_group(const char* key, const char* doc) = 0;
  virtual void end_group() = 0;
  /// Wants all that there could be, whatever the values.
  virtual bool collects_declarations() const { return false; }
  virtual void begin_condition(const std::string&) {}
  virtual void end_condition() {}
};

/// Visits `part.stats()` as group `key`, unless it counts nothing.
template <class Part>
void group_if_any(StatVisitor& v, const char* key, const Part& part, const char* doc);

/// Whether anything is visited.
class StatProbe : public StatVisitor {
 public:
  void value(const char*, std::uint64_t, const char*, const char*) override { found = true; }
  void value(const char*, double, const char*, const char*) override { found = true; }
  bool found = false;

 protected:
  void begin_group(const char*, const char*) override {}
  void end_group() override {}
  bool collects_declarations() const override { return true; }
};

template <class Part>
void group_if_any(StatVisitor& v, const char* key, const Part& part, const char* doc) {
  StatProbe probe;
  part.stats(probe);
  if (probe.found) v.group(key, part, doc);
}

}  // namespace warpvp
