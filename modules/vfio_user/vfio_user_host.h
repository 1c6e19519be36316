#pragma once
// `host.type: vfio_user`: the device's host is whoever connects to a socket (docs/serve.md). What clients do
// to the device crosses the PCIe link as what any host does; their memory and interrupts are what the device
// reaches as host memory.
//
// One thread of the simulation looks at the sockets and decides who goes on; each client has a thread that
// carries out its commands one after the other. While no command is under way that takes simulated time and
// the device rests, the looking thread blocks, and with it the simulation: time stands still.

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "modules/host/threaded_host.h"
#include "modules/vfio_user/connection.h"
#include "modules/vfio_user/served_endpoint.h"
#include "modules/vfio_user/session.h"

namespace warpvp {

struct VfioUserConfig {
  HostConfig host;
  std::string socket, clock = "when_busy", ends = "after_client";
  double client_rate = 0.001;
  unsigned reply_ms = 5000, clients = 1;
  std::string bar2 = "messages";

  void fields(FieldVisitor& v) {
    host.fields(v);
    v.field("socket", socket, "Path of the UNIX socket at which clients arrive.");
    v.field("clients", clients, "",
            "Clients that the device has room for at once. One has all of it, and is its driver. Several "
            "have a context, a part of "
            "the queues and interrupts, and the device memory that they allocate, each its own and nobody "
            "else's.",
            Constraint::range(1, 16));
    v.field("bar2", bar2,
            "messages: accesses to device memory cross the link. mapped: clients may also map it, and what "
            "they do there takes no "
            "simulated time. For one client.",
            Constraint::words({"messages", "mapped"}));
    v.require(bar2 == "messages" || clients == 1, "bar2",
              "mapped needs clients: 1, as a mapping shows all of device memory");
    v.field("clock", clock,
            "when_busy: simulated time passes while the device has work. client: it follows the clock of the "
            "machine that "
            "clients run on, as fast as client_rate says and as the simulator can.",
            Constraint::words({"when_busy", "client"}));
    v.field("client_rate", client_rate, "", "Simulated time in relation to the clock of clients.",
            Constraint::range(1e-9, 1));
    v.field("ends", ends,
            "after_client: the run ends when the last client has gone. never: it waits for the next one, "
            "until a signal or a limit.",
            Constraint::words({"after_client", "never"}));
    v.field("reply_ms", reply_ms, "ms",
            "A client that does not answer an access to its memory for so long is sent away. Time of the "
            "machine, not simulated.",
            Constraint::range(1, 3'600'000));
  }
};

class VfioUserHost : public ThreadedHost, public vfio_user::Device {
 public:
  /// Makes the socket; InputError as Listener.
  VfioUserHost(sc_core::sc_module_name name, const VfioUserConfig& config, FaultSink& faults);
  ~VfioUserHost() override;

  bool has_own_program() const override { return true; }
  std::optional<QueueOwner> owner_of_queue(unsigned queue) const override;
  bool outside() const override { return true; }
  bool knows_launches() const override { return false; }
  void allocated_for(unsigned queue, std::uint64_t begin) override;
  /// InputError if the device's properties do not fit their registers.
  void see_device(const DeviceView& view) override;
  void outlive_fault(const std::string& what, const std::function<bool()>& stop) override;
  bool sleeping() const override;

 private:
  struct Client;

  // Device
  int access(vfio_user::Session& session, bool write, std::uint32_t region, std::uint64_t offset,
             std::uint8_t* data, std::size_t bytes) override;
  void reset(vfio_user::Session& session) override;

  tlm::tlm_response_status access_memory(tlm::tlm_generic_payload& payload) override;
  void interrupt(std::uint64_t number);
  void device_wrote(Client& client);
  bool refused_write(const DeviceFault& fault);
  bool contain(const DeviceFault& fault);
  void note(Client& client, std::uint32_t error, std::uint64_t address, const std::string& text);

  // The thread that looks at the sockets
  void serve();
  void settle();
  void take_clients();
  void hear_clients();
  void hand_out();
  bool may_go_on(const Client& client) const;
  bool time_may_pass() const;
  void let_time_pass();
  void stand_still();
  void pause();
  void wait_for_sockets(int milliseconds);

  // A client's
  void work(Client& client);
  int access_registers(Client& client, bool write, std::uint64_t offset, std::uint8_t* data,
                       std::size_t bytes);
  int access_memory_window(Client& client, bool write, std::uint64_t offset, std::uint8_t* data,
                           std::size_t bytes, bool untimed);
  int access_endpoint(Client& client, bool write, std::uint64_t offset, std::uint8_t* data,
                      std::size_t bytes);
  int manage_memory(Client& client, bool write, std::uint64_t offset, std::uint8_t* data, std::size_t bytes);
  void wait_for_device(Client& client, std::uint64_t latest_fs);
  void advance(Client& client, std::uint64_t fs);
  void pass_time(Client& client, std::uint64_t end_fs, bool until_written);
  bool hold_for(Client& client);
  bool shared() const { return config_.clients > 1; }
  bool may_write(const Client& client, std::uint64_t offset, const std::uint8_t* data,
                 std::size_t bytes) const;
  bool owns(const Client& client, std::uint64_t address, std::uint64_t bytes) const;
  std::optional<EndpointPart> free_part();
  void welcome(vfio_user::Connection connection, const EndpointPart& part);
  bool make_context(unsigned context);
  bool rests(const Client& client);
  void let_rest(Client& client);
  void kill_queues(unsigned first, unsigned count);
  void end_context(unsigned context, bool for_good);
  void clean_up(Client& client);
  void tell(const Client& client, const std::string& what) const;
  vfio_user::DeviceShape shape() const;
  std::uint32_t peek(std::uint64_t address);
  void poke(std::uint64_t address, std::uint32_t value);

  const VfioUserConfig config_;
  vfio_user::Listener listener_;
  DeviceView view_;
  std::vector<std::unique_ptr<Client>> clients_;
  sc_core::sc_event activity_;                        ///< a client's thread has done something
  std::set<unsigned> made_contexts_;                  ///< that have page tables
  unsigned turn_ = 0;                                 ///< slices since the sockets were looked at
  std::chrono::steady_clock::time_point paced_from_;  ///< `clock: client`: when, and at what simulated time
  sc_core::sc_time paced_time_;
  bool any_came_ = false;
  unsigned clients_seen_ = 0;
  bool faulted_ = false;  ///< the simulation is over
};

}  // namespace warpvp
