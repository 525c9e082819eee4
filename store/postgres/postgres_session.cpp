#include "base/clock.hpp"
#include "base/randomness.hpp"
#include "store/files/fault_pass.hpp"
#include "store/open_store.hpp"
#include "store/postgres/postgres.hpp"
#include "store/postgres/postgres_lobbies.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace matchcloud::store {

namespace {

class postgres_session final : public sql_session {
public:
  using take_silence = std::function<void(const base::error&)>;

  /// `silent` is called if the server did not respond.
  postgres_session(std::unique_ptr<postgres_connection> on, take_silence silent)
      : sql_session{*on},
        on_{std::move(on)},
        lobbies_{*on_},
        history_{*on_},
        silent_{std::move(silent)} {}
  postgres_session(const postgres_session&) = delete;
  postgres_session& operator=(const postgres_session&) = delete;
  ~postgres_session() override {
    if (on_->silence()) silent_(*on_->silence());
  }

  // -- lobby_sink -------------------------------------------------------------

  base::expected<lobby_merge> merge(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes) override {
    return base::attempt([&] { return lobbies_.merge(records, attributes, audit()); });
  }
  void merge_together(std::span<merge_part> parts) override { lobbies_.merge_together(parts); }
  using sql_session::check;
  base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes) override {
    return base::attempt([&] { return lobbies_.check(records, attributes); });
  }
  base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) override {
    return base::attempt([&] { return lobbies_.check_attributes(attributes); });
  }

  // -- lobby_history ----------------------------------------------------------

  using sql_session::read;
  base::expected<void> read(const model::export_query& query, const base::clock& clock,
                            const history_reader& to) override {
    return base::attempt([&] { history_.read(query, clock, to); });
  }

  // -- change_feed ------------------------------------------------------------

  base::expected<bool> changed() override {
    return base::attempt([this] {
      const auto now = base::machine_clock().now();
      if (!seen_)
        on_->execute(std::string{"LISTEN "} + news_channel, "listen for changes");
      else if (!on_->has_news() && now < look_again_)
        return false;
      look_again_ = now + delay_limit;
      check_schema(*on_);
      auto found = read_revisions();
      return std::exchange(seen_, found) != found;
    });
  }

  // -- maintenance: the server does that itself -------------------------------

  std::uint64_t backlog_bytes() override { return 0; }
  base::expected<bool> tidy() override { return true; }

  bool has_failed() const noexcept override { return on_->has_failed(); }
  bool is_reusable() const noexcept override { return !seen_ && on_->is_usable(); }

private:
  using revision_list = std::vector<std::int64_t>;

  /// The revisions of the catalog and the tokens, and the highest of any game's avatars.
  revision_list read_revisions() {
    static constexpr sql_command query{
        "SELECT revision FROM (SELECT name, revision FROM revisions WHERE name IN ('catalog', "
        "'tokens') UNION ALL SELECT 'avatars', (SELECT max(revision) FROM game_revisions WHERE "
        "subject = 'avatars')) AS all_of_them ORDER BY name",
        "look for changes"};
    on_->begin_reading(query.operation);
    return on_->all(query, {}, [](sql_row& row) { return row.integer(0); });
  }

  std::unique_ptr<postgres_connection> on_;
  postgres_lobbies lobbies_;
  postgres_lobby_history history_;
  /// The revisions that the feed saw last; empty before its first look.
  std::optional<revision_list> seen_;
  base::steady_time look_again_;
  take_silence silent_;
};

/// Lets one caller at a time try to connect while the server cannot be reached or does not respond,
/// with growing pauses; the others fail at once. Any thread.
class reconnecting : public std::enable_shared_from_this<reconnecting> {
public:
  explicit reconnecting(postgres_settings settings) : settings_{std::move(settings)} {}

  std::unique_ptr<session> open() {
    base::value_of(
        pass(base::fault_point::store_open, server_name_of(settings_.url), "open the database"));
    begin();
    auto made = base::attempt([this] { return postgres_connection::open(settings_); });
    end(made ? nullptr : &made.error());
    return std::make_unique<postgres_session>(base::value_of(std::move(made)),
                                              [self = shared_from_this()](const base::error& why) {
                                                const std::lock_guard lock{self->mutex_};
                                                if (!self->failure_) self->hold_off(why);
                                              });
  }

private:
  void begin() {
    const std::lock_guard lock{mutex_};
    if (!failure_) return;
    if (trying_ || base::machine_clock().now() < next_try_) throw base::failure{*failure_};
    trying_ = true;
  }

  void end(const base::error* failed) {
    const std::lock_guard lock{mutex_};
    trying_ = false;
    if (!failed) {
      failure_.reset();
      pause_ = reconnect_least;
      return;
    }
    hold_off(*failed);
  }

  void hold_off(const base::error& failed) {
    failure_ = failed;
    // Randomized, so that many processes do not reconnect in step.
    const auto half = pause_.count() / 2;
    const auto spread = static_cast<std::int64_t>(base::random_seed() % 1'000) * half / 1'000;
    next_try_ = base::machine_clock().now() + std::chrono::milliseconds{half + spread};
    pause_ = std::min(2 * pause_, reconnect_most);
  }

  const postgres_settings settings_;
  std::mutex mutex_;
  /// Why the last try failed; empty while the server can be reached.
  std::optional<base::error> failure_;
  bool trying_ = false;
  std::chrono::milliseconds pause_ = reconnect_least;
  base::steady_time next_try_;
};

/// Opens the first connection, which creates or migrates the schema, or refuses an older one.
std::unique_ptr<postgres_connection> open_migrated(const postgres_settings& settings) {
  auto first = open_checked(settings);
  if (settings.older == older_schema::migrates)
    migrate(*first);
  else
    check_is_newest(*first);
  return first;
}

} // namespace

std::unique_ptr<postgres_connection> open_checked(const postgres_settings& settings) {
  base::value_of(check_postgres_url(settings.url));
  base::value_of(check_verification(settings));
  return postgres_connection::open(settings);
}

std::unique_ptr<sql_connection> open_postgres_connection(const postgres_settings& settings) {
  static constexpr sql_command query{"SELECT version FROM schema_version",
                                     "read the schema's version"};
  auto on = open_migrated(settings);
  postgres_schema().check_is_known(on->number(query), on->server_name());
  return on;
}

base::expected<bool> find_postgres_store(const postgres_settings& settings) {
  return base::attempt([&] { return has_schema(*open_checked(settings)); });
}

base::expected<std::shared_ptr<database>> open_postgres(const postgres_settings& settings) {
  return base::attempt([&] {
    check_is_whole(*open_migrated(settings), server_name_of(settings.url));
    const auto server = std::make_shared<reconnecting>(settings);
    return std::make_shared<database>(
        [server] { return base::attempt([&] { return server->open(); }); }, settings.sessions);
  });
}

namespace {

using std::chrono::milliseconds;

constexpr std::string_view looking = "look at the database";
/// `server_version_num` of PostgreSQL 15.
constexpr std::int64_t least_server = 150'000;

void read_server(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT current_setting('server_version'), current_setting('server_version_num')::bigint, "
      "current_setting('max_connections')::bigint - "
      "current_setting('superuser_reserved_connections')::bigint",
      looking};
  std::int64_t version = 0;
  on.each(query, {}, [&](sql_row& row) {
    into.engine = "PostgreSQL " + std::string{row.text(0)};
    version = row.integer(1);
    into.connections_limit = row.integer(2);
  });
  if (version < least_server)
    into.lacks.push_back("the server is " + into.engine +
                         ", but 15 or later is required: use a newer server");
}

/// Takes the server's time as the time in the middle of the round trip.
void read_clock(postgres_connection& on, store_examination& into) {
  const auto& machine = base::machine_clock();
  const auto begun = machine.now();
  const auto theirs_ms = select_store_time(on);
  const auto taken = std::chrono::duration_cast<milliseconds>(machine.now() - begun);
  into.ahead = milliseconds{theirs_ms - machine.unix_ms()} + taken / 2;
}

/// The privilege to create the schema, which `migrate` needs.
void look_at_empty(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT CASE WHEN has_database_privilege(current_database(), 'CREATE') THEN 1 ELSE 0 END",
      looking};
  if (on.number(query) == 0)
    into.lacks.push_back(
        "the role may not create the schema matchcloud: make the role the owner of the database "
        "(ALTER DATABASE .. OWNER TO ..), or grant it CREATE on the database");
}

/// Finds tables on which the role lacks the program's privileges. Entries of the audit log never
/// change.
void look_at_tables(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT c.relname, string_agg(needed, ', ' ORDER BY needed) FROM pg_class c, "
      "unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed "
      "WHERE c.relnamespace = to_regnamespace('matchcloud') AND c.relkind IN ('r', 'p') "
      "AND NOT (c.relname = 'audit' AND needed = 'UPDATE') "
      "AND NOT has_table_privilege(c.oid, needed) GROUP BY c.relname ORDER BY c.relname",
      looking};
  on.each(query, {}, [&](sql_row& row) {
    into.lacks.push_back("the role lacks " + std::string{row.text(1)} + " on matchcloud." +
                         std::string{row.text(0)} + ": grant it the role that owns the schema");
  });
}

/// Finds tables that the next start would alter but the role cannot.
void look_at_owners(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{
      "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('matchcloud') "
      "AND relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE')",
      looking};
  const auto foreign = on.number(query);
  if (foreign > 0)
    into.lacks.push_back("the schema has to be migrated, but the role does not own " +
                         std::to_string(foreign) + " of its tables: start once as their owner");
}

void look_at_schema(postgres_connection& on, store_examination& into) {
  static constexpr sql_command query{"SELECT version FROM schema_version",
                                     "read the schema's version"};
  look_at_tables(on, into);
  if (!into.lacks.empty()) return;
  check_schema(on);
  into.version = on.number(query);
  check_is_whole(on, on.server_name());
  if (into.version < into.newest) look_at_owners(on, into);
}

} // namespace

base::expected<store_examination> examine_postgres(const postgres_settings& settings) {
  return base::attempt([&] {
    const auto on = open_checked(settings);
    store_examination found;
    found.newest = postgres_schema().newest();
    on->execute("SET default_transaction_read_only = on", looking);
    read_server(*on, found);
    read_clock(*on, found);
    if (has_schema(*on))
      look_at_schema(*on, found);
    else
      look_at_empty(*on, found);
    return found;
  });
}

} // namespace matchcloud::store
