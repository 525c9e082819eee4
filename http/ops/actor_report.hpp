#pragma once

#include "http/ops/status_report.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace matchcloud::http {

/// An actor under supervision.
struct actor_status : actors::child_report {
  std::string kind;
  /// The number of requests that wait for it.
  std::size_t depth = 0;
};

constexpr auto describe(const actor_status*) {
  using of = actor_status;
  using namespace model::types;
  return record{
      "Actor",
      field{"place", text, "Its name, such as `avatar/1`.", &of::name},
      field{"kind", text, "What it does, such as `avatar`.", &of::kind},
      field{"loop", count_or_null, "The number of the event loop that it runs on; null: the pool.",
            [](const of& one) {
              return one.loop == actors::child_spec::every_loop ? std::nullopt
                                                                : std::optional{one.loop};
            }},
      field{"state", a("ActorState"), "Its state.", &of::state},
      field{"depth", count, "Requests waiting for it.", &of::depth},
      field{"restarts", count, "How often it was restarted.", &of::restarts},
      field{"handled", count, "Messages that it has handled.", &of::handled},
      field{"last_error", text_or_null, "The cause of its last death; null: it never died.",
            model::unless_empty(&of::last_error)}};
}

/// `GET /actors` of the ops plane: each actor's place, kind, event loop (null: it serves all),
/// state, depth (requests that wait for it), restarts, requests handled and last error (null:
/// none), the supervisor first. Any thread.
std::string actor_report(const status_sources& of);

} // namespace matchcloud::http
