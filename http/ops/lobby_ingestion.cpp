#include "http/ops/lobby_ingestion.hpp"

#include "base/permit.hpp"
#include "http/ops/ops_problem.hpp"
#include "http/wire/media_type.hpp"
#include "http/wire/response.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

using base::errc;
using httplib::ContentReader;
using httplib::Request;
using httplib::Response;

constexpr std::string_view lines_type = "application/x-ndjson";

} // namespace

std::string render(const ingest_summary& summary) {
  model::json_writer json;
  json.object().name("accepted").number(summary.accepted);
  json.name("unchanged").number(summary.unchanged).name("rejected").array();
  for (const auto& each : summary.rejected) {
    json.object().name("line").number(each.line).name("code").text(model::name_of(each.code));
    json.name("message").text(each.message).end_object();
  }
  json.end_array().name("rejected_total").number(summary.rejected_total).end_object();
  return json.take();
}

ingest_store::ingest_store(std::shared_ptr<store::database> into, std::uint64_t backlog_limit_bytes,
                           ingestion_metrics& metrics, std::chrono::milliseconds patience)
    : into_{std::move(into)},
      backlog_limit_bytes_{backlog_limit_bytes},
      metrics_{&metrics},
      patience_{patience} {}

base::expected<store::lobby_merge> ingest_store::merge(std::span<const model::lobby_record> records,
                                                       const model::lobby_attributes_table& kinds) {
  const std::unique_lock lock{mutex_, patience_};
  if (!lock)
    return base::fail(errc::overloaded,
                      "Other ingests wait for the store and have for long. Lines that were "
                      "committed stay: send all of them again later.");
  if (auto room = check_backlog(); !room) return tl::unexpected(room.error());
  auto merged =
      into_->sink().and_then([&](const auto& into) { return into->merge(records, kinds); });
  if (merged && merged->accepted > 0)
    metrics_->transactions.observe(static_cast<std::uint64_t>(merged->lasted.count()));
  note_backlog();
  return merged;
}

base::expected<void> ingest_store::check_backlog() {
  const auto upkeep = into_->upkeep();
  if (!upkeep) return tl::unexpected(upkeep.error());
  if ((*upkeep)->backlog_bytes() <= backlog_limit_bytes_) return {};
  const auto tidied = (*upkeep)->tidy();
  if (!tidied) return tl::unexpected(tidied.error());
  const auto left = (*upkeep)->backlog_bytes();
  metrics_->backlog_bytes.set(static_cast<std::int64_t>(left));
  if (left <= backlog_limit_bytes_) return {};
  return base::fail(
      errc::store_backlogged,
      "The store has " + std::to_string(left) +
          " bytes to tidy away, more than store-backlog-limit-bytes, and others still read "
          "from them. Lines that were committed stay: send all of them again later.");
}

void ingest_store::note_backlog() {
  if (const auto upkeep = into_->upkeep())
    metrics_->backlog_bytes.set(static_cast<std::int64_t>((*upkeep)->backlog_bytes()));
}

base::expected<void> lobby_ingest::give(std::string_view bytes) {
  block_.assign(bytes.begin(), bytes.end());
  splitter_.give(block_);
  while (const auto line = splitter_.next())
    if (auto taken = add(*line); !taken) return taken;
  return {};
}

base::expected<ingest_summary> lobby_ingest::finish() {
  if (const auto line = splitter_.last())
    if (auto taken = add(*line); !taken) return tl::unexpected(taken.error());
  if (auto flushed = flush(); !flushed) return tl::unexpected(flushed.error());
  return std::move(summary_);
}

base::expected<void> lobby_ingest::add(const model::input_line& line) {
  if (auto finding = reader_.read(line, lobby_)) {
    reject(line.number, *std::move(finding));
  } else {
    records_.push_back({lobby_.lobby_id, lobby_.times, attributes_.number_of(lobby_.attributes)});
    lines_.push_back(line.number);
  }
  const bool full = records_.size() == ingest_batch_limit ||
                    attributes_.used_bytes() >= ingest_attributes_limit_bytes ||
                    rejected_.size() == detailed_rejections_limit;
  return full ? flush() : base::expected<void>{};
}

base::expected<void> lobby_ingest::flush() {
  for (std::size_t first = 0; first < records_.size();) {
    const auto merged = into_->merge(std::span{records_}.subspan(first), attributes_);
    if (!merged) return tl::unexpected(merged.error());
    summary_.accepted += merged->accepted;
    summary_.unchanged += merged->unchanged;
    metrics_->accepted.add(merged->accepted);
    metrics_->unchanged.add(merged->unchanged);
    for (const auto& each : merged->rejected)
      reject(lines_[first + each.index], each.finding);
    first += merged->taken;
  }
  records_.clear();
  lines_.clear();
  attributes_.clear();
  std::sort(rejected_.begin(), rejected_.end(),
            [](const auto& a, const auto& b) { return a.line < b.line; });
  for (auto& each : rejected_)
    if (summary_.rejected.size() < detailed_rejections_limit)
      summary_.rejected.push_back(std::move(each));
  rejected_.clear();
  return {};
}

void lobby_ingest::reject(std::uint64_t line, model::line_finding finding) {
  ++summary_.rejected_total;
  metrics_->rejected.add();
  if (summary_.rejected.size() < detailed_rejections_limit)
    rejected_.push_back({line, finding.code, std::move(finding.message)});
}

lobby_ingestion::lobby_ingestion(std::shared_ptr<store::database> into,
                                 const ingestion_settings& settings, ingestion_metrics& metrics)
    : ingest_limit_{settings.ingest_limit},
      metrics_{&metrics},
      store_{std::move(into), settings.backlog_limit_bytes, metrics} {}

void lobby_ingestion::add_routes(httplib::Server& to) {
  const std::string path = "/v1/lobbies";
  const auto refuse = [](Response& into) {
    into.set_header("Allow", "POST");
    set_problem(into, {errc::method_not_allowed, "Allowed is POST."});
  };
  to.Post(path, [this](const Request& request, Response& into, const ContentReader& body) {
    const auto done = ingest(request, body);
    if (done) return into.set_content(render(*done), std::string{json_type});
    set_problem(into, done.error());
  });
  const auto other = [refuse](const Request&, Response& into, const ContentReader&) {
    refuse(into);
  };
  to.Get(path, [refuse](const Request&, Response& into) { refuse(into); });
  to.Put(path, other).Patch(path, other).Delete(path, other);
}

base::expected<ingest_summary> lobby_ingestion::ingest(const Request& request,
                                                       const ContentReader& body) {
  const auto type = request.get_header_value("Content-Type");
  if (!type.empty() && !is_media_type(type, lines_type))
    return base::fail(errc::media_type_unsupported,
                      "The body must be JSON Lines. Send Content-Type: application/x-ndjson, or "
                      "none.");
  base::permit permit;
  if (!permit.acquire(running_, ingest_limit_))
    return base::fail(errc::overloaded, std::to_string(ingest_limit_) +
                                            " ingests run already, which is the limit; try again.");
  metrics_->running.add(1);
  auto done = read(body);
  metrics_->running.add(-1);
  return done;
}

base::expected<ingest_summary> lobby_ingestion::read(const ContentReader& body) {
  lobby_ingest lines{store_, *metrics_};
  base::expected<void> given;
  std::uint64_t received = 0;
  const bool whole = body([&](const char* bytes, std::size_t count) {
    received += count;
    if (received > ingest_limit_bytes)
      given = base::fail(errc::body_too_large, "A body has at most " +
                                                   std::to_string(ingest_limit_bytes) +
                                                   " bytes; send the rest in another request.");
    else
      given = lines.give({bytes, count});
    return given.has_value();
  });
  if (!given) return tl::unexpected(given.error());
  if (!whole)
    return base::fail(errc::body_timeout,
                      "The body did not arrive whole: it ended early, stalled, or its chunks are "
                      "malformed. Lines that were committed stay: send all of them again.");
  return lines.finish();
}

} // namespace matchcloud::http
