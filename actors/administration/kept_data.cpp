#include "actors/administration/kept_data.hpp"

#include "base/events/log.hpp"
#include "model/audit/audit.hpp"
#include "store/housekeeping/housekeeper.hpp"
#include "store/housekeeping/kept_data_json.hpp"
#include "store/housekeeping/retention_report.hpp"

namespace matchcloud::actors {

namespace {

using outcome = administration_outcome;

void forget_avatars(const administration_settings& with) {
  if (with.forget_avatars) with.forget_avatars();
}

base::expected<outcome> erase_game(const administration_settings& with,
                                   const administer_data& request, std::int64_t now_ms) {
  const auto begun = with.database->erasures(run_of(request.by)).and_then([&](const auto& of) {
    return of->begin_erasure(request.game_id, now_ms);
  });
  if (!begun) return tl::unexpected(begun.error());
  forget_avatars(with);
  return outcome{200, store::json_of(*begun)};
}

base::expected<outcome> remove_avatar(const administration_settings& with,
                                      const administer_data& request) {
  const auto removed = with.database->erasures(run_of(request.by)).and_then([&](const auto& of) {
    return of->remove_avatar(request.game_id, request.upload_id);
  });
  if (!removed) return tl::unexpected(removed.error());
  if (with.images) {
    const auto gone = store::remove_images_of(*with.database, *with.images, request.upload_id);
    // Housekeeping repeats what fails now.
    if (!gone) base::log(base::log_event::image_kept, "avatars: {}", base::to_string(gone.error()));
  }
  forget_avatars(with);
  return outcome{204, {}};
}

base::expected<outcome> list_retention(const administration_settings& with, std::int64_t now_ms) {
  const auto in = with.database->retention();
  if (!in) return tl::unexpected(in.error());
  auto all = store::retentions_at(**in, with.history_kept, now_ms);
  if (!all) return tl::unexpected(all.error());
  if (auto counted = store::count_due(**in, *all); !counted) return tl::unexpected(counted.error());
  return outcome{200, store::json_of(*all, with.history_kept)};
}

} // namespace

base::expected<outcome> perform(const administration_settings& with, const administer_data& request,
                                std::int64_t now_ms) {
  using verb = administer_data::verb;
  switch (request.what) {
  case verb::erase_game: return erase_game(with, request, now_ms);
  case verb::remove_avatar: return remove_avatar(with, request);
  case verb::list_retention: return list_retention(with, now_ms);
  case verb::list_erasures: break;
  }
  return with.database->erasures()
      .and_then([](const auto& of) { return of->erasures(); })
      .map([](const auto& all) {
        return outcome{200, store::json_of(all)};
      });
}

} // namespace matchcloud::actors
