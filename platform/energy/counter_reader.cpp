#include "platform/energy/counter_reader.h"

namespace warpvp {

CounterReader::CounterReader(const std::vector<std::string>& paths, std::string root)
    : counts_(paths.size()), path_(std::move(root)) {
  for (std::size_t i = 0; i < paths.size(); ++i) places_.emplace(paths[i], i);
}

void CounterReader::add(const char* key, double count) {
  const std::size_t length = path_.size();
  path_ += key;
  const auto place = places_.find(path_);
  if (place != places_.end()) {
    std::optional<double>& sum = counts_[place->second];
    sum = sum.value_or(0) + count;
  }
  path_.resize(length);
}

void CounterReader::value(const char* key, std::uint64_t value, const char*, const char*) {
  add(key, static_cast<double>(value));
}

void CounterReader::amount(const char* key, double amount, const char*, const char*) { add(key, amount); }

void CounterReader::begin_group(const char* key, const char*) {
  lengths_.push_back(path_.size());
  path_ += key;
  path_ += '.';
}

void CounterReader::end_group() {
  path_.resize(lengths_.back());
  lengths_.pop_back();
}

}  // namespace warpvp
