#pragma once
// The one SystemC process that ticks all clock domains of a simulation. Domains whose edges fall together
// share an activation and tick in a fixed order, the one made last first, whatever the order of SystemC's
// events. It is a method, which costs less than a thread. Where a domain's commits call b_transport, which no
// method may do (IEEE 1666-2011, 11.1.1.4), a thread takes over for the rest of the instant.

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

namespace warpvp {

class ClockDomain;

class EdgeProcess : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kNoEdge = ~std::uint64_t{0};

  /// That of the domains which exist; a new one if there are none. Call within an sc_module's constructor.
  static std::shared_ptr<EdgeProcess> of_simulation();

  /// The present time, in units of the time resolution.
  std::uint64_t now() const { return running_ ? time_ : sc_core::sc_time_stamp().value(); }
  /// Adds a domain, which outlives the process' activations. Returns its number.
  unsigned join(ClockDomain& domain);
  /// Makes the domain tick at that time (in units of the time resolution, later than the present one), and
  /// not at the one named before.
  void set_edge(unsigned domain, std::uint64_t time) {
    edges_[domain] = time;
    if (time >= notified_) return;
    if (running_) {
      notified_ = time;  // the end of the activation tells SystemC
    } else {
      notify(time);
    }
  }

 private:
  static constexpr int kStackBytes = 1 << 20;

  explicit EdgeProcess(sc_core::sc_module_name name);
  void run();
  void run_by_thread();
  void commit_by_thread(ClockDomain& domain);
  static void contain(ClockDomain& domain, const sc_core::sc_report& error);
  void tick(std::size_t end, bool in_thread);
  void notify(std::uint64_t time);

  std::vector<ClockDomain*> domains_;
  std::vector<std::uint64_t> edges_;  // [domain]: when it ticks next
  std::uint64_t notified_ = kNoEdge;  // when the event comes; during an activation: the earliest edge so far
  bool running_ = false;
  std::uint64_t time_ = 0;       // of the present or last activation
  std::size_t handed_over_ = 0;  // the domain whose commits the thread makes
  sc_core::sc_event event_, to_thread_;
};

}  // namespace warpvp
