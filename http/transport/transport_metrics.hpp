#pragma once

#include "actors/request/trace_log.hpp"
#include "base/error.hpp"
#include "base/latency_counts.hpp"
#include "base/metrics.hpp"
#include "base/owner.hpp"
#include "http/operations/list.hpp"
#include "http/wire/client_address.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::http {

/// The statuses that this service answers with, and that of gone clients; 0 counts any other.
inline constexpr std::array known_statuses{200, 201, 204, 206, 304, 307, 400, 401, 403, 404,
                                           405, 408, 409, 412, 413, 414, 415, 416, 417, 422,
                                           429, 431, 499, 500, 501, 503, 504, 505, 507, 0};
static_assert(std::ranges::find(known_statuses, actors::client_gone_status) !=
              known_statuses.end());

/// Whether a status refuses a request for the client's fault.
constexpr bool is_refusal(int status) noexcept {
  return status >= 400 && status < actors::client_gone_status;
}

/// How many requests ended in which way: by the first digit of the status, 0 for any other.
/// `client_gone` is a class of its own.
using answer_counts = std::array<std::uint64_t, 6>;
inline constexpr std::size_t client_gone = 1; // no answer has a status below 200

constexpr std::size_t class_of(int status) noexcept {
  return status == actors::client_gone_status ? client_gone
                                              : static_cast<std::size_t>(status / 100);
}

/// Why a request was not admitted; the names in metrics are in the same order.
enum class access_refusal : std::uint8_t {
  token_missing,
  token_malformed,
  token_unknown,
  token_expired,
  token_revoked,
  not_permitted,
};
inline constexpr std::array<std::string_view, 6> access_refusal_names{
    "token_missing", "token_malformed", "token_unknown",
    "token_expired", "token_revoked",   "not_permitted"};

/// Whose requests a rate limit counts: an address's (of IPv6 its prefix), a /48's, a token's.
enum class limited_subject : std::uint8_t { address, network, token };
inline constexpr std::array<std::string_view, 3> limited_subject_names{"address", "network",
                                                                       "token"};

/// How a TLS handshake ended: a new session, or one resumed by its ticket; broken off by either
/// side or not TLS at all; not done in time; ended in favour of another; not begun because its
/// client is over its rate limit. The names in metrics are in the same order.
enum class handshake_end : std::uint8_t { full, resumed, failed, timed_out, evicted, refused };
inline constexpr std::array<std::string_view, 6> handshake_end_names{
    "full", "resumed", "failed", "timed_out", "evicted", "refused"};

inline constexpr std::size_t error_count =
    static_cast<std::size_t>(base::errc::address_unavailable) + 1;

/// How many answers were a problem, by its code. Codes without any are not shown.
struct problem_counts : std::array<base::counter, error_count> {
  explicit problem_counts(base::metric_set& in) {
    in.add(base::metric_type::counter,
           {"matchcloud_problems_total", "Answers that were a problem, by its code.", false},
           [this](const base::metric_set::sink& to) {
             for (std::size_t i = 0; i < size(); ++i)
               to({{"code", base::describe(static_cast<base::errc>(i)).code}}, (*this)[i].value());
           });
  }
};

/// The counters of one event loop's transport. Written by its thread, or under a lock, and read by
/// the ops plane.
struct transport_metrics : base::metric_set {
  plane serves;
  /// Keeps the requests that are worth looking at; null: none.
  actors::trace_log* kept = nullptr;
  /// Whose requests were refused with 4xx.
  busiest_networks refused;
  /// The counters about TLS, which are shown if a listener speaks it.
  base::metric_set tls;

  /// `show_failures` adds the samples that are shown as 0.
  static constexpr base::metric_text answers_text{
      "matchcloud_requests_total",
      "Requests by operation and status of the answer; 499: the client was gone before it.", false};
  base::by_labels<base::counter, operations, known_statuses> answers{*this, answers_text,
                                                                     "operation", "status"};
  problem_counts problems{*this};
  /// From when the last bytes of the request could be read to its answer. Refusals, which take no
  /// time, would make an operation look quick.
  base::by_label<base::latency_counts, operations> latency{
      *this,
      {"matchcloud_request_duration_seconds",
       "From the complete request to its answer, except refusals, or until its client was gone."},
      "operation"};
  base::latency_counts refusal_latency{*this,
                                       {"matchcloud_refusal_duration_seconds",
                                        "From the complete request to its refusal with 4xx."}};
  base::gauge connections{
      *this, of_plane({"matchcloud_connections", "Open client connections."},
                      {"matchcloud_ops_connections", "Open connections of the ops plane."})};
  base::counter connections_accepted{
      *this, of_plane({"matchcloud_connections_accepted_total", "Accepted client connections."})};
  /// Connections closed in favour of others: idle ones for new connections, stalled ones for
  /// requests that need memory.
  base::counter connections_evicted_idle{
      *this, of_plane({"matchcloud_connections_evicted_idle_total",
                       "Idle connections closed to make room for new ones."},
                      {"matchcloud_ops_connections_evicted_idle_total",
                       "Connections of the ops plane closed to make room for new ones."})};
  base::counter connections_evicted_stalled{
      *this, of_plane({"matchcloud_connections_evicted_stalled_total",
                       "Connections closed because their clients received nothing while others "
                       "needed memory."})};
  base::counter connections_cut{
      *this, of_plane({"matchcloud_connections_cut_total",
                       "Connections cut because their clients received too little of an answer in "
                       "the time allowed."})};
  base::counter answers_unsent{
      *this, of_plane({"matchcloud_answers_unsent_total",
                       "Answers that broke off, usually because the client was gone."})};
  base::counter connections_refused{
      *this, of_plane({"matchcloud_connections_refused_total",
                       "Connections refused because their address had reached its limit."})};
  base::counter connections_slowed{
      *this, of_plane({"matchcloud_connections_slowed_total",
                       "Connections read only once a second, because rate limits refused many of "
                       "their requests in a row."})};
  base::counter clients_held{
      *this, of_plane({"matchcloud_clients_held_total",
                       "Times that a client used up its share of the requests in service, so that "
                       "its next request waited."})};
  /// Requests admitted and not yet released; their permits count here.
  base::taken_places in_flight{
      *this, of_plane({"matchcloud_requests_in_flight", "Requests that wait for an actor."},
                      {"matchcloud_ops_requests_in_flight",
                       "Requests of the ops plane that wait for an actor or are watched."})};
  /// Requests in flight that wait for an owner, by its `index_of`; their permits count here.
  base::by_label<base::taken_places, base::owner_names> at_owner{
      *this, {"matchcloud_mailbox_requests", "Requests that wait for an owner."}, "owner"};
  base::by_label<base::counter, base::owner_names> mailbox_full{
      *this,
      {"matchcloud_mailbox_full_total", "Requests refused because the owner's mailbox was full."},
      "owner"};
  base::by_label<base::counter, base::owner_names> shed{
      *this,
      {"matchcloud_shed_total",
       "Cheap requests refused in order to keep the rest of max-in-flight for others."},
      "owner"};
  /// By `access_refusal`.
  base::by_label<base::counter, access_refusal_names> access_refused{
      *this,
      {"matchcloud_access_refused_total",
       "Requests answered with 401 or 403 because of their token, by reason."},
      "why"};
  base::by_labels<base::counter, limited_subject_names, cost_class_names> rate_limited{
      *this,
      {"matchcloud_rate_limited_total",
       "Requests answered with 429, by the owner of the limit and the class of cost."},
      "whose",
      "cost"};
  /// By `handshake_end`.
  base::by_label<base::counter, handshake_end_names> handshakes{
      tls, {"matchcloud_tls_handshakes_total", "TLS handshakes that ended, by how."}, "how"};
  base::gauge handshaking{tls,
                          {"matchcloud_tls_handshakes_in_progress", "TLS handshakes in progress."}};
  /// An attacker may have ended such a connection.
  base::counter tls_truncated{tls,
                              {"matchcloud_tls_truncated_total",
                               "TLS connections that their client ended without close_notify."}};
  base::counter received_bytes{
      *this, of_plane({"matchcloud_received_bytes_total", "Bytes read from clients."},
                      {"matchcloud_ops_received_bytes_total",
                       "Bytes read from clients of the ops plane."})};
  base::counter sent_bytes{*this,
                           of_plane({"matchcloud_sent_bytes_total", "Bytes written to clients."})};
  base::counter redispatched{
      *this, of_plane({"matchcloud_redispatched_total",
                       "Requests sent again because the actor that held them ended."})};

  explicit transport_metrics(plane of = plane::data) : serves{of} {}

  /// Counts the answer to a request, or that its client is gone, and keeps its trace if it is worth
  /// it. Returns where to note that the answer was sent, or null.
  template <class Request>
  actors::sent_mark note_answer(const Request& of, operation which, int status,
                                base::steady_time began, base::steady_time now) {
    const auto at = static_cast<std::size_t>(which);
    count_answer(which, status);
    auto& into = is_refusal(status) ? refusal_latency : latency[at];
    into.observe(static_cast<std::uint64_t>((now - began).count()));
    if (kept == nullptr || !kept->wants(of, at, status, now - began)) [[likely]]
      return nullptr;
    return kept->keep(
        {&of, at, row_of(which).name, status, of.id, of.get(header::traceparent), began, now});
  }

  /// Counts an answer that is a problem.
  void count_problem(std::optional<base::errc> code) noexcept {
    if (code) problems[static_cast<std::size_t>(*code)].add();
  }

  void count_answer(operation which, int status) noexcept {
    std::size_t column = 0;
    while (known_statuses[column] != status && known_statuses[column] != 0)
      ++column;
    answers[static_cast<std::size_t>(which)][column].add();
  }

private:
  /// The text of a metric that each plane has of its own. A metric without a text for the ops plane
  /// is not shown there.
  base::metric_text of_plane(const base::metric_text& data,
                             const base::metric_text& ops = {}) const noexcept {
    return serves == plane::data ? data : ops;
  }
};

} // namespace matchcloud::http
