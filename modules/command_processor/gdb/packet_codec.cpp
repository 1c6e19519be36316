#include "modules/command_processor/gdb/packet_codec.h"

namespace warpvp::gdb {

namespace {

constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;
constexpr char kDigits[] = "0123456789abcdef";

void append_hex(std::string& out, unsigned char byte) {
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

}  // namespace

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void PacketReader::begin() {
  payload_.clear();
  sum_ = 0;
  state_ = State::kPayload;
}

void PacketReader::append(char c, std::vector<PacketEvent>& events) {
  if (payload_.size() < kPacketBytes) {
    payload_ += c;
    return;
  }
  payload_.clear();
  state_ = State::kSkip;
  events.push_back({PacketEvent::Kind::kTooLong});
}

void PacketReader::feed(std::string_view bytes, std::vector<PacketEvent>& events) {
  for (const char c : bytes) {
    switch (state_) {
      case State::kBetween:
      case State::kSkip:
        if (c == '$') {
          begin();
        } else if (state_ == State::kSkip) {
          if (c == '#') state_ = State::kBetween;  // its checksum is skipped as noise
        } else if (c == '\x03') {
          events.push_back({PacketEvent::Kind::kInterrupt});
        } else if (c == '-') {
          events.push_back({PacketEvent::Kind::kResend});
        }
        break;
      case State::kPayload:
        if (c == '$') {  // never within a payload: the end of the last packet was lost
          begin();
        } else if (c == '#') {
          state_ = State::kFirstDigit;
        } else {
          sum_ = static_cast<unsigned char>(sum_ + static_cast<unsigned char>(c));
          if (c == kEscape)
            state_ = State::kEscape;
          else
            append(c, events);
        }
        break;
      case State::kEscape:
        sum_ = static_cast<unsigned char>(sum_ + static_cast<unsigned char>(c));
        state_ = State::kPayload;
        append(static_cast<char>(c ^ kEscapeBit), events);
        break;
      case State::kFirstDigit:
        first_digit_ = c;
        state_ = State::kSecondDigit;
        break;
      case State::kSecondDigit: {
        const int high = hex_digit(first_digit_), low = hex_digit(c);
        state_ = State::kBetween;
        if (high < 0 || low < 0 || high * 16 + low != sum_)
          events.push_back({PacketEvent::Kind::kBadChecksum});
        else
          events.push_back({PacketEvent::Kind::kPacket, std::move(payload_)});
        payload_.clear();
        break;
      }
    }
  }
}

std::string frame_packet(std::string_view payload) {
  std::string out = "$";
  unsigned char sum = 0;
  const auto put = [&](char c) {
    out += c;
    sum = static_cast<unsigned char>(sum + static_cast<unsigned char>(c));
  };
  for (const char c : payload) {
    if (c == '$' || c == '#' || c == kEscape || c == '*') {
      put(kEscape);
      put(static_cast<char>(c ^ kEscapeBit));
    } else {
      put(c);
    }
  }
  out += '#';
  append_hex(out, sum);
  return out;
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) append_hex(out, static_cast<unsigned char>(c));
  return out;
}

bool from_hex(std::string_view hex, std::string& bytes) {
  bytes.clear();
  if (hex.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = hex_digit(hex[i]), low = hex_digit(hex[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes += static_cast<char>(high * 16 + low);
  }
  return true;
}

bool take_number(std::string_view& text, std::uint64_t& value) {
  std::size_t digits = 0;
  value = 0;
  while (digits < text.size() && hex_digit(text[digits]) >= 0) {
    if (digits == 16) return false;
    value = value << 4 | static_cast<std::uint64_t>(hex_digit(text[digits++]));
  }
  text.remove_prefix(digits);
  return digits > 0;
}

bool take(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

}  // namespace warpvp::gdb
