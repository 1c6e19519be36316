#pragma once
// The database of a sweep. Tables: `runs` (run_id, run, exit_code, message, one column a setting) and `stats`
// (run_id, key, value) with every leaf of every result.json.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

struct sqlite3;

namespace warpvp {

class ResultsDb {
 public:
  /// What a column of `runs` holds.
  enum class Kind { kText, kInteger, kReal };
  struct Column {
    std::string name;
    Kind kind = Kind::kText;
  };
  /// Numbers if every value reads as one: whole ones if they all are and fit SQLite's 64 bits.
  static Kind kind_of(const std::vector<std::string>& values);

  /// Columns of `runs` that no setting may be called; compared without regard to case, as SQLite does.
  static const std::vector<std::string>& reserved_columns();

  /// `settings` become columns; values of a numeric column must read as numbers. Nothing is seen at `file`
  /// before finish(). InputError if it cannot be written.
  ResultsDb(std::filesystem::path file, std::vector<Column> settings);
  ~ResultsDb();
  ResultsDb(const ResultsDb&) = delete;
  ResultsDb& operator=(const ResultsDb&) = delete;

  /// One run: the values of the settings in the constructor's order; `result` may be null when there is none.
  void add_run(const std::string& run, int exit_code, const std::string& message,
               const std::vector<std::string>& setting_values, const nlohmann::ordered_json& result);
  /// Puts the database in place of an older one.
  void finish();

 private:
  void execute(const std::string& sql);
  [[noreturn]] void fail(const std::string& doing);

  std::filesystem::path file_;
  std::filesystem::path temporary_;
  std::vector<Column> settings_;
  sqlite3* db_ = nullptr;
};

}  // namespace warpvp
