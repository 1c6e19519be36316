// Kernel arguments, members of structs and places in device memory, as launch lists write them.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/config_printer.h"
#include "platform/config/run_config.h"
#include "platform/config/yaml_field_loader.h"

namespace warpvp {

namespace {

constexpr std::size_t kMaxBytes =
    4352;  // of kernel parameters in all; a struct in a buffer has no such limit
constexpr int kMaxArgumentDepth = 16;

[[noreturn]] void wrong(const Setting& at, const std::string& path, const std::string& found,
                        const std::string& allowed) {
  throw InputError(fmt::format("{}: '{}' is {}; allowed: {}", at.place, path, found, allowed));
}

ArgumentConfig load_image(const SettingEntry& entry, const std::string& path) {
  ArgumentConfig arg;
  arg.type = entry.key;
  arg.place = entry.value.place;
  if (!entry.value.is_mapping())
    throw InputError(fmt::format("{}: '{}.{}' is {}; allowed: {}", arg.place, path, arg.type,
                                 kind_name(entry.value), ImageConfig::syntax()));
  arg.image.surface = arg.type == "surface";
  YamlFieldLoader loader(entry.value, fmt::format("{}.{}", path, arg.type));
  arg.image.fields(loader);
  loader.finish();
  arg.text = arg.image.buffer;
  return arg;
}

std::vector<std::string> type_names(bool within_struct) {
  std::vector<std::string> names = element_type_names();
  if (within_struct) {
    names.insert(names.begin(), {"buffer", "symbol", "struct"});
  } else {
    names.insert(names.begin(), {"buffer", "symbol", "struct", "texture", "surface"});
  }
  names.emplace_back("bytes");
  return names;
}

[[noreturn]] void unknown_type(const SettingEntry& entry, const std::string& path, bool within_struct) {
  const std::vector<std::string> names = type_names(within_struct);
  const std::string near = nearest_name(entry.key, names);
  throw InputError(fmt::format("{}: '{}' has the unknown type '{}'; allowed: {}{}", entry.key_place, path,
                               entry.key, join_names(names),
                               near.empty() ? "" : "; did you mean '" + near + "'?"));
}

ArgumentConfig load_scalar(const std::string& type, const Setting& value, const std::string& path) {
  ArgumentConfig arg;
  arg.type = type;
  arg.text = value.text;
  arg.place = value.place;
  if (type == "bytes") {
    const bool hex = arg.text.size() % 2 == 0 && !arg.text.empty() &&
                     arg.text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (!hex)
      throw InputError(fmt::format("{}: '{}.bytes' is '{}'; allowed: an even number of hexadecimal digits",
                                   arg.place, path, arg.text));
    return arg;
  }
  std::vector<std::uint8_t> ignored;
  if (!append_element(*parse_element_type(type), arg.text, ignored))
    throw InputError(
        fmt::format("{}: '{}': '{}' is not a value of type {}", arg.place, path, arg.text, type));
  return arg;
}

std::size_t depth_of(const ArgumentConfig& arg) {
  std::size_t deepest = 0;
  for (const ArgumentConfig& member : arg.members) deepest = std::max(deepest, depth_of(member));
  return deepest + 1;
}

/// Calls `visit` with each member and its first byte; returns the size.
template <class Visit>
std::size_t lay_out(const std::vector<ArgumentConfig>& members, std::size_t alignment, Visit visit) {
  const auto aligned = [](std::size_t at, std::size_t to) { return (at + to - 1) / to * to; };
  std::size_t at = 0;
  for (const ArgumentConfig& member : members) {
    at = aligned(at, member.alignment());
    visit(member, at);
    at += member.bytes().size();
  }
  return aligned(at, alignment);
}

}  // namespace

void TargetConfig::load(const Setting& setting, const std::string& path) {
  place = setting.place;
  if (setting.is_scalar()) {
    buffer = setting.text;
    if (buffer.empty()) wrong(setting, path, "empty", syntax());
    return;
  }
  if (!setting.is_mapping()) wrong(setting, path, kind_name(setting), syntax());
  for (const SettingEntry& entry : setting.entries) {
    const Setting& value = entry.value;
    const bool known = entry.key == "buffer" || entry.key == "symbol" || entry.key == "ptx" ||
                       entry.key == "offset" || entry.key == "context";
    if (!known)
      throw InputError(fmt::format("{}: unknown key '{}' in '{}'; allowed: {}", entry.key_place, entry.key,
                                   path, syntax()));
    if (!value.is_scalar() || value.text.empty())
      wrong(value, path + "." + entry.key, value.is_scalar() ? "empty" : kind_name(value), syntax());
    std::uint64_t number = 0;
    const bool numeric = entry.key == "offset" || entry.key == "context";
    if (numeric && (!parse_unsigned(value.text, number) || number > (std::uint64_t{1} << 40)))
      wrong(value, path + "." + entry.key, "'" + value.text + "'", "a whole number, at least 0");
    if (entry.key == "buffer") buffer = value.text;
    if (entry.key == "symbol") symbol = value.text;
    if (entry.key == "offset") offset = number;
    if (entry.key == "context") context = static_cast<std::uint32_t>(number);
    if (entry.key == "ptx") {
      ptx.written = value.text;
      ptx.place = value.place;
      ptx.resolved = (std::filesystem::path(value.directory) / value.text).lexically_normal().string();
    }
  }
  if (buffer.empty() == symbol.empty())
    wrong(setting, path, buffer.empty() ? "without 'buffer' and 'symbol'" : "with both 'buffer' and 'symbol'",
          syntax());
  if (!buffer.empty() && (!ptx.written.empty() || setting.find("context")))
    wrong(setting, path, "a buffer with 'ptx' or 'context'", syntax());
}

Setting TargetConfig::print(const PrintStyle& style) const {
  Setting out = Setting::mapping();
  out.put(buffer.empty() ? "symbol" : "buffer", Setting::string(buffer.empty() ? symbol : buffer));
  if (!ptx.written.empty())
    out.put("ptx", Setting::string(style.absolute_paths ? std::filesystem::absolute(ptx.resolved).string()
                                                        : ptx.written));
  if (offset != 0) out.put("offset", Setting::scalar(std::to_string(offset)));
  if (context != 0) out.put("context", Setting::scalar(std::to_string(context)));
  return out;
}

std::string TargetConfig::syntax() {
  return "the name of a buffer, {buffer: NAME, offset: BYTES}, or {symbol: NAME, ptx: FILE, offset: BYTES, "
         "context: N}";
}

ArgumentConfig ArgumentConfig::load(const Setting& item, const std::string& path, bool within_struct) {
  const auto has = [&](const char* key) { return item.is_mapping() && item.find(key) != nullptr; };
  if (has("buffer") || has("symbol")) {
    ArgumentConfig arg;
    arg.type = has("buffer") ? "buffer" : "symbol";
    arg.target.load(item, path);
    arg.text = arg.target.buffer;
    arg.place = arg.target.place = item.find(arg.type)->place;
    return arg;
  }
  if (!item.is_mapping() || item.entries.size() != 1)
    wrong(item, path, kind_name(item), "one type and its value, as {buffer: NAME} or {u32: 7}");
  const SettingEntry& entry = item.entries[0];
  if (!within_struct && (entry.key == "texture" || entry.key == "surface")) return load_image(entry, path);
  const bool scalar = entry.key == "bytes" || parse_element_type(entry.key).has_value();
  if (!scalar && entry.key != "struct") unknown_type(entry, path, within_struct);
  if (scalar && entry.value.is_scalar()) return load_scalar(entry.key, entry.value, path);
  if (!entry.value.is_sequence() || entry.value.items.empty() || entry.key == "bytes")
    wrong(entry.value, path + "." + entry.key, kind_name(entry.value),
          entry.key == "struct" ? "a list of members, at least one"
                                : "a value, or a list of values for an array, at least one");
  ArgumentConfig arg;
  arg.type = "struct";
  arg.place = entry.value.place;
  for (std::size_t i = 0; i < entry.value.items.size(); ++i) {
    const Setting& member = entry.value.items[i];
    const std::string at = fmt::format("{}.{}.{}", path, entry.key, i);
    if (scalar && !member.is_scalar()) wrong(member, at, kind_name(member), "a value of type " + entry.key);
    arg.members.push_back(scalar ? load_scalar(entry.key, member, at) : load(member, at, true));
  }
  if (depth_of(arg) > kMaxArgumentDepth)
    wrong(item, path, "nested too deeply", "at most 16 structs in each other");
  return arg;
}

Setting ArgumentConfig::print(const PrintStyle& style) const {
  if (is_address()) return target.print(style);
  Setting item = Setting::mapping();
  if (is_image()) {
    ConfigPrinter printer(style);
    ImageConfig printed = image;
    printed.fields(printer);
    item.put(type, printer.tree());
  } else if (type == "struct") {
    Setting list = Setting::sequence();
    for (const ArgumentConfig& member : members) list.items.push_back(member.print(style));
    item.put(type, std::move(list));
  } else {
    item.put(type, Setting::scalar(text, type == "bytes"));
  }
  return item;
}

std::size_t ArgumentConfig::alignment() const {
  if (type == "struct") {
    std::size_t most = 1;
    for (const ArgumentConfig& member : members) most = std::max(most, member.alignment());
    return most;
  }
  if (type == "bytes") return 1;
  const auto element = parse_element_type(type);
  return element ? element_bytes(*element) : 8;
}

std::vector<std::uint8_t> ArgumentConfig::bytes() const {
  std::vector<std::uint8_t> out;
  if (type == "bytes") {
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
      out.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  } else if (type == "struct") {
    const std::size_t size = lay_out(members, alignment(), [&](const ArgumentConfig& member, std::size_t at) {
      out.resize(at);
      const std::vector<std::uint8_t> inner = member.bytes();
      out.insert(out.end(), inner.begin(), inner.end());
    });
    out.resize(size);
  } else if (const auto element = parse_element_type(type)) {
    append_element(*element, text, out);
  } else {
    out.resize(8);
  }
  return out;
}

std::vector<AddressConfig> ArgumentConfig::addresses() const {
  if (is_address()) return {{0, target}};
  std::vector<AddressConfig> out;
  lay_out(members, alignment(), [&](const ArgumentConfig& member, std::size_t at) {
    for (AddressConfig inner : member.addresses()) {
      inner.at += at;
      out.push_back(std::move(inner));
    }
  });
  return out;
}

void PathList::load(const Setting& setting, const std::string& path) {
  files.clear();
  if (!setting.is_sequence()) wrong(setting, path, kind_name(setting), syntax());
  for (const Setting& item : setting.items) {
    if (!item.is_scalar() || item.text.empty())
      wrong(item, path, item.is_scalar() ? "empty" : kind_name(item), "the path of a file");
    const std::filesystem::path file = std::filesystem::path(item.directory) / item.text;
    files.push_back({item.text, file.lexically_normal().string(), item.place});
  }
}

Setting PathList::print(const PrintStyle& style) const {
  Setting list = Setting::sequence();
  for (const PathValue& file : files)
    list.items.push_back(Setting::string(
        style.absolute_paths ? std::filesystem::absolute(file.resolved).string() : file.written));
  return list;
}

void ArgumentList::load(const Setting& setting, const std::string& path) {
  place = setting.place;
  if (!setting.is_sequence()) wrong(setting, path, kind_name(setting), syntax());
  items.clear();
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < setting.items.size(); ++i) {
    items.push_back(ArgumentConfig::load(setting.items[i], fmt::format("{}.{}", path, i), false));
    bytes += items.back().bytes().size();
    if (bytes > kMaxBytes)
      wrong(setting.items[i], path, fmt::format("{} bytes or more", bytes),
            fmt::format("at most {} bytes of arguments", kMaxBytes));
  }
}

Setting ArgumentList::print(const PrintStyle& style) const {
  Setting list = Setting::sequence();
  for (const ArgumentConfig& arg : items) list.items.push_back(arg.print(style));
  return list;
}

std::string ArgumentList::syntax() const {
  return "a list of {buffer: NAME, offset: BYTES}, {symbol: NAME, offset: BYTES}, {TYPE: VALUE} (" +
         join_names(element_type_names()) +
         "; a list of values is an array), {struct: [MEMBER, ...]}, {bytes: \"HEX\"}, " +
         ImageConfig::syntax();
}

}  // namespace warpvp
