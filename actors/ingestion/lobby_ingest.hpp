#pragma once

#include "actors/ingestion/ingest_tally.hpp"
#include "actors/ingestion/merge_gathering.hpp"
#include "base/expected.hpp"
#include "base/latency_counts.hpp"
#include "base/metrics.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/records/line_splitter.hpp"
#include "model/records/record_line.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::actors {

/// The counters of ingestion. Any thread.
struct ingestion_metrics : base::metric_set {
  static constexpr base::metric_text lines{"matchcloud_ingested_lines_total",
                                           "Lines of POST /v1/lobbies by outcome."};
  base::counter accepted{*this, lines, {"outcome", "accepted"}};
  base::counter unchanged{*this, lines, {"outcome", "unchanged"}};
  base::counter rejected{*this, lines, {"outcome", "rejected"}};
  base::gauge running{*this, {"matchcloud_ingests_running", "POST /v1/lobbies in progress."}};
  base::counter over_share{*this,
                           {"matchcloud_ingests_over_share_total",
                            "POST /v1/lobbies refused because their sender had used up its share "
                            "of the places (ingest-share-percent)."}};
  base::counter too_slow{*this,
                         {"matchcloud_ingests_too_slow_total",
                          "POST /v1/lobbies ended because they sent less than "
                          "ingest-least-rate while places were short."}};
  base::gauge backlog_bytes{
      *this,
      {"matchcloud_store_backlog_bytes",
       "Bytes that the store still had to tidy up after the last transaction of an ingest."}};
  base::latency_counts transactions{*this,
                                    {"matchcloud_ingest_transaction_seconds",
                                     "Duration of ingests' transactions, including the commit."}};
};

/// How long an ingest's transaction waits for a change by another connection (an import of a
/// catalog takes longest).
inline constexpr std::chrono::milliseconds ingest_patience{10'000};
/// Lobbies that one ingest reads before it passes them to the store in the order of their ids. If
/// ids are random, the more lobbies there are, the fewer pages of the index by id each transaction
/// writes.
inline constexpr std::size_t ingest_batch_limit = 32'768;
/// Approximate memory for the lobby attributes of such a batch.
inline constexpr std::size_t ingest_attributes_limit_bytes = 1024UL * 1024;
/// The most rejected lines that a response describes; all of them are counted.
inline constexpr std::size_t detailed_rejections_limit = 100;

/// The outcome of an ingest's lines.
struct ingest_summary {
  std::uint64_t accepted = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t rejected_total = 0;
  /// The first rejected lines, in line order.
  std::vector<model::line_error> rejected;
};

constexpr auto describe(const ingest_summary*) {
  using of = ingest_summary;
  using namespace model::types;
  return record{
      "IngestSummary",
      field{"accepted", count, "Lines with new content, which were stored.", &of::accepted},
      field{"unchanged", count, "Lines that were already known.", &of::unchanged},
      field{"rejected", list_of(a("RejectedLine")), "The first lines that were refused.",
            &of::rejected},
      field{"rejected_total", count, "How many lines were refused, listed or not.",
            &of::rejected_total}};
}

/// The HTTP status of the response: 422 if there were lines and all were rejected, otherwise 200.
/// So a client that checks only the status notices that its lines are wrong. Lines that the store
/// already had are not rejected.
int status_of(const ingest_summary& summary) noexcept;

/// The store as shared by all ingests. Any thread.
class ingest_store {
public:
  /// `metrics` and `clock` outlive this.
  ingest_store(std::shared_ptr<store::database> into, std::uint64_t backlog_limit_bytes,
               ingestion_metrics& metrics, const base::clock& clock = base::machine_clock());

  /// Runs one transaction, possibly together with other ingests, see `lobby_sink::merge`, and adds
  /// its changes to the author's sum. `begins`: the request has changed nothing so far. Fails with
  /// `store_backlogged` if the bytes left to tidy up exceed their limit and tidying does not help,
  /// or with the store's error.
  base::expected<store::lobby_merge> merge(std::span<const model::lobby_record> records,
                                           const model::lobby_attributes_table& kinds,
                                           const model::audit_run_ptr& run, bool begins);

  const std::shared_ptr<ingest_tally>& tally() const noexcept { return tally_; }

private:
  base::expected<void> merge_together(std::span<store::merge_part> parts);
  /// Throws a `base::failure`.
  void check_backlog();
  void note_backlog();

  std::shared_ptr<store::database> into_;
  std::uint64_t backlog_limit_bytes_;
  ingestion_metrics* metrics_;
  /// Shared with the code that writes the sums.
  std::shared_ptr<ingest_tally> tally_;
  merge_gathering gathering_;
};

/// Feeds the lines of one request into the store. Memory use does not depend on their number. Used
/// by one thread at a time.
class lobby_ingest {
public:
  /// `by` is the sender of the lines, whom the audit log names once an hour, with sums. Members in
  /// `ignored` are skipped.
  lobby_ingest(ingest_store& into, ingestion_metrics& metrics, model::audit_author by = {},
               std::vector<std::string> ignored = {})
      : into_{&into},
        metrics_{&metrics},
        run_{model::run_of(std::move(by), {model::audit_action::lobbies_ingest, {}, {}, {}})},
        reader_{std::move(ignored)} {}

  /// Processes the next bytes of the body. Full batches are in the store when it returns. Fails
  /// with the store's error; then the ingest is over.
  base::expected<void> feed(std::string_view bytes);
  /// Ends the body, whose last line needs no line end.
  base::expected<ingest_summary> finish();

private:
  // These throw a `base::failure`.
  void add(const model::input_line& line);
  void flush();
  /// Sorts the batch by id. Reports of one lobby keep their order.
  void sort_batch();
  void reject(std::uint64_t line, model::line_finding finding);

  ingest_store* into_;
  ingestion_metrics* metrics_;
  model::audit_run_ptr run_;
  std::vector<char> block_;
  model::line_splitter splitter_;
  model::lobby_line_reader reader_;
  model::lobby lobby_;
  model::lobby_attributes_table attributes_;
  std::vector<model::lobby_record> records_;
  /// The line numbers of `records_`.
  std::vector<std::uint64_t> lines_;
  /// Rejected lines since the last flush; the store reports some of them only at the flush.
  std::vector<model::line_error> rejected_;
  ingest_summary summary_;
};

} // namespace matchcloud::actors
