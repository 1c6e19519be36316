#include "platform/build/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/registry.h"
#include "base/wildcard.h"

namespace warpvp {

Links::Links(const std::vector<MonitorConfig>& monitors, bool check_protocol, FaultSink& faults,
             const std::filesystem::path& folder)
    : faults_(faults) {
  const auto add = [&](const MonitorConfig& config) {
    Watch watch;
    std::istringstream words(config.links);
    for (std::string word; words >> word;) watch.patterns.push_back(word);
    watch.found.resize(watch.patterns.size());
    watch.place = config.monitor.place;
    watch.type = Registry<LinkMonitorType>::instance().make(config.monitor);
    watch.type->start(folder);
    watches_.push_back(std::move(watch));
  };
  for (const MonitorConfig& config : monitors) add(config);
  if (check_protocol) add({});
}

Links::~Links() = default;

void Links::bind(const std::string& link, LinkKind kind, tlm::tlm_initiator_socket<>& from,
                 tlm::tlm_target_socket<>& to) {
  names_.push_back(link);
  ends_.push_back({link, &from, to.get_parent_object()});
  tlm::tlm_initiator_socket<>* last = &from;
  for (Watch& watch : watches_) {
    bool watched = false;
    for (std::size_t i = 0; i < watch.patterns.size(); ++i) {
      if (!matches_pattern(watch.patterns[i], link)) continue;
      watch.found[i] = watched = true;
    }
    if (!watched) continue;
    const std::string name = fmt::format("monitor_{}_{}", monitors_.size(), link);
    monitors_.push_back(watch.type->build(name.c_str(), LinkPlace{link, kind, faults_}));
    last->bind(monitors_.back()->target());
    last = &monitors_.back()->initiator();
  }
  last->bind(to);
}

namespace {

/// "sm_N" for "sm_3", so that a platform's links fit a message.
std::string family_of(std::string name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos || end + 1 == name.size() || name[end] != '_') return name;
  return name.substr(0, end + 1) + "N";
}

std::string join_families(const std::vector<std::string>& names) {
  std::vector<std::string> families;
  for (const std::string& name : names) {
    const std::string family = family_of(name);
    if (std::find(families.begin(), families.end(), family) == families.end()) families.push_back(family);
  }
  return join_names(families);
}

}  // namespace

void Links::check_all_found() const {
  for (const Watch& watch : watches_)
    for (std::size_t i = 0; i < watch.patterns.size(); ++i) {
      if (watch.found[i]) continue;
      const std::string near = nearest_name(watch.patterns[i], names_);
      throw InputError(fmt::format("{}{}no link is called '{}'; allowed: {}{}", watch.place,
                                   watch.place.empty() ? "" : ": ", watch.patterns[i], join_families(names_),
                                   near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
}

void Links::finish() {
  for (Watch& watch : watches_) watch.type->finish();
}

}  // namespace warpvp
