#include "store/postgres/postgres_session.hpp"

#include "base/randomness.hpp"
#include "store/files/fault_pass.hpp"
#include "store/open_postgres.hpp"
#include "store/postgres/connection_string.hpp"
#include "store/postgres/postgres.hpp"
#include "store/postgres/postgres_lobbies.hpp"
#include "store/postgres/postgres_lobby_history.hpp"
#include "store/postgres/postgres_migrations.hpp"
#include "store/sql/copy_mark.hpp"
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
    return lobbies_.merge(records, attributes, audit());
  }
  void merge_together(std::span<merge_part> parts) override { lobbies_.merge_together(parts); }
  using sql_session::check;
  base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes) override {
    return lobbies_.check(records, attributes);
  }
  base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) override {
    return lobbies_.check_attributes(attributes);
  }

  // -- lobby_history ----------------------------------------------------------

  using sql_session::read;
  base::expected<void> read(const model::export_query& query, const base::clock& clock,
                            const history_reader& to) override {
    return history_.read(query, clock, to);
  }

  // -- change_feed ------------------------------------------------------------

  base::expected<bool> changed() override {
    const auto now = base::machine_clock().now();
    if (!seen_) {
      if (auto done = on_->execute(std::string{"LISTEN "} + news_channel, "listen for changes");
          !done)
        return tl::unexpected(done.error());
    } else {
      const auto news = on_->has_news();
      if (!news) return news;
      if (!*news && now < look_again_) return false;
    }
    look_again_ = now + delay_limit;
    if (auto usable = check_schema(*on_); !usable) return tl::unexpected(usable.error());
    const auto found = read_revisions();
    if (!found) return tl::unexpected(found.error());
    return std::exchange(seen_, *found) != *found;
  }

  // -- maintenance: the server does that itself -------------------------------

  std::uint64_t backlog_bytes() override { return 0; }
  base::expected<bool> tidy() override { return true; }

  bool has_failed() const noexcept override { return on_->has_failed(); }
  bool is_reusable() const noexcept override { return !seen_ && on_->is_usable(); }

private:
  base::expected<void> move_lobbies(const model::uuid& game_id) override {
    return lobbies_.count_change(game_id);
  }

  using revision_list = std::vector<std::int64_t>;

  /// The revisions of the catalog and the tokens, and the highest of any game's avatars.
  base::expected<revision_list> read_revisions() {
    static constexpr sql_command query{
        "SELECT revision FROM (SELECT name, revision FROM revisions WHERE name IN ('catalog', "
        "'tokens') UNION ALL SELECT 'avatars', (SELECT max(revision) FROM game_revisions WHERE "
        "subject = 'avatars')) AS all_of_them ORDER BY name",
        "look for changes"};
    if (auto passed = on_->begin_reading(query.operation); !passed)
      return tl::unexpected(passed.error());
    revision_list found;
    auto read =
        for_each_row(*on_, query, {}, [&](sql_row& row) { found.push_back(row.integer(0)); });
    if (!read) return tl::unexpected(read.error());
    return found;
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

  base::expected<std::unique_ptr<session>> open() {
    if (auto passed =
            pass(base::fault_point::store_open, server_name_of(settings_.url), "open the database");
        !passed)
      return tl::unexpected(passed.error());
    if (auto may = begin(); !may) return tl::unexpected(may.error());
    auto made = postgres_connection::open(settings_);
    end(made ? nullptr : &made.error());
    if (!made) return tl::unexpected(std::move(made).error());
    return std::make_unique<postgres_session>(*std::move(made),
                                              [self = shared_from_this()](const base::error& why) {
                                                const std::lock_guard lock{self->mutex_};
                                                if (!self->failure_) self->hold_off(why);
                                              });
  }

private:
  base::expected<void> begin() {
    const std::lock_guard lock{mutex_};
    if (!failure_) return {};
    if (trying_ || base::machine_clock().now() < next_try_) return tl::unexpected(*failure_);
    trying_ = true;
    return {};
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
base::expected<std::unique_ptr<postgres_connection>>
open_migrated(const postgres_settings& settings) {
  auto first = open_checked(settings);
  if (!first) return tl::unexpected(first.error());
  auto usable =
      settings.older == older_schema::migrates ? migrate(**first) : check_is_newest(**first);
  if (!usable) return tl::unexpected(usable.error());
  return first;
}

} // namespace

base::expected<std::unique_ptr<postgres_connection>>
open_checked(const postgres_settings& settings) {
  if (auto checked = check_postgres_url(settings.url); !checked)
    return tl::unexpected(checked.error());
  if (auto verified = check_verification(settings); !verified)
    return tl::unexpected(verified.error());
  return postgres_connection::open(settings);
}

base::expected<std::unique_ptr<sql_connection>>
open_postgres_connection(const postgres_settings& settings) {
  static constexpr sql_command query{"SELECT version FROM schema_version",
                                     "read the schema's version"};
  auto on = open_migrated(settings);
  if (!on) return tl::unexpected(on.error());
  const auto version = select_integer(**on, query);
  if (!version) return tl::unexpected(version.error());
  if (auto copied = postgres_schema().check_is_known(*version, (*on)->server_name()); !copied)
    return tl::unexpected(copied.error());
  return on;
}

base::expected<bool> find_postgres_store(const postgres_settings& settings) {
  const auto on = open_checked(settings);
  if (!on) return tl::unexpected(on.error());
  return has_schema(**on);
}

base::expected<std::shared_ptr<database>> open_postgres(const postgres_settings& settings) {
  const auto first = open_migrated(settings);
  if (!first) return tl::unexpected(first.error());
  if (auto whole = check_is_whole(**first, server_name_of(settings.url)); !whole)
    return tl::unexpected(whole.error());
  const auto server = std::make_shared<reconnecting>(settings);
  return std::make_shared<database>([server] { return server->open(); }, settings.sessions);
}

} // namespace matchcloud::store
