// The runs of an experiment's matrix, and what its parts are called.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.h"
#include "base/registry.h"
#include "study/experiment/experiment.h"

namespace warpvp {

namespace {

constexpr std::size_t kMaxRuns = 100'000;

std::string folder_word(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+';
    out += plain ? c : '-';
  }
  return out;
}

}  // namespace

std::size_t Experiment::axis(const std::string& name) const {
  std::size_t i = 0;
  while (i < matrix.size() && matrix[i].name != name) ++i;
  return i;
}

std::pair<const Experiment*, const TableSpec*> Experiment::table(const std::string& name) const {
  if (name.empty()) return {nullptr, nullptr};
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos) {
    for (const Experiment& part : parts)
      if (part.name == name.substr(0, dot)) return part.table(name.substr(dot + 1));
    return {nullptr, nullptr};
  }
  for (const TableSpec& table : tables)
    if (table.name == name) return {this, &table};
  return {nullptr, nullptr};
}

const JoinedSpec* Experiment::joined_table(const std::string& name) const {
  for (const JoinedSpec& one : joined)
    if (one.name == name) return &one;
  return nullptr;
}

std::string Experiment::table_names() const {
  std::vector<std::string> names;
  for (const JoinedSpec& one : joined) names.push_back(one.name);
  for (const TableSpec& table : tables)
    if (!table.name.empty()) names.push_back(table.name);
  for (const Experiment& part : parts)
    for (const TableSpec& table : part.tables)
      if (!table.name.empty()) names.push_back(part.name + "." + table.name);
  return names.empty() ? "none, as no table has a 'name'" : join_names(names);
}

const ComparisonSpec* Experiment::comparison(const std::string& name) const {
  for (const ComparisonSpec& comparison : comparisons)
    if (comparison.name == name) return &comparison;
  return nullptr;
}

const char* foot_name(FootKind kind) {
  switch (kind) {
    case FootKind::kMean:
      return "mean";
    case FootKind::kGeomean:
      return "geomean";
    case FootKind::kMape:
      return "mape";
    default:
      return "log-correlation";
  }
}

std::vector<ExperimentRun> Experiment::runs() const {
  if (base.is_null()) return {};
  std::size_t total = 1;
  for (const Axis& a : matrix) {
    total *= a.alternatives.size();
    if (total > kMaxRuns)
      throw InputError(fmt::format("experiment '{}' has more than {} runs", name, kMaxRuns));
  }
  std::vector<ExperimentRun> out;
  std::set<std::string> taken;
  for (std::size_t number = 0; number < total; ++number) {
    ExperimentRun run;
    run.choice.resize(matrix.size());
    std::size_t rest = number;
    for (std::size_t i = matrix.size(); i-- > 0;) {
      run.choice[i] = rest % matrix[i].alternatives.size();
      rest /= matrix[i].alternatives.size();
    }
    const bool excluded = std::any_of(exclude.begin(), exclude.end(), [&](const Selection& selection) {
      return std::all_of(selection.begin(), selection.end(),
                         [&](const auto& pick) { return label(run, axis(pick.first)) == pick.second; });
    });
    if (excluded) continue;
    std::string full;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      // The last part of a dotted name tells enough; the values tell runs apart.
      const std::string short_name = matrix[i].name.substr(matrix[i].name.rfind('.') + 1);
      run.name += (run.name.empty() ? "" : "_") + folder_word(short_name) + "-" + folder_word(label(run, i));
      full += matrix[i].name + "=" + label(run, i) + "\n";
    }
    if (run.name.empty()) run.name = "run";
    // Long names, and labels that differ only in characters a folder cannot have, are told apart by a digest
    // that does not depend on the other runs, so that adding a value leaves finished runs where they are.
    if (run.name.size() > 120 || taken.count(run.name) != 0)
      run.name = fmt::format("{}_{:016x}", run.name.substr(0, 100), digest(full));
    taken.insert(run.name);
    out.push_back(std::move(run));
  }
  return out;
}

std::vector<Assignment> Experiment::assignments(const ExperimentRun& run) const {
  std::vector<Assignment> out;
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (const Assignment& set : matrix[i].alternatives[run.choice[i]].sets) out.push_back(set);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (const AlsoSets& also : matrix[i].alternatives[run.choice[i]].also)
      if (std::all_of(also.where.begin(), also.where.end(), [&](const auto& pick) {
            return std::count(pick.second.begin(), pick.second.end(), label(run, axis(pick.first))) != 0;
          }))
        out.insert(out.end(), also.sets.begin(), also.sets.end());
  return out;
}

}  // namespace warpvp
