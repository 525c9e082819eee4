#include "base/clock.hpp"
#include "base/randomness.hpp"
#include "store/files/fault_pass.hpp"
#include "store/open_store.hpp"
#include "store/postgres/postgres.hpp"
#include "store/postgres/postgres_lobbies.hpp"
#include "store/sql/lobby_rows.hpp"
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
      : sql_session{*on}, on_{std::move(on)}, lobbies_{*on_}, silent_{std::move(silent)} {}
  postgres_session(const postgres_session&) = delete;
  postgres_session& operator=(const postgres_session&) = delete;
  ~postgres_session() override {
    if (on_->silence()) silent_(*on_->silence());
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
  lobby_engine& lobbies() noexcept override { return lobbies_; }

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

} // namespace matchcloud::store
