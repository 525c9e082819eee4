#pragma once

#include "base/failure.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace matchcloud::store {

/// A statement of SQL and what it is for. Parameters are written $1, $2, .. and first appear in
/// this order. Must be a constant: engines prepare each statement once (PostgreSQL for each
/// combination of parameters' types) and find it by its address.
struct sql_command {
  std::string_view sql;
  /// What the caller is about to do, such as "read the regions", for messages.
  std::string_view operation;
};

class sql_array;

/// The value of a parameter. Texts, blobs and arrays, which only PostgreSQL takes, are views, valid
/// during the call that they are passed to.
class sql_value {
public:
  using blob = std::span<const std::uint8_t>;
  using content = std::variant<std::monostate, std::int64_t, double, std::string_view, blob,
                               model::uuid, const sql_array*>;

  template <std::integral Integer>
  sql_value(Integer value) : value_{static_cast<std::int64_t>(value)} {}
  sql_value(double value) : value_{value} {}
  sql_value(std::string_view value) : value_{value} {}
  sql_value(const std::string& value) : value_{std::string_view{value}} {}
  sql_value(blob value) : value_{value} {}
  template <std::size_t Size>
  sql_value(const std::array<std::uint8_t, Size>& value) : value_{blob{value}} {}
  sql_value(const model::uuid& value) : value_{value} {}
  sql_value(const sql_array& value) : value_{&value} {}
  sql_value(std::nullopt_t) {}
  template <class Value>
  sql_value(const std::optional<Value>& value) {
    if (value) *this = sql_value{*value};
  }

  const content& get() const noexcept { return value_; }

private:
  content value_;
};

/// The parameters of a statement: written as `{a, b}`, or one for each column of a table. Valid
/// during the call that they are passed to.
class sql_values {
public:
  sql_values() = default;
  sql_values(std::initializer_list<sql_value> values) : values_{values.begin(), values.size()} {}
  explicit sql_values(std::span<const sql_value> values) : values_{values} {}

  auto begin() const noexcept { return values_.begin(); }
  auto end() const noexcept { return values_.end(); }
  std::size_t size() const noexcept { return values_.size(); }

private:
  std::span<const sql_value> values_;
};

/// The SQL dialect of a connection, for the few statements that differ between engines.
enum class sql_dialect : std::uint8_t { sqlite, postgres };

/// A row of a result. What it returns is valid until the next row. Columns count from 0; a null is
/// 0 or empty.
class sql_row {
public:
  virtual ~sql_row() = default;

  virtual bool is_null(int column) = 0;
  virtual std::int64_t integer(int column) = 0;
  virtual double real(int column) = 0;
  virtual std::string_view text(int column) = 0;
  virtual std::span<const std::uint8_t> blob(int column) = 0;
  virtual model::uuid uuid(int column) = 0;

  /// A copy of a text.
  std::string string(int column) { return std::string{text(column)}; }
  /// A number that is not negative.
  std::uint64_t natural(int column) { return static_cast<std::uint64_t>(integer(column)); }
  /// Nothing for a null.
  std::optional<std::int64_t> optional_integer(int column) {
    return is_null(column) ? std::nullopt : std::optional{integer(column)};
  }
};

/// What a transaction reads or changes.
enum class sql_access : std::uint8_t {
  /// One snapshot for all reads.
  read,
  /// Changes a subject that no other transaction changes at the time: what is read of it stays true
  /// until the end, and revisions are in the order of the commits.
  write,
};

/// What has a revision and therefore one writer at a time; lobbies only in SQLite, see
/// `lobby_changes` of PostgreSQL.
enum class sql_subject : std::uint8_t { catalog, tokens, avatars, lobbies, latencies };

/// The name of a subject's row in the table `revisions`.
std::string_view name_of(sql_subject subject) noexcept;

/// A connection to a SQL database. Its functions throw `base::failure`: `store_failed`,
/// `store_full` or `cancelled`, with the database, the operation and the engine's reason. One
/// thread at a time; calls block.
class sql_connection {
public:
  using take_row = std::function<bool(sql_row&)>;

  virtual ~sql_connection() = default;

  virtual sql_dialect dialect() const noexcept = 0;
  /// Passes the fault point `store.read`; call this before reading outside a transaction. A read
  /// transaction begins with it.
  virtual void begin_reading(std::string_view operation) = 0;
  /// Calls `take` for each row of a query until it returns false. `take` must not use the
  /// connection.
  virtual void select(const sql_command& query, sql_values with, const take_row& take) = 0;
  /// Runs a query with one parameter for each of `keys`, in their order, and calls `take` for each
  /// row of all. Engines may send them together. `take` must not use the connection.
  virtual void select_each(const sql_command& query, std::span<const sql_value> keys,
                           const std::function<void(sql_row&)>& take);
  /// Makes a change within a transaction. Engines may send changes together: then a later call
  /// throws the failure of one, at the latest the commit.
  virtual void run(const sql_command& change, sql_values with) = 0;
  /// Makes a change within a transaction and returns how many rows it changed.
  virtual std::size_t count_changes(const sql_command& change, sql_values with) = 0;
  /// Has the engine check its pages, indexes and constraints, and calls `take` for each mistake. A
  /// server does that itself. Throws `cancelled` once `stop`, unless empty, returns true.
  virtual void find_damage(const std::function<bool()>& stop,
                           const std::function<void(std::string_view)>& take) {
    (void)stop;
    (void)take;
  }
  /// A failure that the database itself did not detect, to be thrown. The connection is not reused.
  virtual base::failure failure(std::string_view operation, std::string_view reason) = 0;

  /// Calls `take` for each row of a query.
  template <class Take>
  void each(const sql_command& query, sql_values with, Take take) {
    select(query, with, [&](sql_row& row) {
      take(row);
      return true;
    });
  }
  /// What `read` makes of each row of a query.
  template <class Read>
  auto all(const sql_command& query, sql_values with, Read read) {
    std::vector<std::decay_t<decltype(read(std::declval<sql_row&>()))>> found;
    each(query, with, [&](sql_row& row) { found.push_back(read(row)); });
    return found;
  }
  /// What `read` makes of the first row of a query; nothing if there is none.
  template <class Read>
  auto first(const sql_command& query, sql_values with, Read read) {
    std::optional<std::decay_t<decltype(read(std::declval<sql_row&>()))>> found;
    select(query, with, [&](sql_row& row) {
      found = read(row);
      return false;
    });
    return found;
  }
  /// The first column of the first row of a query; `otherwise` if there is none or it is null.
  std::int64_t number(const sql_command& query, sql_values with, std::int64_t otherwise);
  /// The same of a query that has a row.
  std::int64_t number(const sql_command& query, sql_values with = {});
  /// Whether a query has a row.
  bool has(const sql_command& query, sql_values with);

private:
  friend class sql_transaction;
  virtual void begin(sql_access access, std::optional<sql_subject> subject,
                     std::string_view operation) = 0;
  virtual void commit(std::string_view operation) = 0;
  /// Called at the end of a transaction that was not committed.
  virtual void roll_back(std::string_view operation) noexcept = 0;
};

/// A transaction, rolled back unless committed. Must be destroyed before its connection.
class sql_transaction {
public:
  /// Begins reading, from one snapshot.
  static sql_transaction read(sql_connection& on, std::string operation) {
    return {on, sql_access::read, std::nullopt, std::move(operation)};
  }
  /// Begins changing a subject, or none that has a revision.
  static sql_transaction write(sql_connection& on, std::optional<sql_subject> subject,
                               std::string operation) {
    return {on, sql_access::write, subject, std::move(operation)};
  }

  sql_transaction(sql_transaction&& other) noexcept
      : on_{std::exchange(other.on_, nullptr)}, operation_{std::move(other.operation_)} {}
  sql_transaction& operator=(sql_transaction&&) = delete;
  ~sql_transaction();

  /// Commits; the changes are on disk when this returns.
  void commit();

private:
  sql_transaction(sql_connection& on, sql_access access, std::optional<sql_subject> subject,
                  std::string operation);

  /// Null once committed or after a move.
  sql_connection* on_;
  std::string operation_;
};

/// The store's time, in milliseconds since 1970.
std::int64_t select_store_time(sql_connection& on);

} // namespace matchcloud::store
