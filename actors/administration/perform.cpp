#include "actors/administration/perform.hpp"

#include "base/failure.hpp"
#include "store/housekeeping/housekeeper.hpp"

#include <functional>
#include <utility>

namespace matchcloud::actors {

namespace {

using base::value_of;
using model::run_of;

} // namespace

model::issued_token create_token(const administration_call& in, const model::new_token& wanted) {
  auto made = model::make_token(wanted, describe(in.by), in.now_ms);
  value_of(value_of(in.with.database->tokens(run_of(in.by)))->create_token(made.token));
  return made;
}

model::issued_token rotate_token(const administration_call& in, const model::uuid& token_id,
                                 std::int64_t grace_ms) {
  const auto all = value_of(value_of(in.with.database->access())->load_tokens());
  const auto* known = all->find(token_id);
  if (known == nullptr) throw base::failure{model::no_such_token(token_id)};
  auto text = model::make_token_text(known->what.kind);
  auto token = value_of(
      value_of(in.with.database->tokens(run_of(in.by)))
          ->rotate_token(token_id, model::digest_of(text), in.now_ms + grace_ms, in.now_ms));
  return {std::move(token), std::move(text)};
}

std::vector<store::game_retention> retentions(const administration_call& in) {
  const auto from = value_of(in.with.database->retention());
  auto all = value_of(store::retentions_at(*from, in.with.history_kept, in.now_ms));
  value_of(store::count_due(std::bind_front(&store::retention_store::count_expired, &*from), all));
  return all;
}

base::expected<void> remove_avatar(const administration_call& in, const model::uuid& game_id,
                                   const model::uuid& upload_id) {
  value_of(value_of(in.with.database->erasures(run_of(in.by)))->remove_avatar(game_id, upload_id));
  if (!in.with.images) return {};
  return store::remove_images_of(*in.with.database, *in.with.images, upload_id);
}

} // namespace matchcloud::actors
