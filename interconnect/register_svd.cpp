// The register map as CMSIS-SVD (System View Description, schema 1.3), which debuggers and generators of drivers read.
#include <fmt/format.h>

#include <algorithm>

#include "base/markup.h"
#include "interconnect/register_directory.h"

namespace warpvp {

namespace {

const char* access_of(RegisterAccess access) {
  switch (access) {
    case RegisterAccess::kReadOnly:
      return "read-only";
    case RegisterAccess::kWriteOnly:
      return "write-only";
    default:
      return "read-write";
  }
}

std::string dimension(unsigned count, std::uint64_t stride) {
  return fmt::format("<dim>{}</dim><dimIncrement>{:#x}</dimIncrement>", count, stride);
}

/// One register, or `count` in an array.
std::string element(const std::string& name, unsigned count, std::uint64_t stride, const std::string& doc,
                    std::uint64_t offset, unsigned bits, const char* access, std::uint64_t reset) {
  return fmt::format(
      "        <register>{}<name>{}{}</name><description>{}</description><addressOffset>{:#x}</addressOffset>"
      "<size>{}</size><access>{}</access><resetValue>{:#x}</resetValue></register>\n",
      count > 1 ? dimension(count, stride) : "", name, count > 1 ? "[%s]" : "", markup_escaped(doc), offset, bits, access,
      reset);
}

std::string element(const RegisterSpec& s) {
  const unsigned bits = s.width * 8;
  if (s.repeat == 1) return element(s.name, s.count, s.stride, s.doc, s.offset, bits, access_of(s.access), s.reset);
  return fmt::format("        <cluster>{}<name>{}{}</name><description>{}</description><addressOffset>{:#x}"
                     "</addressOffset>\n  {}        </cluster>\n",
                     s.count > 1 ? dimension(s.count, s.stride) : "", s.name, s.count > 1 ? "[%s]" : "",
                     markup_escaped(s.doc), s.offset,
                     element("WORD", s.repeat, s.width, s.doc, 0, bits, access_of(s.access), s.reset));
}

std::string peripheral(const std::string& name, const RegisterBlock& block, std::uint64_t base) {
  struct Row {
    std::uint64_t offset;
    std::string text;
  };
  std::vector<Row> rows;
  block.for_each([&](const RegisterSpec& s) { rows.push_back({s.offset, element(s)}); });
  for (const MailboxSpec& m : block.mailboxes())
    rows.push_back({m.offset, element(m.name, m.bytes / 4, 4, m.doc + " Written whole.", m.offset, 32, "write-only", 0)});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.offset < b.offset; });
  std::string out = fmt::format(
      "    <peripheral>\n      <name>{}</name><description>{}</description><baseAddress>{:#x}</baseAddress>\n"
      "      <addressBlock><offset>0</offset><size>{:#x}</size><usage>registers</usage></addressBlock>\n"
      "      <registers>\n",
      name, markup_escaped(block.title()), base, block.size());
  for (const Row& row : rows) out += row.text;
  return out + "      </registers>\n    </peripheral>\n";
}

std::string again(const std::string& first, const std::string& name, std::uint64_t base) {
  return fmt::format(
      "    <peripheral derivedFrom=\"{}\"><name>{}</name><baseAddress>{:#x}</baseAddress></peripheral>\n", first, name,
      base);
}

}  // namespace

std::string RegisterDirectory::svd() const {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<!-- Generated from the register blocks' declarations; do not edit. docs/register-map.md has the same as tables. -->\n"
      "<device schemaVersion=\"1.3\">\n"
      "  <name>warpvp</name><version>1.0</version>\n"
      "  <description>Registers of the device as the command processor's core sees them.</description>\n"
      "  <addressUnitBits>8</addressUnitBits><width>32</width>\n"
      "  <peripherals>\n";
  for (const Entry& e : entries_) {
    const auto name = [&](unsigned i) { return e.instances > 1 ? fmt::format("{}{}", e.name, i) : e.name; };
    out += peripheral(name(0), *e.block, e.base);
    for (unsigned i = 1; i < e.instances; ++i) out += again(name(0), name(i), e.base + i * e.stride);
  }
  return out + "  </peripherals>\n</device>\n";
}

}  // namespace warpvp
