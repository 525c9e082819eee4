#include "actors/media/media.hpp"

#include "actors/request/messages.hpp"
#include "base/events/log.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

/// The least cost of an image in memory, because it also takes a descriptor.
constexpr std::size_t least_cost_in_memory = 16UL * 1024;

base::error too_many_images_waiting() {
  return {base::errc::overloaded, "Too many images are being opened. Retry later."};
}

} // namespace

std::shared_ptr<const base::open_file> media_state::find(const store::image_key& key) {
  const auto* kept = files_.get(key);
  return kept != nullptr ? *kept : nullptr;
}

media_state::lookup media_state::wait(const store::image_key& key, waiter who) {
  if (waiting_count_ >= waiting_limit_) return lookup::refused;
  ++waiting_count_;
  auto& line = waiting_[key];
  line.push_back(std::move(who));
  return line.size() == 1 ? lookup::first : lookup::joined;
}

std::vector<waiter> media_state::take_waiting(const store::image_key& key) {
  auto line = waiting_.extract(key);
  if (line.empty()) return {};
  waiting_count_ -= line.mapped().size();
  return std::move(line.mapped());
}

void media_state::forget_before(std::uint64_t forgotten) {
  if (std::exchange(forgotten_, forgotten) != forgotten) files_.clear();
}

void media_state::keep(const store::image_key& key, std::shared_ptr<const base::open_file> file,
                       std::size_t cost) {
  files_.put(key, std::move(file), cost);
}

media::media(caf::actor_config& cfg, media_settings settings)
    : resident{cfg, {base::fault_point::media_receive, base::fault_point::media_reply}},
      settings_{std::move(settings)},
      state_{settings_.kept_limit, settings_.waiting_limit} {}

caf::behavior media::make_behavior() {
  be_strict();
  return {
      serving<open_media>([this](const open_media& request) { open(request); }),
      [this](const media_open_ended& ended) { on(ended); },
  };
}

void media::on_exit() {
  state_ = media_state{0, 0};
}

void media::open(const open_media& request) {
  auto front = caf::actor_cast<caf::actor>(current_sender());
  state_.forget_before(settings_.images->forgotten());
  if (auto file = state_.find(request.key))
    return reply(front, media_opened{request.exchange, request.key, {std::move(file)}},
                 request.ticket);
  switch (state_.wait(request.key, {front, request.exchange, request.ticket})) {
  case media_state::lookup::joined: return;
  case media_state::lookup::refused:
    return reply(front, operation_failed{request.exchange, too_many_images_waiting()},
                 request.ticket);
  case media_state::lookup::first: break;
  }
  if (!submit(request.key)) fail(state_.take_waiting(request.key), too_many_images_waiting());
}

bool media::submit(const store::image_key& key) {
  return settings_.pool->submit(base::for_this_request(
      [self = caf::actor_cast<caf::actor>(this), images = settings_.images, key] {
        auto opening = work_time::begin();
        const auto forgotten = images->forgotten();
        auto image = images->open(key);
        if (image && image->file && image->file->size_bytes() <= read_ahead_limit_bytes)
          image->file->read_ahead(0, image->file->size_bytes());
        opening.end();
        caf::anon_send(self, media_open_ended{key, std::move(image), forgotten, opening});
      }));
}

void media::on(const media_open_ended& ended) {
  const auto all = state_.take_waiting(ended.key);
  for (const auto& each : all)
    note_work(each.ticket, settings_.is_kept_in_memory ? "bucket" : "file", ended.opened);
  if (!ended.image) return fail(all, ended.image.error());
  state_.forget_before(settings_.images->forgotten());
  const bool is_current = ended.forgotten == settings_.images->forgotten();
  if (const auto& file = ended.image->file; file && is_current)
    with_claimed(all, [&] { state_.keep(ended.key, file, cost_of(*file)); });
  for (const auto& [front, exchange, ticket] : all)
    reply(front, media_opened{exchange, ended.key, *ended.image}, ticket);
}

std::size_t media::cost_of(const base::open_file& file) const {
  if (!settings_.is_kept_in_memory) return 1;
  return std::max<std::size_t>(file.size_bytes(), least_cost_in_memory);
}

void media::fail(const std::vector<waiter>& all, const base::error& why) {
  if (base::is_local_failure(why.code) && !all.empty()) {
    const base::about_request about{marks_of(all.front().ticket)};
    base::log(base::log_event::image_failed, "media: {}", base::to_string(why));
  }
  for (const auto& [front, exchange, ticket] : all)
    reply(front, operation_failed{exchange, why}, ticket);
}

} // namespace matchcloud::actors
