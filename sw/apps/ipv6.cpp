// Longest-prefix match of IPv6 addresses, as a router does for the packets of some 100 microseconds.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/job_kernels.h"
#include "sw/apps/reference_jobs.h"

namespace warpvp::apps {
namespace {

using reference::Route;

struct Ipv6Params {
  std::uint32_t packets = 8192, routes = 2000, block = 256;

  void fields(FieldVisitor& v) {
    v.field("packets", packets, "packets", "Addresses to look up, a thread each.",
            Constraint::range(1, 1u << 22));
    v.field("routes", routes, "routes", "Routes of 16 to 64 bits in the table.",
            Constraint::range(1, 1u << 18));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
  }
};

struct Entry {
  std::uint64_t prefix = 0;
  std::uint32_t length = 0, hop = 0;
};

std::uint64_t first_bits(std::uint64_t address, unsigned length) {
  return address & (~std::uint64_t{0} << (64 - length));
}

/// Routes, and markers where the search for each of them passes: at its lengths that are shorter, with the
/// hop that was best up to there.
std::vector<Entry> hash_table(const std::vector<Route>& routes) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> hops, wanted;
  for (const Route& route : routes) hops[{route.length, route.prefix}] = route.hop;
  const auto best_hop = [&](std::uint64_t prefix, unsigned length) {
    for (unsigned l = length; l >= 1; --l) {
      const auto found = hops.find({l, first_bits(prefix, l)});
      if (found != hops.end()) return found->second;
    }
    return 0u;
  };
  for (const Route& route : routes) {
    unsigned low = 1, high = 64;
    while (low <= high) {
      const unsigned middle = (low + high) / 2;
      if (middle <= route.length) {
        const std::uint64_t prefix = first_bits(route.prefix, middle);
        wanted[{middle, prefix}] = best_hop(prefix, middle);
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
  }
  std::size_t slots = 16;
  while (slots < 2 * wanted.size()) slots *= 2;
  std::vector<Entry> table(slots);
  for (const auto& [key, hop] : wanted) {
    const std::uint64_t hash = (key.second ^ key.first) * 0x9e3779b97f4a7c15ull;
    std::size_t slot = (hash >> 40) & (slots - 1);
    while (table[slot].length != 0) slot = (slot + 1) & (slots - 1);
    table[slot] = {key.second, key.first, hop};
  }
  return table;
}

class Ipv6 : public App, public JobKernels {
 public:
  explicit Ipv6(const Ipv6Params& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    prepare(device, context);
    const std::uint32_t ctas = (params_.packets + params_.block - 1) / params_.block;
    const JobLaunch all = launch("ipv6_lookup", params_.packets);
    device.launch(all.kernel, rt::Dim3(ctas), rt::Dim3(params_.block), all.args, stream_);
    const AppResult result =
        compare("hop", out_.read(stream_), reference::longest_match(routes_, addresses_));
    release();
    return result;
  }

  void prepare(rt::Runtime& device, const AppContext& context) override {
    make_inputs(context.seed);
    entries_ = hash_table(routes_);
    kernel_ = device.kernel(device.load_module(context.kernel_folder + "ipv6.ptx"), "ipv6_lookup");
    stream_ = device.create_stream();
    in_.emplace(device, addresses_, stream_);
    table_.emplace(device, entries_, stream_);
    out_.emplace(device, params_.packets);
    device.synchronize(stream_);
  }
  JobLaunch launch(const std::string& name, std::uint32_t threads) override {
    require_kernel(name, "ipv6_lookup", threads, params_.packets);
    return {kernel_, rt::Args::of(in_.pointer(), table_.pointer(), out_.pointer(), threads,
                                  static_cast<std::uint32_t>(entries_.size() - 1))};
  }

 private:
  void make_inputs(std::uint64_t seed) {
    Inputs inputs(seed, 1);
    const auto any = [&] { return std::uint64_t{inputs.word()} << 32 | inputs.word(); };
    std::map<std::pair<std::uint32_t, std::uint64_t>, Route> unique;
    for (std::uint32_t i = 0; i < params_.routes; ++i) {
      // One in three lies within an earlier one, so that the longest is a question.
      const std::uint32_t length = 16 + inputs.below(49);
      std::uint64_t address = any();
      if (i % 3 == 2) {
        const auto within =
            std::next(unique.begin(), inputs.below(static_cast<std::uint32_t>(unique.size())));
        const std::uint32_t l = within->second.length;
        if (l < 64) address = within->second.prefix | address >> l;
      }
      const Route route{first_bits(address, length), length, 1 + inputs.below(255)};
      unique.emplace(std::pair{route.length, route.prefix}, route);
    }
    for (const auto& [key, route] : unique) routes_.push_back(route);
    addresses_.resize(params_.packets);
    for (std::uint64_t& address : addresses_) {
      const Route& to = routes_[inputs.below(static_cast<std::uint32_t>(routes_.size()))];
      address = inputs.below(8) == 0 ? any() : to.length == 64 ? to.prefix : to.prefix | any() >> to.length;
    }
  }
  void release() {
    in_.reset();
    table_.reset();
    out_.reset();
  }

  Ipv6Params params_;
  std::vector<Route> routes_;
  std::vector<std::uint64_t> addresses_;
  std::vector<Entry> entries_;
  rt::Kernel kernel_;
  rt::Stream stream_;
  HeldArray<std::uint64_t> in_;
  HeldArray<Entry> table_;
  HeldArray<std::uint32_t> out_;
};

WARPVP_REGISTER_JOB_APP(Ipv6, Ipv6Params, "ipv6",
                        "Longest-prefix match of IPv6 addresses by search over prefix lengths.");

}  // namespace
}  // namespace warpvp::apps
