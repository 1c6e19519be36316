#pragma once
// Statistics are plain structs of counters; each lists its members once in `void stats(StatVisitor& v)
// const`, from which result.json, tables and plots are made.

#include <cstdint>
#include <string>

namespace warpvp {

class StatVisitor {
 public:
  virtual ~StatVisitor() = default;
  virtual void value(const char* key, std::uint64_t value, const char* unit, const char* doc) = 0;
  virtual void value(const char* key, double value, const char* unit, const char* doc) = 0;

  template <class Group>
  void group(const char* key, const Group& value) {
    begin_group(key);
    value.stats(*this);
    end_group();
  }

 protected:
  virtual void begin_group(const char* key) = 0;
  virtual void end_group() = 0;
};

}  // namespace warpvp
