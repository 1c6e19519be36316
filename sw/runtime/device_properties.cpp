#include "sw/runtime/device_properties.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "ptx/image/kernel_image.h"

namespace warpvp::rt {

namespace {

template <class Number>
void print(std::string& to, Number value) {
  char text[40];
  to.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

template <class Number>
bool parse(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

/// Keeps the way to the group that is visited.
class GroupVisitor : public FieldVisitor {
 public:
  void policy(const char*, const char*, PolicyChoice&, const char*) override {}
  void require(bool, const char*, const std::string&) override {}

 protected:
  void begin_group(const char* key, const char*) override { way_ += std::string(key) + "."; }
  void end_group() override { way_.erase(way_.rfind('.', way_.size() - 2) + 1); }
  std::string key_of(const Field& field) const { return way_ + field.key; }

 private:
  std::string way_;
};

class Writer final : public GroupVisitor {
 public:
  void visit(const Field& field) override {
    text += key_of(field) + "=";
    std::visit([&](auto* value) { write(*value); }, field.value);
    text += "\n";
  }
  std::string text;

 private:
  void write(bool value) { text += value ? "1" : "0"; }
  void write(const std::string& value) { text += value; }
  void write(const std::vector<std::uint32_t>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) text += ",";
      print(text, values[i]);
    }
  }
  template <class Number>
  void write(Number value) {
    print(text, value);
  }
};

class Reader final : public GroupVisitor {
 public:
  explicit Reader(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::size_t sign = std::min(text.find('=', at), end);
      if (sign < end) values_[text.substr(at, sign - at)] = text.substr(sign + 1, end - sign - 1);
      at = end + 1;
    }
  }
  void visit(const Field& field) override {
    const auto found = values_.find(key_of(field));
    if (found == values_.end())
      throw InputError(
          fmt::format("the device does not say its '{}': it is of another version", key_of(field)));
    if (!std::visit([&](auto* value) { return read(found->second, *value); }, field.value))
      throw InputError(fmt::format("the device says '{}' of its '{}'; expected: {}", found->second,
                                   key_of(field), field.type()));
  }

 private:
  static bool read(const std::string& text, bool& value) {
    value = text == "1";
    return text == "0" || text == "1";
  }
  static bool read(const std::string& text, std::string& value) {
    value = text;
    return true;
  }
  static bool read(const std::string& text, std::vector<std::uint32_t>& values) {
    values.clear();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      values.push_back(0);
      if (!parse(text.substr(at, end - at), values.back())) return false;
      at = end + 1;
    }
    return true;
  }
  template <class Number>
  static bool read(const std::string& text, Number& value) {
    return parse(text, value);
  }

  std::map<std::string, std::string> values_;
};

}  // namespace

void DeviceProperties::fields(FieldVisitor& v) {
  v.field("image_version", image_version, "", "Version of kernel images.");
  v.field("sms", sms, "", "Streaming multiprocessors.");
  v.field("queues", queues, "", "Hardware queues.");
  v.field("copy_engines", copy_engines, "", "DMA engines.");
  v.field("sm_clock_mhz", sm_clock_mhz, "MHz", "Clock of SMs.");
  v.field("local_bytes", local_bytes, "bytes", "Local memory of a context.");
  v.field("l2_bytes", l2_bytes, "bytes", "L2.");
  v.field("memory_bus_bits", memory_bus_bits, "", "Wires of memory.");
  v.field("memory_bytes_per_second", memory_bytes_per_second, "", "Peak bandwidth of memory.");
  v.field("firmware", firmware, "The command processor runs firmware.");
  v.field("machine_code", machine_code, "Kernels run as machine code.");
  v.field("convergence_barriers", convergence_barriers, "Machine code has BSSY and BSYNC.");
  v.field("nop_before_barriers", nop_before_barriers, "Machine code has a NOP before barriers.");
  v.field("least_registers", least_registers, "", "Registers a thread takes at least.");
  v.group("sm", sm, "What CTAs share.");
  v.group("runtime", runtime, "The driver.");
}

std::string properties_text(const DeviceProperties& properties) {
  DeviceProperties copy = properties;
  Writer writer;
  copy.fields(writer);
  return writer.text;
}

DeviceProperties properties_of_text(const std::string& text) {
  DeviceProperties properties;
  Reader reader(text);
  properties.fields(reader);
  return properties;
}

DeviceProperties properties_of(const RuntimeServices& services) {
  DeviceProperties p;
  p.image_version = ptx::image::kVersion;
  p.sms = services.sm_count;
  p.queues = services.queues;
  p.copy_engines = services.copy_engines;
  p.sm_clock_mhz = services.sm_clock_mhz;
  p.local_bytes = services.local_bytes;
  p.l2_bytes = services.l2_bytes;
  p.memory_bus_bits = services.memory_bus_bits;
  p.memory_bytes_per_second = services.memory_bytes_per_second;
  p.firmware = services.firmware;
  p.sm = services.resources;
  p.runtime = services.config;
  return p;
}

}  // namespace warpvp::rt
