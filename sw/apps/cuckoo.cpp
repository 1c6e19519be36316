// Look-up of the ports of MAC addresses in a cuckoo hash table.

#include <map>
#include <utility>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/job_kernels.h"

namespace warpvp::apps {
namespace {

struct CuckooParams {
  std::uint32_t packets = 8192, addresses = 8000, block = 256;

  void fields(FieldVisitor& v) {
    v.field("packets", packets, "packets", "Addresses to look up, a thread each.",
            Constraint::range(1, 1u << 22));
    v.field("addresses", addresses, "addresses", "Addresses in the table.", Constraint::range(1, 1u << 20));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
  }
};

/// Two buckets of four places for each key; one that finds both full moves another one on.
class CuckooTable {
 public:
  explicit CuckooTable(std::size_t keys) {
    // Full to five eighths at most: well below where insertion gets hard.
    std::size_t buckets = 4;
    while (buckets * 4 * 5 < keys * 8) buckets *= 2;
    mask_ = buckets - 1;
    this->keys.resize(4 * buckets);
    ports.resize(4 * buckets);
  }
  void insert(std::uint64_t key, std::uint32_t port, Inputs& random) {
    for (unsigned turn = 0; turn < 10'000; ++turn) {
      for (const std::size_t bucket : {bucket_of(key, 0), bucket_of(key, 1)})
        for (std::size_t place = 4 * bucket; place < 4 * bucket + 4; ++place) {
          if (keys[place] != 0) continue;
          keys[place] = key;
          ports[place] = port;
          return;
        }
      const std::size_t bucket = bucket_of(key, random.below(2));
      const std::size_t victim = 4 * bucket + random.below(4);
      std::swap(keys[victim], key);
      std::swap(ports[victim], port);
    }
    throw InputError("cuckoo: the table takes no more addresses");
  }
  std::uint32_t mask() const { return static_cast<std::uint32_t>(mask_); }

  std::vector<std::uint64_t> keys;  // 0: empty
  std::vector<std::uint32_t> ports;

 private:
  std::size_t bucket_of(std::uint64_t key, unsigned which) const {
    return (key * (which == 0 ? 0x9e3779b97f4a7c15ull : 0xc2b2ae3d27d4eb4full)) >> 40 & mask_;
  }
  std::size_t mask_ = 0;
};

class Cuckoo : public App, public JobKernels {
 public:
  explicit Cuckoo(const CuckooParams& params) : params_(params), table_(params.addresses) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    prepare(device, context);
    const std::uint32_t ctas = (params_.packets + params_.block - 1) / params_.block;
    const JobLaunch all = launch("cuckoo_lookup", params_.packets);
    device.launch(all.kernel, rt::Dim3(ctas), rt::Dim3(params_.block), all.args, stream_);
    const AppResult result = compare("port", out_.read(stream_), expected_);
    in_.reset();
    keys_.reset();
    ports_.reset();
    out_.reset();
    return result;
  }

  void prepare(rt::Runtime& device, const AppContext& context) override {
    make_inputs(context.seed);
    kernel_ = device.kernel(device.load_module(context.kernel_folder + "cuckoo.ptx"), "cuckoo_lookup");
    stream_ = device.create_stream();
    in_.emplace(device, packets_, stream_);
    keys_.emplace(device, table_.keys, stream_);
    ports_.emplace(device, table_.ports, stream_);
    out_.emplace(device, params_.packets);
    device.synchronize(stream_);
  }
  JobLaunch launch(const std::string& name, std::uint32_t threads) override {
    require_kernel(name, "cuckoo_lookup", threads, params_.packets);
    return {kernel_, rt::Args::of(in_.pointer(), keys_.pointer(), ports_.pointer(), out_.pointer(), threads,
                                  table_.mask())};
  }

 private:
  void make_inputs(std::uint64_t seed) {
    Inputs inputs(seed, 1);
    const auto any = [&] { return (std::uint64_t{inputs.below(1u << 16)} << 32 | inputs.word()) + 1; };
    std::map<std::uint64_t, std::uint32_t> known;
    while (known.size() < params_.addresses) known.emplace(any(), 1 + inputs.below(48));
    for (const auto& [address, port] : known) table_.insert(address, port, inputs);
    std::vector<std::uint64_t> all;
    for (const auto& [address, port] : known) all.push_back(address);
    packets_.resize(params_.packets);
    for (std::uint64_t& packet : packets_) {
      packet = inputs.below(8) == 0 ? any() : all[inputs.below(static_cast<std::uint32_t>(all.size()))];
      const auto found = known.find(packet);
      expected_.push_back(found == known.end() ? 0 : found->second);
    }
  }

  CuckooParams params_;
  CuckooTable table_;
  std::vector<std::uint64_t> packets_;
  std::vector<std::uint32_t> expected_;
  rt::Kernel kernel_;
  rt::Stream stream_;
  HeldArray<std::uint64_t> in_, keys_;
  HeldArray<std::uint32_t> ports_, out_;
};

WARPVP_REGISTER_JOB_APP(Cuckoo, CuckooParams, "cuckoo", "Look-up of MAC addresses in a cuckoo hash table.");

}  // namespace
}  // namespace warpvp::apps
