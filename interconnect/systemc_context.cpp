#include "interconnect/systemc_context.h"

#include <algorithm>
#include <atomic>
#include <systemc>
#include <vector>

#include "interconnect/shared_context.h"

namespace warpvp {

namespace {
std::atomic<bool> taken{false};
bool shared = false;
bool time_configured = false;

/// Processes of modules that are gone are at the top too, and nobody's any more.
bool modules_are_left() {
  const std::vector<sc_core::sc_object*>& top = sc_core::sc_get_top_level_objects();
  return std::any_of(top.begin(), top.end(), [](const sc_core::sc_object* object) {
    return dynamic_cast<const sc_core::sc_module*>(object) != nullptr;
  });
}
}  // namespace

void configure_time() {
  if (!time_configured) sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  time_configured = true;
}

bool SystemcContext::take() {
  taken_ = !taken.exchange(true);
  return taken_;
}

bool share_systemc_context() {
  shared = shared || !taken.exchange(true);
  return shared;
}

SystemcContext::~SystemcContext() {
  if (!taken_ || modules_are_left()) return;
  // The only way to begin anew: the context that functions without an argument mean is a variable of the
  // library's interface (sc_simcontext.h), and a new one is what the first call would make. The old one
  // stays, as it has the stacks of processes that have not ended, which cannot be taken from under them; so
  // does the list that it is in, for which a check of leaks looks after the end of main().
  static auto& left = *new std::vector<sc_core::sc_simcontext*>;
  left.push_back(sc_core::sc_curr_simcontext);
  sc_core::sc_default_global_context = new sc_core::sc_simcontext;
  sc_core::sc_curr_simcontext = sc_core::sc_default_global_context;
  time_configured = false;
  taken = false;
}

}  // namespace warpvp
