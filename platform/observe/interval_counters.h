#pragma once
// The counters of a platform by the names that they have in result.json, read quickly and as often as one
// likes. What a name means is found out once: each block of statistics is visited in the same order every
// time, so a read goes by position.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cycle.h"
#include "base/stats.h"
#include "platform/config/interval_config.h"

namespace warpvp {

class Platform;

/// One column of the interval statistics.
struct IntervalColumn {
  std::string name;    ///< a key of result.json, for lists summed over the items or with an index; or a level
  bool level = false;  ///< what is there now; otherwise what has been counted so far
  bool whole = true;   ///< a whole number
};

class IntervalCounters {
 public:
  /// Finds what the names stand for on this platform, which outlives this object. InputError for a name that
  /// stands for nothing; names of the default that this platform has not are left out.
  IntervalCounters(Platform& platform, const CounterList& chosen);

  const std::vector<IntervalColumn>& columns() const { return columns_; }
  /// The values of all columns before edge `cycle` of the SM clock, none of whose blocks has been evaluated.
  void read(Cycle cycle, std::vector<double>& values);
  /// The same at the end of the run, when all waits have been counted (collect.h: settle).
  void read_final(std::vector<double>& values);

  /// Levels that any platform has, with unit and sentence: for the reference.
  struct Level {
    std::string name, unit, doc;
  };
  static std::vector<Level> levels();

 private:
  using Visit = std::function<void(StatVisitor&)>;
  struct Part {
    Visit visit;
    /// While this stays the same, so do the values; empty: who knows.
    std::function<Cycle()> last_change = {};
  };
  /// Like parts whose statistics stand under one prefix in result.json.
  struct Family {
    std::string prefix;
    std::vector<Part> parts;
    bool list = false;   ///< result.json has a list there, an item a part
    bool level = false;  ///< what its visits give are levels
  };
  /// What is read of a part, and which of the values visited go to which columns.
  struct Reading {
    struct Target {
      std::size_t position, column;
    };
    const Part* part;
    std::vector<Target> targets;
    std::vector<double> values = {};  ///< by position, as last visited
    Cycle seen = kNever;              ///< last_change of the last visit
  };
  /// A name that there is: value number `position` of a family, of one part or of all.
  struct Candidate {
    std::string name;
    std::size_t family, position;
    int part;  ///< -1: all
    bool whole;
  };
  /// Of launches, summed over SMs: those that have ended are summed once.
  class Launches;

  std::vector<Family> families(Platform& platform);
  /// `items`: those of single items of lists too.
  static std::vector<Candidate> candidates(const std::vector<Family>& families, bool items);
  void choose(const std::vector<Candidate>& candidates, const CounterList& chosen,
              std::vector<const Candidate*>& picked);
  void read_parts(std::vector<double>& values, bool afresh);

  Platform& platform_;
  std::shared_ptr<Launches> launches_;
  std::vector<IntervalColumn> columns_;
  std::vector<Family> families_;
  std::vector<Reading> readings_;
  bool charges_ = false;  // a column counts waits
};

}  // namespace warpvp
