#include "http/front/data_front.hpp"

#include "http/front/page_guard.hpp"
#include "http/front/regions_response.hpp"
#include "http/wire/content_coding.hpp"
#include "http/wire/query.hpp"

#include <utility>

namespace matchcloud::http {

namespace {

using actors::owner;

/// `Timing-Allow-Origin` lets a page that measures latencies read how long each part of a ping took
/// (Resource Timing).
constexpr std::string_view ping_headers = "Access-Control-Allow-Origin: *\r\n"
                                          "Timing-Allow-Origin: *\r\n"
                                          "Cache-Control: no-store\r\n";

constexpr std::string_view document_headers = "Cache-Control: no-cache\r\n"
                                              "Access-Control-Allow-Origin: *\r\n";

} // namespace

caf::behavior data_front::make_behavior() {
  be_front();
  const auto made = [this](const open_exchange& exchange, actors::regions_ranked reply) {
    return regions_answer(*exchange.request, std::move(reply));
  };
  return {
      taking_requests(),
      dispatching(),
      answering<actors::regions_ranked>(made),
      [this, made](actors::many_ranked& replies) -> actors::no_response {
        for (auto& each : replies.all)
          answer_with(std::move(each), made);
        return {};
      },
      answering_json(),
      deferring_validation(),
      answering_images(),
      answering_downloads(),
      answering_failures(),
      knowing_tokens(),
      knowing_domains(),
      knowing_owners(),
  };
}

void data_front::perform(const dispatch& dispatched, const route& where) {
  switch (where.row->id) {
  case operation::list_regions: return list_regions(dispatched, where);
  case operation::ping: return ping(dispatched);
  case operation::validate_version: return validate_version(dispatched, where);
  case operation::validate_game:
    return validate(dispatched, *where.row, model::payload_kind::game, std::nullopt);
  case operation::validate_group:
    return validate(dispatched, *where.row, model::payload_kind::group, std::nullopt);
  case operation::list_avatars: return list_avatars(dispatched, where);
  case operation::download_media: return open_image(dispatched, where);
  case operation::export_lobby_history: return export_lobbies(dispatched, where);
  case operation::download_export: return open_export(dispatched, where);
  case operation::get_openapi:
    return answer_static(dispatched, where.row->id, settings().documents.of_data_plane,
                         document_headers);
  case operation::get_health:
  case operation::get_readiness:
  case operation::get_metrics:
  case operation::list_actors:
  case operation::watch_status:
  case operation::ingest_lobbies:
  case operation::list_tokens:
  case operation::create_token:
  case operation::get_token:
  case operation::revoke_token:
  case operation::rotate_token:
  case operation::list_audit:
  case operation::validate_payload:
  case operation::get_schema:
  case operation::get_ranking:
  case operation::list_places:
  case operation::list_traces:
  case operation::list_exports:
  case operation::list_game_avatars:
  case operation::get_image:
  case operation::survey_lobbies:
  case operation::list_running_lobbies:
  case operation::start_export:
  case operation::download_own_export:
  case operation::list_elements:
  case operation::get_element:
  case operation::put_element:
  case operation::remove_element:
  case operation::list_faults:
  case operation::clear_faults:
  case operation::get_fault:
  case operation::put_fault:
  case operation::clear_fault:
  case operation::get_ops_openapi:
  case operation::get_data_openapi:
  case operation::get_console:
  case operation::get_reference:
  case operation::get_console_file: // of the ops plane
  case operation::unmatched: break;
  }
  fail(dispatched, operation::unmatched, {base::errc::internal, "A route without an operation."});
}

void data_front::preflight(const dispatch& dispatched, const route& where) {
  const auto& row = *where.row;
  auto answer = no_content(allow_of(row));
  const auto& request = *dispatched.request;
  const bool from_page = request.has(header::origin);
  switch (row.cors) {
  case cors_policy::none: break;
  case cors_policy::configured_origins:
    if (!from_page) break;
    answer.headers.append(cors_headers_of(row, request, settings()));
    if (may_read_regions(request, settings())) answer.headers.append(row.preflight);
    break;
  case cors_policy::any_origin:
    if (from_page) answer.fixed_headers = row.preflight;
    break;
  case cors_policy::anybody: answer.fixed_headers = row.preflight; break;
  }
  this->answer(dispatched, row.id, std::move(answer));
}

void data_front::list_regions(const dispatch& dispatched, const route& where) {
  const auto& request = *dispatched.request;
  auto measured = read_rtt(dispatched);
  if (!measured) return;
  actors::rank_regions message{
      dispatched.exchange,
      where.client,
      request.has(header::origin) ? host_of_origin(request.get(header::origin)) : std::string{},
      *std::move(measured),
      where.token != nullptr ? std::optional{where.token->what.scope} : std::nullopt,
      accepts_gzip(request.get(header::accept_encoding)),
      dispatched.request};
  // Of several, each is blamed if the actor dies of one: what is tried again travels alone.
  if (!takes_requests() || dispatched.exchange.attempt > 1)
    return forward(dispatched, operation::list_regions, owner::region_ranking, std::move(message));
  if (!enter_mailbox(dispatched, operation::list_regions, owner::region_ranking)) return;
  listings_.reserve(requests_at_once);
  listings_.push_back(std::move(message));
}

void data_front::on_exit() {
  listings_.clear();
  front::on_exit();
}

void data_front::end_requests() {
  if (listings_.empty()) return;
  const auto& ranking = owner_at(owner::region_ranking);
  if (ranking && listings_.size() == 1)
    send(ranking, std::move(listings_.front()));
  else if (ranking)
    send(ranking, actors::rank_many{std::exchange(listings_, {})});
  listings_.clear();
}

std::optional<std::vector<model::measured_latency>>
data_front::read_rtt(const dispatch& dispatched) {
  const auto rtt = find_parameter(dispatched.request->query(), "rtt");
  if (!rtt.value) return std::vector<model::measured_latency>{};
  const auto refuse = [&](const base::error& why) {
    fail(dispatched, operation::list_regions, why);
    return std::nullopt;
  };
  if (rtt.repeated)
    return refuse({base::errc::query_invalid,
                   "rtt is in the query twice. Write it once, regions separated by commas."});
  const auto text = percent_decode(*rtt.value);
  if (!text)
    return refuse({base::errc::query_invalid,
                   "A percent sign in rtt is not followed by two hexadecimal digits of a visible "
                   "character. Write rtt=lon:23,fra:31.5."});
  auto measured = model::read_measured_latencies(*text);
  if (!measured) return refuse(measured.error());
  return *std::move(measured);
}

void data_front::ping(const dispatch& dispatched) {
  http::response answer;
  answer.status = 204;
  answer.fixed_headers = ping_headers;
  this->answer(dispatched, operation::ping, std::move(answer));
}

void data_front::validate_version(const dispatch& dispatched, const route& where) {
  const auto game_id = read_id(dispatched, where, 0);
  if (game_id) validate(dispatched, *where.row, model::payload_kind::version, game_id);
}

http::response data_front::regions_answer(const http::request& request,
                                          actors::regions_ranked reply) const {
  const bool any_origin = settings().allows_any_origin();
  auto answer =
      regions_response(request, std::move(reply.listing),
                       {any_origin, settings().access.requires_tokens}, std::move(reply.gzip));
  if (!any_origin && may_read_regions(request, settings()))
    answer.headers.append("Access-Control-Allow-Origin: ")
        .append(request.get(header::origin))
        .append("\r\n");
  return answer;
}

} // namespace matchcloud::http
