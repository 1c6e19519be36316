#include "platform/results/result_checksum.h"

#include <fmt/format.h>

#include "platform/config/setting.h"

namespace warpvp {

namespace {

constexpr std::size_t kDigits = sizeof kNoChecksum - 1;

/// Where its digits begin; npos: nowhere. A string of JSON has no line ends, so the indentation tells the
/// keys of the outermost object from all others.
std::size_t digits_in(const std::string& text) {
  const std::string key = "\n    \"checksum\": \"";
  const std::size_t group = text.find("\n  \"provenance\": {");
  const std::size_t at = group == std::string::npos ? group : text.find(key, group);
  const std::size_t digits = at == std::string::npos ? at : at + key.size();
  return digits != std::string::npos && digits + kDigits <= text.size() ? digits : std::string::npos;
}

}  // namespace

std::string with_checksum(std::string text) {
  const std::size_t at = digits_in(text);
  if (at == std::string::npos) return text;
  text.replace(at, kDigits, kNoChecksum);
  return text.replace(at, kDigits, fmt::format("{:016x}", digest(text)));
}

Checksum check_checksum(const std::string& text) {
  const std::size_t at = digits_in(text);
  // Written anew by another program, it may still be there.
  if (at == std::string::npos)
    return text.find("\"checksum\"") == std::string::npos ? Checksum::kNone : Checksum::kBroken;
  return with_checksum(text) == text ? Checksum::kHolds : Checksum::kBroken;
}

}  // namespace warpvp
