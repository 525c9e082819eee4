#include "store/latency_store.hpp"
#include "store/sql/binary_form.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"
#include "store/sql/transactions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

using take_known = std::function<void(std::size_t number, sql_row& row)>;

std::int64_t column_of(model::latency_cell cell) noexcept {
  return std::bit_cast<std::int64_t>(cell.key);
}

/// Each voice has the bytes of its time, its hash and its latency, little-endian.
constexpr std::array voice_bytes{4, 4, 2};
constexpr std::size_t bytes_per_voice = 10;

std::vector<std::uint8_t> bytes_of(const model::voices& all) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(all.size() * bytes_per_voice);
  for (const auto& each : all) {
    const std::array numbers{each.minute, each.speaker, std::uint32_t{each.steps}};
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (int byte = 0; byte < voice_bytes[i]; ++byte)
        bytes.push_back(static_cast<std::uint8_t>(numbers[i] >> 8 * byte));
  }
  return bytes;
}

/// Empty if the bytes are damaged.
model::voices voices_in(std::span<const std::uint8_t> bytes) {
  model::voices all;
  if (bytes.size() % bytes_per_voice != 0) return all;
  for (; !bytes.empty(); bytes = bytes.subspan(bytes_per_voice)) {
    std::array<std::uint32_t, voice_bytes.size()> numbers{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (int byte = 0; byte < voice_bytes[i]; ++byte)
        numbers[i] |= std::uint32_t{bytes[at++]} << 8 * byte;
    const model::voice read{0, static_cast<std::uint16_t>(numbers[2]), numbers[1], numbers[0]};
    merge(all, std::array{read});
  }
  return all;
}

/// The first five columns of a row.
model::learned_entry learned_entry_at(sql_row& row) {
  model::learned_entry entry;
  entry.cell.key = std::bit_cast<std::uint64_t>(row.integer(0));
  entry.region_id = row.text(1);
  entry.region_at = {row.real(2), row.real(3)};
  entry.voices = voices_in(row.blob(4));
  return entry;
}

/// Calls `take` with the index in `learned` and the row of each entry that the store has.
void find_known(sql_connection& on, std::span<const model::learned_entry> learned,
                const take_known& take) {
  static constexpr sql_command find{
      "SELECT cell, region_id, latitude, longitude, voices FROM latency_voices "
      "WHERE cell = $1 AND region_id = $2",
      "look for learned latencies"};
  static constexpr sql_command find_all{
      "SELECT cell, region_id, latitude, longitude, voices, position - 1 FROM "
      "unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS sent (cell, region_id, position) "
      "JOIN latency_voices USING (cell, region_id)",
      "look for learned latencies"};
  if (on.dialect() == sql_dialect::postgres) {
    sql_array cells{sql_type::integer};
    sql_array regions{sql_type::text};
    for (const auto& each : learned) {
      cells.add(column_of(each.cell));
      regions.add(each.region_id);
    }
    on.each(find_all, {cells, regions},
            [&](sql_row& row) { take(static_cast<std::size_t>(row.integer(5)), row); });
    return;
  }
  for (std::size_t number = 0; number < learned.size(); ++number)
    on.each(find, {column_of(learned[number].cell), learned[number].region_id},
            [&](sql_row& row) { take(number, row); });
}

void write_entries(sql_connection& on, std::span<const model::learned_entry> entries,
                   std::int64_t revision) {
  static constexpr sql_command upsert{
      "INSERT INTO latency_voices (revision, cell, region_id, latitude, longitude, minute, voices) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (cell, region_id) DO "
      "UPDATE SET revision = excluded.revision, latitude = excluded.latitude, "
      "longitude = excluded.longitude, minute = excluded.minute, voices = excluded.voices",
      "write learned latencies"};
  static constexpr sql_command upsert_all{
      "INSERT INTO latency_voices (revision, cell, region_id, latitude, longitude, minute, voices) "
      "SELECT $1::bigint, sent.* FROM unnest($2::bigint[], $3::text[], $4::float8[], "
      "$5::float8[], $6::bigint[], $7::bytea[]) AS sent ON CONFLICT (cell, region_id) DO UPDATE "
      "SET revision = excluded.revision, latitude = excluded.latitude, "
      "longitude = excluded.longitude, minute = excluded.minute, voices = excluded.voices",
      "write learned latencies"};
  sql_array cells{sql_type::integer};
  sql_array regions{sql_type::text};
  sql_array latitudes{sql_type::real};
  sql_array longitudes{sql_type::real};
  sql_array minutes{sql_type::integer};
  sql_array voices{sql_type::blob};
  const bool together = on.dialect() == sql_dialect::postgres;
  for (const auto& each : entries) {
    const auto bytes = bytes_of(each.voices);
    if (!together) {
      on.run(upsert, {revision, column_of(each.cell), each.region_id, each.region_at.latitude,
                      each.region_at.longitude, each.minute(), sql_value::blob{bytes}});
      continue;
    }
    cells.add(column_of(each.cell));
    regions.add(each.region_id);
    latitudes.add(each.region_at.latitude);
    longitudes.add(each.region_at.longitude);
    minutes.add(each.minute());
    voices.add(sql_value::blob{bytes});
  }
  if (together)
    on.run(upsert_all, {revision, cells, regions, latitudes, longitudes, minutes, voices});
}

std::int64_t next_revision(sql_connection& on) {
  static constexpr sql_command query{"SELECT revision FROM revisions WHERE name = 'latencies'",
                                     "read the latencies' revision"};
  move_revision(on, sql_subject::latencies);
  return on.number(query);
}

/// Of the entries last reported before a minute, removes those reported least recently, at most
/// `limit`. Returns how many were removed.
std::size_t delete_oldest(sql_connection& on, std::int64_t before_minute, std::size_t limit) {
  static constexpr sql_command remove{
      "DELETE FROM latency_voices WHERE (cell, region_id) IN (SELECT cell, region_id FROM "
      "latency_voices WHERE minute < $1 ORDER BY minute LIMIT $2)",
      "remove old latencies"};
  if (limit == 0) return 0;
  return on.count_changes(remove, {before_minute, limit});
}

} // namespace

base::expected<void> sql_session::add_latencies(std::span<const model::learned_entry> learned) {
  if (auto checked = check_learned(learned); !checked || learned.empty()) return checked;
  return change(sql_subject::latencies, "add learned latencies", [&] {
    std::vector<model::learned_entry> merged{learned.begin(), learned.end()};
    find_known(*on_, learned, [&](std::size_t number, sql_row& row) {
      auto known = learned_entry_at(row);
      model::merge(known, learned[number]);
      merged[number] = std::move(known);
    });
    write_entries(*on_, merged, next_revision(*on_));
  });
}

base::expected<latency_page> sql_session::read_latencies(const latency_position& after,
                                                         std::size_t limit) {
  static constexpr sql_command query{
      "SELECT cell, region_id, latitude, longitude, voices, revision FROM latency_voices "
      "WHERE (revision, cell, region_id) > ($1, $2, $3) ORDER BY revision, cell, region_id "
      "LIMIT $4",
      "read learned latencies"};
  return look(query.operation, [&] {
    latency_page page{{}, after};
    const auto most = std::min(limit, latency_batch_limit);
    on_->each(query, {after.revision, column_of(after.cell), after.region_id, most},
              [&](sql_row& row) {
                page.entries.push_back(learned_entry_at(row));
                page.last.revision = row.integer(5);
              });
    if (page.entries.empty()) return page;
    page.last.cell = page.entries.back().cell;
    page.last.region_id = page.entries.back().region_id;
    return page;
  });
}

base::expected<base::siphash_key> sql_session::latency_key() {
  static constexpr sql_command query{"SELECT value FROM hash_keys WHERE name = 'latencies'",
                                     "read the latencies' key"};
  return look(query.operation, [&] {
    return base::siphash_key{std::bit_cast<std::uint64_t>(on_->number(query)), 0};
  });
}

base::expected<std::size_t> sql_session::expire_latencies(std::uint32_t before_minute,
                                                          std::size_t most) {
  static constexpr sql_command count{"SELECT count(*) FROM latency_voices",
                                     "count learned latencies"};
  // Under the writers' lock, so that an entry being merged now is not removed because of its
  // previous minute.
  return change(sql_subject::latencies, "remove old latencies", [&] {
    const auto old = delete_oldest(*on_, before_minute, latency_expiry_limit);
    const auto left = static_cast<std::size_t>(on_->number(count));
    const auto over = left - std::min(left, most);
    return old + delete_oldest(*on_, std::numeric_limits<std::int64_t>::max(),
                               std::min(over, latency_expiry_limit - old));
  });
}

base::expected<void> check_learned(std::span<const model::learned_entry> learned) {
  if (learned.size() > latency_batch_limit)
    return base::fail(base::errc::internal, "A batch has " + std::to_string(learned.size()) +
                                                " learned latencies. The limit is " +
                                                std::to_string(latency_batch_limit) + ".");
  std::set<std::pair<std::uint64_t, std::string_view>> seen;
  for (const auto& each : learned)
    if (!seen.emplace(each.cell.key, each.region_id).second)
      return base::fail(base::errc::internal,
                        "A batch of learned latencies has the same cell twice for the region " +
                            each.region_id + ".");
  return {};
}

} // namespace matchcloud::store
