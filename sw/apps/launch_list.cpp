#include "sw/apps/launch_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <tuple>

#include "interconnect/host_interface.h"

namespace warpvp::apps {

namespace {

std::string at_place(const std::string& place, const std::string& what) {
  return place.empty() ? what : place + ": " + what;
}

/// Calls `action`; what it finds wrong is told with the place.
template <class Action>
void located(const std::string& place, Action action) {
  try {
    action();
  } catch (const InputError& error) {
    throw InputError(at_place(place, error.what()));
  }
}

class LaunchListRun {
 public:
  LaunchListRun(rt::Runtime& device, const LaunchList& list) : device_(device), list_(list) {}

  std::map<std::string, std::vector<std::uint8_t>> run() {
    for (const auto& launch : list_.launches) look_up(launch);
    allocate();
    make_images();
    make_job_streams();
    begin_ = device_.host().now();
    if (list_.steps.empty()) {
      launch_in_time();
    } else {
      do_steps(list_.steps);
    }
    device_.synchronize();
    return read_back();
  }

 private:
  unsigned context_of(unsigned number) {
    const auto it = contexts_.find(number);
    if (it != contexts_.end()) return it->second;
    return contexts_[number] = device_.create_context();
  }

  rt::Stream stream_of(unsigned number, unsigned context, int priority) {
    const std::tuple<unsigned, unsigned, int> key{number, context, priority};
    const auto it = streams_.find(key);
    if (it != streams_.end()) return it->second;
    rt::StreamOptions options;
    options.name = fmt::format("stream{}", number);
    options.context = context;
    options.priority = priority;
    return streams_[key] = device_.create_stream(options);
  }

  void look_up(const LaunchList::Launch& launch) {
    try {
      const unsigned context = context_of(launch.context);
      const std::pair<std::string, unsigned> key{launch.ptx, context};
      if (modules_.count(key) == 0) modules_[key] = device_.load_module(launch.ptx, context);
      kernels_.push_back(device_.kernel(modules_[key], launch.entry));
      launch_streams_.push_back(launch.of_job ? rt::Stream{}
                                              : stream_of(launch.stream, context, launch.priority));
      starts_.push_back(SimTime::from_us(launch.start_us));
    } catch (const InputError& error) {
      // Errors at a line of the PTX file have a place of their own.
      const std::string what = error.what(), file = launch.ptx + ":";
      const bool has_line = what.size() > file.size() && what.rfind(file, 0) == 0 &&
                            std::isdigit(static_cast<unsigned char>(what[file.size()])) != 0;
      if (has_line) throw;
      throw InputError(at_place(launch.place, error.what()));
    }
    check_sorts(launch, kernels_.back());
  }

  /// The runtime compares numbers and sizes of arguments; a float where a whole number belongs has the same.
  void check_sorts(const LaunchList::Launch& launch, rt::Kernel kernel) const {
    const std::vector<rt::ParameterInfo> parameters = device_.parameters(kernel);
    for (std::size_t i = 0; i < std::min(parameters.size(), launch.arguments.size()); ++i) {
      const LaunchList::Argument& argument = launch.arguments[i];
      const rt::ParameterInfo& parameter = parameters[i];
      if (argument.type.empty()) continue;
      const bool gives_float = argument.type[0] == 'f' && argument.type.size() == 3;
      const bool takes_float = parameter.type.rfind(".f", 0) == 0;
      const bool takes_whole = parameter.type.rfind(".u", 0) == 0 || parameter.type.rfind(".s", 0) == 0;
      const bool wrong =
          gives_float ? takes_whole : takes_float && argument.type != "struct" && argument.type != "bytes";
      if (wrong)
        throw InputError(at_place(argument.place.empty() ? launch.place : argument.place,
                                  fmt::format("argument {} is {}, but parameter {} of the kernel is {}, {}",
                                              i, argument.type, parameter.name, parameter.type,
                                              takes_float ? "a floating-point number" : "a whole number")));
    }
  }

  void allocate() {
    for (const auto& buffer : list_.buffers)
      buffers_[buffer.name] = {
          device_.malloc(buffer.contents.size() + list_.pad_bytes, context_of(buffer.context)),
          buffer.contents.size()};
    std::vector<std::vector<std::uint8_t>> filled;  // alive until the copies are done
    filled.reserve(list_.buffers.size());
    for (const auto& buffer : list_.buffers) {
      const std::vector<std::uint8_t>* contents = &buffer.contents;
      if (!buffer.addresses.empty()) {
        filled.push_back(with_addresses(buffer.contents, buffer.addresses));
        contents = &filled.back();
      }
      device_.copy_to_device_async(buffers_[buffer.name].address, contents->data(), contents->size(),
                                   rt::Stream{0});
    }
    device_.synchronize();
  }

  /// Texture and surface objects, in the order of the arguments that want them.
  void make_images() {
    for (const auto& launch : list_.launches) {
      for (const auto& argument : launch.arguments) {
        if (argument.as == LaunchList::Argument::As::kAddress) continue;
        const auto it = buffers_.find(argument.buffer);
        if (it == buffers_.end())
          throw InputError(at_place(launch.place, fmt::format("no buffer '{}'", argument.buffer)));
        located(argument.place, [&] {
          images_[&argument] = argument.as == LaunchList::Argument::As::kTexture
                                   ? device_.create_texture(it->second.address, argument.image)
                                   : device_.create_surface(it->second.address, argument.image);
        });
      }
    }
  }

  rt::DevicePtr symbol(const LaunchList::Target& target) {
    const unsigned context = context_of(target.context);
    if (!target.ptx.empty()) {
      const auto it = modules_.find({target.ptx, context});
      if (it == modules_.end())
        throw InputError(
            fmt::format("no launch in context {} uses the module {}", target.context, target.ptx));
      return device_.symbol(it->second, target.symbol);
    }
    std::vector<rt::DevicePtr> found;
    std::string why;
    for (const auto& [key, module] : modules_) {
      if (key.second != context) continue;
      try {
        found.push_back(device_.symbol(module, target.symbol));
      } catch (const InputError& error) {
        why = error.what();
      }
    }
    if (found.size() == 1) return found[0];
    if (found.size() > 1)
      throw InputError(
          fmt::format("{} modules have a variable '{}'; say which with 'ptx'", found.size(), target.symbol));
    throw InputError(why.empty() ? fmt::format("no launch in context {} uses a module", target.context)
                                 : why);
  }

  rt::DevicePtr address(const LaunchList::Target& target) {
    rt::DevicePtr base = 0;
    located(target.place, [&] {
      if (target.buffer.empty()) {
        base = symbol(target);
        return;
      }
      const auto it = buffers_.find(target.buffer);
      if (it == buffers_.end()) throw InputError(fmt::format("no buffer '{}'", target.buffer));
      base = it->second.address;
    });
    return base + target.offset;
  }

  std::vector<std::uint8_t> with_addresses(std::vector<std::uint8_t> bytes,
                                           const std::vector<LaunchList::Address>& addresses) {
    for (const LaunchList::Address& a : addresses) {
      const rt::DevicePtr value = address(a.target);
      std::memcpy(&bytes.at(a.at), &value, sizeof value);
    }
    return bytes;
  }

  void launch(std::size_t index) {
    const LaunchList::Launch& launch = list_.launches[index];
    const SimTime due = launch.of_job ? SimTime() : begin_ + starts_[index];
    if (due > device_.host().now()) device_.host().sleep(due - device_.host().now());
    rt::Args arguments;
    for (const auto& argument : launch.arguments) {
      if (argument.as != LaunchList::Argument::As::kAddress) {
        arguments.add(&images_.at(&argument), sizeof(rt::ImageHandle));
      } else if (argument.buffer.empty()) {
        const std::vector<std::uint8_t> bytes = with_addresses(argument.bytes, argument.addresses);
        arguments.add(bytes.data(), bytes.size());
      } else {
        LaunchList::Target target;
        target.buffer = argument.buffer;
        target.place = launch.place;
        const rt::DevicePtr pointer = address(target);
        arguments.add(&pointer, sizeof pointer);
      }
    }
    rt::LaunchOptions options;
    options.name = launch.name;
    options.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    options.registers = launch.registers;
    options.budget = launch.budget;
    options.deadline_us = launch.deadline_us;
    options.expected_us = launch.expected_us;
    located(launch.place, [&] {
      device_.launch(kernels_[index], rt::Dim3(launch.grid[0], launch.grid[1], launch.grid[2]),
                     rt::Dim3(launch.block[0], launch.block[1], launch.block[2]), arguments,
                     launch_streams_[index], options);
    });
  }

  void make_job_streams() {
    for (const LaunchList::Job& job : list_.jobs) {
      rt::StreamOptions options;
      options.name = job.name;
      options.context = context_of(job.context);
      options.priority = job.priority;
      const rt::Stream stream = device_.create_stream(options);
      job_streams_.push_back(stream);
      for (const std::size_t i : job.launches) launch_streams_[i] = stream;
    }
  }

  /// A host that is late says so: the deadline counts from the arrival.
  void submit(std::size_t index) {
    const LaunchList::Job& job = list_.jobs[index];
    const SimTime arrival = begin_ + SimTime::from_us(job.arrival_us);
    if (arrival > device_.host().now()) device_.host().sleep(arrival - device_.host().now());
    rt::JobOptions options;
    options.name = job.name;
    options.deadline_us = job.deadline_us;
    options.kernels = static_cast<std::uint32_t>(job.launches.size());
    options.arrival = arrival;
    located(job.place, [&] {
      const rt::Job handle = device_.begin_job(job_streams_[index], options);
      for (const std::size_t i : job.launches) launch(i);
      device_.end_job(handle);
    });
  }

  void launch_in_time() {
    struct Entry {
      double at_us;
      std::size_t index;
      bool job;
    };
    std::vector<Entry> order;
    for (std::size_t i = 0; i < list_.launches.size(); ++i)
      if (!list_.launches[i].of_job) order.push_back({list_.launches[i].start_us, i, false});
    for (std::size_t i = 0; i < list_.jobs.size(); ++i) order.push_back({list_.jobs[i].arrival_us, i, true});
    std::stable_sort(order.begin(), order.end(),
                     [](const Entry& a, const Entry& b) { return a.at_us < b.at_us; });
    for (const Entry& entry : order) entry.job ? submit(entry.index) : launch(entry.index);
  }

  std::vector<std::uint8_t> read(const LaunchList::Target& target, std::uint64_t bytes) {
    device_.synchronize();
    std::vector<std::uint8_t> data(bytes);
    located(target.place, [&] { device_.copy_to_host(data.data(), address(target), bytes); });
    return data;
  }

  void do_steps(const std::vector<LaunchList::Step>& steps) {
    for (const LaunchList::Step& step : steps) do_step(step);
  }

  void do_step(const LaunchList::Step& step) {
    using Kind = LaunchList::Step::Kind;
    switch (step.kind) {
      case Kind::kLaunch:
        return launch(step.launch);
      case Kind::kMemset: {
        const rt::DevicePtr at = address(step.target);
        return located(step.place,
                       [&] { device_.memset_async(at, step.value, step.bytes, stream_of(step)); });
      }
      case Kind::kCopy: {
        const rt::DevicePtr from = address(step.target), to = address(step.to);
        return located(step.place,
                       [&] { device_.copy_on_device_async(to, from, step.bytes, stream_of(step)); });
      }
      case Kind::kWrite: {
        device_.synchronize();
        const std::vector<std::uint8_t> bytes = with_addresses(step.data, step.addresses);
        const rt::DevicePtr at = address(step.target);
        return located(step.place, [&] { device_.copy_to_device(at, bytes.data(), bytes.size()); });
      }
      case Kind::kRead:
        return list_.on_read(step.read, read(step.target, step.bytes));
      case Kind::kUntil:
        return repeat(step);
    }
  }

  rt::Stream stream_of(const LaunchList::Step& step) {
    return stream_of(step.stream, context_of(step.context), 0);
  }

  void repeat(const LaunchList::Step& step) {
    for (std::uint64_t turn = 0; turn < step.at_most; ++turn) {
      do_steps(step.body);
      if ((read(step.target, step.data.size()) == step.data) != step.differs) return;
    }
    throw InputError(at_place(
        step.place, fmt::format("'until' has not come true after {} turns (at_most)", step.at_most)));
  }

  std::map<std::string, std::vector<std::uint8_t>> read_back() {
    std::map<std::string, std::vector<std::uint8_t>> result;
    for (const std::string& name : list_.read_back) {
      const auto it = buffers_.find(name);
      if (it == buffers_.end()) throw InputError(fmt::format("no buffer '{}' to read back", name));
      std::vector<std::uint8_t>& bytes = result[name];
      bytes.resize(it->second.bytes);
      device_.copy_to_host(bytes.data(), it->second.address, bytes.size());
    }
    return result;
  }

  struct Allocation {
    rt::DevicePtr address = 0;
    std::size_t bytes = 0;
  };

  rt::Runtime& device_;
  const LaunchList& list_;
  // Contexts, streams and kernels by the user's numbers and names. Context 0 is there from the start.
  std::map<unsigned, unsigned> contexts_{{0, 0}};
  std::map<std::tuple<unsigned, unsigned, int>, rt::Stream> streams_;
  std::map<std::pair<std::string, unsigned>, rt::ModuleHandle> modules_;
  std::vector<rt::Kernel> kernels_;  // of the launches, as the streams
  std::vector<rt::Stream> launch_streams_;
  std::vector<rt::Stream> job_streams_;
  std::vector<SimTime> starts_;
  std::map<std::string, Allocation> buffers_;
  std::map<const LaunchList::Argument*, rt::ImageHandle> images_;
  SimTime begin_;
};

}  // namespace

std::map<std::string, std::vector<std::uint8_t>> run_launch_list(rt::Runtime& device,
                                                                 const LaunchList& list) {
  return LaunchListRun(device, list).run();
}

}  // namespace warpvp::apps
