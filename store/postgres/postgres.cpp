#include "store/postgres/postgres.hpp"

#include "base/files/working_identity.hpp"
#include "store/files/fault_pass.hpp"
#include "store/postgres/server_messages.hpp"
#include "store/sql/binary_form.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <exception>
#include <utility>

namespace matchcloud::store {

void binary_rows::clearer::operator()(pg_result* rows) const noexcept {
  PQclear(rows);
}

int binary_rows::size() const noexcept {
  return PQntuples(rows_.get());
}

bool binary_rows::is_null(int row, int column) const noexcept {
  return PQgetisnull(rows_.get(), row, column) != 0;
}

std::span<const std::uint8_t> binary_rows::bytes(int row, int column) const noexcept {
  return {reinterpret_cast<const std::uint8_t*>(PQgetvalue(rows_.get(), row, column)),
          static_cast<std::size_t>(PQgetlength(rows_.get(), row, column))};
}

std::int64_t binary_rows::integer(int row, int column) const noexcept {
  const auto all = bytes(row, column);
  const bool is_negative = !all.empty() && all.front() >= 0x80;
  std::uint64_t number = is_negative ? ~std::uint64_t{0} : 0;
  for (const auto byte : all)
    number = number << 8 | byte;
  return std::bit_cast<std::int64_t>(number);
}

model::uuid binary_rows::uuid(int row, int column) const noexcept {
  const auto all = bytes(row, column);
  model::uuid id;
  std::copy_n(all.begin(), std::min(all.size(), id.bytes.size()), id.bytes.begin());
  return id;
}

double binary_row::real(int column) {
  return std::bit_cast<double>(integer(column));
}

std::string_view binary_row::text(int column) {
  const auto stored = rows_->bytes(row_, column);
  const std::string_view text{reinterpret_cast<const char*>(stored.data()), stored.size()};
  return has_escapes(text) ? unescaped_.emplace_back(unescaped(text)) : text;
}

namespace {

using namespace std::chrono_literals;

/// How often `stop` is called while the server does not respond.
constexpr std::chrono::milliseconds stop_interval{250};
/// How long a transaction may wait for its client before the server ends it, so that the locks of a
/// client that vanished silently, with its machine or the network, are released. Exports, which
/// lock nothing, have longer.
constexpr std::chrono::milliseconds idle_in_transaction_timeout = 10s;
/// How often the server checks, during a statement, whether the client is still connected.
constexpr std::chrono::milliseconds client_check_interval{1'000};

/// How long a connection may take before it is restarted with libpq's blocking call: only that
/// tries the next address when one is silent for `connect_timeout`. It adds to that time.
constexpr std::chrono::milliseconds first_connect_limit = 1s;

constexpr std::string_view query_canceled = "57014"; // appendix A of PostgreSQL's documentation

/// Passes rows of results to a function until it returns false or throws. Its exception has to wait
/// until all results were read.
class row_taker {
public:
  explicit row_taker(const sql_connection::take_row& take) : take_{&take} {}

  void add(const binary_rows& rows) noexcept {
    binary_row row{rows};
    try {
      for (int number = 0; is_wanted_ && number < rows.size(); ++number) {
        row.stand_on(number);
        is_wanted_ = (*take_)(row);
      }
    } catch (...) {
      thrown_ = std::current_exception();
      is_wanted_ = false;
    }
  }
  void end() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

private:
  const sql_connection::take_row* take_;
  bool is_wanted_ = true;
  std::exception_ptr thrown_;
};

/// Continues a connection attempt for `first_connect_limit`.
void await_connection(PGconn* of) {
  const auto until = base::machine_clock().now() + first_connect_limit;
  auto next = PQstatus(of) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - base::machine_clock().now());
    if (left.count() <= 0) return;
    pollfd socket{PQsocket(of),
                  static_cast<short>(next == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
    if (::poll(&socket, 1, static_cast<int>(left.count())) > 0) next = PQconnectPoll(of);
  }
}

/// Connects; whether that succeeded is the connection's status. The server's notices go to the log
/// (see `log_notices`), and refusals have their SQLSTATE.
void connect(PGconn* of, const std::string& place) {
  log_notices(*of, place);
  PQsetErrorVerbosity(of, PQERRORS_VERBOSE);
  await_connection(of);
  if (PQstatus(of) != CONNECTION_OK && PQstatus(of) != CONNECTION_BAD) PQreset(of);
  PQsetErrorVerbosity(of, PQERRORS_DEFAULT);
}

} // namespace

/// The parameters of a statement as libpq takes them, in binary form.
struct postgres_connection::parameters {
  explicit parameters(sql_values given) : formats(given.size(), 1) {
    bytes_.reserve(given.size()); // so that their addresses stay the same
    for (const auto& value : given) {
      types.push_back(type_of(value));
      auto& bytes = bytes_.emplace_back();
      append_binary(bytes, value);
      values.push_back(types.back() == 0 ? nullptr : bytes.data());
      lengths.push_back(static_cast<int>(bytes.size()));
    }
  }

  /// 0 for a null, whose type the server infers.
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;

private:
  std::vector<std::string> bytes_;
};

// -- connection -----------------------------------------------------------------

void postgres_connection::closer::operator()(pg_conn* handle) const noexcept {
  PQfinish(handle);
}

postgres_connection::postgres_connection(const postgres_settings& settings, pg_conn* handle)
    : server_name_{server_name_of(settings.url)},
      handle_{handle},
      answer_timeout_{settings.statement_timeout + answer_grace} {}

postgres_connection::~postgres_connection() = default;

std::unique_ptr<postgres_connection> postgres_connection::open(const postgres_settings& settings) {
  const auto timeout = std::to_string(connect_timeout.count());
  // If a name appears twice, the later one counts, so the connection string can override those
  // before it.
  const std::array names{"fallback_application_name", "connect_timeout",
                         "tcp_user_timeout",          "keepalives_idle",
                         "target_session_attrs",      "dbname",
                         "client_encoding",           static_cast<const char*>(nullptr)};
  const std::array values{
      "matchcloud", timeout.c_str(),      "3000", "10",
      "read-write", settings.url.c_str(), "UTF8", static_cast<const char*>(nullptr)};
  const base::as_invoker self; // for ~/.pgpass, keys and certificates
  std::unique_ptr<postgres_connection> made{new postgres_connection{
      settings, PQconnectStartParams(names.data(), values.data(), /*expand_dbname=*/1)}};
  constexpr std::string_view operation = "connect";
  if (!made->handle_) throw made->lost(operation, "out of memory");
  connect(made->handle_.get(), made->server_name_);
  if (PQstatus(made->handle_.get()) != CONNECTION_OK) throw made->refused(operation);
  made->check_encoding();
  PQsetnonblocking(made->handle_.get(), 1);
  made->configure(settings);
  return made;
}

void postgres_connection::check_encoding() const {
  const auto* found = PQparameterStatus(handle_.get(), "server_encoding");
  if (found == nullptr || std::string_view{found} == "UTF8") return;
  throw base::failure{base::errc::config_invalid,
                      "{}: the database has the encoding {}, but only UTF8 can store every name. "
                      "Create a database with `createdb -E UTF8 -T template0 --locale C -O ROLE "
                      "NAME` and use that; `pg_dump OLD | psql NAME` moves an existing store.",
                      server_name_, found};
}

void postgres_connection::configure(const postgres_settings& settings) {
  const auto set = [](std::string_view name, std::string_view value) {
    return fmt::format("set_config('{}', '{}', false)", name, value);
  };
  const auto ms = [](std::chrono::milliseconds time) { return std::to_string(time.count()); };
  // Acknowledged data must be on disk, whatever the server's default is. `jit`: compiling takes
  // longer than any statement here.
  execute(fmt::format("SELECT {}, {}, {}, {}, {}, {}, CASE WHEN "
                      "current_setting('synchronous_commit') = 'off' THEN {} END",
                      set("search_path", schema_name),
                      set("statement_timeout", ms(settings.statement_timeout)),
                      set("lock_timeout", ms(settings.patience)),
                      set("idle_in_transaction_session_timeout", ms(idle_in_transaction_timeout)),
                      set("client_connection_check_interval", ms(client_check_interval)),
                      set("jit", "off"), set("synchronous_commit", "on")),
          "configure the connection");
  if (PQenterPipelineMode(handle_.get()) == 0) throw lost("configure the connection");
}

void postgres_connection::execute(const std::string& sql, std::string_view operation) {
  const bool was_in_pipeline = PQpipelineStatus(handle_.get()) != PQ_PIPELINE_OFF;
  if (was_in_pipeline) {
    drain();
    if (PQexitPipelineMode(handle_.get()) == 0) throw lost(operation);
  }
  if (PQsendQuery(handle_.get(), sql.c_str()) == 0) throw lost(operation);
  sent_.push_back({operation});
  read_answer();
  outcome();
  if (was_in_pipeline && PQenterPipelineMode(handle_.get()) == 0) throw lost(operation);
}

void postgres_connection::limit_time(std::chrono::milliseconds at_most) {
  answer_timeout_ = at_most + answer_grace;
  execute(fmt::format("SELECT set_config('statement_timeout', '{0}', false), "
                      "set_config('lock_timeout', '{0}', false)",
                      at_most.count()),
          "configure the connection");
}

void postgres_connection::begin_reading(std::string_view operation) {
  pass(base::fault_point::store_read, operation);
}

void postgres_connection::pass(base::fault_point at, std::string_view operation) {
  const auto passed = store::pass(at, server_name_, operation);
  if (passed) return;
  has_failed_ = true;
  throw base::failure{passed.error()};
}

void postgres_connection::select(const sql_command& query, sql_values with, const take_row& take) {
  row_taker taker{take};
  const take_rows add = [&](const binary_rows& rows) { taker.add(rows); };
  queue(query, parameters{with}, {query.operation, nullptr, &add, true});
  drain();
  taker.end();
}

void postgres_connection::select_each(const sql_command& query, std::span<const sql_value> keys,
                                      const std::function<void(sql_row&)>& take) {
  const take_row take_all = [&](sql_row& row) {
    take(row);
    return true;
  };
  row_taker taker{take_all};
  const take_rows add = [&](const binary_rows& rows) { taker.add(rows); };
  for (const auto& key : keys)
    queue(query, parameters{sql_values{key}}, {query.operation, nullptr, &add});
  drain();
  taker.end();
}

void postgres_connection::run(const sql_command& change, sql_values with) {
  queue(change, parameters{with}, {change.operation});
}

std::size_t postgres_connection::count_changes(const sql_command& change, sql_values with) {
  std::size_t changed = 0;
  const take_rows count = [&](const binary_rows& got) {
    const std::string_view digits = PQcmdTuples(got.get());
    std::from_chars(digits.data(), digits.data() + digits.size(), changed);
  };
  queue(change, parameters{with}, {change.operation, nullptr, &count});
  drain();
  return changed;
}

binary_rows postgres_connection::select_binary(const sql_command& query, sql_values with) {
  binary_rows rows;
  const take_rows keep = [&](binary_rows got) { rows = std::move(got); };
  queue(query, parameters{with}, {query.operation, nullptr, &keep});
  drain();
  return rows;
}

void postgres_connection::send(const std::string& sql, std::string_view operation,
                               const take_rows& take) {
  if (PQsendQueryParams(handle_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 1) == 0)
    throw lost(operation);
  sent_.push_back({operation, nullptr, &take});
  // The server responds at once and does not wait for the end of the pipeline.
  if (PQsendFlushRequest(handle_.get()) == 0 || PQflush(handle_.get()) < 0) throw lost(operation);
}

void postgres_connection::receive(const std::function<bool()>& stop) {
  read_answer(stop);
  outcome();
}

void postgres_connection::lock(sql_subject subject) {
  static constexpr sql_command lock_row{"SELECT revision FROM revisions WHERE name = $1 FOR UPDATE",
                                        "wait for another change"};
  subject_ = subject;
  run(lock_row, {name_of(subject)});
}

void postgres_connection::begin(sql_access access, std::optional<sql_subject> subject,
                                std::string_view operation) {
  static constexpr sql_command begin_read{"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                                          "begin a transaction"};
  static constexpr sql_command begin_write{"BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE",
                                           "begin a transaction"};
  const bool writes = access == sql_access::write;
  pass(writes ? base::fault_point::store_write : base::fault_point::store_read, operation);
  run(writes ? begin_write : begin_read, {});
  in_transaction_ = true;
  is_reading_ = !writes;
  ran_out_of_time_ = false;
  subject_.reset();
  if (subject) lock(*subject);
}

void postgres_connection::commit(std::string_view operation) {
  static constexpr sql_command commit{"COMMIT", "commit a transaction"};
  static constexpr sql_command announce{"SELECT pg_notify('matchcloud', $1)", "announce a change"};
  pass(base::fault_point::store_commit, operation);
  // Never for ingests, which write no subject: NOTIFY serializes its commit with all others of the
  // server. Nor for latencies, which replicas read on their own schedule.
  const bool is_announced = subject_ && *subject_ != sql_subject::latencies;
  if (is_announced) run(announce, {name_of(*subject_)});
  bool committed = false;
  const take_rows look = [&](const binary_rows& got) {
    committed = std::strcmp(PQcmdStatus(got.get()), "COMMIT") == 0; // "ROLLBACK" after a failure
  };
  try {
    queue(commit, parameters{sql_values{}}, {operation, nullptr, &look});
    drain();
  } catch (const base::failure& failed) {
    // The server may still commit. Reports of lobbies and of latencies can be repeated, other
    // changes cannot.
    const bool is_unknown = is_announced && (silence_ || PQstatus(handle_.get()) != CONNECTION_OK);
    if (is_unknown) throw base::failure{base::errc::outcome_unknown, failed.why().detail};
    throw;
  }
  if (!committed) throw failure(operation, "the server rolled the transaction back");
  in_transaction_ = false;
}

void postgres_connection::roll_back(std::string_view) noexcept {
  static constexpr sql_command roll_back{"ROLLBACK", "roll a transaction back"};
  // The server counts rollbacks as such, and it records the statistics of cursors only at a commit.
  static constexpr sql_command end_reading{"COMMIT", "end a transaction"};
  if (!std::exchange(in_transaction_, false)) return;
  const auto is_connected = [this] { return handle_ && PQstatus(handle_.get()) == CONNECTION_OK; };
  const auto try_drain = [this] {
    try {
      drain();
    } catch (const base::failure&) {
      // Nothing is lost: the transaction is rolled back anyway.
    }
  };
  if (!is_connected()) return;
  // Earlier statements may fail without harm; then the transaction is rolled back. The receivers of
  // their results may be gone.
  for (auto& each : sent_)
    each.take = nullptr;
  try_drain();
  if (!is_connected()) return;
  try {
    run(is_reading_ ? end_reading : roll_back, {});
    drain();
  } catch (const base::failure&) {
    has_failed_ = true;
  }
}

const std::string& postgres_connection::prepare(const sql_command& command,
                                                const parameters& with) {
  const auto [found, is_new] = prepared_.try_emplace({command.sql.data(), with.types});
  auto& [key, name] = *found;
  if (!is_new) return name;
  name = fmt::format("c{}", statements_++);
  if (PQsendPrepare(handle_.get(), name.c_str(), std::string{command.sql}.c_str(),
                    static_cast<int>(with.types.size()), with.types.data()) == 0)
    throw lost(command.operation);
  sent_.push_back({command.operation, &key});
  return name;
}

void postgres_connection::queue(const sql_command& command, const parameters& with,
                                const sent& answer) {
  if (sent_.size() >= sent_together_limit) drain();
  const auto& name = prepare(command, with);
  const int queued =
      PQsendQueryPrepared(handle_.get(), name.c_str(), static_cast<int>(with.values.size()),
                          with.values.data(), with.lengths.data(), with.formats.data(), 1);
  if (queued == 0) throw lost(command.operation);
  sent_.push_back(answer);
}

void postgres_connection::drain() {
  if (sent_.empty() && PQpipelineStatus(handle_.get()) != PQ_PIPELINE_ABORTED) return outcome();
  constexpr std::string_view operation = "send statements";
  if (PQpipelineSync(handle_.get()) == 0) throw lost(operation);
  while (!sent_.empty())
    read_answer();
  await(operation, {});
  const binary_rows end{PQgetResult(handle_.get())};
  if (PQresultStatus(end.get()) != PGRES_PIPELINE_SYNC) throw lost(operation);
  outcome();
}

void postgres_connection::read_answer(const std::function<bool()>& stop) {
  const auto answered = sent_.front();
  if (answered.row_by_row) PQsetSingleRowMode(handle_.get());
  while (true) {
    await(answered.operation, stop);
    binary_rows got{PQgetResult(handle_.get())};
    if (PQstatus(handle_.get()) != CONNECTION_OK) throw lost(answered.operation);
    if (!got.get()) break;
    deliver(std::move(got), answered);
  }
  sent_.pop_front();
}

void postgres_connection::deliver(binary_rows got, const sent& of) {
  switch (PQresultStatus(got.get())) {
  case PGRES_COMMAND_OK:
  case PGRES_TUPLES_OK:
  case PGRES_SINGLE_TUPLE:
    if (of.take && *of.take && !failure_) (*of.take)(std::move(got));
    return;
  case PGRES_PIPELINE_ABORTED: break;
  default: {
    if (failure_) break;
    const auto* state = PQresultErrorField(got.get(), PG_DIAG_SQLSTATE);
    const auto* message = PQresultErrorField(got.get(), PG_DIAG_MESSAGE_PRIMARY);
    const std::string_view code = state ? state : "";
    failure_ = describe(of.operation, message ? message : PQresultErrorMessage(got.get()), code);
    const auto then = meaning_of_sqlstate(code).then;
    asks_for_repetition_ = then == after_failure::repeat;
    ran_out_of_time_ = code == query_canceled;
    has_failed_ = has_failed_ || then == after_failure::reconnect;
  }
  }
  if (of.prepares) prepared_.erase(prepared_.find(*of.prepares));
}

void postgres_connection::outcome() {
  if (failure_) throw base::failure{*std::exchange(failure_, std::nullopt)};
}

void postgres_connection::await(std::string_view operation, const std::function<bool()>& stop) {
  using namespace std::chrono;
  const auto until = base::machine_clock().now() + answer_timeout_;
  while (true) {
    const int unsent = PQflush(handle_.get());
    if (unsent < 0) throw lost(operation);
    if (PQisBusy(handle_.get()) == 0) return;
    const auto left = duration_cast<milliseconds>(until - base::machine_clock().now());
    if (left.count() <= 0) {
      const auto silent = lost(
          operation, fmt::format("the server did not respond for {} ms", answer_timeout_.count()));
      silence_ = silent.why();
      throw silent;
    }
    pollfd socket{PQsocket(handle_.get()), static_cast<short>(POLLIN | (unsent != 0 ? POLLOUT : 0)),
                  0};
    const auto wait = stop ? std::min(left, stop_interval) : left;
    if (::poll(&socket, 1, static_cast<int>(wait.count())) > 0) {
      if (PQconsumeInput(handle_.get()) == 0) throw lost(operation);
    } else if (stop && stop()) {
      // The server ends a statement whose client has disconnected.
      (void)lost(operation, "it was given up");
      throw base::failure{base::errc::cancelled, "the export was given up"};
    }
  }
}

bool postgres_connection::has_news() {
  if (PQconsumeInput(handle_.get()) == 0) throw lost("look for changes");
  bool found = false;
  while (auto* news = PQnotifies(handle_.get())) {
    PQfreemem(news);
    found = true;
  }
  return found;
}

bool postgres_connection::is_usable() noexcept {
  if (has_failed_ || !handle_ || PQstatus(handle_.get()) != CONNECTION_OK) return false;
  // A server sends nothing on an idle connection except its end.
  pollfd socket{PQsocket(handle_.get()), POLLIN | POLLRDHUP, 0};
  return ::poll(&socket, 1, 0) == 0;
}

base::failure postgres_connection::lost(std::string_view operation, std::string_view reason) {
  has_failed_ = true;
  if (reason.empty()) reason = handle_ ? PQerrorMessage(handle_.get()) : "it was lost before";
  auto described =
      failure_ ? *std::exchange(failure_, std::nullopt) : describe(operation, reason, {});
  sent_.clear();
  handle_.reset();
  return base::failure{std::move(described)};
}

base::failure postgres_connection::refused(std::string_view operation) {
  const auto why = read_refusal(PQerrorMessage(handle_.get()));
  failure_ = describe(operation, why.message, why.state);
  return lost(operation);
}

base::error postgres_connection::describe(std::string_view operation, std::string_view message,
                                          std::string_view state) const {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' '))
    message.remove_suffix(1);
  std::string text = server_name_;
  text.append(": cannot ").append(operation).append(": ").append(message);
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!state.empty()) text.append(" ").append(shown_sqlstate(state));
  const auto meaning = meaning_of_sqlstate(state);
  if (!meaning.advice.empty()) text.append("; ").append(meaning.advice);
  // For what is wrong with a certificate libpq has no code.
  const bool may_pass =
      state.empty() ? message.find("certificate") == message.npos : meaning.may_pass;
  return {meaning.code, std::move(text), false,
          may_pass && meaning.code == base::errc::store_failed};
}

base::failure postgres_connection::failure(std::string_view operation, std::string_view reason) {
  has_failed_ = true;
  return base::failure{describe(operation, reason, {})};
}

} // namespace matchcloud::store
