#include "platform/results/results_db.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "platform/config/setting.h"
#include "platform/results/json_stats.h"
#include "platform/results/result_writer.h"

namespace warpvp {

namespace {

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Statement prepare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
  return Statement(statement, &sqlite3_finalize);
}

void bind_text(sqlite3_stmt* s, int index, const std::string& text) {
  sqlite3_bind_text(s, index, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void bind_json(sqlite3_stmt* s, int index, const nlohmann::ordered_json& value) {
  if (value.is_boolean()) {
    sqlite3_bind_int(s, index, value.get<bool>() ? 1 : 0);
  } else if (value.is_number_float()) {
    sqlite3_bind_double(s, index, value.get<double>());
  } else if (value.is_number_unsigned() && value.get<std::uint64_t>() > 0x7fffffffffffffffull) {
    bind_text(s, index, value.dump());  // past SQLite's integers
  } else if (value.is_number()) {
    sqlite3_bind_int64(s, index, value.get<std::int64_t>());
  } else if (value.is_null()) {
    sqlite3_bind_null(s, index);
  } else {
    bind_text(s, index, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

bool parse_real(const std::string& text, double& value) {
  std::int64_t whole = 0;
  if (parse_signed(text, whole)) {
    value = static_cast<double>(whole);
    return true;
  }
  std::uint64_t large = 0;
  if (parse_unsigned(text, large)) return false;  // would lose its last digits
  return parse_double(text, value) && std::isfinite(value);
}

void bind_setting(sqlite3_stmt* s, int index, const std::string& text, ResultsDb::Kind kind) {
  std::int64_t whole = 0;
  double real = 0;
  if (kind == ResultsDb::Kind::kInteger && parse_signed(text, whole)) {
    sqlite3_bind_int64(s, index, whole);
  } else if (kind == ResultsDb::Kind::kReal && parse_real(text, real)) {
    sqlite3_bind_double(s, index, real);
  } else {
    bind_text(s, index, text);
  }
}

const char* type_name(ResultsDb::Kind kind) {
  return kind == ResultsDb::Kind::kText ? "TEXT" : kind == ResultsDb::Kind::kReal ? "REAL" : "INTEGER";
}

}  // namespace

ResultsDb::Kind ResultsDb::kind_of(const std::vector<std::string>& values) {
  Kind kind = values.empty() ? Kind::kText : Kind::kInteger;
  for (const std::string& value : values) {
    std::int64_t whole = 0;
    double real = 0;
    if (!parse_real(value, real)) return Kind::kText;
    if (!parse_signed(value, whole)) kind = Kind::kReal;
  }
  return kind;
}

const std::vector<std::string>& ResultsDb::reserved_columns() {
  static const std::vector<std::string> names = {"run_id", "run", "exit_code", "message"};
  return names;
}

ResultsDb::ResultsDb(std::filesystem::path file, std::vector<Column> settings)
    : file_(std::move(file)), settings_(std::move(settings)) {
  temporary_ = file_.parent_path() / fmt::format(".{}.{}", file_.filename().string(), process_mark());
  std::error_code error;
  std::filesystem::remove(temporary_, error);
  if (sqlite3_open(temporary_.c_str(), &db_) != SQLITE_OK) fail("open");
  std::string columns = "run_id INTEGER PRIMARY KEY, run TEXT, exit_code INTEGER, message TEXT";
  for (const Column& setting : settings_)
    columns += fmt::format(", {} {}", quoted(setting.name), type_name(setting.kind));
  execute("PRAGMA journal_mode = OFF");  // nobody sees the file until it is finished
  execute("BEGIN");
  execute("CREATE TABLE runs (" + columns + ")");
  execute(
      "CREATE TABLE stats (run_id INTEGER REFERENCES runs, key TEXT, value, PRIMARY KEY (run_id, key)) "
      "WITHOUT ROWID");
}

ResultsDb::~ResultsDb() {
  if (!db_) return;
  sqlite3_close(db_);
  std::error_code error;
  std::filesystem::remove(temporary_, error);
}

void ResultsDb::execute(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

void ResultsDb::fail(const std::string& doing) {
  const std::string why = db_ ? sqlite3_errmsg(db_) : "out of memory";
  sqlite3_close(db_);
  db_ = nullptr;
  std::error_code error;
  std::filesystem::remove(temporary_, error);
  throw InputError(fmt::format("cannot {} the database {}: {}", doing, file_.string(), why));
}

void ResultsDb::add_run(const std::string& run, int exit_code, const std::string& message,
                        const std::vector<std::string>& setting_values,
                        const nlohmann::ordered_json& result) {
  std::string marks = "NULL, ?, ?, ?";
  for (std::size_t i = 0; i < settings_.size(); ++i) marks += ", ?";
  const Statement row = prepare(db_, "INSERT INTO runs VALUES (" + marks + ")");
  if (!row) fail("write");
  bind_text(row.get(), 1, run);
  sqlite3_bind_int(row.get(), 2, exit_code);
  bind_text(row.get(), 3, message);
  for (std::size_t i = 0; i < setting_values.size() && i < settings_.size(); ++i)
    bind_setting(row.get(), static_cast<int>(4 + i), setting_values[i], settings_[i].kind);
  if (sqlite3_step(row.get()) != SQLITE_DONE) fail("write");
  const sqlite3_int64 id = sqlite3_last_insert_rowid(db_);
  if (!result.is_object()) return;
  const Statement stat = prepare(db_, "INSERT INTO stats VALUES (?, ?, ?)");
  if (!stat) fail("write");
  for (const auto& [key, value] : flatten(result)) {
    sqlite3_reset(stat.get());
    sqlite3_bind_int64(stat.get(), 1, id);
    bind_text(stat.get(), 2, key);
    bind_json(stat.get(), 3, value);
    if (sqlite3_step(stat.get()) != SQLITE_DONE) fail("write");
  }
}

void ResultsDb::finish() {
  execute("COMMIT");
  if (sqlite3_close(db_) != SQLITE_OK) fail("close");
  db_ = nullptr;
  std::error_code error;
  std::filesystem::rename(temporary_, file_, error);
  if (error)
    throw InputError(fmt::format("cannot write the database {}: {}", file_.string(), error.message()));
}

}  // namespace warpvp
