#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/stats.h"

namespace warpvp::test {

/// Statistics by dotted key.
class StatMap : public StatVisitor {
 public:
  void value(const char* key, std::uint64_t v, const char*, const char*) override {
    values[prefix_ + key] = static_cast<double>(v);
  }
  void value(const char* key, double v, const char*, const char*) override { values[prefix_ + key] = v; }
  double operator[](const std::string& key) const {
    const auto it = values.find(key);
    EXPECT_NE(it, values.end()) << "no statistic " << key;
    return it == values.end() ? -1 : it->second;
  }
  std::map<std::string, double> values;

 protected:
  void begin_group(const char* key, const char*) override { prefix_ += std::string(key) + "."; }
  void end_group() override { prefix_.erase(prefix_.find_last_of('.', prefix_.size() - 2) + 1); }

 private:
  std::string prefix_;
};

}  // namespace warpvp::test
