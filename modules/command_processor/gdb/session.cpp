#include "modules/command_processor/gdb/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "modules/command_processor/gdb/packet_codec.h"
#include "modules/command_processor/gdb/target_description.h"

namespace warpvp::gdb {

namespace {

// Signals by the protocol's own numbers.
constexpr unsigned kSigInt = 2, kSigTrap = 5, kSigAbrt = 6;
constexpr unsigned kStackPointer = 2;
constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 32;
constexpr char kError[] = "E01";
constexpr char kOk[] = "OK";

std::string word(std::uint32_t value) {  // target byte order: little endian
  std::string bytes;
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(value >> 8 * i);
  return to_hex(bytes);
}

bool take_word(std::string_view& hex, std::uint32_t& value) {
  std::string bytes;
  if (hex.size() < 8 || !from_hex(hex.substr(0, 8), bytes)) return false;
  value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t(static_cast<unsigned char>(bytes[i])) << 8 * i;
  hex.remove_prefix(8);
  return true;
}

/// `ADDRESS,LENGTH`, within 32 bits.
bool take_range(std::string_view& text, std::uint32_t& address, std::uint64_t& length) {
  std::uint64_t start = 0;
  if (!take_number(text, start) || start > 0xffffffff || !take(text, ",") || !take_number(text, length))
    return false;
  address = static_cast<std::uint32_t>(start);
  return true;
}

Answer say(std::string text) { return {{std::move(text)}, Answer::Action::kStay, false}; }

}  // namespace

std::string Session::stop_reply() const {
  const unsigned signal = stop_.cause == Stop::Cause::kInterrupt ? kSigInt
                          : stop_.cause == Stop::Cause::kFault   ? kSigAbrt
                                                                 : kSigTrap;
  std::string reply = fmt::format("T{:02x}", signal);
  if (stop_.cause == Stop::Cause::kWatchpoint) {
    const char* name = stop_.point == PointKind::kWrite  ? "watch"
                       : stop_.point == PointKind::kRead ? "rwatch"
                                                         : "awatch";
    reply += fmt::format("{}:{:x};", name, stop_.address);
  } else if (stop_.cause == Stop::Cause::kBreakpoint) {
    const bool hardware = stop_.point == PointKind::kHardware;
    if (tells_breakpoints_[hardware]) reply += hardware ? "hwbreak:;" : "swbreak:;";
  }
  reply += fmt::format("{:02x}:{};{:02x}:{};thread:1;", kStackPointer,
                       word(target_.read_register(kStackPointer)), kPcRegister, word(target_.read_pc()));
  return reply;
}

Answer Session::handle(std::string_view packet) {
  if (packet.empty()) return say("");
  const char command = packet[0];
  std::string_view rest = packet.substr(1);
  switch (command) {
    case '?':
      return say(stop_reply());
    case 'g':
      return say(read_all());
    case 'G':
      return say(write_all(rest) ? kOk : kError);
    case 'p': {
      std::uint64_t number = 0;
      return say(take_number(rest, number) && rest.empty() ? read_register(number) : kError);
    }
    case 'P': {
      std::uint64_t number = 0;
      std::uint32_t value = 0;
      const bool good =
          take_number(rest, number) && take(rest, "=") && take_word(rest, value) && rest.empty();
      return say(good && write_register(number, value) ? kOk : kError);
    }
    case 'm':
      return say(read_memory(rest));
    case 'M':
    case 'X':
      return say(write_memory(rest, command == 'X'));
    case 'Z':
    case 'z':
      return say(change_point(packet));
    case 'c':
    case 'C':
      return resume(rest, command == 'C', false);
    case 's':
    case 'S':
      return resume(rest, command == 'S', true);
    case 'D':
      return {{kOk}, Answer::Action::kDetach, false};
    case 'k':
      return {{}, Answer::Action::kKill, false};
    case 'H':  // there is one thread, and it is selected
    case 'T':
      return say(kOk);
    case 'v':
      return verbose(packet);
    case 'q':
    case 'Q':
      return query(packet);
    default:
      return say("");
  }
}

Answer Session::resume(std::string_view arguments, bool with_signal, bool step) {
  std::uint64_t number = 0;
  if (with_signal) {  // firmware has no signals: the number is read and dropped
    if (!take_number(arguments, number)) return say(kError);
    if (!arguments.empty() && !take(arguments, ";")) return say(kError);
  }
  if (!arguments.empty()) {
    if (!take_number(arguments, number) || !arguments.empty() || number > 0xffffffff) return say(kError);
    target_.write_pc(static_cast<std::uint32_t>(number));
  }
  return {{}, step ? Answer::Action::kStep : Answer::Action::kContinue, false};
}

Answer Session::verbose(std::string_view packet) {
  if (packet == "vCont?") return say("vCont;c;C;s;S");
  if (packet == "vKill" || packet.substr(0, 6) == "vKill;") return {{kOk}, Answer::Action::kKill, false};
  if (!take(packet, "vCont;")) return say("");
  // The first action that names the thread, or names none, counts; the one thread is part of every answer.
  const char action = packet.empty() ? '\0' : packet[0];
  if (action == 'c' || action == 'C') return {{}, Answer::Action::kContinue, false};
  if (action == 's' || action == 'S') return {{}, Answer::Action::kStep, false};
  return say(kError);
}

std::string Session::read_all() const {
  std::string out;
  for (unsigned i = 0; i < kPcRegister; ++i) out += word(target_.read_register(i));
  return out + word(target_.read_pc());
}

bool Session::write_all(std::string_view hex) {
  std::uint32_t values[kPcRegister + 1];
  for (std::uint32_t& value : values)
    if (!take_word(hex, value)) return false;
  if (!hex.empty()) return false;
  for (unsigned i = 0; i < kPcRegister; ++i) target_.write_register(i, values[i]);
  target_.write_pc(values[kPcRegister]);
  return true;
}

std::string Session::read_register(std::uint64_t number) const {
  if (number < kPcRegister) return word(target_.read_register(static_cast<unsigned>(number)));
  if (number == kPcRegister) return word(target_.read_pc());
  if (number < kFirstCsrRegister || number - kFirstCsrRegister > 0xfff) return kError;
  const auto value = target_.read_csr(static_cast<std::uint16_t>(number - kFirstCsrRegister));
  return value ? word(*value) : kError;
}

bool Session::write_register(std::uint64_t number, std::uint32_t value) {
  if (number < kPcRegister)
    target_.write_register(static_cast<unsigned>(number), value);
  else if (number == kPcRegister)
    target_.write_pc(value);
  else
    return number >= kFirstCsrRegister && number - kFirstCsrRegister <= 0xfff &&
           target_.write_csr(static_cast<std::uint16_t>(number - kFirstCsrRegister), value);
  return true;
}

std::string Session::read_memory(std::string_view arguments) {
  std::uint32_t address = 0;
  std::uint64_t length = 0;
  if (!take_range(arguments, address, length) || !arguments.empty()) return kError;
  // An answer may be shorter than what was asked for; the client asks again for the rest.
  length = std::min<std::uint64_t>({length, kPacketBytes / 2, kAddressSpace - address});
  std::string bytes(length, '\0');
  const std::size_t got = target_.read_memory(address, bytes.data(), bytes.size());
  if (got == 0 && length > 0) return kError;
  return to_hex(std::string_view(bytes).substr(0, got));
}

std::string Session::write_memory(std::string_view arguments, bool binary) {
  std::uint32_t address = 0;
  std::uint64_t length = 0;
  if (!take_range(arguments, address, length) || !take(arguments, ":")) return kError;
  std::string bytes;
  if (binary)
    bytes = arguments;
  else if (!from_hex(arguments, bytes))
    return kError;
  if (bytes.size() != length || length > kAddressSpace - address) return kError;
  return target_.write_memory(address, bytes.data(), bytes.size()) == bytes.size() ? kOk : kError;
}

std::string Session::change_point(std::string_view packet) {
  const bool insert = packet[0] == 'Z';
  packet.remove_prefix(1);
  if (packet.empty() || packet[0] < '0' || packet[0] > '4') return "";
  const auto kind = static_cast<PointKind>(packet[0] - '0');
  packet.remove_prefix(1);
  std::uint32_t address = 0;
  std::uint64_t bytes = 0;
  if (!take(packet, ",") || !take_range(packet, address, bytes) || !packet.empty() || bytes > 0xffffffff)
    return kError;
  if (!insert) {
    run_.remove(kind, address, static_cast<std::uint32_t>(bytes));
    return kOk;
  }
  return run_.insert(kind, address, static_cast<std::uint32_t>(bytes)) ? kOk : kError;
}

Answer Session::query(std::string_view packet) {
  if (take(packet, "qSupported")) {
    tells_breakpoints_[0] = packet.find("swbreak+") != std::string_view::npos;
    tells_breakpoints_[1] = packet.find("hwbreak+") != std::string_view::npos;
    return say(
        fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;swbreak+;hwbreak+;vContSupported+",
                    kPacketBytes));
  }
  if (packet == "QStartNoAckMode") return {{kOk}, Answer::Action::kStay, true};
  if (take(packet, "qXfer:features:read:")) return say(transfer(packet));
  if (take(packet, "qRcmd,")) return monitor(packet);
  if (packet == "qAttached" || take(packet, "qAttached:")) return say("1");
  if (packet == "qfThreadInfo") return say("m1");
  if (packet == "qsThreadInfo") return say("l");
  if (packet == "qC") return say("QC1");
  return say("");
}

std::string Session::transfer(std::string_view arguments) {
  std::uint64_t offset = 0, length = 0;
  if (!take(arguments, "target.xml:") || !take_number(arguments, offset) || !take(arguments, ",") ||
      !take_number(arguments, length) || !arguments.empty())
    return kError;
  const std::string xml = describe_target(target_);
  if (offset >= xml.size()) return "l";
  // Half, so that the piece fits with every character escaped.
  const std::string piece = xml.substr(offset, std::min<std::uint64_t>(length, kPacketBytes / 2));
  return (offset + piece.size() < xml.size() ? "m" : "l") + piece;
}

std::string Session::monitor_text(std::string_view word) const {
  std::string names;
  for (const MonitorCommand& command : monitor_) {
    if (command.name == word) return command.text();
    names += fmt::format("{:<14}{}\n", command.name, command.sentence);
  }
  names += fmt::format("{:<14}{}\n", "help", "Show this list.");
  return word.empty() || word == "help" ? names
                                        : fmt::format("unknown command '{}'; there are:\n{}", word, names);
}

Answer Session::monitor(std::string_view hex) {
  std::string word;
  if (!from_hex(hex, word)) return say(kError);
  const std::size_t first = word.find_first_not_of(' '), last = word.find_last_not_of(' ');
  word = first == std::string::npos ? "" : word.substr(first, last - first + 1);
  const std::string text = monitor_text(word);
  Answer answer;
  constexpr std::size_t kPiece = kPacketBytes / 2 - 1;
  for (std::size_t at = 0; at < text.size(); at += kPiece)
    answer.payloads.push_back("O" + to_hex(std::string_view(text).substr(at, kPiece)));
  answer.payloads.emplace_back(kOk);
  return answer;
}

}  // namespace warpvp::gdb
