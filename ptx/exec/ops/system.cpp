// trap, brkpt, device assertions, vprintf, malloc and free, and the instructions that change no value.

#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/exec/ops/common.h"
#include "ptx/exec/warp.h"

namespace warpvp::ptx {
namespace {

void nothing(const Inst&, Warp&, LaneMask) {}

std::uint64_t address_of(const Warp& w, const Operand& o, unsigned lane) {
  std::uint64_t v;
  std::memcpy(&v, reinterpret_cast<const char*>(w.source(o)) + lane * 8, 8);
  return v;
}

/// Host memory behind `bytes` bytes at a generic address, as one lane sees it; nullptr if they are not there.
const std::byte* generic(Warp& w, unsigned lane, std::uint64_t address, unsigned bytes) {
  Cta& cta = w.cta();
  const auto within = [&](std::uint64_t offset, std::uint64_t size) {
    return offset <= size && size - offset >= bytes;
  };
  if (address - kSharedWindow < kWindowBytes) {
    const std::uint64_t offset = address - kSharedWindow;
    return within(offset, cta.shared_bytes()) ? cta.shared_data() + offset : nullptr;
  }
  if (address - kLocalWindow < kWindowBytes) {
    const std::uint64_t offset = address - kLocalWindow;
    if (!within(offset, w.depot_stride())) return nullptr;
    return w.depot_data() + lane * std::size_t{w.depot_stride()} + offset;
  }
  ExecEnv& env = cta.env();
  if (!env.find_range(address, cta.context()) || env.range.end - address < bytes) return nullptr;
  return env.global->host + (address - env.global->origin);
}

/// A NUL-terminated string; false (and a fault) if it runs out of valid memory.
bool read_string(Warp& w, unsigned lane, std::uint64_t address, std::string& text) {
  constexpr std::size_t kLongest = 1 << 16;
  text.clear();
  while (text.size() < kLongest) {
    const std::byte* p = generic(w, lane, address + text.size(), 1);
    if (p == nullptr) {
      w.fault("string operand of a device function lies outside valid memory", static_cast<int>(lane),
              address + text.size(), 1);
      return false;
    }
    if (*p == std::byte{0}) return true;
    text.push_back(static_cast<char>(*p));
  }
  w.fault("string operand of a device function is not terminated", static_cast<int>(lane), address, 0);
  return false;
}

/// Reads one argument of the packed argument buffer, aligned to its size as the C ABI lays it out.
template <class T>
bool next_argument(Warp& w, unsigned lane, std::uint64_t& at, T& value) {
  at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  const std::byte* p = generic(w, lane, at, sizeof(T));
  if (p == nullptr) {
    w.fault("printf argument lies outside valid memory", static_cast<int>(lane), at, sizeof(T));
    return false;
  }
  std::memcpy(&value, p, sizeof(T));
  at += sizeof(T);
  return true;
}

template <class T>
void append_formatted(std::string& out, const std::string& spec, T value) {
  const int length = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (length <= 0) return;
  const std::size_t old = out.size();
  out.resize(old + static_cast<std::size_t>(length) + 1);
  std::snprintf(&out[old], static_cast<std::size_t>(length) + 1, spec.c_str(), value);
  out.pop_back();
}

/// Formats as the device's printf: C conversions, `*` widths, integers of 32 or (with l, ll, z, t, j) 64
/// bits. Returns the number of arguments, or -1 after a fault.
int format(Warp& w, unsigned lane, const std::string& text, std::uint64_t at, std::string& out) {
  int count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    std::size_t j = i + 1;
    if (j < text.size() && text[j] == '%') {
      out.push_back('%');
      i = j;
      continue;
    }
    std::string spec = "%";
    bool wide = false;
    for (; j < text.size() && std::strchr("-+ #0123456789.*hlLqjzt", text[j]) != nullptr; ++j) {
      if (text[j] == '*') {
        std::int32_t width;
        if (!next_argument(w, lane, at, width)) return -1;
        spec += std::to_string(width);
        ++count;
      } else if (std::strchr("lLqjzt", text[j]) != nullptr) {
        wide = true;
      } else if (text[j] != 'h') {
        spec.push_back(text[j]);
      }
    }
    if (j == text.size()) {  // a lone '%' at the end is printed as it is
      out.append(text, i, std::string::npos);
      return count;
    }
    const char kind = text[j];
    if (std::strchr("di", kind) != nullptr) {
      std::int64_t v = 0;
      std::int32_t narrow = 0;
      if (wide ? !next_argument(w, lane, at, v) : !next_argument(w, lane, at, narrow)) return -1;
      append_formatted(out, spec + "lld", static_cast<long long>(wide ? v : narrow));
    } else if (std::strchr("uoxXc", kind) != nullptr) {
      std::uint64_t v = 0;
      std::uint32_t narrow = 0;
      if (wide ? !next_argument(w, lane, at, v) : !next_argument(w, lane, at, narrow)) return -1;
      if (kind == 'c') {
        append_formatted(out, spec + "c", static_cast<int>(wide ? v : narrow));
      } else {
        append_formatted(out, spec + "ll" + kind, static_cast<unsigned long long>(wide ? v : narrow));
      }
    } else if (std::strchr("fFeEgGaA", kind) != nullptr) {
      double v;
      if (!next_argument(w, lane, at, v)) return -1;
      append_formatted(out, spec + kind, v);
    } else if (kind == 's' || kind == 'p') {
      std::uint64_t v;
      if (!next_argument(w, lane, at, v)) return -1;
      if (kind == 'p') {
        append_formatted(out, "0x%llx", static_cast<unsigned long long>(v));
      } else {
        std::string argument;
        if (!read_string(w, lane, v, argument)) return -1;
        append_formatted(out, spec + "s", argument.c_str());
      }
    } else {  // not a conversion: printed as written, takes no argument
      out.append(text, i, j + 1 - i);
      i = j;
      continue;
    }
    ++count;
    i = j;
  }
  return count;
}

void vprintf(const Inst& inst, Warp& w, LaneMask active) {
  if (w.put_off(inst, active)) return;
  ExecEnv& env = w.cta().env();
  std::string all;
  int counts[kWarpSize] = {};
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
    std::string text;
    if (!read_string(w, lane, address_of(w, inst.src[0], lane), text)) return;
    counts[lane] = format(w, lane, text, address_of(w, inst.src[1], lane), all);
    if (counts[lane] < 0) return;
  }
  if (inst.dst_count != 0 && inst.dst[0].kind == OperandKind::kReg) {
    for (LaneMask m = active; m != 0; m &= m - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
      w.row(inst.dst[0].index)[lane] = static_cast<std::uint32_t>(counts[lane]);
    }
  }
  if (env.print && !all.empty()) env.print(all, w.cta().context());
}

void heap_malloc(const Inst& inst, Warp& w, LaneMask active) {
  if (w.put_off(inst, active)) return;
  GlobalMemory& memory = *w.cta().env().global;
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
    const std::uint64_t block = memory.heap_allocate(address_of(w, inst.src[0], lane), w.cta().context());
    std::memcpy(reinterpret_cast<char*>(w.row(inst.dst[0].index)) + lane * 8, &block, 8);
  }
}

void heap_free(const Inst& inst, Warp& w, LaneMask active) {
  if (w.put_off(inst, active)) return;
  GlobalMemory& memory = *w.cta().env().global;
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
    const std::uint64_t block = address_of(w, inst.src[0], lane);
    if (block != 0 && !memory.heap_release(block, w.cta().context())) {
      w.fault("free of a pointer that device malloc did not give, or that was freed before",
              static_cast<int>(lane), block, 0);
      return;
    }
  }
}

void trap(const Inst&, Warp& w, LaneMask active) { w.fault("trap instruction", __builtin_ctz(active)); }
void breakpoint(const Inst&, Warp& w, LaneMask active) { w.fault("breakpoint", __builtin_ctz(active)); }

/// __assertfail: one line for every failing lane, then a fault.
void assert_failed(const Inst& inst, Warp& w, LaneMask active) {
  if (w.put_off(inst, active)) return;
  Cta& cta = w.cta();
  std::string all;
  for (LaneMask m = active; m != 0; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
    std::string message, file, function;
    if (!read_string(w, lane, address_of(w, inst.src[0], lane), message)) return;
    if (!read_string(w, lane, address_of(w, inst.src[1], lane), file)) return;
    if (!read_string(w, lane, address_of(w, inst.src[3], lane), function)) return;
    const std::uint32_t thread = w.index() * kWarpSize + lane;
    const Dim3 block = cta.block();
    all += file + ":" + std::to_string(w.source(inst.src[2])[lane]) + ": " + function + ": CTA (" +
           std::to_string(cta.id().x) + "," + std::to_string(cta.id().y) + "," + std::to_string(cta.id().z) +
           "), thread (" + std::to_string(thread % block.x) + "," +
           std::to_string(thread / block.x % block.y) + "," + std::to_string(thread / block.x / block.y) +
           "): assertion `" + message + "` failed\n";
  }
  if (cta.env().print) cta.env().print(all, cta.context());
  w.fault("device assertion failed", __builtin_ctz(active));
}

bool is_address(const Inst& inst, unsigned i) {
  const OperandKind k = inst.src[i].kind;
  return (k == OperandKind::kReg || k == OperandKind::kConst) && ((inst.wide >> (kMaxDst + i)) & 1) != 0;
}

}  // namespace

ExecFn select_system(Inst& inst, const Modifiers&) {
  switch (inst.opcode) {
    case Opcode::trap:
      if (inst.aux == 0) return &trap;
      return is_address(inst, 0) && is_address(inst, 1) && is_address(inst, 3) ? &assert_failed : nullptr;
    case Opcode::brkpt:
      return &breakpoint;
    case Opcode::vprintf:
      return is_address(inst, 0) && is_address(inst, 1) ? &vprintf : nullptr;
    case Opcode::heap_malloc:
      return is_address(inst, 0) && inst.dst[0].kind == OperandKind::kReg && (inst.wide & 1) != 0
                 ? &heap_malloc
                 : nullptr;
    case Opcode::heap_free:
      return is_address(inst, 0) ? &heap_free : nullptr;
    case Opcode::applypriority:
    case Opcode::discard:
    case Opcode::fence:
    case Opcode::membar:
    case Opcode::nanosleep:
    case Opcode::pmevent:
      return &nothing;
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx
