// Each function that the engines share, with a failure at each of its statements.
#include "model/access/new_token.hpp"
#include "store/backup/row_checks.hpp"
#include "store/open_store.hpp"
#include "store/postgres/postgres.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/store_fixture.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

namespace matchcloud::store {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t late_ms = 1'800'000'000'000;

/// A connection of which one statement fails. BEGIN and COMMIT are statements, too.
class failing_connection final : public sql_connection {
public:
  using execute = std::function<void(const char*)>;

  failing_connection(sql_connection& in, execute run) : in_{&in}, execute_{std::move(run)} {}

  /// From now on the nth statement fails, counted from 1; 0: none.
  void fail_at(int statement) { *this = {*in_, execute_, statement, false}; }
  /// From now on a commit fails once it is done.
  void fail_after_commit() { *this = {*in_, execute_, 0, true}; }
  bool has_failed() const noexcept { return has_failed_; }
  bool in_transaction() const noexcept { return in_transaction_; }

  sql_dialect dialect() const noexcept override { return in_->dialect(); }
  void begin_reading(std::string_view operation) override { in_->begin_reading(operation); }
  void select(const sql_command& query, sql_values with, const take_row& take) override {
    pass();
    in_->select(query, with, take);
  }
  void run(const sql_command& change, sql_values with) override {
    pass();
    in_->run(change, with);
  }
  std::size_t count_changes(const sql_command& change, sql_values with) override {
    pass();
    return in_->count_changes(change, with);
  }
  base::failure failure(std::string_view operation, std::string_view reason) override {
    return in_->failure(operation, reason);
  }

  static constexpr std::string_view told = "a statement failed";

private:
  failing_connection(sql_connection& in, execute run, int statement, bool after_commit)
      : in_{&in}, execute_{std::move(run)}, fails_at_{statement}, after_commit_{after_commit} {}

  void begin(sql_access access, std::optional<sql_subject>, std::string_view) override {
    pass();
    const bool locks = access == sql_access::write && dialect() == sql_dialect::sqlite;
    execute_(locks ? "BEGIN IMMEDIATE" : "BEGIN");
    in_transaction_ = true;
  }
  void commit(std::string_view) override {
    pass();
    execute_("COMMIT");
    in_transaction_ = false;
    if (after_commit_) fail();
  }
  void roll_back(std::string_view) noexcept override {
    if (std::exchange(in_transaction_, false)) execute_("ROLLBACK");
  }
  void pass() {
    if (++statements_ == fails_at_) fail();
  }
  void fail() {
    has_failed_ = true;
    throw base::failure{base::errc::store_failed, std::string{told}};
  }

  sql_connection* in_;
  execute execute_;
  int fails_at_ = 0;
  bool after_commit_ = false;
  int statements_ = 0;
  bool has_failed_ = false;
  bool in_transaction_ = false;
};

/// A session with the functions that all engines share.
class shared_session final : public sql_session {
public:
  explicit shared_session(sql_connection& on) : sql_session{on} {}

  base::expected<bool> changed() override { return unused(); }
  std::uint64_t backlog_bytes() override { return 0; }
  base::expected<bool> tidy() override { return unused(); }
  bool has_failed() const noexcept override { return false; }
  bool is_reusable() const noexcept override { return false; }

private:
  lobby_engine& lobbies() noexcept override { std::abort(); } // not part of this test
  static tl::unexpected<base::error> unused() {
    return base::fail(base::errc::internal, "not part of this test");
  }
};

model::avatar one_avatar(std::uint32_t upload, std::uint32_t game) {
  model::avatar made;
  made.upload_id = id_of(upload);
  made.game_id = id_of(game);
  made.display_name = "Ember Lynx";
  made.image = model::image_name{{}, model::image_type::png};
  return made;
}

model::access_token one_token(std::uint32_t game) {
  model::new_token wanted;
  wanted.kind = model::token_kind::game;
  wanted.scope = id_of(game);
  wanted.name = "build";
  auto made = model::make_token(wanted, "local", late_ms).token;
  made.token_id = id_of(50 + game);
  return made;
}

export_claim one_claim(std::uint32_t game, std::uint32_t id) {
  return {{id_of(game), {1, 2}}, id_of(id), id_of(2), milliseconds{0}, 0, 0};
}

export_record one_record(std::uint32_t id) {
  export_record record;
  record.facts = {id_of(id), {id_of(1), {1, 2}}};
  record.sha256 = std::string(64, 'a');
  return record;
}

model::learned_entry one_latency(std::uint32_t minute) {
  return {model::place_cell({50, 8}), "fra", {}, {{0, 9, 1, minute}}};
}

/// Something of everything. Game 2 is being erased.
void fill_store(const std::shared_ptr<database>& in) {
  const all_roles with{in};
  auto document = lobby_catalog();
  document.tiers = {"large"};
  document.namespaces[1].domains = {"one.example"};
  had(with.catalog->import_document(document));
  had(with.catalog->remove(had(model::element_key::parse(model::element_kind::tier, "large"))));
  document = {};
  document.tiers = {"small"};
  had(with.catalog->import_document(document));
  merge_all(*with.sink, lobby_list{}
                            .add(1, {1, 5}, kind_of(11))
                            .add(2, {2, std::nullopt}, kind_of(11))
                            .add(3, {3, 500}, kind_of(21)));
  const std::array avatars{one_avatar(1, 1), one_avatar(2, 2), one_avatar(3, 1)};
  had(with.avatars->put(avatars));
  const auto tokens = had(in->tokens());
  had(tokens->create_token(one_token(1)));
  had(tokens->create_token(one_token(2)));
  had(had(in->exports())->claim_export(one_claim(1, 1)));
  had(had(in->latencies())->add_latencies(std::array{one_latency(5)}));
  had(had(in->replicas())->renew_replica(id_of(1), milliseconds{600'000}));
  const auto erasures = had(in->erasures());
  had(erasures->remove_avatar(id_of(1), id_of(3)));
  had(erasures->begin_erasure(id_of(2), late_ms));
}

struct shared_function {
  std::string name;
  std::function<base::expected<void>(shared_session&)> call;
};

template <class Call>
shared_function shared(std::string name, Call call) {
  return {std::move(name), [call](shared_session& in) -> base::expected<void> {
            const auto got = call(in);
            if (!got) return tl::unexpected(got.error());
            return {};
          }};
}

const std::vector<shared_function>& functions() {
  using in = shared_session&;
  static const auto parsed = [](model::element_kind kind, std::string_view id) {
    return had(model::element_key::parse(kind, id));
  };
  static const std::vector<shared_function> all{
      // catalog
      shared("revision", [](in on) { return on.revision(); }),
      shared("load", [](in on) { return on.load(); }),
      shared("import_document",
             [](in on) {
               model::catalog_document document;
               document.regions = {{"gru", "Sao Paulo", "P", {}}};
               document.games = {{id_of(3), "three"}};
               document.namespaces = {{id_of(31), id_of(3), "prod", {"x.example"}, {{"fra"}}}};
               return on.import_document(document);
             }),
      shared("remove a tier",
             [](in on) { return on.remove(parsed(model::element_kind::tier, "small")); }),
      shared("remove a namespace",
             [](in on) {
               return on.remove(parsed(model::element_kind::game_namespace, to_string(id_of(12))));
             }),
      // avatars
      shared("read", [](in on) { return on.read(id_of(1), [](const auto&) { return true; }); }),
      shared("put",
             [](in on) {
               auto other = one_avatar(1, 1);
               other.image->type = model::image_type::jpeg;
               return on.put(std::array{other, one_avatar(7, 1)});
             }),
      shared("check", [](in on) { return on.check(std::array{one_avatar(7, 1)}); }),
      shared("read_images",
             [](in on) { return on.read_images([](const image_key&, bool) { return true; }); }),
      // lobbies
      shared("has_any", [](in on) { return on.has_any(); }),
      shared("revisions", [](in on) { return on.revisions(id_of(1)); }),
      shared("find_lobby", [](in on) { return on.find_lobby(id_of(1), id_of(1)); }),
      shared("moved_games_since", [](in on) { return on.moved_games_since(1'000); }),
      // access
      shared("tokens_revision", [](in on) { return on.tokens_revision(); }),
      shared("load_tokens", [](in on) { return on.load_tokens(); }),
      shared("create_token", [](in on) { return on.tables().tokens.create_token(one_token(5)); }),
      shared(
          "rotate_token",
          [](in on) { return on.tables().tokens.rotate_token(id_of(51), {7}, late_ms, late_ms); }),
      shared("revoke_token",
             [](in on) { return on.tables().tokens.revoke_token(id_of(51), late_ms); }),
      shared("note_uses",
             [](in on) {
               return on.note_uses(std::array{token_use{id_of(51), late_ms}});
             }),
      shared("record",
             [](in on) {
               return on.record({model::audit_action::fault_put, {}, {}, {}});
             }),
      shared("read_audit", [](in on) { return on.tables().audit.read_audit({}); }),
      shared("read_audit of an action",
             [](in on) {
               model::audit_query query;
               query.action = "game";
               return on.tables().audit.read_audit(query);
             }),
      shared("expire_audit", [](in on) { return on.tables().audit.expire_audit(2 * late_ms); }),
      shared("expire_tokens", [](in on) { return on.tables().tokens.expire_tokens(2 * late_ms); }),
      // exports
      shared("claim_export",
             [](in on) { return on.tables().exports.claim_export(one_claim(1, 9)); }),
      shared("claim_export for another game",
             [](in on) { return on.tables().exports.claim_export(one_claim(5, 9)); }),
      shared(
          "renew_export",
          [](in on) { return on.tables().exports.renew_export(one_record(1), milliseconds{1}); }),
      shared("complete_export",
             [](in on) { return on.tables().exports.complete_export(one_record(1)); }),
      shared("adopt_export", [](in on) { return on.tables().exports.adopt_export(one_record(9)); }),
      shared("exports_of",
             [](in on) { return on.tables().exports.exports_of(one_claim(1, 1).query); }),
      shared("find_export", [](in on) { return on.tables().exports.find_export(id_of(1)); }),
      shared("forget_export",
             [](in on) { return on.tables().exports.forget_export(one_record(1)); }),
      shared("exports_over",
             [](in on) { return on.tables().exports.exports_over(late_ms, late_ms, 10); }),
      shared("exports_of_game",
             [](in on) { return on.tables().exports.exports_of_game(id_of(1), 10); }),
      shared(
          "read_exports",
          [](in on) { return on.tables().exports.read_exports([](const auto&) { return true; }); }),
      shared("export_usage_now", [](in on) { return on.tables().exports.export_usage_now(); }),
      // replicas
      shared(
          "renew_replica",
          [](in on) { return on.tables().replicas.renew_replica(id_of(2), milliseconds{1'000}); }),
      shared("tell_replicas",
             [](in on) { return on.tables().replicas.tell_replicas(id_of(1), "{}"); }),
      shared("hear_replicas", [](in on) { return on.tables().replicas.hear_replicas(); }),
      shared("store_time", [](in on) { return on.tables().replicas.store_time(); }),
      // retention
      shared("take_housekeeping",
             [](in on) {
               return on.tables().retention.take_housekeeping(id_of(1), milliseconds{1'000});
             }),
      shared("leave_housekeeping",
             [](in on) { return on.tables().retention.leave_housekeeping(id_of(1)); }),
      shared("last_expiry", [](in on) { return on.tables().retention.last_expiry(); }),
      shared("note_expiry", [](in on) { return on.tables().retention.note_expiry(late_ms); }),
      shared("newest_lobby", [](in on) { return on.tables().retention.newest_lobby(id_of(1)); }),
      shared("kept_histories", [](in on) { return on.tables().retention.kept_histories(); }),
      shared("running_lobbies",
             [](in on) { return on.tables().retention.running_lobbies(id_of(1), 100, {}, 10); }),
      shared("expired_lobbies",
             [](in on) { return on.tables().retention.expired_lobbies(id_of(1), 100, {}, 10); }),
      shared("count_expired",
             [](in on) { return on.tables().retention.count_expired(id_of(1), 100, 10); }),
      shared("expire_lobbies",
             [](in on) {
               return on.tables().retention.expire_lobbies(id_of(1), {}, 100,
                                                           std::array{lobby_place{2, 1, id_of(1)}});
             }),
      // erasures
      shared("begin_erasure",
             [](in on) { return on.tables().erasures.begin_erasure(id_of(1), late_ms); }),
      shared("erasures", [](in on) { return on.tables().erasures.erasures(); }),
      shared("is_erased", [](in on) { return on.is_erased(id_of(2)); }),
      shared("erase_audit_names",
             [](in on) {
               audit_names names;
               return on.tables().erasures.erase_audit_names(id_of(1), names, 100);
             }),
      shared("erase_tokens", [](in on) { return on.tables().erasures.erase_tokens(id_of(2)); }),
      shared("avatars_after",
             [](in on) { return on.tables().erasures.avatars_after(id_of(2), {}, 10); }),
      shared(
          "erase_avatars",
          [](in on) { return on.tables().erasures.erase_avatars(id_of(2), std::array{id_of(2)}); }),
      shared("lobbies_after",
             [](in on) { return on.tables().erasures.lobbies_after(id_of(2), {}, 10); }),
      shared("erase_lobbies",
             [](in on) {
               return on.tables().erasures.erase_lobbies(id_of(2),
                                                         std::array{lobby_place{8, 3, id_of(3)}});
             }),
      shared("note_erased_exports",
             [](in on) { return on.tables().erasures.note_erased_exports(id_of(2), 1); }),
      shared("finish_erasure",
             [](in on) { return on.tables().erasures.finish_erasure(id_of(2), 2 * late_ms); }),
      shared("remove_avatar",
             [](in on) { return on.tables().erasures.remove_avatar(id_of(1), id_of(1)); }),
      shared("removed_images",
             [](in on) { return on.tables().erasures.removed_images(10, milliseconds{0}); }),
      shared("forget_removed_image",
             [](in on) {
               return on.tables().erasures.forget_removed_image(
                   {id_of(3), {{}, model::image_type::png}});
             }),
      shared("has_image",
             [](in on) {
               return on.has_image({id_of(1), {{}, model::image_type::png}}, milliseconds{0});
             }),
      // latencies
      shared("add_latencies", [](in on) { return on.add_latencies(std::array{one_latency(9)}); }),
      shared("read_latencies", [](in on) { return on.read_latencies({}, 10); }),
      shared("latency_key", [](in on) { return on.latency_key(); }),
      shared("expire_latencies", [](in on) { return on.expire_latencies(100, 10); }),
  };
  return all;
}

std::vector<std::pair<std::string, std::uint64_t>> sizes_of(const std::vector<table_facts>& all) {
  std::vector<std::pair<std::string, std::uint64_t>> sizes;
  for (const auto& each : all)
    sizes.emplace_back(each.name, each.rows);
  return sizes;
}

/// Fails each statement of a function in turn, on a store that nothing else uses.
void check_statements(const shared_function& function, sql_connection& in,
                      failing_connection::execute run) {
  failing_connection on{in, std::move(run)};
  shared_session with{on};
  const auto contents = [&] { return read_rows(in, {}, false).tables; };
  const auto before = contents();
  int failed = 0;
  while (true) {
    on.fail_at(failed + 1);
    const auto got = function.call(with);
    CHECK_FALSE(on.in_transaction());
    if (!on.has_failed()) {
      INFO((got ? "" : got.error().detail));
      CHECK(got.has_value());
      break;
    }
    ++failed;
    CAPTURE(failed);
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().detail == failing_connection::told);
    CHECK(contents() == before);
  }
  CHECK(failed > 0);
}

/// Fails a function whose commit is done, in another such store. What it has committed is there.
void check_commit(const shared_function& function, sql_connection& in,
                  failing_connection::execute run,
                  const std::vector<std::pair<std::string, std::uint64_t>>& sizes) {
  failing_connection on{in, std::move(run)};
  shared_session with{on};
  on.fail_after_commit();
  const auto got = function.call(with);
  CHECK_FALSE(on.in_transaction());
  CHECK(got.has_value() != on.has_failed());
  CHECK(sizes_of(read_rows(in, {}, false).tables) == sizes);
}

TEST_CASE("a function fails as a whole, whichever of its statements does") {
  if (std::getenv("MATCHCLOUD_TEST_POSTGRES")) return;
  for (const auto& each : functions()) {
    CAPTURE(each.name);
    std::vector<std::pair<std::string, std::uint64_t>> sizes;
    for (const bool commits : {false, true}) {
      const fixtures::temporary_directory directory;
      fill_store(had(open_sqlite(directory.path())));
      auto in = sqlite_connection::open(directory.path("matchcloud.db"));
      in.execute("PRAGMA foreign_keys = ON", "configure");
      const auto run = [&](const char* sql) { in.execute(sql, "run"); };
      if (commits)
        check_commit(each, in, run, sizes);
      else
        check_statements(each, in, run);
      sizes = sizes_of(read_rows(in, {}, false).tables);
    }
  }
}

TEST_CASE("a function fails as a whole on a server, whichever of its statements does",
          "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  for (const auto& each : functions()) {
    CAPTURE(each.name);
    postgres_settings settings;
    settings.url = fixtures::shared_postgres().new_database();
    fill_store(had(open_postgres(settings)));
    const auto in = postgres_connection::open(settings);
    check_statements(each, *in, [&](const char* sql) { in->execute(sql, "run"); });
  }
}

} // namespace
} // namespace matchcloud::store
