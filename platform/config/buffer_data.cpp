#include "platform/config/buffer_data.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/input_file.h"
#include "base/registry.h"
#include "base/split_mix.h"

namespace warpvp {

namespace {

struct TypeInfo {
  const char* name;
  std::size_t bytes;
  bool is_float;
  bool is_signed;
};
constexpr TypeInfo kTypes[] = {{"u8", 1, false, false},  {"s8", 1, false, true},   {"u16", 2, false, false},
                               {"s16", 2, false, true},  {"u32", 4, false, false}, {"s32", 4, false, true},
                               {"u64", 8, false, false}, {"s64", 8, false, true},  {"f32", 4, true, true},
                               {"f64", 8, true, true}};
const TypeInfo& info(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

void append_bits(std::uint64_t bits, std::size_t bytes, std::vector<std::uint8_t>& out) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
}

void append_float(ElementType type, double value, std::vector<std::uint8_t>& out) {
  std::uint64_t bits = 0;
  if (type == ElementType::kF32) {
    const float narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof narrow);
  } else {
    std::memcpy(&bits, &value, sizeof value);
  }
  append_bits(bits, info(type).bytes, out);
}

std::uint64_t bits_at(const std::vector<std::uint8_t>& data, std::size_t offset, std::size_t bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes; ++i) bits |= std::uint64_t{data[offset + i]} << (8 * i);
  return bits;
}

double float_of(ElementType type, std::uint64_t bits) {
  if (type == ElementType::kF32) {
    float value = 0;
    const auto low = static_cast<std::uint32_t>(bits);
    std::memcpy(&value, &low, sizeof value);
    return value;
  }
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::int64_t sign_extended(std::uint64_t bits, std::size_t bytes) {
  const unsigned shift = static_cast<unsigned>(64 - 8 * bytes);
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

/// Within [0, 1).
double unit(SplitMix64& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

const char* contents_syntax =
    "zero, iota, random, {fill: V}, {values: [V, ...]}, {file: PATH} or {struct: [MEMBER, ...]}";

}  // namespace

std::optional<ElementType> parse_element_type(const std::string& word) {
  for (std::size_t i = 0; i < std::size(kTypes); ++i)
    if (word == kTypes[i].name) return static_cast<ElementType>(i);
  return std::nullopt;
}

const std::vector<std::string>& element_type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const TypeInfo& type : kTypes) out.emplace_back(type.name);
    return out;
  }();
  return names;
}

const char* element_type_name(ElementType type) { return info(type).name; }
std::size_t element_bytes(ElementType type) { return info(type).bytes; }

bool append_element(ElementType type, const std::string& text, std::vector<std::uint8_t>& bytes) {
  const TypeInfo& t = info(type);
  if (t.is_float) {
    double value = 0;
    if (!parse_double(text, value)) return false;
    if (type == ElementType::kF32 && std::isfinite(value) && std::isinf(static_cast<float>(value)))
      return false;
    append_float(type, value, bytes);
    return true;
  }
  const unsigned bits = static_cast<unsigned>(8 * t.bytes);
  std::uint64_t whole = 0;
  if (parse_unsigned(text, whole)) {
    const std::uint64_t limit = t.is_signed  ? (std::uint64_t{1} << (bits - 1)) - 1
                                : bits == 64 ? ~std::uint64_t{0}
                                             : (std::uint64_t{1} << bits) - 1;
    if (whole > limit) return false;
    append_bits(whole, t.bytes, bytes);
    return true;
  }
  std::int64_t negative = 0;
  if (!t.is_signed || !parse_signed(text, negative)) return false;
  if (negative < -static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1) - 1) return false;
  append_bits(static_cast<std::uint64_t>(negative), t.bytes, bytes);
  return true;
}

void BufferContents::load(const Setting& setting, const std::string& path) {
  place = setting.place;
  const auto fail = [&](const Setting& at, const std::string& found) -> InputError {
    return InputError(fmt::format("{}: '{}' is {}; allowed: {}", at.place, path, found, contents_syntax));
  };
  if (setting.is_scalar()) {
    if (setting.text == "zero") {
      kind = Kind::kZero;
    } else if (setting.text == "iota") {
      kind = Kind::kIota;
    } else if (setting.text == "random") {
      kind = Kind::kRandom;
    } else {
      throw fail(setting, "'" + setting.text + "'");
    }
    return;
  }
  if (!setting.is_mapping() || setting.entries.size() != 1)
    throw fail(setting, setting.is_mapping() ? fmt::format("a mapping of {} keys", setting.entries.size())
                                             : kind_name(setting));
  const SettingEntry& entry = setting.entries[0];
  if (entry.key == "fill" && entry.value.is_scalar()) {
    kind = Kind::kFill;
    values = {entry.value.text};
  } else if (entry.key == "values" && entry.value.is_sequence()) {
    kind = Kind::kValues;
    values.clear();
    for (const Setting& item : entry.value.items) {
      if (!item.is_scalar()) throw fail(item, kind_name(item));
      values.push_back(item.text);
    }
    if (values.empty()) throw fail(entry.value, "an empty list of values");
  } else if (entry.key == "file" && entry.value.is_scalar()) {
    kind = Kind::kFile;
    file.written = entry.value.text;
    file.place = entry.value.place;
    file.resolved = (std::filesystem::path(entry.value.directory) / file.written).lexically_normal().string();
  } else if (entry.key == "struct" && entry.value.is_sequence()) {
    kind = Kind::kStruct;
    structure = ArgumentConfig::load(setting, path, true);
  } else {
    throw fail(setting, fmt::format("a mapping with '{}', {}", entry.key, kind_name(entry.value)));
  }
}

Setting BufferContents::print(const PrintStyle& style) const {
  Setting out = Setting::mapping();
  switch (kind) {
    case Kind::kZero:
      return Setting::scalar("zero");
    case Kind::kIota:
      return Setting::scalar("iota");
    case Kind::kRandom:
      return Setting::scalar("random");
    case Kind::kFill:
      out.put("fill", Setting::scalar(values[0]));
      break;
    case Kind::kValues: {
      Setting list = Setting::sequence();
      for (const std::string& value : values) list.items.push_back(Setting::scalar(value));
      out.put("values", std::move(list));
      break;
    }
    case Kind::kFile:
      out.put("file", Setting::string(style.absolute_paths ? std::filesystem::absolute(file.resolved).string()
                                                           : file.written));
      break;
    case Kind::kStruct:
      return structure.print(style);
  }
  return out;
}

std::string BufferContents::syntax() const { return contents_syntax; }

std::vector<std::uint8_t> make_contents(const BufferContents& contents, ElementType type, std::uint64_t count,
                                        double min, double max, std::uint64_t seed, std::uint64_t run_seed,
                                        const std::string& name) {
  const TypeInfo& t = info(type);
  std::vector<std::uint8_t> out;
  out.reserve(count * t.bytes);
  switch (contents.kind) {
    case BufferContents::Kind::kZero:
      out.resize(count * t.bytes);
      break;
    case BufferContents::Kind::kIota:
      for (std::uint64_t i = 0; i < count; ++i) {
        if (t.is_float) {
          append_float(type, static_cast<double>(i), out);
        } else {
          append_bits(i, t.bytes, out);
        }
      }
      break;
    case BufferContents::Kind::kRandom: {
      SplitMix64 random(seed != 0 ? seed : digest(name, digest(std::to_string(run_seed))));
      const double span = max - min;
      for (std::uint64_t i = 0; i < count; ++i) {
        if (t.is_float) {
          append_float(type, min + unit(random) * span, out);
        } else {
          const auto value = static_cast<std::int64_t>(std::floor(min + unit(random) * (span + 1)));
          append_bits(static_cast<std::uint64_t>(value), t.bytes, out);
        }
      }
      break;
    }
    case BufferContents::Kind::kFill: {
      std::vector<std::uint8_t> one;
      append_element(type, contents.values[0], one);
      for (std::uint64_t i = 0; i < count; ++i) out.insert(out.end(), one.begin(), one.end());
      break;
    }
    case BufferContents::Kind::kValues:
      for (const std::string& value : contents.values) append_element(type, value, out);
      break;
    case BufferContents::Kind::kFile: {
      const std::string bytes =
          read_input_file(contents.file.resolved, input_limit::kData, contents.file.place);
      out.assign(bytes.begin(), bytes.end());
      break;
    }
    case BufferContents::Kind::kStruct:
      out = contents.structure.bytes();
      break;
  }
  return out;
}

std::vector<std::uint8_t> initial_contents(const std::string& name, const BufferConfig& buffer,
                                           std::uint64_t run_seed) {
  return make_contents(buffer.init, buffer.element_type(), buffer.count, buffer.min, buffer.max, buffer.seed,
                       run_seed, name);
}

std::vector<std::uint8_t> expected_contents(const CheckConfig& check, const BufferConfig& buffer,
                                            std::uint64_t run_seed) {
  return make_contents(check.equals, buffer.element_type(), buffer.count, buffer.min, buffer.max, check.seed,
                       run_seed, check.buffer);
}

Comparison compare_contents(const std::string& name, ElementType type, const std::vector<std::uint8_t>& got,
                            const std::vector<std::uint8_t>& expected, double tolerance) {
  const TypeInfo& t = info(type);
  Comparison result;
  if (got.size() != expected.size()) {
    result.differing = 1;
    result.message = fmt::format("buffer '{}' has {} bytes, expected {}", name, got.size(), expected.size());
    return result;
  }
  result.elements = got.size() / t.bytes;
  const auto shown = [&](std::uint64_t bits) {
    if (t.is_float)
      return type == ElementType::kF32 ? fmt::format("{}", static_cast<float>(float_of(type, bits)))
                                       : fmt::format("{}", float_of(type, bits));
    return t.is_signed ? fmt::format("{}", sign_extended(bits, t.bytes)) : fmt::format("{}", bits);
  };
  for (std::uint64_t i = 0; i < result.elements; ++i) {
    const std::uint64_t a = bits_at(got, i * t.bytes, t.bytes);
    const std::uint64_t b = bits_at(expected, i * t.bytes, t.bytes);
    if (a == b) continue;
    double x = 0;
    double y = 0;
    if (t.is_float) {
      x = float_of(type, a);
      y = float_of(type, b);
    } else if (t.is_signed) {
      x = static_cast<double>(sign_extended(a, t.bytes));
      y = static_cast<double>(sign_extended(b, t.bytes));
    } else {
      x = static_cast<double>(a);
      y = static_cast<double>(b);
    }
    if (std::isnan(x) && std::isnan(y)) continue;
    if (t.is_float && x == y) continue;  // +0 and -0
    if (tolerance > 0 && std::fabs(x - y) <= tolerance * std::max(1.0, std::fabs(y))) continue;
    if (result.differing++ == 0) {
      result.first_differing = i;
      result.message =
          fmt::format("buffer '{}' differs at element {}: got {}, expected {}", name, i, shown(a), shown(b));
    }
  }
  if (result.differing > 1)
    result.message += fmt::format(" ({} of {} elements differ)", result.differing, result.elements);
  return result;
}

}  // namespace warpvp
