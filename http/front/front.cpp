#include "http/front/front.hpp"

#include "http/front/fault_header.hpp"
#include "http/front/request_check.hpp"
#include "http/front/static_content.hpp"
#include "http/transport/refusals.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::http {

namespace {

using actors::handler;
using actors::injected_failure;
using actors::owner;

/// The path parameters that must be UUIDs, each with the answer to a client that sent something
/// else.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> id_advice{{
    {"game_id", "The game_id in the path is not a UUID. Write it with dashes, as "
                "00000000-0000-4000-8000-000000000001."},
    {"upload_id", "The upload_id in the path is not a UUID. Take the whole url of an avatar from "
                  "the game's list."},
    {"token_id", "The token_id in the path is not a UUID. Take it from the list of tokens."},
    {"export_id", "The export's id in the path is not a UUID. Use the whole url that "
                  "export-history answered."},
}};

/// The name of the path parameter with this index, counted from 0.
std::string_view parameter_name(const operation_row& of, std::size_t number) noexcept {
  auto rest = of.path;
  for (std::size_t i = 0; i <= number; ++i)
    rest.remove_prefix(rest.find('{') + 1);
  return rest.substr(0, rest.find('}'));
}

constexpr std::string_view data_methods = "GET, HEAD, POST, OPTIONS";
constexpr std::string_view ops_methods = "GET, HEAD, POST, PUT, DELETE, OPTIONS";

} // namespace

response no_content(std::string_view allow) {
  response answer;
  answer.status = 204;
  answer.headers.append("Allow: ").append(allow).append("\r\n");
  return answer;
}

front::front(caf::actor_config& cfg, std::shared_ptr<const front_settings> settings,
             exchange_sink& sink, std::shared_ptr<access_gate> gate)
    : resident{cfg, {base::fault_point::front_dispatch, base::fault_point::front_reply}},
      settings_{std::move(settings)},
      sink_{&sink},
      gate_{gate ? std::move(gate) : std::make_shared<access_gate>(settings_)},
      traced_{settings_->traces},
      lists_{settings_->kept_lists_bytes} {}

void front::be_front() {
  be_strict();
  set_down_handler([this](caf::down_msg& down) {
    // The requests that the dead owner held are dispatched again when the supervisor announces its
    // successor.
    for (auto& known : owners_)
      if (known && known.address() == down.source) known = nullptr;
  });
}

void front::on_exit() {
  for (auto& known : owners_) {
    if (known) demonitor(known.address());
    known = nullptr;
  }
  lists_ = kept_lists{0}; // handles can keep the ended actor in memory
}

void front::on(const actors::owners& known) {
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i] == known.by_role[i]) continue;
    owners_[i] = known.by_role[i];
    if (!owners_[i]) continue;
    monitor(owners_[i]);
    if (attached_) sink_->redispatch(actors::all_owners[i]);
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
  end_requests();
  if (taken == requests_at_once) send(this, requests_wait{});
}

void front::on(const dispatch& dispatched) {
  claim(dispatched.request, handler::front);
  if (dispatched.exchange.attempt == 1)
    if (auto trace = traced_.next()) dispatched.request->trace = std::move(trace);
  {
    const actors::traced_step step{dispatched.request->trace, "front"};
    if (arrives(dispatched)) handle(dispatched);
  }
  release(dispatched.request, handler::front, handler::nobody);
  own_statistics().count_handled();
}

bool front::arrives(const dispatch& dispatched) {
  const auto& request = *dispatched.request;
  if (request.has(header::x_fault) && base::faults::any_armed())
    request.named_faults.store(faults_named_in(request.get(header::x_fault)),
                               std::memory_order_relaxed);
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
  const auto& request = *dispatched.request;
  if (request.target == "*") {
    if (const auto let_in = gate_->admit_asterisk(request); !let_in) {
      const auto& refused = let_in.error();
      return fail(dispatched, refused.which, refused.why, refused.headers, refused.violated_policy);
    }
    return sink_->answer(dispatched.exchange,
                         no_content(has_fault_points() ? data_methods : ops_methods));
  }
  const auto where = gate_->admit(request, request.body.size());
  if (!where) {
    const auto& refused = where.error();
    return fail(dispatched, refused.which, refused.why, refused.headers, refused.violated_policy);
  }
  if (request.method == method::options) return preflight(dispatched, *where);
  perform(dispatched, *where);
}

std::optional<model::uuid> front::read_id(const dispatch& dispatched, const route& where,
                                          std::size_t number) {
  const auto id = model::parse_uuid(where.parameters[number]);
  if (id) return id;
  const auto name = parameter_name(*where.row, number);
  const auto* const about =
      std::ranges::find_if(id_advice, [name](const auto& each) { return each.first == name; });
  fail(dispatched, where.row->id,
       {base::errc::id_malformed,
        std::string{about != id_advice.end() ? about->second : "An id is not a UUID."}});
  return std::nullopt;
}

bool front::check_body(const dispatch& dispatched, const operation_row& row) {
  const auto why = http::check_body(row, *dispatched.request, dispatched.request->body.size());
  if (why) fail(dispatched, row.id, *why);
  return !why;
}

bool front::enter_mailbox(const dispatch& dispatched, operation which, owner to) {
  if (sink_->routed(dispatched.exchange, which, to)) return true;
  fail(dispatched, which, mailbox_full());
  return false;
}

void front::keep_trace(const admitted_request& of, operation which, int status) const {
  if (of.trace) [[unlikely]]
    settings_->traces->keep(of.trace, row_of(which).name, status, of.id);
}

void front::answer(const dispatch& dispatched, operation which, http::response&& with) {
  keep_trace(*dispatched.request, which, with.status);
  sink_->routed(dispatched.exchange, which, owner::none);
  sink_->answer(dispatched.exchange, std::move(with));
}

void front::answer_static(const dispatch& dispatched, operation which,
                          const std::shared_ptr<const static_content>& content,
                          std::string_view fixed_headers) {
  if (!content)
    return fail(dispatched, operation::unmatched,
                no_such_path(dispatched.request->path(), settings_->plane));
  answer(dispatched, which, static_response(*dispatched.request, *content, fixed_headers));
}

void front::fail(const dispatch& dispatched, operation which, const base::error& what,
                 std::string headers, std::string_view violated_policy) {
  auto made = problem(what, dispatched.request->id, violated_policy);
  made.headers = std::move(headers);
  if (settings_->plane == plane::ops) made.headers += no_store_header;
  made.headers += cors_headers_of(row_of(which), *dispatched.request, *settings_);
  answer(dispatched, which, std::move(made));
}

http::response front::json_answer(const actors::json_made& reply) {
  http::response made;
  made.status = reply.status;
  if (has_body(reply.status)) made.content_type = json_type;
  made.body = reply.json;
  made.body_leased = reply.is_leased;
  return made;
}

http::response front::failure_answer(const open_exchange& exchange, const base::error& why) const {
  auto made = problem(why, exchange.request->id);
  if (settings_->plane == plane::ops) made.headers += no_store_header;
  made.headers += cors_headers_of(row_of(exchange.operation_id), *exchange.request, *settings_);
  return made;
}

} // namespace matchcloud::http
