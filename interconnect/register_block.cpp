#include "interconnect/register_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace warpvp {

namespace {

const char* word(RegisterAccess access) {
  switch (access) {
    case RegisterAccess::kReadOnly:
      return "R";
    case RegisterAccess::kWriteOnly:
      return "W";
    case RegisterAccess::kReadWrite:
      return "RW";
  }
  return "";
}

bool readable(const RegisterSpec& spec) { return spec.access != RegisterAccess::kWriteOnly; }
bool writable(const RegisterSpec& spec) { return spec.access != RegisterAccess::kReadOnly; }

}  // namespace

RegisterBlock::RegisterBlock(std::string title, std::uint64_t bytes, std::string doc)
    : title_(std::move(title)), bytes_(bytes), doc_(std::move(doc)) {}

void RegisterBlock::take(const std::string& name, std::uint64_t offset, std::uint64_t bytes) {
  if (offset % 4 != 0 || offset + bytes > bytes_)
    throw std::logic_error(fmt::format("{}.{} at {:#x} does not fit the block", title_, name, offset));
  if (const std::uint64_t words = (offset + bytes + 3) / 4; taken_.size() < words)
    taken_.resize(std::max<std::uint64_t>(words, 2 * taken_.size()));
  for (std::uint64_t at = offset; at < offset + bytes; at += 4) {
    if (taken_[at / 4])
      throw std::logic_error(fmt::format("{}.{} overlaps another register at {:#x}", title_, name, at));
    taken_[at / 4] = true;
  }
}

RegisterBlock::Id RegisterBlock::add(RegisterSpec spec) {
  if (spec.width != 4 && spec.width != 8)
    throw std::logic_error(fmt::format("{}.{}: width {} is neither 4 nor 8", title_, spec.name, spec.width));
  const std::uint64_t bytes = std::uint64_t{spec.width} * spec.repeat;
  if (spec.count > 1 && (spec.stride < bytes || spec.stride % 4 != 0))
    throw std::logic_error(fmt::format("{}.{}: stride {} is impossible", title_, spec.name, spec.stride));
  if (spec.halves && spec.width != 8)
    throw std::logic_error(fmt::format("{}.{}: only 8-byte registers have halves", title_, spec.name));
  for (unsigned i = 0; i < spec.count; ++i) take(spec.name, spec.offset + i * spec.stride, bytes);
  Register added;
  added.values.assign(std::size_t{spec.count} * spec.repeat, spec.reset);
  added.spec = std::move(spec);
  registers_.push_back(std::move(added));
  return static_cast<Id>(registers_.size() - 1);
}

void RegisterBlock::add(MailboxSpec spec) {
  take(spec.name, spec.offset, spec.bytes);
  mailboxes_.push_back(std::move(spec));
}

bool RegisterBlock::find(std::uint64_t offset, Hit& hit) const {
  for (Id id = 0; id < registers_.size(); ++id) {
    const RegisterSpec& spec = registers_[id].spec;
    if (offset < spec.offset) continue;
    const std::uint64_t distance = offset - spec.offset;
    const std::uint64_t index = spec.count > 1 ? distance / spec.stride : 0;
    const std::uint64_t skew = distance - index * spec.stride;
    if (index >= spec.count || skew >= std::uint64_t{spec.width} * spec.repeat) continue;
    hit = {id, static_cast<unsigned>(index * spec.repeat + skew / spec.width),
           static_cast<unsigned>(skew % spec.width)};
    return true;
  }
  return false;
}

unsigned RegisterBlock::step(const Hit& hit, std::uint64_t at, std::uint64_t end) const {
  const RegisterSpec& spec = registers_[hit.id].spec;
  if (hit.skew == 0 && at + spec.width <= end) return spec.width;
  return spec.halves && hit.skew % 4 == 0 && at + 4 <= end ? 4 : 0;
}

const MailboxSpec* RegisterBlock::mailbox_at(std::uint64_t offset) const {
  for (const MailboxSpec& box : mailboxes_)
    if (offset >= box.offset && offset < box.offset + box.bytes) return &box;
  return nullptr;
}

tlm::tlm_response_status RegisterBlock::check(const tlm::tlm_generic_payload& payload) const {
  const std::uint64_t offset = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (offset >= bytes_) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const bool writes = payload.is_write();
  if (!writes && !payload.is_read()) return tlm::TLM_OK_RESPONSE;  // TLM_IGNORE_COMMAND
  if (length == 0 || length % 4 != 0 || payload.get_streaming_width() < length)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (const MailboxSpec* box = mailbox_at(offset)) {
    if (!writes) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    return offset == box->offset && length == box->bytes ? tlm::TLM_OK_RESPONSE
                                                         : tlm::TLM_BURST_ERROR_RESPONSE;
  }
  for (std::uint64_t at = offset; at < offset + length;) {
    Hit hit;
    if (!find(at, hit)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    const RegisterSpec& spec = registers_[hit.id].spec;
    const unsigned bytes = step(hit, at, offset + length);
    if (bytes == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (writes ? !writable(spec) : !readable(spec)) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (writes && spec.may_write && !spec.may_write(hit.index)) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    at += bytes;
  }
  return tlm::TLM_OK_RESPONSE;
}

std::uint64_t RegisterBlock::read_value(const Hit& hit) const {
  const Register& r = registers_[hit.id];
  return r.spec.read ? r.spec.read(hit.index) : r.values[hit.index];
}

void RegisterBlock::transport(tlm::tlm_generic_payload& payload) {
  const tlm::tlm_response_status status = check(payload);
  payload.set_dmi_allowed(false);
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE || (!payload.is_write() && !payload.is_read())) return;
  unsigned char* data = payload.get_data_ptr();
  const std::uint64_t begin = payload.get_address();
  if (const MailboxSpec* box = mailbox_at(begin)) {
    if (box->deliver) box->deliver(data);
    return;
  }
  const std::uint64_t end = begin + payload.get_data_length();
  for (std::uint64_t at = begin; at < end;) {
    Hit hit;
    find(at, hit);
    const unsigned bytes = step(hit, at, end);
    Register& r = registers_[hit.id];
    if (payload.is_write()) {
      std::uint64_t value = bytes == r.spec.width ? 0 : r.values[hit.index];
      std::memcpy(reinterpret_cast<unsigned char*>(&value) + hit.skew, data + (at - begin), bytes);
      r.values[hit.index] = value;
      if (r.spec.write) r.spec.write(hit.index, value);
    } else {
      const std::uint64_t value = read_value(hit) >> (8 * hit.skew);
      std::memcpy(data + (at - begin), &value, bytes);
    }
    at += bytes;
  }
}

unsigned RegisterBlock::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) return 0;
  unsigned done = 0;
  while (done + 4 <= payload.get_data_length()) {
    Hit hit;
    const std::uint64_t at = payload.get_address() + done;
    if (!find(at, hit) || hit.skew % 4 != 0) break;
    const std::uint64_t value = read_value(hit) >> (8 * hit.skew);
    std::memcpy(payload.get_data_ptr() + done, &value, 4);
    done += 4;
  }
  return done;
}

std::string RegisterBlock::markdown(std::uint64_t base, unsigned instances, std::uint64_t stride) const {
  std::string out = fmt::format("## {}\n\n{}\n\nBase `{:#x}`, {} bytes", title_, doc_, base, bytes_);
  if (instances > 1) out += fmt::format("; {} instances, one every `{:#x}`", instances, stride);
  out += ".\n\n| offset | name | bits | access | reset | meaning |\n|---|---|---|---|---|---|\n";
  struct Row {
    std::uint64_t offset;
    std::string text;
  };
  std::vector<Row> rows;
  for (const Register& r : registers_) {
    const RegisterSpec& s = r.spec;
    std::string at = fmt::format("{:#06x}", s.offset);
    if (s.count > 1) at += fmt::format(" + {:#x} n, n < {}", s.stride, s.count);
    std::string bits = fmt::format("{}{}", s.width * 8, s.halves ? ", halves" : "");
    if (s.repeat > 1) bits = fmt::format("{} x {}", s.repeat, bits);
    rows.push_back({s.offset, fmt::format("| `{}` | {} | {} | {} | {:#x} | {} |\n", at, s.name, bits,
                                          word(s.access), s.reset, s.doc)});
  }
  for (const MailboxSpec& m : mailboxes_) {
    rows.push_back({m.offset, fmt::format("| `{:#06x}` | {} | {} | W, whole | | {} |\n", m.offset, m.name,
                                          m.bytes * 8, m.doc)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.offset < b.offset; });
  for (const Row& row : rows) out += row.text;
  return out;
}

namespace {

/// The text as a C comment of at most `width` columns.
std::string comment(const std::string& text, std::size_t width) {
  std::string out = "/*";
  std::size_t column = out.size();
  const auto word = [&](const std::string& w) {
    const bool wrap = column + 1 + w.size() > width;
    out += wrap ? "\n   " : " ";
    column = (wrap ? 3 : column + 1) + w.size();
    out += w;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    word(text.substr(at, end - at));
    at = end + 1;
  }
  word("*/");
  return out + "\n";
}

}  // namespace

std::string RegisterBlock::c_header(const std::string& prefix, std::uint64_t base, unsigned instances,
                                    std::uint64_t stride) const {
  constexpr std::size_t kWidth = 110;
  std::string out = comment(title_ + ". " + doc_, kWidth);
  out += fmt::format("#define {}_BASE {:#010x}u\n", prefix, base);
  if (instances > 1) out += fmt::format("#define {}_STRIDE {:#x}u\n", prefix, stride);
  struct Entry {
    std::uint64_t offset;
    std::string text;
  };
  std::vector<Entry> entries;
  const auto add = [&](const std::string& name, std::uint64_t offset, unsigned count, std::uint64_t step,
                       const std::string& doc) {
    std::string parameters, address = fmt::format("{:#010x}u", base + offset);
    if (instances > 1) {
      parameters = "i";
      address += fmt::format(" + (i) * {:#x}u", stride);
    }
    if (count > 1) {
      parameters += parameters.empty() ? "n" : ", n";
      address += fmt::format(" + (n) * {:#x}u", step);
    }
    std::string text = comment(doc, kWidth);
    text += parameters.empty() ? fmt::format("#define {}_{} {}\n", prefix, name, address)
                               : fmt::format("#define {}_{}({}) ({})\n", prefix, name, parameters, address);
    if (count > 1 || instances > 1)
      text += fmt::format("#define {}_{}_AT {:#x}u\n", prefix, name, count > 1 ? offset % step : offset);
    entries.push_back({offset, std::move(text)});
  };
  for (const Register& r : registers_) {
    const RegisterSpec& s = r.spec;
    const std::string row = s.repeat > 1 ? fmt::format("{} times ", s.repeat) : "";
    const std::string width = fmt::format("{}, {}{} bits{}", word(s.access), row, s.width * 8,
                                          s.halves ? " in one or two accesses" : "");
    add(s.name, s.offset, s.count, s.stride, width + ": " + s.doc);
  }
  for (const MailboxSpec& m : mailboxes_)
    add(m.name, m.offset, 1, 0, fmt::format("W, a record of {} bytes: {}", m.bytes, m.doc));
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  for (const Entry& entry : entries) out += entry.text;
  return out;
}

std::string RegisterBlock::name_of(std::uint64_t offset) const {
  if (const MailboxSpec* box = mailbox_at(offset)) return box->name;
  Hit hit;
  if (!find(offset, hit)) return {};
  const RegisterSpec& spec = registers_[hit.id].spec;
  std::string out = spec.name;
  if (spec.count > 1) out += fmt::format("[{}]", hit.index / spec.repeat);
  if (spec.repeat > 1) out += fmt::format("[{}]", hit.index % spec.repeat);
  if (hit.skew != 0) out += fmt::format("+{}", hit.skew);
  return out;
}

}  // namespace warpvp
