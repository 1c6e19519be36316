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

void RegisterBlock::check_free(const std::string& name, std::uint64_t offset, std::uint64_t bytes) const {
  if (offset % 4 != 0 || offset + bytes > bytes_)
    throw std::logic_error(fmt::format("{}.{} at {:#x} does not fit the block", title_, name, offset));
  Hit hit;
  for (std::uint64_t at = offset; at < offset + bytes; at += 4) {
    if (find(at, hit) || mailbox_at(at) != nullptr)
      throw std::logic_error(fmt::format("{}.{} overlaps another register at {:#x}", title_, name, at));
  }
}

RegisterBlock::Id RegisterBlock::add(RegisterSpec spec) {
  if (spec.width != 4 && spec.width != 8)
    throw std::logic_error(fmt::format("{}.{}: width {} is neither 4 nor 8", title_, spec.name, spec.width));
  if (spec.count > 1 && (spec.stride < spec.width || spec.stride % 4 != 0))
    throw std::logic_error(fmt::format("{}.{}: stride {} is impossible", title_, spec.name, spec.stride));
  for (unsigned i = 0; i < spec.count; ++i) check_free(spec.name, spec.offset + i * spec.stride, spec.width);
  Register added;
  added.values.assign(spec.count, spec.reset);
  added.spec = std::move(spec);
  registers_.push_back(std::move(added));
  return static_cast<Id>(registers_.size() - 1);
}

void RegisterBlock::add(MailboxSpec spec) {
  check_free(spec.name, spec.offset, spec.bytes);
  mailboxes_.push_back(std::move(spec));
}

bool RegisterBlock::find(std::uint64_t offset, Hit& hit) const {
  for (Id id = 0; id < registers_.size(); ++id) {
    const RegisterSpec& spec = registers_[id].spec;
    if (offset < spec.offset) continue;
    const std::uint64_t distance = offset - spec.offset;
    const std::uint64_t index = spec.count > 1 ? distance / spec.stride : 0;
    const std::uint64_t skew = distance - index * spec.stride;
    if (index >= spec.count || skew >= spec.width) continue;
    hit = {id, static_cast<unsigned>(index), static_cast<unsigned>(skew)};
    return true;
  }
  return false;
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
    if (hit.skew != 0 || at + spec.width > offset + length) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (writes ? !writable(spec) : !readable(spec)) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    at += spec.width;
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
  for (std::uint64_t at = begin; at < begin + payload.get_data_length();) {
    Hit hit;
    find(at, hit);
    Register& r = registers_[hit.id];
    if (payload.is_write()) {
      std::uint64_t value = 0;
      std::memcpy(&value, data + (at - begin), r.spec.width);
      r.values[hit.index] = value;
      if (r.spec.write) r.spec.write(hit.index, value);
    } else {
      const std::uint64_t value = read_value(hit);
      std::memcpy(data + (at - begin), &value, r.spec.width);
    }
    at += r.spec.width;
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
    const std::string at = s.count > 1 ? fmt::format("{:#06x} + {:#x} n, n < {}", s.offset, s.stride, s.count)
                                       : fmt::format("{:#06x}", s.offset);
    rows.push_back({s.offset, fmt::format("| `{}` | {} | {} | {} | {:#x} | {} |\n", at, s.name, s.width * 8,
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

}  // namespace warpvp
