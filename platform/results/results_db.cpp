#include "platform/results/results_db.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <memory>

#include "base/error.h"
#include "platform/results/json_stats.h"

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

}  // namespace

const std::vector<std::string>& ResultsDb::reserved_columns() {
  static const std::vector<std::string> names = {"run_id", "run", "exit_code", "message"};
  return names;
}

ResultsDb::ResultsDb(std::filesystem::path file, const std::vector<std::string>& settings)
    : file_(std::move(file)), settings_(settings.size()) {
  temporary_ = file_.parent_path() / fmt::format(".{}.{}", file_.filename().string(), getpid());
  std::error_code error;
  std::filesystem::remove(temporary_, error);
  if (sqlite3_open(temporary_.c_str(), &db_) != SQLITE_OK) fail("open");
  std::string columns = "run_id INTEGER PRIMARY KEY, run TEXT, exit_code INTEGER, message TEXT";
  for (const std::string& setting : settings) columns += ", " + quoted(setting) + " TEXT";
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
  for (std::size_t i = 0; i < settings_; ++i) marks += ", ?";
  const Statement row = prepare(db_, "INSERT INTO runs VALUES (" + marks + ")");
  if (!row) fail("write");
  bind_text(row.get(), 1, run);
  sqlite3_bind_int(row.get(), 2, exit_code);
  bind_text(row.get(), 3, message);
  for (std::size_t i = 0; i < setting_values.size() && i < settings_; ++i)
    bind_text(row.get(), static_cast<int>(4 + i), setting_values[i]);
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
