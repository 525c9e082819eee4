#include "store/sqlite/sqlite_session.hpp"

#include "model/access/token_change.hpp"
#include "model/catalog/catalog_change.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/fault_pass.hpp"
#include "store/sqlite/game_revisions.hpp"
#include "store/sqlite/migrations.hpp"
#include "store/sqlite/sqlite.hpp"
#include "store/sqlite/sqlite_audit.hpp"
#include "store/sqlite/sqlite_avatars.hpp"
#include "store/sqlite/sqlite_catalog.hpp"
#include "store/sqlite/sqlite_lobbies.hpp"
#include "store/sqlite/sqlite_lobby_history.hpp"
#include "store/sqlite/sqlite_removal.hpp"
#include "store/sqlite/sqlite_tokens.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr const char* file_name = "matchcloud.db";

/// The number of elements in a catalog.
std::size_t size_of(const model::catalog& of) noexcept {
  return of.regions.size() + of.tiers.size() + of.games.size() + of.namespaces.size();
}

class sqlite_session final : public session {
public:
  explicit sqlite_session(connection db) : db_{std::move(db)} {}

  // -- catalog_store ----------------------------------------------------------

  base::expected<std::int64_t> revision() override {
    return db_.begin_reading("read the catalog's revision").and_then([this] {
      return read_catalog_revision(db_);
    });
  }

  base::expected<model::catalog> load() override {
    // Never committed, because nothing is written.
    const auto snapshot =
        transaction::begin(db_, transaction::access::read, "begin reading the catalog");
    if (!snapshot) return tl::unexpected(snapshot.error());
    return read_catalog(db_);
  }

  base::expected<import_summary> import_document(const model::catalog_document& doc) override {
    auto changes = transaction::begin(db_, transaction::access::write, "import the catalog");
    if (!changes) return tl::unexpected(changes.error());
    const auto before = read_catalog(db_);
    if (!before) return tl::unexpected(before.error());
    const auto after = model::merge(*before, doc);
    if (!after) return tl::unexpected(after.error());
    if (auto allowed = check_returning(db_, doc); !allowed) return tl::unexpected(allowed.error());
    import_summary summary{doc.regions.size(),
                           doc.tiers.size(),
                           doc.games.size(),
                           doc.namespaces.size(),
                           size_of(*after) - size_of(*before),
                           *after != *before};
    if (!summary.changed) return summary;
    auto done = write_catalog(db_, *before, *after);
    if (done) done = audit_.write(db_, model::describe_import(*before, *after, doc));
    if (done) done = audit_.commit(*changes);
    if (!done) return tl::unexpected(done.error());
    return summary;
  }

  base::expected<void> remove(const model::element_key& key) override {
    return change("change the catalog", [&]() -> base::expected<void> {
      const auto before = read_catalog(db_);
      if (!before) return tl::unexpected(before.error());
      const auto after = model::without(*before, key);
      if (!after) return tl::unexpected(after.error());
      auto done = hide_element(db_, key);
      if (done) done = write_catalog_revision(db_, after->revision);
      if (done) done = audit_.write(db_, model::describe_removal(*before, key));
      return done;
    });
  }

  // -- avatar_store -----------------------------------------------------------

  base::expected<std::int64_t>
  read(const model::uuid& game_id, const std::function<bool(const model::avatar&)>& take) override {
    const auto snapshot =
        transaction::begin(db_, transaction::access::read, "begin reading avatars");
    if (!snapshot) return tl::unexpected(snapshot.error());
    return select_avatars(db_, game_id, take);
  }

  base::expected<std::vector<put_outcome>> put(std::span<const model::avatar> avatars) override {
    auto changes = transaction::begin(db_, transaction::access::write, "write avatars");
    if (!changes) return tl::unexpected(changes.error());
    auto outcomes = write_avatars(db_, avatars);
    if (!outcomes) return outcomes;
    const auto is_change = [](put_outcome each) {
      return each == put_outcome::added || each == put_outcome::changed;
    };
    base::expected<void> done;
    if (std::any_of(outcomes->begin(), outcomes->end(), is_change))
      done = audit_.write(db_, {"avatars.put", {}, {}, {}});
    if (done) done = audit_.commit(*changes);
    if (!done) return tl::unexpected(done.error());
    return outcomes;
  }

  base::expected<std::vector<put_outcome>> check(std::span<const model::avatar> avatars) override {
    // Never committed, so that the check writes nothing.
    const auto trial = transaction::begin(db_, transaction::access::write, "check avatars");
    if (!trial) return tl::unexpected(trial.error());
    return write_avatars(db_, avatars);
  }

  // -- lobby_sink -------------------------------------------------------------

  base::expected<lobby_merge> merge(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes) override {
    auto merged = lobbies().and_then(
        [&](auto* writer) { return writer->merge(records, attributes, audit_); });
    if (!merged || db_.log_pages() * page_bytes < bulk_log_bytes) return merged;
    // Parts of the log that other connections still read stay for the next checkpoint.
    if (auto moved = db_.checkpoint(false); !moved) return tl::unexpected(moved.error());
    return merged;
  }

  base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes) override {
    return lobbies().and_then([&](auto* writer) { return writer->check(records, attributes); });
  }

  base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) override {
    return lobbies().and_then([&](auto* writer) { return writer->check_attributes(attributes); });
  }

  base::expected<bool> has_any() override {
    constexpr auto operation = "look for lobbies";
    const auto any = db_.begin_reading(operation).and_then(
        [&] { return db_.read_integer("SELECT EXISTS (SELECT 1 FROM lobbies)", operation); });
    if (!any) return tl::unexpected(any.error());
    return *any != 0;
  }

  // -- lobby_history ----------------------------------------------------------

  base::expected<history_revisions> revisions(const model::uuid& game_id) override {
    const auto snapshot =
        transaction::begin(db_, transaction::access::read, "begin reading revisions");
    if (!snapshot) return tl::unexpected(snapshot.error());
    return select_history_revisions(db_, game_id);
  }

  base::expected<void> read(const model::export_query& query, const base::clock& clock,
                            const history_reader& to) override {
    if (!history_) history_.emplace(db_);
    return history_->read(query, clock, to);
  }

  // -- change_feed ------------------------------------------------------------

  base::expected<bool> changed() override {
    const auto version = db_.read_integer("PRAGMA data_version", "look for changes");
    if (!version) return tl::unexpected(version.error());
    return std::exchange(data_version_, *version) != *version;
  }

  base::expected<moved_games> moved_games_since(game_subject subject, std::int64_t known) override {
    return db_.begin_reading("look for games that changed").and_then([&] {
      return read_moved_games(db_, subject, known);
    });
  }

  // -- access_store -----------------------------------------------------------

  base::expected<std::int64_t> tokens_revision() override {
    return db_.begin_reading("read the tokens' revision").and_then([this] {
      return read_tokens_revision(db_);
    });
  }

  base::expected<model::token_snapshot> load_tokens() override {
    const auto snapshot =
        transaction::begin(db_, transaction::access::read, "begin reading the tokens");
    if (!snapshot) return tl::unexpected(snapshot.error());
    return select_tokens(db_);
  }

  base::expected<void> create_token(const model::access_token& made) override {
    return change("create a token", [&] {
      return insert_token(db_, made).and_then(
          [&] { return audit_.write(db_, model::describe_creation(made)); });
    });
  }

  base::expected<model::access_token> rotate_token(const model::uuid& token_id,
                                                   const model::token_digest& digest,
                                                   std::int64_t former_until_ms,
                                                   std::int64_t now_ms) override {
    return change_token("rotate a token", token_id, now_ms,
                        [&](model::access_token& which) -> base::expected<bool> {
                          const auto state = which.state(now_ms);
                          if (state != model::token_state::active)
                            return base::fail(base::errc::token_not_found,
                                              "The token " + model::to_string(token_id) + " is " +
                                                  std::string{name_of(state)} +
                                                  "; create another one.");
                          which.former_digest = std::exchange(which.digest, digest);
                          which.former_until_ms = former_until_ms;
                          return true;
                        });
  }

  base::expected<model::access_token> revoke_token(const model::uuid& token_id,
                                                   std::int64_t now_ms) override {
    return change_token("revoke a token", token_id, now_ms, [&](model::access_token& which) {
      if (which.revoked_ms) return base::expected<bool>{false};
      which.revoked_ms = now_ms;
      return base::expected<bool>{true};
    });
  }

  base::expected<void> note_uses(std::span<const token_use> uses) override {
    auto changes = transaction::begin(db_, transaction::access::write, "note uses of tokens");
    if (!changes) return tl::unexpected(changes.error());
    auto done = write_token_uses(db_, uses);
    return done ? changes->commit() : done;
  }

  base::expected<void> record(const model::audit_change& what) override {
    return change("write the audit log", [&] { return audit_.write(db_, what); });
  }

  base::expected<std::vector<model::audit_entry>>
  read_audit(const model::audit_query& query) override {
    return db_.begin_reading("read the audit log").and_then([&] {
      return select_audit(db_, query);
    });
  }

  base::expected<std::size_t> expire_audit(std::int64_t before_ms) override {
    std::size_t gone = 0;
    auto done = change("expire the audit log", [&]() -> base::expected<void> {
      const auto removed = delete_audit(db_, before_ms);
      if (!removed) return tl::unexpected(removed.error());
      gone = *removed;
      const auto tokens = delete_tokens(db_, before_ms);
      if (!tokens) return tl::unexpected(tokens.error());
      if (gone + *tokens == 0) return {};
      return audit_.write(db_, model::describe_expiry(before_ms, gone, *tokens));
    });
    if (!done) return tl::unexpected(done.error());
    return gone;
  }

  // -- maintenance ------------------------------------------------------------

  std::uint64_t backlog_bytes() override {
    struct stat found {};
    return ::stat((db_.path() + "-wal").c_str(), &found) == 0
               ? static_cast<std::uint64_t>(found.st_size)
               : 0;
  }

  base::expected<bool> tidy() override { return db_.checkpoint(true, tidy_wait); }

  void attribute(model::audit_run_ptr run) override { audit_.attribute(std::move(run)); }

  bool is_reusable() const noexcept override { return !db_.has_failed() && !data_version_; }

private:
  /// SQLite's default, which the migrations do not change.
  static constexpr std::int64_t page_bytes = 4096;

  /// Runs `perform` in a write transaction.
  template <class Perform>
  base::expected<void> change(std::string operation, Perform perform) {
    auto changes = transaction::begin(db_, transaction::access::write, std::move(operation));
    if (!changes) return tl::unexpected(changes.error());
    auto done = perform();
    return done ? audit_.commit(*changes) : done;
  }

  /// Changes a token by `edit`, which returns whether there is anything to change.
  template <class Edit>
  base::expected<model::access_token>
  change_token(std::string operation, const model::uuid& token_id, std::int64_t now_ms, Edit edit) {
    base::expected<model::access_token> token;
    auto done = change(operation, [&]() -> base::expected<void> {
      token = select_token(db_, token_id);
      if (!token) return tl::unexpected(token.error());
      const auto before = *token;
      const auto edited = edit(*token);
      if (!edited) return tl::unexpected(edited.error());
      if (!*edited) return {};
      if (auto written = update_token(db_, *token); !written) return written;
      return audit_.write(db_, model::describe_change(before, *token, now_ms));
    });
    if (!done) return tl::unexpected(done.error());
    return token;
  }

  base::expected<lobby_writer*> lobbies() {
    if (!lobbies_) {
      auto prepared = lobby_writer::prepare(db_);
      if (!prepared) return tl::unexpected(prepared.error());
      lobbies_.emplace(*std::move(prepared));
    }
    return &*lobbies_;
  }

  connection db_;
  sqlite_audit audit_;
  /// Prepared on first use: few sessions write lobbies.
  std::optional<lobby_writer> lobbies_;
  /// Created on first use: few sessions read history.
  std::optional<sqlite_lobby_history> history_;
  /// SQLite's `data_version` at the last call of `changed`; empty before the first.
  std::optional<std::int64_t> data_version_;
};

/// Creates the database file readable for this user only; SQLite gives its log and index the same
/// permissions. Opens only files that it creates: closing a descriptor of a file in use would drop
/// this process's locks on it (sqlite.org/howtocorrupt.html, section 2.2).
void create_private(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd); // if the file cannot be created, SQLite reports why
}

bool has_log(const std::string& path) {
  struct stat found {};
  return ::stat((path + "-wal").c_str(), &found) == 0 && found.st_size > 0;
}

/// Sets what the guarantees of WAL mode depend on; `foreign_keys` and `synchronous` are per
/// connection.
base::expected<void> configure(connection& db) {
  constexpr auto operation = "switch the database to a write-ahead log";
  auto query = db.prepare("PRAGMA journal_mode = WAL", operation);
  if (!query) return tl::unexpected(query.error());
  const auto row = query->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row || query->text(0) != "wal")
    return db.failure(operation, "the file system does not support it");
  return db.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
                    "configure the connection");
}

base::expected<void> tune(connection& db, workload use) {
  if (use == workload::serving) return {};
  db.take_over_checkpoints();
  const auto pragma = "PRAGMA cache_size = -" + std::to_string(bulk_cache_bytes / 1024);
  return db.execute(pragma.c_str(), "configure the connection");
}

base::expected<connection> open_connection(const std::string& path, workload use) {
  create_private(path);
  const bool had_log = has_log(path);
  auto db = connection::open(path);
  if (!db) return db;
  if (const auto version = check_schema(*db); !version) {
    // Closing must not checkpoint the log into a database that must be left unchanged.
    if (had_log) db->keep_log_on_close();
    return tl::unexpected(version.error());
  }
  if (auto configured = configure(*db); !configured) return tl::unexpected(configured.error());
  if (auto migrated = migrate(*db); !migrated) return tl::unexpected(migrated.error());
  if (auto tuned = tune(*db, use); !tuned) return tl::unexpected(tuned.error());
  return db;
}

} // namespace

bool has_store(const std::string& data_dir) {
  return ::access((data_dir + "/" + file_name).c_str(), F_OK) == 0;
}

base::expected<std::unique_ptr<session>> open_sqlite_session(const std::string& data_dir,
                                                             const sqlite_settings& settings) {
  if (auto made = make_data_directory(data_dir); !made) return tl::unexpected(made.error());
  // Before the lock, so that a fault that stalls this session does not block others.
  const auto path = data_dir + "/" + file_name;
  if (const auto passed = pass(base::fault_point::store_open, path, "open the database"); !passed)
    return tl::unexpected(passed.error());
  // One at a time, because of `create_private`: while it has a new file open, no other session of
  // this process may take SQLite's locks on that file. SQLite itself does not need this lock.
  const auto lock = directory_lock::acquire(data_dir);
  if (!lock) return tl::unexpected(lock.error());
  auto db = open_connection(path, settings.use);
  if (!db) return tl::unexpected(db.error());
  db->set_busy_timeout(static_cast<int>(settings.patience.count()));
  return std::make_unique<sqlite_session>(std::move(*db));
}

base::expected<std::shared_ptr<database>> open_sqlite(const std::string& data_dir,
                                                      const sqlite_settings& settings) {
  // Set once the store exists: a store whose disk has vanished must not be replaced by an empty
  // one.
  const auto is_made = std::make_shared<std::atomic<bool>>(false);
  auto opened = std::make_shared<database>(
      [data_dir, settings, is_made]() -> base::expected<std::unique_ptr<session>> {
        if (*is_made && !has_store(data_dir))
          return base::fail(base::errc::store_failed,
                            data_dir + "/" + file_name +
                                ": cannot open the database: it is not there any more; bring it "
                                "back, or restart to begin a new one");
        auto made = open_sqlite_session(data_dir, settings);
        if (made) *is_made = true;
        return made;
      },
      settings.sessions);
  // Opens a session now, so that problems of the store show up here and not at the first request.
  return opened->catalog().map([&](const lease<catalog_store>&) { return opened; });
}

} // namespace matchcloud::store
