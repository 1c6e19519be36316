#pragma once
// Packets of GDB's remote serial protocol: framing, checksums and escapes. No sockets, no time: bytes in,
// events out. Takes any bytes whatever.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpvp::gdb {

/// Longest payload that is taken or made, in bytes; told to the client as PacketSize.
constexpr std::size_t kPacketBytes = 0x4000;

/// What a stretch of received bytes comes to.
struct PacketEvent {
  enum class Kind : std::uint8_t {
    kPacket,       ///< `payload` arrived whole
    kInterrupt,    ///< the user pressed Ctrl-C
    kResend,       ///< the client wants the last packet again
    kBadChecksum,  ///< a packet arrived damaged
    kTooLong,      ///< more than kPacketBytes: nobody who speaks the protocol sends this
  };
  Kind kind;
  std::string payload = {};  ///< escapes taken out
};

class PacketReader {
 public:
  /// Appends what the bytes complete to `events`. Bytes between packets that mean nothing are skipped.
  void feed(std::string_view bytes, std::vector<PacketEvent>& events);

 private:
  enum class State : std::uint8_t { kBetween, kPayload, kEscape, kFirstDigit, kSecondDigit, kSkip };
  void begin();
  void append(char c, std::vector<PacketEvent>& events);

  State state_ = State::kBetween;
  std::string payload_;
  unsigned char sum_ = 0;
  char first_digit_ = 0;
};

/// `$payload#checksum`, with what must be escaped escaped.
std::string frame_packet(std::string_view payload);

/// Lower-case hexadecimal, two digits a byte, in order of the bytes.
std::string to_hex(std::string_view bytes);
/// False, and `bytes` undefined, if `hex` has anything but pairs of digits.
bool from_hex(std::string_view hex, std::string& bytes);
/// Value of a digit, or -1.
int hex_digit(char c);

/// Takes a hexadecimal number, of 1 to 16 digits and without a prefix, off the front of `text`.
bool take_number(std::string_view& text, std::uint64_t& value);
/// Takes `word` off the front of `text`, if that is how it begins.
bool take(std::string_view& text, std::string_view word);

}  // namespace warpvp::gdb
