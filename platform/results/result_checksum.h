#pragma once
// The checksum of a result.json: a number that was changed by hand or by a bad disk is noticed.

#include <cstdint>
#include <string>

namespace warpvp {

enum class Checksum : std::uint8_t {
  kNone,   ///< the text has none
  kHolds,  ///< the text is as it was written
  kBroken  ///< the text was changed since
};

/// `provenance.checksum` before it is known.
inline constexpr char kNoChecksum[] = "0000000000000000";

/// Puts the checksum of a result's text (FNV-1a, 64 bits, of the whole text with kNoChecksum in its place) to
/// where `provenance.checksum` is; a text without that key stays as it is.
std::string with_checksum(std::string text);

Checksum check_checksum(const std::string& text);

}  // namespace warpvp
