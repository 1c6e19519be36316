#pragma once
// What `warpvp describe` says of applications (docs/processes.md), folders of them, and mixes.

#include <string>

#include "platform/config/setting.h"

namespace warpvp {

/// The comment of its trace, and what it calls in all. `name` as find_application() takes it.
std::string describe_application(const std::string& name);
/// The applications in a folder of configs/applications, with the mean time of their CTAs, and which are
/// short and which long for mixes.
std::string describe_applications(const std::string& folder);
/// What the first seeds draw, where `workload` has a mix; empty: it has none.
std::string describe_mix(const Setting& workload);

}  // namespace warpvp
