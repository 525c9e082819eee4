#pragma once

#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "model/lobbies/lobby_line.hpp"
#include "model/records/line_error.hpp"
#include "model/records/line_splitter.hpp"
#include "store/database.hpp"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace matchcloud::http {

/// What ingestion counts. Any thread.
struct ingestion_metrics {
  base::counter accepted;
  base::counter unchanged;
  base::counter rejected;
  base::gauge running;
  /// What the store has acknowledged and not yet tidied away.
  base::gauge backlog_bytes;
  /// Those that wrote, from their begin to the end of their commit.
  base::duration_histogram transactions;
};

/// The bounds of ingestion.
struct ingestion_settings {
  /// At once; beyond: 503.
  std::size_t ingest_limit = 8;
  /// What the store has not yet tidied away; beyond, where it cannot be: 503.
  std::uint64_t backlog_limit_bytes = 1024UL * 1024 * 1024;
};

/// How long an ingest's transaction waits for a change by another connection (an import of a
/// catalog takes longest).
inline constexpr std::chrono::milliseconds ingest_patience{10'000};
/// One request's body.
inline constexpr std::uint64_t ingest_limit_bytes = 4UL * 1024 * 1024 * 1024;
/// Lobbies that are read before they go to the store, of one ingest.
inline constexpr std::size_t ingest_batch_limit = 8'192;
/// What these may take for their kinds, about.
inline constexpr std::size_t ingest_attributes_limit_bytes = 1024UL * 1024;
/// Rejected lines that an answer details; it counts all.
inline constexpr std::size_t detailed_rejections_limit = 100;

/// What became of the lines of an ingest.
struct ingest_summary {
  std::uint64_t accepted = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t rejected_total = 0;
  /// The first ones, in the order of their lines.
  std::vector<model::line_error> rejected;
};

/// `{"accepted":1,"unchanged":0,"rejected":[{"line":2,"code":"..","message":".."}],
/// "rejected_total":1}`.
std::string render(const ingest_summary& summary);

/// The store as all ingests share it: one transaction at a time. Any thread.
class ingest_store {
public:
  /// `metrics` outlives this.
  ingest_store(std::shared_ptr<store::database> into, std::uint64_t backlog_limit_bytes,
               ingestion_metrics& metrics, std::chrono::milliseconds patience = ingest_patience);

  /// One transaction, see `lobby_sink::merge`. Waits for those of other ingests, for up to
  /// `patience`, then fails with `overloaded`. Fails with `store_backlogged` where what is not
  /// tidied away is beyond its limit and cannot be, or with what the store fails with.
  base::expected<store::lobby_merge> merge(std::span<const model::lobby_record> records,
                                           const model::lobby_attributes_table& kinds);

private:
  base::expected<void> check_backlog();
  void note_backlog();

  std::timed_mutex mutex_;
  std::shared_ptr<store::database> into_;
  std::uint64_t backlog_limit_bytes_;
  ingestion_metrics* metrics_;
  std::chrono::milliseconds patience_;
};

/// The lines of one request on their way into the store. Its memory does not depend on how many
/// there are. One thread.
class lobby_ingest {
public:
  lobby_ingest(ingest_store& into, ingestion_metrics& metrics) : into_{&into}, metrics_{&metrics} {}

  /// Takes the next bytes of the body. Whole batches are in the store when it returns. Fails with
  /// what the store fails with; then the ingest is over.
  base::expected<void> give(std::string_view bytes);
  /// The body is at its end: the last line needs no line end.
  base::expected<ingest_summary> finish();

private:
  base::expected<void> add(const model::input_line& line);
  base::expected<void> flush();
  void reject(std::uint64_t line, model::line_finding finding);

  ingest_store* into_;
  ingestion_metrics* metrics_;
  std::vector<char> block_;
  model::line_splitter splitter_;
  model::lobby_line_reader reader_;
  model::lobby lobby_;
  model::lobby_attributes_table attributes_;
  std::vector<model::lobby_record> records_;
  /// Of `records_`.
  std::vector<std::uint64_t> lines_;
  /// Of the lines since the last flush; some come from the store only then.
  std::vector<model::line_error> rejected_;
  ingest_summary summary_;
};

/// `POST /v1/lobbies` of the ops plane: lobbies as JSON Lines, streamed into the store and
/// acknowledged once all is on disk. Repeating a request is harmless. Any thread.
class lobby_ingestion {
public:
  /// `into` is for ingestion alone; `metrics` outlives this.
  lobby_ingestion(std::shared_ptr<store::database> into, const ingestion_settings& settings,
                  ingestion_metrics& metrics);

  /// `to` must not serve longer than this lives.
  void add_routes(httplib::Server& to);

private:
  base::expected<ingest_summary> ingest(const httplib::Request& request,
                                        const httplib::ContentReader& body);
  base::expected<ingest_summary> read(const httplib::ContentReader& body);

  std::size_t ingest_limit_;
  ingestion_metrics* metrics_;
  ingest_store store_;
  std::atomic<std::size_t> running_{0};
};

} // namespace matchcloud::http
