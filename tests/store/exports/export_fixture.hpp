#pragma once

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/exports/file_exports.hpp"
#include "tests/store/store_fixture.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace matchcloud::store {

inline constexpr std::uint64_t no_limit = UINT64_MAX;

inline model::uuid export_id_of(std::uint8_t number) {
  model::uuid id;
  id.bytes[0] = 0xE0;
  id.bytes[15] = number;
  return id;
}

inline export_facts facts_of(std::uint8_t number, std::int64_t keep_until_ts = 1'000) {
  const auto game = static_cast<std::uint8_t>(100 + number);
  return {export_id_of(number), {export_id_of(game), {7, UINT64_MAX}}, keep_until_ts};
}

/// Opens the exports of a data directory as another process would, with its store.
inline base::expected<std::unique_ptr<export_objects>>
open_exports(const std::string& data_dir, std::uint64_t limit_bytes = no_limit,
             std::size_t share_percent = 100) {
  static const moved_clock clock;
  return open_sqlite(data_dir).and_then([&](auto records) {
    return fixtures::open_exports(data_dir, std::move(records), clock, limit_bytes, share_percent);
  });
}

inline std::unique_ptr<export_objects> open_ok(const std::string& data_dir,
                                               std::uint64_t limit_bytes = no_limit,
                                               std::size_t share_percent = 100) {
  auto opened = open_exports(data_dir, limit_bytes, share_percent);
  INFO((opened ? std::string{} : opened.error().detail));
  REQUIRE(opened.has_value());
  return *std::move(opened);
}

/// Begins an export that no other process has.
inline base::expected<std::unique_ptr<export_draft>> begin(export_store& in,
                                                           const export_facts& facts) {
  auto begun = in.begin({facts.query, facts.export_id});
  if (!begun) return tl::unexpected(begun.error());
  if (auto* draft = std::get_if<std::unique_ptr<export_draft>>(&*begun)) return std::move(*draft);
  return base::fail(base::errc::store_failed, "another process has it");
}
inline base::expected<std::unique_ptr<export_draft>> begin(export_store& in, std::uint8_t number) {
  return begin(in, facts_of(number));
}

/// Publishes an export without throwing, for use in child processes.
inline base::expected<void> publish(export_store& in, const export_facts& facts,
                                    std::string_view bytes) {
  auto draft = begin(in, facts);
  if (!draft) return tl::unexpected(draft.error());
  if (auto written = (*draft)->append(bytes); !written) return written;
  return (*draft)->publish(facts.keep_until_ts);
}

inline void publish_ok(export_store& files, const export_facts& facts, std::string_view bytes) {
  const auto done = publish(files, facts, bytes);
  INFO((done ? std::string{} : done.error().detail));
  REQUIRE(done.has_value());
}

inline std::string content_of(const base::open_file& file) {
  std::string bytes(file.size_bytes(), '\0');
  const auto got = file.read(bytes, 0);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

/// The number of entries of a folder; 0 if there is none.
inline std::size_t entries_of(const std::string& folder) {
  std::error_code none;
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder, none},
                                                std::filesystem::directory_iterator{}));
}

/// The path of an export's CSV.
inline std::string csv_path(const std::string& data_dir, std::uint8_t number) {
  export_record record;
  record.facts.export_id = export_id_of(number);
  return data_dir + "/" + object_of(record).text();
}

/// Runs `work` for the numbers 1 to 4 at once. Returns whether it returned true for all.
inline bool four_at_once(const std::function<bool(std::uint8_t number)>& work) {
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (std::uint8_t own = 1; own <= 4; ++own)
    threads.emplace_back([&, own] { done += work(own) ? 1 : 0; });
  for (auto& each : threads)
    each.join();
  return done == 4;
}

/// The number of unfinished files in the temporary folders of all processes.
inline std::size_t unfinished_of(const std::string& data_dir) {
  std::size_t count = 0;
  std::error_code none;
  for (const auto& each : std::filesystem::directory_iterator{data_dir + "/tmp", none})
    count += entries_of(each.path());
  return count;
}

/// CSV lines like those of an export, each different.
inline std::string csv_lines(std::size_t bytes) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < bytes; ++i)
    text += std::to_string(i * 2'654'435'761) + ",prod,fra,Frankfurt,basic-1d1,ranked\r\n";
  text.resize(bytes);
  return text;
}

/// The bytes of an export; if it cannot be read, why.
inline std::string csv_of(export_objects& in, std::uint8_t number) {
  const auto read = in.open(export_id_of(number)).and_then([&](const auto& opened) {
    return in.for_reader(opened);
  });
  return read ? content_of(*(*read)->csv) : base::to_string(read.error());
}

inline bool is_missing(export_objects& in, std::uint8_t number) {
  const auto opened = in.open(export_id_of(number));
  return !opened && opened.error().code == base::errc::export_not_found &&
         !in.has(export_id_of(number));
}

} // namespace matchcloud::store
