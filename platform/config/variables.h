#pragma once
// Variables and repetition in a workload's settings, before they become typed: `$name` and `$(arithmetic)` in
// any value, and `{repeat: N, as: i, do: [...]}` in lists of launches and steps.

#include "platform/config/setting.h"

namespace warpvp {

/// Replaces, in a workload's mapping, every `$name` and `$(expression)` by what `variables` and the counters
/// of repetitions say, unrolls the repetitions, and removes `variables`. Without `variables` and repetitions
/// nothing changes; with them `$$` is a dollar sign. Expressions have numbers, names, + - * / % and brackets,
/// and min(a, b), max(a, b), ceil(a), floor(a). InputError at the place of what is wrong.
void expand_variables(Setting& workload);

}  // namespace warpvp
