#include "platform/config/interval_config.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warpvp {

namespace {

/// "sms[3].issued" as "sms.3.issued".
std::string with_dots(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '[') {
      out += '.';
    } else if (c != ']') {
      out += c;
    }
  }
  return out;
}

}  // namespace

void CounterList::load(const Setting& setting, const std::string& path) {
  const auto refuse = [&](const Setting& at) {
    throw InputError(fmt::format("{}: '{}' is {}; allowed: {}", at.place, path, kind_name(at), syntax()));
  };
  const auto add = [&](const Setting& at) {
    if (!at.is_scalar() || at.text.empty()) refuse(at);
    names.push_back({with_dots(at.text), at.place});
  };
  names.clear();
  if (setting.is_scalar()) {
    add(setting);
  } else if (setting.is_sequence() && !setting.items.empty()) {
    for (const Setting& item : setting.items) add(item);
  } else {
    refuse(setting);
  }
}

Setting CounterList::print(const PrintStyle&) const {
  if (names.size() == 1) return Setting::string(names[0].text);
  Setting out = Setting::sequence();
  for (const Name& name : names) out.items.push_back(Setting::string(name.text));
  return out;
}

std::string CounterList::syntax() const {
  return "a name or a list of names, as `warpvp describe intervals` explains them";
}

const std::vector<std::string>& default_interval_counters() {
  static const std::vector<std::string> names = {
      "sms.issued",
      "sms.active_cycles",
      "sms.resident_warps",
      "sms.resident_ctas",
      "control.work_distributor.resident_kernels",
      "control.work_distributor.ctas_done",
      "kernels.thread_instructions",
      "kernels.stalls.not_selected",
      "kernels.stalls.fetch",
      "kernels.stalls.raw_short",
      "kernels.stalls.raw_long",
      "kernels.stalls.lsu_full",
      "kernels.stalls.unit_busy",
      "kernels.stalls.barrier",
      "kernels.stalls.fence",
      "kernels.stalls.drain",
      "sms.memory.l1_accesses",
      "sms.memory.l1_hits",
      "sms.memory.l1_hits_reserved",
      "sms.memory.l1_misses",
      "sms.memory.l1_read_hit_sectors",
      "sms.memory.l1_read_miss_sectors",
      "sms.memory.l1_write_hit_sectors",
      "sms.memory.l1_write_miss_sectors",
      "sms.memory.read_bytes",
      "sms.memory.write_bytes",
      "noc.request.packets",
      "noc.request.flits",
      "noc.reply.packets",
      "noc.reply.flits",
      "l2.accesses",
      "l2.hits",
      "l2.merges",
      "l2.misses",
      "l2.writebacks",
      "dram.read_bytes",
      "dram.written_bytes",
      "control.dma.bytes",
      "control.dma.copies_under_way",
      "control.pcie.to_device_bytes",
      "control.pcie.to_host_bytes",
  };
  return names;
}

void IntervalConfig::fields(ConfigVisitor& v) {
  v.field("cycles", cycles, "SM cycles",
          "Length of an interval: after each one a row of counters is written to `intervals.csv`; 0: never.",
          Constraint::range(0, 1e12));
  v.custom("counters", counters, "Columns of that file; `default` stands for what a report shows.");
}

}  // namespace warpvp
