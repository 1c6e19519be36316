#include "interconnect/register_directory.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpvp {

void RegisterDirectory::add(std::string name, std::string prefix, const RegisterBlock& block,
                            std::uint64_t base, unsigned instances, std::uint64_t stride) {
  const auto at =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.base > base; });
  entries_.insert(at, {std::move(name), std::move(prefix), &block, base, instances, stride});
}

std::string RegisterDirectory::name_of(std::uint64_t address) const {
  for (const Entry& e : entries_) {
    if (address < e.base) continue;
    const std::uint64_t instance = e.instances > 1 ? (address - e.base) / e.stride : 0;
    const std::uint64_t offset = address - e.base - instance * e.stride;
    if (instance >= e.instances || offset >= e.block->size()) continue;
    const std::string name = e.block->name_of(offset);
    const std::string block = e.instances > 1 ? fmt::format("{}[{}]", e.name, instance) : e.name;
    return name.empty() ? fmt::format("{}+{:#x}", block, offset) : block + "." + name;
  }
  return fmt::format("{:#x}", address);
}

std::string RegisterDirectory::markdown() const {
  std::string out;
  for (const Entry& e : entries_) out += "\n" + e.block->markdown(e.base, e.instances, e.stride);
  return out;
}

std::string RegisterDirectory::c_header() const {
  std::string out =
      "/* Addresses of the device's registers as the command processor's core sees them. Generated from the\n"
      "   register blocks' declarations; do not edit. NAME(n) is one of several; NAME_AT is its offset "
      "within\n"
      "   one of them; 64-bit registers take two accesses of 32 bits, low half first in memory.\n"
      "   docs/register-map.md has the same as tables. */\n"
      "#ifndef WARPVP_FIRMWARE_REGISTERS_H\n#define WARPVP_FIRMWARE_REGISTERS_H\n";
  for (const Entry& e : entries_)
    if (!e.prefix.empty()) out += "\n" + e.block->c_header(e.prefix, e.base, e.instances, e.stride);
  return out + "\n#endif\n";
}

}  // namespace warpvp
