#pragma once
// The part of a result.json that an experiment's tables look at: what is kept of each run, as whole results
// of a hundred thousand runs would not fit into memory.

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "study/experiment/experiment.h"

namespace warpvp {

class NeededKeys {
 public:
  /// What the tables name, and `more`: dotted paths.
  explicit NeededKeys(const Experiment& experiment, const std::vector<std::string>& more = {});

  /// The result without members that no table names. Lists keep their length.
  nlohmann::ordered_json pick(const nlohmann::ordered_json& result) const { return pick(result, root_); }

 private:
  struct Node {
    bool whole = false;  ///< with all that is below
    std::map<std::string, Node> members;
  };
  void add(const Expression& expression);
  void add(const std::string& key);
  static nlohmann::ordered_json pick(const nlohmann::ordered_json& value, const Node& node);

  Node root_;
};

}  // namespace warpvp
