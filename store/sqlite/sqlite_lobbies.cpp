#include "store/sqlite/sqlite_lobbies.hpp"

#include "store/sqlite/game_revisions.hpp"
#include "store/sqlite/rows.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

/// The number of rows between checks of the time.
constexpr std::size_t look_interval = 16;
/// A guess for the first commit, assuming a disk with nothing cached.
constexpr double first_commit_ns_per_row = 5'000;

double nanoseconds_since(base::steady_time begun) {
  return std::chrono::duration<double, std::nano>(base::machine_clock().now() - begun).count();
}

std::int64_t class_of(const model::lobby_times& times) {
  return model::duration_class(times);
}

/// Binds lobby attributes in the column order shared by both statements that take their content.
statement& bind(statement& to, const model::lobby_attributes& kind) {
  to.bind(kind.namespace_id.bytes).bind(kind.version_id.bytes).bind(kind.region_id);
  return to.bind(kind.game_mode).bind(kind.tier).bind(kind.version_name);
}

std::size_t cost_of(const model::lobby_attributes& kind) {
  return 2 * sizeof kind + kind.region_id.size() + kind.tier.size() + kind.version_name.size() +
         kind.game_mode.size();
}

} // namespace

base::expected<lobby_writer> lobby_writer::prepare(connection& on) {
  lobby_writer made{on};
  struct source {
    std::optional<statement> lobby_writer::*into;
    std::string_view sql;
    std::string_view operation;
  };
  for (const auto& each : {
           source{&lobby_writer::game_of_namespace_,
                  "SELECT game_id FROM namespaces WHERE namespace_id = ?", "look for a namespace"},
           source{&lobby_writer::find_region_, "SELECT 1 FROM regions WHERE region_id = ?",
                  "look for a region"},
           source{&lobby_writer::find_attributes_,
                  "SELECT kind FROM lobby_kinds WHERE namespace_id = ? AND version_id = ? AND "
                  "region_id = ? AND game_mode = ? AND tier = ? AND version_name = ?",
                  "look for a kind of lobby"},
           source{&lobby_writer::add_attributes_,
                  "INSERT INTO lobby_kinds (namespace_id, version_id, region_id, game_mode, tier, "
                  "version_name) VALUES (?, ?, ?, ?, ?, ?) RETURNING kind",
                  "write a kind of lobby"},
           source{&lobby_writer::read_attributes_,
                  "SELECT namespace_id, version_id, region_id, game_mode, tier, version_name FROM "
                  "lobby_kinds WHERE kind = ?",
                  "read a kind of lobby"},
           source{&lobby_writer::find_,
                  "SELECT game_id, start_ts, coalesce(stop_ts, -1), kind FROM lobbies "
                  "WHERE lobby_id = ?",
                  "look for a lobby"},
           source{&lobby_writer::insert_,
                  "INSERT INTO lobbies (game_id, duration_class, start_ts, lobby_id, stop_ts, "
                  "kind) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                  "write a lobby"},
           source{&lobby_writer::remove_,
                  "DELETE FROM lobbies WHERE game_id = ? AND duration_class = ? AND start_ts = ? "
                  "AND lobby_id = ?",
                  "replace a lobby"},
       }) {
    auto prepared = on.prepare(each.sql, each.operation);
    if (!prepared) return tl::unexpected(prepared.error());
    made.*each.into = *std::move(prepared);
  }
  made.commit_ns_per_row_ = first_commit_ns_per_row;
  return made;
}

base::expected<lobby_merge> lobby_writer::merge(std::span<const model::lobby_record> records,
                                                const model::lobby_attributes_table& attributes,
                                                const sqlite_audit& audit) {
  if (records.empty()) return lobby_merge{};
  auto changes = transaction::begin(*on_, transaction::access::write, "write lobbies");
  if (!changes) return tl::unexpected(changes.error());
  const auto begun = base::machine_clock().now();
  begin_batch(attributes);
  auto merged = merge_front(records, begun);
  if (merged && merged->accepted == 0) return merged;
  auto done = merged ? commit(*changes, merged->accepted, audit) : tl::unexpected(merged.error());
  if (done) {
    merged->lasted = base::machine_clock().now() - begun;
    return merged;
  }
  known_attributes_.clear(); // rows added by this transaction may be gone
  return tl::unexpected(done.error());
}

base::expected<lobby_merge> lobby_writer::merge_front(std::span<const model::lobby_record> records,
                                                      base::steady_time begun) {
  using namespace std::chrono;
  const double target_ns = duration<double, std::nano>(merge_transaction_target).count();
  lobby_merge result;
  for (const auto& each : records) {
    if (result.taken > 0 && result.taken % look_interval == 0 &&
        nanoseconds_since(begun) + static_cast<double>(result.accepted) * commit_ns_per_row_ >=
            target_ns)
      break;
    const auto became = merge_one(each);
    if (!became) return tl::unexpected(became.error());
    count(*became, result);
  }
  return result;
}

void lobby_writer::count(outcome became, lobby_merge& in) const {
  in.accepted += became == outcome::accepted ? 1 : 0;
  in.unchanged += became == outcome::unchanged ? 1 : 0;
  if (became == outcome::rejected) in.rejected.push_back({in.taken, finding_});
  ++in.taken;
}

base::expected<void> lobby_writer::commit(transaction& changes, std::size_t rows,
                                          const sqlite_audit& audit) {
  for (const auto& game_id : moved_games_)
    if (auto moved = move_game_revision(*on_, game_subject::lobbies, game_id); !moved) return moved;
  if (auto entered = audit.write(*on_, {"lobbies.merge", {}, {}, {}}); !entered) return entered;
  const auto begun = base::machine_clock().now();
  auto done = audit.commit(changes);
  // Follows a disk that becomes slower at once and one that becomes faster gradually.
  const double now = nanoseconds_since(begun) / static_cast<double>(rows);
  commit_ns_per_row_ = now > commit_ns_per_row_ ? now : 0.7 * commit_ns_per_row_ + 0.3 * now;
  return done;
}

base::expected<lobby_merge> lobby_writer::check(std::span<const model::lobby_record> records,
                                                const model::lobby_attributes_table& attributes) {
  const auto snapshot = transaction::begin(*on_, transaction::access::read, "check lobbies");
  if (!snapshot) return tl::unexpected(snapshot.error());
  begin_batch(attributes);
  lobby_merge result;
  for (const auto& each : records) {
    const auto became = check_one(each);
    if (!became) return tl::unexpected(became.error());
    count(*became, result);
  }
  return result;
}

base::expected<std::vector<attributes_check>>
lobby_writer::check_attributes(const model::lobby_attributes_table& attributes) {
  const auto snapshot = transaction::begin(*on_, transaction::access::read, "check lobbies");
  if (!snapshot) return tl::unexpected(snapshot.error());
  begin_batch(attributes);
  std::vector<attributes_check> findings(attributes.size());
  for (std::uint32_t number = 0; number < attributes.size(); ++number) {
    const auto found = resolve(number);
    if (!found) return tl::unexpected(found.error());
    if (*found)
      findings[number].game_id = (*found)->game_id;
    else
      findings[number].finding = finding_;
  }
  return findings;
}

void lobby_writer::begin_batch(const model::lobby_attributes_table& attributes) {
  attributes_ = &attributes;
  resolved_.assign(attributes.size(), {});
  refused_.clear();
  moved_games_.clear();
}

base::expected<lobby_writer::outcome> lobby_writer::merge_one(const model::lobby_record& each) {
  const auto resolved = resolve(each.attributes);
  if (!resolved) return tl::unexpected(resolved.error());
  if (!*resolved) return outcome::rejected;
  auto& kind = **resolved;
  if (kind.row == 0) {
    // These attributes have no row, so a lobby stored under this id has other attributes.
    const auto known = find(each.lobby_id);
    if (!known) return tl::unexpected(known.error());
    if (*known) return reject((*known)->kind_row, each);
    const auto row = add_row((*attributes_)[each.attributes]);
    if (!row) return tl::unexpected(row.error());
    kind.row = *row;
    known_attributes_.put((*attributes_)[each.attributes], {*row, kind.game_id},
                          cost_of((*attributes_)[each.attributes]));
  }
  const auto inserted = insert(kind.game_id, each.lobby_id, each.times, kind.row);
  if (!inserted) return tl::unexpected(inserted.error());
  if (*inserted) {
    moved_games_.insert(kind.game_id);
    return outcome::accepted;
  }
  const auto known = find(each.lobby_id);
  if (!known) return tl::unexpected(known.error());
  if (!*known) return on_->failure("write a lobby", "it is there and is not");
  if ((*known)->kind_row != kind.row) return reject((*known)->kind_row, each);
  return merge_into(**known, each);
}

base::expected<lobby_writer::outcome> lobby_writer::merge_into(const stored_lobby& known,
                                                               const model::lobby_record& each) {
  const auto merged = model::merge(known.times, each.times);
  if (merged == known.times) return outcome::unchanged;
  if (auto removed = remove(known, each.lobby_id); !removed) return tl::unexpected(removed.error());
  const auto inserted = insert(known.game_id, each.lobby_id, merged, known.kind_row);
  if (!inserted) return tl::unexpected(inserted.error());
  if (!*inserted) return on_->failure("replace a lobby", "it is still there");
  moved_games_.insert(known.game_id);
  return outcome::accepted;
}

base::expected<lobby_writer::outcome> lobby_writer::check_one(const model::lobby_record& each) {
  const auto kind = resolve(each.attributes);
  if (!kind) return tl::unexpected(kind.error());
  if (!*kind) return outcome::rejected;
  const auto known = find(each.lobby_id);
  if (!known) return tl::unexpected(known.error());
  if (!*known) return outcome::accepted;
  if ((*known)->kind_row != (*kind)->row) return reject((*known)->kind_row, each);
  const bool news = model::merge((*known)->times, each.times) != (*known)->times;
  return news ? outcome::accepted : outcome::unchanged;
}

base::expected<lobby_writer::outcome> lobby_writer::reject(std::int64_t known_row,
                                                           const model::lobby_record& each) {
  const auto known = read_attributes(known_row);
  if (!known) return tl::unexpected(known.error());
  finding_ = {model::line_errc::conflict,
              model::to_string(each.lobby_id) + " is known, and its " +
                  model::difference((*attributes_)[each.attributes], *known)};
  return outcome::rejected;
}

base::expected<lobby_writer::resolved_attributes*> lobby_writer::resolve(std::uint32_t number) {
  auto& entry = resolved_[number];
  if (entry.is == resolved_attributes::state::good) return &entry;
  if (entry.is == resolved_attributes::state::refused) {
    finding_ = refused_[number];
    return nullptr;
  }
  const auto& kind = (*attributes_)[number];
  if (const auto* known = known_attributes_.get(kind)) {
    entry = {resolved_attributes::state::good, known->row, known->game_id};
    return &entry;
  }
  const auto game_id = find_game(kind);
  if (!game_id) return tl::unexpected(game_id.error());
  if (!*game_id) {
    entry.is = resolved_attributes::state::refused;
    refused_[number] = finding_;
    return nullptr;
  }
  const auto row = find_row(kind);
  if (!row) return tl::unexpected(row.error());
  entry = {resolved_attributes::state::good, *row, **game_id};
  if (*row != 0) known_attributes_.put(kind, {*row, **game_id}, cost_of(kind));
  return &entry;
}

base::expected<std::optional<model::uuid>>
lobby_writer::find_game(const model::lobby_attributes& kind) {
  const auto row = game_of_namespace_->bind(kind.namespace_id.bytes).step();
  if (!row) return tl::unexpected(row.error());
  std::optional<model::uuid> game_id;
  if (*row) game_id = read_uuid(*game_of_namespace_, 0);
  game_of_namespace_->reset();
  if (!game_id) {
    finding_ = {model::line_errc::namespace_unknown, "namespace_id: no namespace has the id " +
                                                         model::to_string(kind.namespace_id) +
                                                         "; import it first (import catalog)"};
    return std::optional<model::uuid>{};
  }
  const auto region = find_region_->bind(kind.region_id).step();
  find_region_->reset();
  if (!region) return tl::unexpected(region.error());
  if (*region) return game_id;
  finding_ = {model::line_errc::region_unknown, "region_id: no region has the id " +
                                                    kind.region_id +
                                                    "; import it first (import catalog)"};
  return std::optional<model::uuid>{};
}

base::expected<std::int64_t> lobby_writer::find_row(const model::lobby_attributes& kind) {
  const auto row = bind(*find_attributes_, kind).step();
  if (!row) return tl::unexpected(row.error());
  const std::int64_t found = *row ? find_attributes_->integer(0) : 0;
  find_attributes_->reset();
  return found;
}

base::expected<std::int64_t> lobby_writer::add_row(const model::lobby_attributes& kind) {
  const auto row = bind(*add_attributes_, kind).step();
  if (!row) return tl::unexpected(row.error());
  const auto added = add_attributes_->integer(0);
  add_attributes_->reset();
  return added;
}

base::expected<model::lobby_attributes> lobby_writer::read_attributes(std::int64_t row) {
  const auto found = read_attributes_->bind(row).step();
  if (!found) return tl::unexpected(found.error());
  if (!*found) return on_->failure("read a kind of lobby", "a row is missing");
  model::lobby_attributes kind;
  kind.namespace_id = read_uuid(*read_attributes_, 0);
  kind.version_id = read_uuid(*read_attributes_, 1);
  kind.region_id = read_attributes_->text(2);
  kind.game_mode = read_attributes_->text(3);
  kind.tier = read_attributes_->text(4);
  kind.version_name = read_attributes_->text(5);
  read_attributes_->reset();
  return kind;
}

base::expected<std::optional<lobby_writer::stored_lobby>>
lobby_writer::find(const model::uuid& lobby_id) {
  const auto row = find_->bind(lobby_id.bytes).step();
  if (!row) return tl::unexpected(row.error());
  std::optional<stored_lobby> known;
  if (*row) {
    const auto stop_ts = find_->integer(2);
    known = {read_uuid(*find_, 0), {find_->integer(1), std::nullopt}, find_->integer(3)};
    if (stop_ts >= 0) known->times.stop_ts = stop_ts;
  }
  find_->reset();
  return known;
}

base::expected<bool> lobby_writer::insert(const model::uuid& game_id, const model::uuid& lobby_id,
                                          const model::lobby_times& times, std::int64_t kind_row) {
  insert_->bind(game_id.bytes).bind(class_of(times)).bind(times.start_ts).bind(lobby_id.bytes);
  if (times.stop_ts)
    insert_->bind(*times.stop_ts);
  else
    insert_->bind_null();
  if (auto done = insert_->bind(kind_row).run(); !done) return tl::unexpected(done.error());
  return on_->changes() == 1;
}

base::expected<void> lobby_writer::remove(const stored_lobby& known, const model::uuid& lobby_id) {
  remove_->bind(known.game_id.bytes).bind(class_of(known.times)).bind(known.times.start_ts);
  return remove_->bind(lobby_id.bytes).run();
}

} // namespace matchcloud::store
