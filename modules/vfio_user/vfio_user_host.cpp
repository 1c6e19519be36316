// The host of clients outside: the thread that looks at the sockets, and whose time passes when.
#include "modules/vfio_user/vfio_user_host.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "modules/vfio_user/served_client.h"

namespace warpvp {

using vfio_user::Session;

namespace {

/// Slices of simulated time between two looks at sockets, which take the time of the machine.
constexpr unsigned kSlicesBetweenLooks = 10;

}  // namespace

VfioUserHost::VfioUserHost(sc_core::sc_module_name name, const VfioUserConfig& config, FaultSink& faults)
    : ThreadedHost(name, config.host, faults), config_(config), listener_(config.socket) {
  faults.forgive = [this](const DeviceFault& fault) { return refused_write(fault); };
  if (shared()) faults.contain = [this](const DeviceFault& fault) { return contain(fault); };
  add_program("serve", [this](HostInterface&) { serve(); });
}

VfioUserHost::~VfioUserHost() = default;

bool VfioUserHost::sleeping() const {
  // Who waits for the device, or whose next command waits until it rests, does nothing to it.
  return config_.clock == "client" || ThreadedHost::sleeping() ||
         std::any_of(clients_.begin(), clients_.end(), [](const auto& client) { return client->sleeps; });
}

void VfioUserHost::serve() {
  fmt::print(stderr, "serve: vfio-user at {}\n", listener_.path());
  std::fflush(stderr);
  while (!any_came_ || !clients_.empty() || config_.ends == "never") {
    settle();
    if (turn_ == 0) {
      hear_clients();
      take_clients();
    }
    hand_out();
    if (time_may_pass()) {
      let_time_pass();
    } else {
      stand_still();
    }
  }
}

// What else is due at this very time happens first: so it does not depend on when a command arrives what that
// finds.
void VfioUserHost::settle() {
  while (sc_core::sc_pending_activity_at_current_time()) sc_core::wait(sc_core::SC_ZERO_TIME);
}

void VfioUserHost::hear_clients() {
  for (const auto& client : clients_) {
    Session& session = client->session;
    if (session.over()) continue;
    if (session.connection().flush() && session.connection().receive()) continue;
    session.end(session.connection().problem());
  }
}

/// Its next command may be carried out now.
bool VfioUserHost::may_go_on(const Client& client) const {
  if (client.session.over()) return true;
  if (!client.session.connection().has_command()) return false;
  // What several do has no order that could be repeated.
  const bool at_once = config_.clock == "client" || clients_.size() > 1 || client.registers.paced() ||
                       !client.session.next_needs_device();
  return at_once || view_.rests();
}

void VfioUserHost::hand_out() {
  for (const auto& client : clients_) {
    if (client->busy) {
      if (client->session.over() && client->waits) client->woken.notify(sc_core::SC_ZERO_TIME);
      continue;
    }
    if (client->left || !may_go_on(*client)) continue;
    client->busy = true;
    client->turn.notify(sc_core::SC_ZERO_TIME);
  }
  clients_.erase(
      std::remove_if(clients_.begin(), clients_.end(), [](const auto& client) { return client->left; }),
      clients_.end());
}

bool VfioUserHost::time_may_pass() const {
  if (config_.clock == "client") return true;
  if (std::any_of(clients_.begin(), clients_.end(), [](const auto& client) { return client->busy; }))
    return true;
  const bool paced =
      !clients_.empty() && std::all_of(clients_.begin(), clients_.end(),
                                       [](const auto& client) { return client->registers.paced(); });
  return !paced && !view_.rests();
}

void VfioUserHost::let_time_pass() {
  const sc_core::sc_time slice(kLookNs, sc_core::SC_NS);
  if (config_.clock == "client") {
    turn_ = 0;
    using Clock = std::chrono::steady_clock;
    const auto wanted = std::chrono::duration<double>((sc_core::sc_time_stamp() - paced_time_).to_seconds() /
                                                      config_.client_rate);
    const std::chrono::duration<double> passed = Clock::now() - paced_from_;
    if (passed > wanted) {  // the simulator is behind, and does not hurry later
      paced_from_ = Clock::now();
      paced_time_ = sc_core::sc_time_stamp();
    } else if (wanted - passed > std::chrono::milliseconds(1)) {
      wait_for_sockets(1);
      return pause();
    }
  } else {
    turn_ = (turn_ + 1) % kSlicesBetweenLooks;
  }
  sc_core::wait(slice, activity_);
}

// The session may act: end the run, serve a debugger.
void VfioUserHost::pause() {
  sc_core::sc_pause();
  sc_core::wait(sc_core::SC_ZERO_TIME);
}

// Simulated time stands still until a client does something.
void VfioUserHost::stand_still() {
  turn_ = 0;
  const bool heard = std::any_of(clients_.begin(), clients_.end(), [](const auto& client) {
    return client->session.connection().has_command();
  });
  if (!heard) wait_for_sockets(kPauseMs);
  pause();
}

void VfioUserHost::wait_for_sockets(int milliseconds) {
  std::vector<pollfd> waits = {{listener_.socket(), POLLIN, 0}};
  for (const auto& client : clients_) {
    vfio_user::Connection& connection = client->session.connection();
    if (client->session.over()) continue;
    const auto events =
        static_cast<short>((connection.wants_more() ? POLLIN : 0) | (connection.has_unsent() ? POLLOUT : 0));
    waits.push_back({connection.socket(), events, 0});
  }
  poll(waits.data(), waits.size(), milliseconds);
}

namespace {

class VfioUserHostType : public HostType {
 public:
  explicit VfioUserHostType(const VfioUserConfig& config) : config_(config) {}
  std::unique_ptr<HostCpu> build(const char* name, FaultSink& faults) const override {
    return std::make_unique<VfioUserHost>(name, config_, faults);
  }
  bool shares_device_memory() const override { return config_.bar2 == "mapped"; }

 private:
  VfioUserConfig config_;
};

WARPVP_REGISTER_BLOCK(HostType, VfioUserHostType, VfioUserConfig, "vfio_user",
                      "Clients of a socket, which see the device as a PCIe function (docs/serve.md).");

}  // namespace
}  // namespace warpvp
