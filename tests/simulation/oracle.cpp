#include "tests/simulation/oracle.hpp"

#include "actors/region_ranking/region_ranking.hpp"
#include "actors/validator/validator.hpp"
#include "http/transport/client_exchange.hpp"
#include "model/avatars/avatar.hpp"
#include "model/regions/ranking.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/regions.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

namespace matchcloud::simulation {

namespace {

using base::fault_point;
using base::owner;
using std::chrono::milliseconds;

/// A request may fail if a child had no actor for longer than this.
constexpr milliseconds vacancy_limit{1'000};
/// A finished export counts as running until its actor has received the result.
constexpr milliseconds hearing_time{200};

std::vector<fault_point> points_of(owner who) {
  std::vector<fault_point> points;
  const auto name = std::string{name_of(who == owner::large_validator ? owner::validator : who)};
  for (const auto* end : {".receive", ".reply"})
    if (const auto point = base::find_fault_point(name + end)) points.push_back(*point);
  const auto also = [&](std::initializer_list<fault_point> more) {
    points.insert(points.end(), more);
  };
  if (who == owner::lobby_export)
    also({fault_point::store_open, fault_point::store_read, fault_point::store_write,
          fault_point::store_commit, fault_point::export_write, fault_point::export_sync,
          fault_point::export_rename});
  if (who == owner::ingestion)
    also({fault_point::store_open, fault_point::store_write, fault_point::store_commit});
  if (who == owner::avatar) also({fault_point::store_open, fault_point::store_read});
  return points;
}

/// The points that a request and its answer pass. The front of the ops plane has none.
std::vector<fault_point> points_of(const simulated_request& request) {
  auto points = points_of(request.owner);
  if (!request.of_ops)
    points.insert(points.end(), {fault_point::front_dispatch, fault_point::front_reply});
  return points;
}

/// What besides may go wrong with those that the simulation asks.
std::vector<trouble> troubles_of(owner who) {
  switch (who) {
  case owner::media: return {trouble::short_work};
  case owner::export_download: return {trouble::short_work, trouble::long_work};
  case owner::ingestion: return {trouble::ingest_work, trouble::store};
  case owner::lobby_export: return {trouble::short_work, trouble::long_work, trouble::store};
  case owner::avatar: return {trouble::short_work, trouble::store};
  default: return {};
  }
}

std::string unexpected(const answer& got) {
  return "got " + std::to_string(got.status) + " " + got.body.substr(0, 400);
}

std::string plain_body(const answer& got) {
  if (got.header("content-encoding") != "gzip") return got.body;
  try {
    return fixtures::inflated(got.body);
  } catch (const std::runtime_error&) {
    return "(not the gzip format)";
  }
}

std::vector<std::string> ids_of(const std::vector<model::ranked_region>& ranked) {
  std::vector<std::string> ids;
  for (const auto& each : ranked)
    ids.push_back(each.where->region_id);
  return ids;
}

std::string listing(const model::catalog& of, const std::optional<model::coordinates>& client,
                    const std::string& domain, const std::string& rtt) {
  const auto* where = domain.empty() ? nullptr : of.find_namespace_of_domain(domain);
  auto ranked = model::rank_regions(model::regions_of(of, where), client);
  const auto measured = model::read_measured_latencies(rtt);
  if (!measured) return {};
  const auto ids = ids_of(ranked);
  const auto order =
      model::order_by_latency(std::vector<std::string_view>(ids.begin(), ids.end()), *measured);
  if (!order.empty()) {
    const auto before = ranked;
    for (std::size_t i = 0; i < order.size(); ++i)
      ranked[i] = before[order[i]];
  }
  return fixtures::render_regions(ranked);
}

/// Takes out of a listing what `fields=latency` adds to each region. Returns how often it is there.
std::size_t take_latencies(std::string& listing) {
  constexpr std::string_view name = R"(,"latency":)";
  std::size_t taken = 0;
  for (auto at = listing.find(name); at != std::string::npos; at = listing.find(name, at)) {
    const auto value = at + name.size();
    const bool is_null = listing.compare(value, 4, "null") == 0;
    listing.erase(at, (is_null ? value + 4 : listing.find('}', value) + 1) - at);
    ++taken;
  }
  return taken;
}

/// The regions of a listing, sorted by their text; all of it where it is no listing.
std::vector<std::string> regions_in(std::string_view listing) {
  if (!listing.starts_with(model::listing_begin) || !listing.ends_with(model::listing_end))
    return {std::string{listing}};
  listing.remove_prefix(model::listing_begin.size());
  listing.remove_suffix(model::listing_end.size());
  std::vector<std::string> all;
  for (std::size_t end = 0; end != listing.npos;) {
    end = listing.find(R"(,{"region_id":)");
    all.emplace_back(listing.substr(0, end));
    if (end != listing.npos) listing.remove_prefix(end + 1);
  }
  std::ranges::sort(all);
  return all;
}

} // namespace

std::string expect(const answer& got, int status, std::string_view body) {
  if (got.status != status) return unexpected(got);
  return got.body == body ? std::string{}
                          : "got other bytes than expected: " + got.body.substr(0, 400);
}

bool is_problem(const answer& got, base::errc code) {
  const auto about = base::describe(code);
  return got.status == about.status &&
         got.body.find("\"code\":\"" + std::string{about.code} + '"') != std::string::npos;
}

// -- refusals -----------------------------------------------------------------

bool oracle::crashed_too_often(const simulated_request& request) const {
  std::uint64_t deaths = 0;
  for (const auto at : points_of(request)) {
    const auto index = static_cast<std::size_t>(at);
    deaths += world_->in_the_way.crashes[index] - request.crashes[index];
  }
  return deaths > http::resend_limit;
}

bool oracle::was_interrupted(const simulated_request& request) const {
  return request.batch != nullptr && world_->ingestion_ends() > request.ingestion_ends;
}

bool oracle::is_excused(const simulated_request& request) const {
  if (request.strict) return false;
  const auto& met = world_->in_the_way;
  const auto points = points_of(request);
  const auto troubles = troubles_of(request.owner);
  return request.poisoned || crashed_too_often(request) || was_interrupted(request) ||
         met.vacant - request.vacant > vacancy_limit ||
         std::any_of(points.begin(), points.end(),
                     [&](auto at) { return met.since(at, request.begun_at); }) ||
         std::any_of(troubles.begin(), troubles.end(),
                     [&](auto which) { return met.since(which, request.begun_at); });
}

std::string oracle::judge(const simulated_request& request, const answer& got) const {
  // An ingest of which no line was good is answered as others are, with what became of its lines.
  const bool has_outcome = request.batch != nullptr && got.status == 422;
  if (got.status >= 400 && !request.head && !has_outcome) {
    if (got.header("content-type") != "application/problem+json") return "an error is no problem";
    if (!request.malformed &&
        got.body.find("\"request_id\":\"" + request.id + '"') == std::string::npos)
      return "a problem does not name its request: " + got.body;
  }
  if (got.status == 503) {
    if (got.header("retry-after").empty()) return "503 without Retry-After";
    // A client that sends one ingest after the other has room for it.
    const bool crowded = world_->tight && !(request.strict && request.of_ops);
    if (crowded || is_excused(request)) return {};
    return "refused without a reason: " + unexpected(got);
  }
  if (got.status == 504) {
    // An ingest may wait for the store, and be given up, before its last byte.
    const auto since = request.batch != nullptr ? request.begun_at : request.whole_at;
    if (world_->clock.now() - since < world_->limits.request_timeout)
      return "given up before its time: " + unexpected(got);
    return is_excused(request) ? std::string{}
                               : "not answered in time, without a reason: " + unexpected(got);
  }
  return request.judge(request, got);
}

// -- answers ------------------------------------------------------------------

std::size_t oracle::oldest_for(const simulated_request& request) const {
  return request.strict ? request.state : 0;
}

std::string oracle::judge_listing(const simulated_request& request, const answer& got,
                                  const asked_listing& asked) const {
  if (got.status != 200) return unexpected(got);
  auto body = plain_body(got);
  const auto client = asked.client;
  const auto latencies = take_latencies(body);
  const auto regions = regions_in(body);
  if (latencies != (asked.detailed ? regions.size() : 0))
    return "latencies of other regions than are listed: " + unexpected(got);
  const bool any_order = world_->config.ranking.rank_by == actors::ranking_order::latency;
  std::vector<std::optional<model::coordinates>> locations;
  if (client > located_clients ||
      world_->in_the_way.since(fault_point::geoip_lookup, request.begun_at))
    locations.emplace_back();
  const auto& databases = world_->geoip_history();
  for (auto i = databases.size();
       client <= located_clients && i-- > (request.strict ? request.geoip : 0);)
    locations.emplace_back(files::location(databases[i], client));
  const model::catalog* last = nullptr;
  for (auto i = world_->disk.last() + 1; i-- > 0;) {
    const auto* catalog = world_->disk.at(i).catalog.get();
    if (std::exchange(last, catalog) == catalog) continue;
    for (const auto& where : locations) {
      const auto right = listing(*catalog, where, asked.domain, asked.rtt);
      if (body == right || (any_order && regions == regions_in(right)))
        return i >= oldest_for(request) || catalog == world_->disk.now().catalog.get()
                   ? std::string{}
                   : "the listing is of the old catalog " + std::to_string(catalog->revision);
    }
  }
  return "the listing is of no catalog, or of old GeoIP files: " + body;
}

std::string oracle::judge_group(const simulated_request& request, const answer& got,
                                const std::string& domain, const std::string& body) const {
  if (got.status != 200) return unexpected(got);
  const actors::rank_group asked{{}, model::read_group_request(body).value(), domain, {}, {}};
  const model::catalog* last = nullptr;
  for (auto i = world_->disk.last() + 1; i-- > oldest_for(request);) {
    const auto& catalog = world_->disk.at(i).catalog;
    if (std::exchange(last, catalog.get()) == catalog.get()) continue;
    if (got.body == actors::region_ranking_state{{}, catalog}.rank(asked)) return {};
  }
  return "the group's regions are those of no catalog: " + got.body;
}

std::string oracle::judge_report(const simulated_request& request, const answer& got,
                                 const std::string& unknown) const {
  if (got.status != 200) return unexpected(got);
  const auto of_report = R"("unknown":[)" + unknown + "]}";
  if (got.body == R"({"taken":true,)" + of_report) return {};
  if (request.strict) return "a report is not taken: " + unexpected(got);
  const bool refused = got.body == R"({"taken":false,"why":"implausible",)" + of_report ||
                       got.body == R"({"taken":false,"why":"too_soon","unknown":[]})";
  return refused ? std::string{} : "no answer to this report: " + unexpected(got);
}

std::string oracle::judge_validation(const simulated_request& request, const answer& got,
                                     model::payload_kind kind, const model::uuid& game,
                                     const std::string& body) const {
  const model::catalog* last = nullptr;
  for (auto i = world_->disk.last() + 1; i-- > oldest_for(request);) {
    const auto& catalog = world_->disk.at(i).catalog;
    if (std::exchange(last, catalog.get()) == catalog.get()) continue;
    const actors::validator_state state{{}, catalog};
    const auto right =
        state.validate({{}, kind, game, std::make_shared<const std::string>(body), nullptr});
    if (right ? got.status == 200 && got.body == **right : is_problem(got, right.error().code))
      return {};
  }
  return "no catalog has these findings: " + unexpected(got);
}

std::string oracle::judge_avatars(const simulated_request& request, const answer& got,
                                  const model::uuid& game) const {
  std::int64_t last = -1;
  for (auto i = world_->disk.last() + 1; i-- > oldest_for(request);) {
    const auto& state = world_->disk.at(i);
    if (state.catalog->find_game(game) == nullptr) {
      if (is_problem(got, base::errc::game_not_found)) return {};
      if (request.strict) break;
    }
    const auto number = revision_in(state.avatar_revisions, game);
    if (std::exchange(last, number) == number) continue;
    model::avatar_list_writer list{model::image_urls_below(std::string{world::public_url})};
    for (const auto& each : state.avatars_of(game))
      list.add(each);
    if (got.status == 200 && got.body == list.take()) return {};
  }
  return "no state has this list: " + unexpected(got);
}

std::string oracle::judge_export(const simulated_request& request, const answer& got,
                                 const model::export_query& query) {
  if (is_problem(got, base::errc::game_not_found)) {
    for (std::size_t i = oldest_for(request); i <= world_->disk.last(); ++i)
      if (world_->disk.at(i).catalog->find_game(query.game_id) == nullptr) return {};
    return "404 for a game that there always was";
  }
  constexpr std::string_view begin = "{\"url\":\"";
  const std::string before = std::string{begin} + std::string{world::public_url};
  if (got.status != 200 || !got.body.starts_with(before) || !got.body.ends_with("\"}"))
    return unexpected(got);
  linked_export made;
  made.target = got.body.substr(before.size(), got.body.size() - before.size() - 2);
  const auto at = made.target.find("expires=");
  if (at == std::string::npos) return "a URL without its end: " + got.body;
  std::int64_t expires_s = 0;
  std::from_chars(made.target.data() + at + 8, made.target.data() + made.target.size(), expires_s);
  made.expires_ts = expires_s * 1'000;
  made.query = query;
  made.from_state = request.state;
  made.to_state = world_->disk.last();
  made.from_ts = request.begun_ts;
  made.to_ts = world_->clock.unix_ms();
  // The lifetime starts at the request or later.
  if (made.expires_ts < made.from_ts + world_->config.exports.url_lifetime.count())
    return "a URL that ends too early: " + got.body;
  links.push_back(std::move(made));
  return {};
}

bool oracle::is_exact(const linked_export& of, std::string_view csv) const {
  // The file was read after the request came, or the request joined a job before the actor learned
  // that it had ended.
  const auto least =
      of.from_ts -
      (world_->lobby_export_died() ? world_->limits.export_timeout.count() : hearing_time.count());
  std::vector<std::int64_t> instants{of.from_ts};
  for (const auto& each : world_->disk.snapshots)
    if (each.taken_ts >= least && each.taken_ts <= of.to_ts) instants.push_back(each.taken_ts);
  for (auto i = of.to_state + 1; i-- > of.from_state;)
    for (const auto instant : instants)
      if (csv == csv_of(world_->disk.at(i), of.query, instant)) return true;
  return false;
}

std::string oracle::judge_download(const simulated_request& request, const answer& got,
                                   linked_export& of) const {
  const auto now_ts = world_->clock.unix_ms();
  // The link expired between the checks of the signature and of the file.
  if (is_problem(got, base::errc::url_expired) || is_problem(got, base::errc::export_not_found))
    return now_ts >= of.expires_ts ? std::string{} : "gone before its time: " + unexpected(got);
  if (got.status != 200) return "a promised export is not given: " + unexpected(got);
  if (request.begun_ts >= of.expires_ts + 1'000) return "given after its time";
  const auto csv = plain_body(got);
  if (!of.bytes.empty())
    return csv == of.bytes ? std::string{} : "another export than before: " + csv.substr(0, 400);
  if (!is_exact(of, csv)) return "an export of no state: " + csv;
  of.bytes = csv;
  return {};
}

std::string oracle::judge_ingest(const simulated_request& request, const answer& got,
                                 lobby_batch& of) const {
  const bool has_good_lines = of.rejected_count() < of.line_count();
  if (got.status != (has_good_lines ? 200 : 422)) return unexpected(got);
  const auto count_of = [&got](std::string_view name) {
    const auto key = '"' + std::string{name} + "\":";
    const auto at = got.body.find(key);
    std::uint64_t count = UINT64_MAX;
    if (at != std::string::npos)
      std::from_chars(got.body.data() + at + key.size(), got.body.data() + got.body.size(), count);
    return count;
  };
  if (auto missing = of.find_missing(world_->disk.ingested()); !missing.empty())
    return "lines are said to be taken, but " + missing + ": " + unexpected(got);
  of.take();
  const auto rejected = count_of("rejected_total");
  const auto accepted = count_of("accepted");
  if (rejected != of.rejected_count() ||
      accepted + count_of("unchanged") + rejected != of.line_count())
    return "the counts are not those of the lines: " + unexpected(got);
  if (of.tries() == 1 && accepted != of.news_count())
    return "other lines were new than the answer says: " + unexpected(got);
  return request.whole ? std::string{} : "lines are taken before all were sent";
}

bool oracle::may_cut_short(const simulated_request& request, const answer& got) const {
  return request.batch != nullptr && (got.status == 503 || got.status == 504) &&
         judge(request, got).empty();
}

} // namespace matchcloud::simulation
