#pragma once
// Tables of several parts of an experiment one under the other, with means over all of their rows.

#include <string>
#include <utility>
#include <vector>

#include "study/experiment/experiment.h"
#include "study/experiment/result_table.h"

namespace warpvp {

/// The rows of all `tables`, each with the name that messages call it by, in their order, under the feet of
/// `spec`. Only geomean and mean are; a cell without a number leaves its column without them. Throws
/// InputError, with the place of `spec`, where columns differ or cells are means over seeds, whose intervals
/// belong to one experiment.
ResultTable join_tables(const JoinedSpec& spec,
                        const std::vector<std::pair<std::string, ResultTable>>& tables);

}  // namespace warpvp
