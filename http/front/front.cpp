#include "http/front/front.hpp"

#include "actors/export_download/messages.hpp"
#include "actors/lobby_export/messages.hpp"
#include "base/events/log.hpp"
#include "http/front/file_response.hpp"
#include "http/front/static_content.hpp"
#include "http/operations/code.hpp"
#include "http/transport/exchange.hpp"
#include "http/wire/header_characters.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::http {

namespace {

using actors::handler;
using actors::injected_failure;
using base::owner;

constexpr std::string_view own_image_headers = "Accept-Ranges: bytes\r\n";

/// For answers in parts, each of which must arrive at once. They keep nginx from buffering, and
/// proxies from compressing, for which they would have to wait for more.
constexpr std::string_view streamed_headers = "Cache-Control: no-store, no-transform\r\n"
                                              "X-Accel-Buffering: no\r\n";

constexpr std::string_view data_methods = "GET, HEAD, POST, OPTIONS";
constexpr std::string_view ops_methods = "GET, HEAD, POST, PUT, DELETE, OPTIONS";

/// The fault points that an `X-Fault` header names: `avatar.receive, front.reply`. Unknown names
/// are ignored. A named point has an effect only where a fault with `header: true` is injected
/// there.
base::fault_point_set faults_named_in(std::string_view header) noexcept {
  base::fault_point_set named = 0;
  while (const auto element = take_element(header))
    if (const auto point = base::find_fault_point(*element)) named |= base::bit_of(*point);
  return named;
}

/// The answer to OPTIONS: 204 with `Allow`.
response no_content(std::string_view allow) {
  response answer;
  answer.status = 204;
  answer.headers.append("Allow: ").append(allow).append("\r\n");
  return answer;
}

/// The path parameters that must be UUIDs, each with the error for a client that sent something
/// else.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> id_advice{{
    {"game_id", "The game_id in the path is not a UUID. Use the form with dashes, such as "
                "00000000-0000-4000-8000-000000000001."},
    {"upload_id", "The upload_id in the path is not a UUID. Use the whole url of an avatar in the "
                  "game's list."},
    {"token_id", "The token_id in the path is not a UUID. Take it from the list of tokens."},
    {"export_id", "The export's id in the path is not a UUID. Use the whole url that "
                  "export-history returned."},
}};

/// The name of the path parameter with this index, counted from 0.
std::string_view parameter_name(const operation_row& of, std::size_t number) noexcept {
  auto rest = of.path;
  for (std::size_t i = 0; i <= number; ++i)
    rest.remove_prefix(rest.find('{') + 1);
  return rest.substr(0, rest.find('}'));
}

} // namespace

front::front(caf::actor_config& cfg, exchange_sink& sink, std::shared_ptr<access_gate> gate)
    : resident{cfg, {base::fault_point::front_dispatch, base::fault_point::front_reply}},
      sink_{&sink},
      gate_{std::move(gate)},
      sampled_{settings().traces} {
  note_ping_origins();
}

void front::note_ping_origins() {
  if (settings().console && gate_->catalog()) ping_origins_ = ping_origins(*gate_->catalog());
}

caf::behavior front::make_behavior() {
  be_strict();
  set_down_handler([this](caf::down_msg& down) {
    // The requests that the dead owner held are dispatched again when the supervisor announces its
    // successor.
    for (auto& known : owners_)
      if (known && known.address() == down.source) known = nullptr;
  });
  const auto make = [this](const open_exchange& exchange, auto&& reply) {
    return answer_of(exchange, std::forward<decltype(reply)>(reply));
  };
  // CAF tries them in this order, so the most frequent messages come first.
  return {
      [this](requests_wait) -> actors::no_response {
        take_requests();
        return {};
      },
      answering<actors::regions_ranked>(make),
      answering<actors::json_made>(make),
      [this, make](actors::many_ranked& replies) -> actors::no_response {
        for (auto& each : replies.all)
          answer_with(std::move(each), make);
        return {};
      },
      [this](const dispatch& dispatched) -> actors::no_response {
        on(dispatched);
        return {};
      },
      [this](const actors::validation_deferred& reply) -> actors::no_response {
        on(reply);
        return {};
      },
      answering<actors::media_opened>(make),
      answering<actors::export_opened>(
          [](const open_exchange& exchange, const actors::export_opened& reply) {
            return export_response(*exchange.request, *reply.file);
          }),
      answering<actors::export_linked>(
          [this](const open_exchange& exchange, const actors::export_linked& reply) {
            auto made = answer_of(exchange, actors::json_made{reply.exchange, reply.json});
            if (reply.complete_from_ts > 0)
              made.headers += complete_from_line(reply.complete_from_ts);
            return made;
          }),
      answering<actors::operation_failed>(make),
      answering<actors::text_made>([this](const open_exchange&, const actors::text_made& reply) {
        http::response made;
        made.content_type = reply.content_type;
        made.fixed_headers = plane_headers();
        made.body = reply.text;
        return made;
      }),
      answering<actors::answer_begun>([](const open_exchange&, const actors::answer_begun& reply) {
        http::response made;
        made.content_type = reply.content_type;
        made.fixed_headers = streamed_headers;
        made.body = body_in_parts{};
        return made;
      }),
      [this](const actors::answer_part& part) { sink_->send_part(part); },
      [this](const actors::answer_taken& taken) { pass_on(taken); },
      [this](const actors::body_part& part) { pass_on(part); },
      [this](const actors::body_credit& credit) { sink_->grant(credit.exchange, credit.bytes); },
      [this](const actors::tokens_changed& news) { gate_->set_tokens(news.tokens); },
      [this](const actors::catalog_changed& news) { on(news); },
      [this](const actors::owners& known) { on(known); },
  };
}

void front::on_exit() {
  for (auto& known : owners_) {
    if (known) demonitor(known.address());
    known = nullptr;
  }
  listings_.clear(); // handles can keep the ended actor in memory
}

void front::on(const actors::catalog_changed& news) {
  auto old = gate_->set_catalog(news.snapshot);
  note_ping_origins();
  if (old) send(caf::actor_cast<caf::actor>(current_sender()), actors::discarded{std::move(old)});
}

void front::on(const actors::validation_deferred& reply) {
  const auto exchange = sink_->find(reply.exchange);
  if (!exchange) return; // already answered, or a later attempt is under way
  if (base::faults::armed(base::fault_point::front_reply) && !arrives(reply, exchange)) return;
  exchange.request->at_owner.reset(); // its place is in another mailbox now
  forward({reply.exchange, exchange.request}, exchange.operation_id, owner::large_validator,
          reply.request);
}

void front::on(const actors::owners& known) {
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i] == known.by_role[i]) continue;
    owners_[i] = known.by_role[i];
    if (!owners_[i]) continue;
    monitor(owners_[i]);
    if (attached_) sink_->redispatch(static_cast<owner>(i));
  }
  // Attaches only now: the transport then dispatches every unanswered exchange, and forwarding them
  // needs the owners' addresses.
  if (!std::exchange(attached_, true)) sink_->attach(caf::actor_cast<caf::actor>(this));
}

void front::take_requests() {
  takes_requests_ = true;
  std::size_t taken = 0;
  for (; taken < requests_at_once; ++taken) {
    const auto next = sink_->take_waiting();
    if (!next) break;
    on(*next);
  }
  takes_requests_ = false;
  send_listings();
  if (taken == requests_at_once) send(this, requests_wait{});
}

void front::on(const dispatch& dispatched) {
  claim(dispatched.request, handler::front);
  if (dispatched.exchange.attempt == 1 && sampled_.next()) dispatched.request->trace.sample();
  {
    const actors::traced_step step{dispatched.request.get(), "front"};
    if (arrives(dispatched)) handle(dispatched);
  }
  release(dispatched.request, handler::front, handler::nobody);
  own_statistics().count_handled();
}

void front::choose_faults(admitted_request& request) const {
  const bool names = request.has(header::x_fault) && base::faults::any_armed();
  const bool chooses = base::faults::chooses_senders();
  if (!names && !chooses) [[likely]]
    return;
  auto& caller = request.caller;
  auto chosen = names ? faults_named_in(request.get(header::x_fault)) : base::fault_point_set{0};
  if (chooses)
    chosen = base::faults::chosen(
        {chosen, gate_->client_of(request, caller).bytes,
         caller.token_id == model::uuid{} ? nullptr : &caller.token_id.bytes, request.connection});
  request.named_faults.store(chosen, std::memory_order_relaxed);
}

bool front::arrives(const dispatch& dispatched) {
  choose_faults(*dispatched.request);
  if (!base::faults::armed(base::fault_point::front_dispatch) || !has_fault_points()) return true;
  const auto outcome = outcome_at(base::fault_point::front_dispatch, nullptr,
                                  caf::make_message(dispatched), dispatched.request);
  if (outcome == fault_outcome::fails) fail(dispatched, operation::unmatched, injected_failure());
  return outcome == fault_outcome::arrives;
}

bool front::arrives(actors::exchange_ref to, const caf::message& reply,
                    const open_exchange& exchange) {
  const auto outcome =
      outcome_at(base::fault_point::front_reply, current_sender(), reply, exchange.request);
  if (outcome == fault_outcome::fails)
    sink_->answer(to, failure_answer(exchange, injected_failure()));
  return outcome == fault_outcome::arrives;
}

void front::handle(const dispatch& dispatched) {
  auto& caller = dispatched.request->caller;
  const auto& request = *dispatched.request;
  if (request.target == "*") {
    if (const auto let_in = gate_->admit_asterisk(request, caller); !let_in)
      return fail(dispatched, let_in.error());
    return sink_->answer(dispatched.exchange,
                         no_content(has_fault_points() ? data_methods : ops_methods));
  }
  auto where = gate_->admit(request, caller, request.body.size());
  if (!where) return fail(dispatched, where.error());
  // Chooses again, now that the token is known.
  choose_faults(*dispatched.request);
  if (request.method == method::options && !asks_readiness(request, *where->row))
    return preflight(dispatched, *where->row);
  perform(dispatched, *where);
}

bool front::asks_readiness(const admitted_request& head, const operation_row& row) const {
  return row.id == operation::get_readiness && !head.has(header::access_control_request_method) &&
         settings().state->load() != service_state::ready;
}

void front::preflight(const dispatch& dispatched, const operation_row& row) {
  auto made = no_content(allow_of(row));
  made.headers.append(preflight_headers(row, *dispatched.request, settings()));
  answer(dispatched, row.id, std::move(made));
}

void front::rank(const dispatch& dispatched, actors::rank_regions&& message) {
  // If the actor dies of one of several requests, each is blamed. So a retried request travels
  // alone.
  if (!takes_requests_ || dispatched.exchange.attempt > 1)
    return forward(dispatched, operation::list_regions, owner::region_ranking, std::move(message));
  if (!enter_mailbox(dispatched, operation::list_regions, owner::region_ranking)) return;
  listings_.reserve(requests_at_once);
  listings_.push_back(std::move(message));
}

void front::send_listings() {
  if (listings_.empty()) return;
  const auto& ranking = owner_at(owner::region_ranking);
  if (ranking && listings_.size() == 1)
    send(ranking, std::move(listings_.front()));
  else if (ranking)
    send(ranking, actors::rank_many{std::exchange(listings_, {})});
  listings_.clear();
}

bool front::enter_mailbox(const dispatch& dispatched, operation which, owner to) {
  if (sink_->routed(dispatched.exchange, which, to)) return true;
  fail(dispatched, which, mailbox_full());
  return false;
}

void front::answer(const dispatch& dispatched, operation which, http::response&& with) {
  sink_->routed(dispatched.exchange, which, owner::none);
  sink_->answer(dispatched.exchange, std::move(with));
}

void front::fail(const dispatch& dispatched, const refused_request& refused) {
  answer(dispatched, refused.which,
         problem_of(*dispatched.request, refused.which, refused.why, refused.headers,
                    refused.violated_policy));
}

http::response front::answer_of(const open_exchange& exchange, const actors::json_made& reply) {
  if (!reply.is_leased && reply.json && settings().plane == plane::data)
    gate_->charge_answer(*exchange.request, exchange.request->caller, exchange.operation_id,
                         reply.json->size());
  http::response made;
  made.status = reply.status;
  if (has_body(reply.status)) made.content_type = json_type;
  made.fixed_headers = plane_headers();
  made.headers = cors_headers_of(row_of(exchange.operation_id), *exchange.request, settings());
  made.body = reply.json;
  made.body_leased = reply.is_leased;
  return made;
}

http::response front::answer_of(const open_exchange& exchange,
                                actors::regions_ranked&& reply) const {
  const auto& request = *exchange.request;
  const bool any_origin = settings().allows_any_origin();
  const listing_audience to{any_origin, settings().access.requires_tokens};
  auto made = reply.detailed
                  ? detailed_response(request, std::move(reply.detailed), to)
                  : regions_response(request, std::move(reply.listing), to, std::move(reply.gzip));
  if (!any_origin && may_read_regions(request, settings()))
    made.headers.append(one_origin_headers(request));
  return made;
}

http::response front::answer_of(const open_exchange& exchange,
                                const actors::media_opened& reply) const {
  auto made = media_response(*exchange.request, reply);
  if (settings().plane == plane::data) return made;
  // The image was protected by a token, which other caches would not check.
  made.fixed_headers = own_image_headers;
  if (made.status != 307) made.headers += no_store_header; // redirects have it
  return made;
}

http::response front::answer_of(const open_exchange& exchange,
                                const actors::operation_failed& reply) const {
  // The answer describes such an error only in general terms; the details go to the log.
  if (settings().plane == plane::ops && base::is_local_failure(reply.error.code)) {
    const base::about_request about{exchange.request->marks};
    base::log(base::log_event::operation_failed, "ops: {}", base::to_string(reply.error));
  }
  return failure_answer(exchange, reply.error);
}

std::string_view front::plane_headers() const noexcept {
  return settings().plane == plane::ops ? no_store_header : std::string_view{};
}

http::response front::problem_of(const http::request& request, operation which,
                                 const base::error& what, std::string headers,
                                 std::string_view violated_policy) const {
  auto made = problem(what, subject_of(request), violated_policy);
  made.headers = std::move(headers);
  made.headers += no_store_header; // a cache may keep a 404 otherwise
  made.headers += cors_headers_of(row_of(which), request, settings());
  return made;
}

void front::perform(const dispatch& dispatched, route& where) {
  auto& request = *dispatched.request;
  if (where.row->names_game && !where.id) where.id = model::parse_uuid(where.parameters[0]);
  // Only on the first attempt: owners may still read the values of earlier attempts.
  if (request.marks.request_id.empty()) {
    if (where.row->names_game) request.game = where.id;
    if (!trace_id_of(request).empty())
      request.marks.trace_parent = request.get(header::traceparent);
    request.marks.request_id = request.id;
  }
  code_of(where.row->id).ask(request_context{*this, dispatched, where});
}

std::string request_context::origin_host() const {
  return request().has(header::origin) ? host_of_origin(request().get(header::origin))
                                       : std::string{};
}

std::optional<model::uuid> request_context::player_namespace() const {
  const bool names_one = token() != nullptr && token()->what.kind == model::token_kind::player;
  return names_one ? std::optional{token()->what.scope} : std::nullopt;
}

model::audit_author request_context::author() const {
  model::audit_author by;
  if (token() != nullptr) {
    by.what = model::audit_author::kind::token;
    by.name = token()->what.name;
    by.id = model::to_string(token()->token_id);
  } else if (request().certificate_subject) {
    by.what = model::audit_author::kind::certificate;
    by.name = *request().certificate_subject;
  }
  by.address = model::to_string(client());
  by.request_id = request().id;
  return by;
}

std::optional<model::uuid> request_context::id(std::size_t number) const {
  const auto read = number == 0 && where_->id ? where_->id : model::parse_uuid(parameter(number));
  if (read) return read;
  const auto name = parameter_name(row(), number);
  const auto* const about =
      std::ranges::find_if(id_advice, [name](const auto& each) { return each.first == name; });
  refuse(
      {base::errc::id_malformed,
       std::string{about != id_advice.end() ? about->second : "An id in the path is not a UUID."}});
  return std::nullopt;
}

std::string request_context::query(std::string_view name) const {
  return percent_decode(find_parameter(request().query(), name).value.value_or("")).value_or("?");
}

bool request_context::takes_body() const {
  const auto why = check_body(row(), request(), request().body.size());
  if (why) refuse(*why);
  return !why;
}

bool request_context::reaches_store() const {
  const auto& state = settings().state;
  const auto now = state ? state->load() : service_state::ready;
  const bool is_fenced = now == service_state::store_newer;
  const bool is_gone = now == service_state::store_gone ||
                       settings().store.is_unreachable(base::machine_clock().now());
  if (!is_fenced && !is_gone) return true;
  refuse(is_fenced ? base::error{base::errc::store_newer, {}}
                   : base::error{base::errc::store_failed,
                                 "The store is out of reach. The service's log shows the cause. "
                                 "Try again later.",
                                 true});
  return false;
}

void request_context::answer_static(const std::shared_ptr<const static_content>& content,
                                    std::string_view fixed_headers) const {
  if (content) return answer(static_response(request(), *content, fixed_headers));
  front_->fail(*dispatched_, operation::unmatched, no_such_path(request().path(), row().plane));
}

} // namespace matchcloud::http
