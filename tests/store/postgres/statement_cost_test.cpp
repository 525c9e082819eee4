// What each statement of the PostgreSQL engine costs in a game of 10,000 lobbies and in one of
// 1,000,000, by the plans that the server itself reports (auto_explain): as EXPLAIN (ANALYZE,
// BUFFERS) has them, and of every statement that the engine sends.
#include "model/access/new_token.hpp"
#include "model/catalog/catalog_element.hpp"
#include "store/postgres/postgres.hpp"
#include "store/sql/shared_statements.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/store/history_fixture.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {
namespace {

using fixtures::postgres_server;
using std::chrono::milliseconds;

/// Every plan with what it did, as JSON in the server's log.
postgres_server explaining_server() {
  return postgres_server{{.settings = {
                              "session_preload_libraries = 'auto_explain'",
                              "auto_explain.log_min_duration = 0",
                              "auto_explain.log_analyze = on",
                              "auto_explain.log_buffers = on",
                              "auto_explain.log_timing = off",
                              "auto_explain.log_nested_statements = on",
                              "auto_explain.log_format = json",
                              "autovacuum = off", // which would look like a statement's own reads
                              "max_wal_size = '2GB'",
                          }}};
}

/// The most buffers that one execution of each statement touched, by its SQL.
using statement_costs = std::map<std::string, std::int64_t>;

statement_costs costs_in(std::string_view log) {
  statement_costs costs;
  constexpr std::string_view begin = "plan:\n";
  for (auto at = log.find(begin); at != log.npos; at = log.find(begin, at)) {
    at += begin.size();
    std::string json; // its lines are indented by a tab
    while (at < log.size() && log[at] == '\t') {
      const auto end = std::min(log.find('\n', at), log.size());
      json.append(log.substr(at + 1, end - at - 1)) += '\n';
      at = std::min(end + 1, log.size());
    }
    const auto found = e2e::parse_json(json);
    REQUIRE(found.IsObject());
    const auto& plan = found["Plan"];
    auto& most = costs[e2e::text_at(found, "Query Text")];
    most = std::max(most, plan["Shared Hit Blocks"].GetInt64() +
                              plan["Shared Read Blocks"].GetInt64() +
                              plan["Temp Read Blocks"].GetInt64());
  }
  return costs;
}

/// The statements of SQL in a source, or what of them stands in one literal.
std::vector<std::string> statements_in(std::string_view source) {
  std::vector<std::string> all;
  std::string joined;
  const auto end_literal = [&] {
    for (const auto* word : {"SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ", "WHERE "})
      if (joined.starts_with(word)) all.push_back(joined);
    joined.clear();
  };
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source.substr(at).starts_with("//")) {
      at = std::min(source.find('\n', at), source.size());
    } else if (source[at] == '"') {
      for (++at; at < source.size() && source[at] != '"'; ++at)
        joined += source[at] == '\\' ? source[++at] : source[at];
    } else if (std::isspace(static_cast<unsigned char>(source[at])) == 0) {
      end_literal();
    }
  }
  return all;
}

/// Whether only SQLite has a statement.
bool is_of_sqlite(const std::string& sql) {
  static constexpr std::array of_sqlite{
      "julianday", "FROM latency_voices WHERE cell = $1 AND region_id = $2",
      "INSERT INTO latency_voices (revision, cell, region_id, latitude, longitude, minute, voices) "
      "VALUES",
      "AND start_ts = $3 AND lobby_id = $4 AND coalesce(stop_ts, $5) <= $6"};
  return std::ranges::any_of(of_sqlite,
                             [&](const char* each) { return sql.find(each) != sql.npos; });
}

bool configures_connection(const std::string& sql) {
  return sql.find("set_config(") != sql.npos || sql.find("current_setting(") != sql.npos;
}

/// The statements of the engine. Neither migrations nor secrets are about games, nor is what doctor
/// asks about tables and rights, nor what configures a connection; SQLite has a few of its own.
std::vector<std::string> statements_of_engine() {
  std::vector<std::string> all;
  for (const auto* folder : {"store/sql", "store/postgres"})
    for (const auto& file : std::filesystem::directory_iterator{fixtures::source_path(folder)}) {
      const auto name = file.path().filename().string();
      if (name.starts_with("postgres_migrations") || name.starts_with("postgres_secrets") ||
          name.starts_with("postgres_examination"))
        continue;
      for (auto& each : statements_in(fixtures::read_whole(file.path())))
        if (!is_of_sqlite(each) && !configures_connection(each)) all.push_back(std::move(each));
    }
  return all;
}

// Lobby number i starts i seconds after the beginning. A million times lobbies last up to 42 s, in
// six duration classes; of a few that start together none has stopped.
constexpr std::int64_t most_lobbies = 1'000'000;
constexpr std::int64_t beginning_ts = 1'700'000'000'000;
constexpr std::int64_t second_ms = 1'000;

/// Fills game 1 with the last `count` lobbies.
void fill(const std::string& url, std::int64_t count) {
  fixtures::postgres_session session{url};
  session.execute("SET search_path = matchcloud");
  session.execute("INSERT INTO lobbies (lobby_id, game_id, start_ts, stop_ts, kind) SELECT "
                  "('00000000-0000-4000-9000-' || lpad(to_hex(i), 12, '0'))::uuid, '" +
                  to_string(id_of(1)) + "', " + std::to_string(beginning_ts) +
                  " + i * 1000, CASE WHEN i BETWEEN 995001 AND 995050 THEN NULL ELSE " +
                  std::to_string(beginning_ts) +
                  " + i * 1000 + (1300 << (i % 6)) END, (SELECT max(kind) FROM lobby_kinds) "
                  "FROM generate_series(" +
                  std::to_string(most_lobbies - count + 1) + ", " + std::to_string(most_lobbies) +
                  ") AS i");
  session.execute("VACUUM ANALYZE");
}

/// A span of which both have all lobbies. So many that it hardly matters where in the index's pages
/// those of a class begin and end.
constexpr std::int64_t span_lobbies = 5'000;
constexpr model::time_span known_span{
    beginning_ts + (most_lobbies - 1'000 - span_lobbies) * second_ms,
    beginning_ts + (most_lobbies - 1'000) * second_ms,
};

postgres_settings settings_at(const std::string& url) {
  postgres_settings settings;
  settings.url = url;
  return settings;
}

void use_catalog(const all_roles& in) {
  auto document = lobby_catalog();
  document.regions.push_back({"gru", "Sao Paulo", "P", {}});
  document.tiers = {"large"};
  document.games.push_back({id_of(3), "three"});
  document.namespaces[1].domains = {"moved.example"};
  document.namespaces[2].regions = {"fra"};
  document.namespaces.push_back({id_of(31), id_of(3), "prod", {}, std::nullopt});
  had(in.catalog->import_document(document));
  had(in.catalog->revision());
  had(in.catalog->load());
  const auto remove = [&](model::element_kind kind, std::string_view id) {
    had(in.catalog->remove(had(model::element_key::parse(kind, id))));
  };
  remove(model::element_kind::tier, "large");
  remove(model::element_kind::region, "gru");
  remove(model::element_kind::game_namespace, to_string(id_of(31)));
  remove(model::element_kind::game, to_string(id_of(3)));
}

void use_avatars(const all_roles& in) {
  model::avatar one;
  one.upload_id = id_of(1);
  one.game_id = id_of(1);
  one.display_name = "Ember Lynx";
  one.image = model::image_name{{}, model::image_type::png};
  had(in.avatars->put({&one, 1}));
  one.image->type = model::image_type::jpeg;
  had(in.avatars->check({&one, 1}));
  had(in.avatars->read(id_of(1), [](const model::avatar&) { return true; }));
  had(in.avatars->read_images([](const image_key&, bool) { return true; }));
}

/// New ones, one with news, one as it was, one that is another, and one of a new kind.
void use_sink(const all_roles& in) {
  lobby_list list;
  constexpr std::int64_t start = beginning_ts + most_lobbies * second_ms;
  for (std::uint32_t number = 1; number <= 20; ++number)
    list.add(number, {start, start + second_ms}, kind_of(11));
  had(in.sink->check(list.records, list.attributes));
  merge_all(*in.sink, list);
  list = {};
  list.add(1, {start, start + 2 * second_ms}, kind_of(11)).add(2, {start, {}}, kind_of(11));
  list.add(3, {start, {}}, kind_of(12)).add(4, {start, {}}, kind_of(12, "iad"));
  list.add(5, {start, {}}, kind_of(99)).add(21, {start, {}}, kind_of(11, "iad", "brawl"));
  had(in.sink->check(list.records, list.attributes));
  had(in.sink->check_attributes(list.attributes));
  CHECK(merge_all(*in.sink, list).rejected.size() == 3);
  CHECK(had(in.sink->has_any()));
}

void use_history(const all_roles& in) {
  had(in.history->revisions(id_of(1)));
  CHECK(write_all(*in.history, known_span, beginning_ts + 2 * most_lobbies * second_ms)
            .rows()
            .size() > span_lobbies);
  const auto last = *model::parse_uuid("00000000-0000-4000-9000-0000000f4240"); // filled last
  CHECK(had(in.history->find_lobby(id_of(1), last)));
  had(in.feed->changed());
  had(in.feed->moved_games_since(0));
  had(in.feed->moved_games_since(1'000));
}

void use_access(const all_roles& in) {
  constexpr std::int64_t now_ms = 1'800'000'000'000;
  const auto access = had(in.of->access());
  const auto tokens = had(in.of->tokens());
  const auto audit = had(in.of->audit());
  model::new_token wanted;
  wanted.kind = model::token_kind::game;
  wanted.scope = id_of(1);
  wanted.name = "build";
  const auto made = model::make_token(wanted, "local", now_ms).token;
  had(tokens->create_token(made));
  had(access->tokens_revision());
  had(access->load_tokens());
  had(tokens->rotate_token(made.token_id, {7}, now_ms, now_ms));
  const std::array uses{token_use{made.token_id, now_ms}};
  had(access->note_uses(uses));
  had(tokens->revoke_token(made.token_id, now_ms));
  had(access->record({model::audit_action::fault_put, {}, {}, {}}));
  had(audit->read_audit({}));
  model::audit_query filtered;
  filtered.action = "faults";
  had(audit->read_audit(filtered));
  had(audit->expire_audit(now_ms + 1));
  CHECK(had(tokens->expire_tokens(now_ms + 1)) == 1);
}

void use_exports(const all_roles& in) {
  const auto records = had(in.of->exports());
  const export_claim claim{{id_of(1), known_span}, id_of(1), id_of(2), milliseconds{0}, 0, 0};
  had(records->claim_export(claim));
  // Nobody has renewed the lease.
  auto record = had(records->claim_export(claim)).record;
  CHECK(record.generation == 2);
  CHECK(had(records->renew_export(record, milliseconds{1'000})));
  record.sha256 = std::string(64, 'a');
  CHECK(had(records->complete_export(record)));
  had(records->exports_of(claim.query));
  had(records->find_export(record.facts.export_id));
  had(records->exports_over(0, 0, 10));
  had(records->read_exports([](const export_record&) { return true; }));
  had(records->export_usage_now());
  had(records->exports_of_game(claim.query.game_id, 10));
  had(records->forget_export(record));
  had(records->adopt_export(record));
  const auto replicas = had(in.of->replicas());
  had(replicas->renew_replica(id_of(1), milliseconds{60'000}));
  had(replicas->tell_replicas(id_of(1), "{}"));
  CHECK(had(replicas->hear_replicas()).size() == 1);
}

void use_retention(const all_roles& in) {
  const auto retention = had(in.of->retention());
  CHECK(had(retention->take_housekeeping(id_of(1), milliseconds{1'000})));
  had(retention->leave_housekeeping(id_of(1)));
  had(retention->note_expiry(1));
  CHECK(had(retention->last_expiry()) == 1);
  CHECK(had(retention->newest_lobby(id_of(1))));
  had(retention->kept_histories());
  constexpr std::int64_t horizon = beginning_ts + most_lobbies * second_ms;
  had(retention->running_lobbies(id_of(1), horizon, {}, 1));
  const auto some = had(retention->expired_lobbies(id_of(1), horizon, {}, 10));
  CHECK(some.size() == 10);
  CHECK(had(retention->count_expired(id_of(1), horizon, 10)) == 10);
  CHECK(had(retention->expire_lobbies(id_of(1), {}, horizon, some)) == 10);
}

/// Erases game 4, which has one of everything.
void use_erasures(const all_roles& in) {
  constexpr std::int64_t now_ms = 1'800'000'000'000;
  const auto game = id_of(4);
  model::catalog_document document;
  document.games = {{game, "four"}};
  document.namespaces = {{id_of(41), game, "prod", {}, std::nullopt}};
  had(in.catalog->import_document(document));
  model::avatar avatar;
  avatar.upload_id = id_of(9);
  avatar.game_id = game;
  had(in.avatars->put({&avatar, 1}));
  model::new_token wanted;
  wanted.kind = model::token_kind::game;
  wanted.scope = game;
  wanted.name = "build";
  had(had(in.of->tokens())->create_token(model::make_token(wanted, "local", now_ms).token));
  merge_all(*in.sink, lobby_list{}.add(400, {1, 2}, kind_of(41)));

  const auto erasing = had(in.of->erasures());
  had(erasing->begin_erasure(game, now_ms));
  had(erasing->erasures());
  CHECK(had(in.catalog->is_erased(game)));
  audit_names names;
  had(erasing->erase_audit_names(game, names, 10'000));
  CHECK(had(erasing->erase_tokens(game)) == 1);
  CHECK(had(erasing->avatars_after(game, {}, 10)).size() == 1);
  CHECK(had(erasing->erase_avatars(game, std::array{id_of(9)})) == 1);
  CHECK(had(erasing->lobbies_after(id_of(1), {}, 10)).size() == 10);
  CHECK(had(erasing->erase_lobbies(game, had(erasing->lobbies_after(game, {}, 10)))) == 1);
  had(erasing->note_erased_exports(game, 1));
  CHECK(e2e::eventually([&] { return had(erasing->finish_erasure(game, now_ms)); }));
  const image_key key{id_of(1), {{}, model::image_type::png}};
  CHECK(had(in.avatars->has_image(key, std::chrono::hours{24})));
  had(erasing->remove_avatar(id_of(1), id_of(1)));
  CHECK(had(erasing->removed_images(10, std::chrono::hours{24})).size() == 1);
  had(erasing->forget_removed_image(key));
}

void use_latencies(const all_roles& in) {
  const auto latencies = had(in.of->latencies());
  std::vector<model::learned_entry> learned;
  for (std::uint32_t number = 0; number < latency_batch_limit; ++number)
    learned.push_back({model::place_cell({0, number * model::place_side_degrees - 179.9}),
                       "fra",
                       {},
                       {{0, 9, 1, number}}});
  had(latencies->latency_key());
  had(latencies->add_latencies(learned));
  had(latencies->add_latencies(learned));
  CHECK(had(latencies->read_latencies({}, 10)).entries.size() == 10);
  CHECK(had(latencies->expire_latencies(10, latency_batch_limit - 20)) == 20);
}

void use_copy_mark(const std::string& url) {
  const auto on = open_postgres_connection(settings_at(url));
  auto changes = sql_transaction::write(*on, std::nullopt, "mark");
  set_copy_mark(*on);
  remove_copy_mark(*on);
  changes.commit();
}

/// Uses each role of the store, with the same selection whatever the store has.
void use_everything(const std::string& url) {
  const all_roles in{open_postgres(settings_at(url))};
  use_avatars(in);
  use_sink(in);
  use_history(in);
  use_access(in);
  use_exports(in);
  use_catalog(in);
  use_retention(in);
  use_erasures(in);
  use_latencies(in);
  use_copy_mark(url);
}

/// Makes a game of `count` lobbies. Returns what the statements cost that use it.
statement_costs costs_with(postgres_server& server, std::int64_t count) {
  const auto url = server.new_database();
  {
    const all_roles made{open_postgres(settings_at(url))};
    had(made.catalog->import_document(lobby_catalog()));
    merge_all(*made.sink, lobby_list{}.add(100, {1, 2}, kind_of(11)));
  }
  fill(url, count);
  const auto before = server.log().size();
  use_everything(url);
  return costs_in(server.log().substr(before));
}

TEST_CASE("no statement costs more in a game with a hundred times as many lobbies", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  auto server = explaining_server();
  const auto few = costs_with(server, most_lobbies / 100);
  const auto many = costs_with(server, most_lobbies);
  for (const auto& [sql, cost] : few) {
    INFO(sql);
    REQUIRE(many.contains(sql));
    INFO("buffers: " << cost << ", and with a hundred times as many lobbies " << many.at(sql));
    CHECK(2 * many.at(sql) <= 3 * cost);
  }
  const auto all = costs_in(server.log());
  for (const auto& each : statements_of_engine()) {
    INFO("the engine has a statement that this test does not run: " << each);
    CHECK(std::ranges::any_of(
        all, [&](const auto& seen) { return seen.first.find(each) != std::string::npos; }));
  }
}

} // namespace
} // namespace matchcloud::store
