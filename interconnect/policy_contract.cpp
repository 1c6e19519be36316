#include "interconnect/policy_contract.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <systemc>
#include <typeinfo>

#include "base/registry.h"
#include "interconnect/clock_domain.h"

namespace warpvp {

namespace {

/// Leaves the model by a SystemC report, or by an exception where the simulation is not under way.
[[noreturn]] void leave(const std::string& text) {
  if (sc_core::sc_get_status() != sc_core::SC_RUNNING) throw PartFailure(text);
  SC_REPORT_ERROR(kBrokenContract, text.c_str());  // throws, unless somebody has changed what errors do
  throw PartFailure(text);
}

/// Throws on what speaks for itself.
void pass_on(bool while_built) {
  try {
    throw;
  } catch (const sc_core::sc_report& report) {
    // A policy that reports errors itself does not say its name.
    if (std::strcmp(report.get_msg_type(), kBrokenContract) == 0) throw;
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const PartFailure&) {
    throw;
  } catch (const InputError&) {
    if (while_built) throw;
  } catch (...) {
  }
}

std::string thrown_here() {
  try {
    throw;
  } catch (const sc_core::sc_report& report) {  // whose what() has lines about places
    return std::string(report.get_msg_type()) + ": " + report.get_msg();
  } catch (...) {
    return thrown_text();
  }
}

/// The module whose most derived object is at `whole`. A block may be Clocked for its own use alone, which no
/// cast leads out of.
const sc_core::sc_object* find_object(const std::vector<sc_core::sc_object*>& objects, const void* whole) {
  for (const sc_core::sc_object* object : objects) {
    if (dynamic_cast<const void*>(object) == whole) return object;
    if (const auto* const found = find_object(object->get_child_objects(), whole)) return found;
  }
  return nullptr;
}

/// " of the plugin FILE" if the class is of another file than this program.
std::string plugin_of(const std::type_info& type) {
  Dl_info own, other;
  if (!dladdr(reinterpret_cast<const void*>(&kBrokenContract), &own) || !dladdr(&type, &other)) return {};
  return std::strcmp(own.dli_fname, other.dli_fname) == 0 ? std::string()
                                                          : std::string(" of the plugin ") + other.dli_fname;
}

/// By the most derived object of a block: the parts of plugins that it was built with.
std::map<const void*, std::string>& parts_of_blocks() {
  static std::map<const void*, std::string> parts;
  return parts;
}

/// Of which plugins the block is: its class, and parts that it was built with.
std::string plugins_of(const std::type_info& type, const void* whole) {
  const auto parts = parts_of_blocks().find(whole);
  return plugin_of(type) + (parts == parts_of_blocks().end() ? std::string() : parts->second);
}

}  // namespace

void report_broken_contract(const char* kind, const std::string& name, const std::string& rule,
                            const std::string& place) {
  std::string title = part_title(kind, name);
  title.insert(std::strlen(kind), " policy");
  leave(title + " broke its contract: " + rule + "; " + place);
}

void report_thrown(const char* kind, const std::string& name) {
  pass_on(sc_core::sc_get_status() == sc_core::SC_ELABORATION);
  std::string title = part_title(kind, name);
  title.insert(std::strlen(kind), " policy");
  leave(title + " threw " + thrown_here() + "; at " + sc_core::sc_time_stamp().to_string());
}

void report_thrown_at_edge(const Clocked& block) {
  try {
    throw;
  } catch (const sc_core::sc_report&) {
    throw;
  } catch (...) {
    pass_on(false);
  }
  const void* const whole = dynamic_cast<const void*>(&block);
  const sc_core::sc_object* const object = module_of(block);
  leave(std::string("block ") + (object ? object->name() : "without a name") +
        plugins_of(typeid(block), whole) + " threw " + thrown_here() + "; at " +
        sc_core::sc_time_stamp().to_string());
}

const sc_core::sc_object* module_of(const Clocked& block) {
  return find_object(sc_core::sc_get_top_level_objects(), dynamic_cast<const void*>(&block));
}

std::string process_title(const char* name) {
  const sc_core::sc_object* const process = sc_core::sc_find_object(name);
  const sc_core::sc_object* const block = process ? process->get_parent_object() : nullptr;
  return std::string("process ") + name +
         (block ? plugins_of(typeid(*block), dynamic_cast<const void*>(block)) : std::string());
}

void note_parts(const void* whole, const std::string& parts) {
  if (parts.empty()) {
    parts_of_blocks().erase(whole);
  } else {
    parts_of_blocks()[whole] = parts;
  }
}

void throw_not_built(const std::string& kind, const std::string& type, const std::string& name,
                     const std::string& parts) {
  pass_on(true);
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    throw PartFailure(part_title(kind, type) + parts + " threw " + thrown_here() + " when block " + name +
                      " was built");
  }
}

}  // namespace warpvp
