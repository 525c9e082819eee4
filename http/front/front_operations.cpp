// The operations that both planes have: what their fronts ask of the same owners.
#include "http/front/export_response.hpp"
#include "http/front/front.hpp"
#include "http/front/media_response.hpp"

#include <string>
#include <utility>

namespace matchcloud::http {

using actors::owner;

void front::validate(const dispatch& dispatched, const operation_row& row, model::payload_kind kind,
                     const std::optional<model::uuid>& game_id) {
  if (!check_body(dispatched, row)) return;
  const auto& request = *dispatched.request;
  const auto to =
      request.body.size() > actors::large_body_bytes ? owner::large_validator : owner::validator;
  forward(dispatched, row.id, to,
          actors::validate_payload{dispatched.exchange,
                                   kind,
                                   game_id,
                                   {dispatched.request, &request.body},
                                   dispatched.request});
}

void front::on(const actors::validation_deferred& reply) {
  const auto exchange = sink_->find(reply.exchange);
  if (!exchange) return; // already answered, or a later attempt is under way
  if (base::faults::armed(base::fault_point::front_reply) && !arrives(reply, exchange)) return;
  exchange.request->at_owner.reset(); // its place is in another mailbox now
  forward({reply.exchange, exchange.request}, exchange.operation_id, owner::large_validator,
          reply.request);
}

void front::list_avatars(const dispatch& dispatched, const route& where) {
  const auto game_id = read_id(dispatched, where, 0);
  if (!game_id) return;
  // Faults may be injected where the shard receives requests and answers them.
  if (auto json = base::faults::any_armed() ? nullptr : lists_.find(*game_id)) {
    if (settings().list_hits != nullptr) settings().list_hits->add();
    return answer(dispatched, where.row->id,
                  json_answer({dispatched.exchange, std::move(json), true}));
  }
  forward(dispatched, where.row->id, actors::avatar_shard_of(*game_id),
          actors::list_avatars{dispatched.exchange, *game_id, dispatched.request});
}

void front::open_image(const dispatch& dispatched, const route& where) {
  const auto upload_id = read_id(dispatched, where, 0);
  if (!upload_id) return;
  const auto name = model::parse_image_name(where.parameters[1]);
  if (!name)
    return fail(dispatched, where.row->id,
                {base::errc::media_not_found,
                 "No image has such a name: it is 32 lower-case hexadecimal digits and .png or "
                 ".jpg. Take the whole url of an avatar from the game's list."});
  forward(dispatched, where.row->id, owner::media,
          actors::open_media{dispatched.exchange, {*upload_id, *name}, dispatched.request});
}

void front::export_lobbies(const dispatch& dispatched, const route& where) {
  const auto game_id = read_id(dispatched, where, 0);
  if (!game_id || !check_body(dispatched, *where.row)) return;
  const auto& request = *dispatched.request;
  forward(dispatched, where.row->id, owner::lobby_export,
          actors::export_lobbies{dispatched.exchange,
                                 *game_id,
                                 {dispatched.request, &request.body},
                                 settings().plane == plane::ops,
                                 dispatched.request});
}

void front::open_export(const dispatch& dispatched, const route& where) {
  const auto export_id = read_id(dispatched, where, 0);
  if (!export_id) return;
  const auto& request = *dispatched.request;
  const auto link = read_export_link(request.query());
  if (!link)
    return fail(dispatched, where.row->id,
                {base::errc::signature_invalid,
                 "The URL needs expires and signature, each once, as export-history answered "
                 "them. Quote it in a shell: it has an & in it."});
  forward(dispatched, where.row->id, owner::export_download,
          actors::open_export{dispatched.exchange, *export_id, link->expires_s,
                              std::string{link->signature}, may_be_compressed(request),
                              dispatched.request});
}

http::response front::image_answer(const open_exchange& exchange,
                                   const actors::media_opened& reply) {
  return media_response(*exchange.request, reply);
}

http::response front::export_answer(const open_exchange& exchange,
                                    const actors::export_opened& reply) {
  return export_response(*exchange.request, *reply.file);
}

} // namespace matchcloud::http
