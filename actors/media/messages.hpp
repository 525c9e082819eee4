#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/expected.hpp"
#include "store/media/images.hpp"

#include <cstdint>

namespace matchcloud::actors {

/// front -> media. Answered with `media_opened`, or `operation_failed` with the errors of
/// `image_source::open`.
struct open_media {
  exchange_ref exchange;
  store::image_key key;
  ticket_ptr ticket = {};
};

/// media -> front: an image, whose file stays open as long as this message or the response holds
/// it.
struct media_opened {
  exchange_ref exchange;
  store::image_key key;
  store::opened_image image;
};

/// blocking pool -> media: the result of opening an image.
struct media_open_ended {
  store::image_key key;
  base::expected<store::opened_image> image;
  /// `image_source::forgotten` before opening.
  std::uint64_t forgotten = 0;
  work_time opened = {};
};

} // namespace matchcloud::actors
