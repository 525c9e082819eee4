#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/error.hpp"
#include "model/text/uuid.hpp"
#include "store/exports/export_store.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::actors {

/// front -> export_download. Answered with `export_opened`, or `operation_failed` with
/// `signature_invalid`, `url_expired` or the errors of `export_store::open`.
struct open_export {
  exchange_ref exchange;
  model::uuid export_id;
  /// The expiry in the URL, in seconds since 1970.
  std::uint64_t expires_s = 0;
  std::string signature;
  /// Whether the client accepts the compressed file.
  bool gzip = false;
  ticket_ptr ticket = {};
};

/// export_download -> front: an export, whose files stay open as long as this message or the
/// response holds them.
struct export_opened {
  exchange_ref exchange;
  store::opened_export_ptr file;
};

/// blocking pool -> export_download: the result of opening an export.
struct export_open_ended {
  model::uuid export_id;
  /// Null if opening failed; see `failure`.
  store::opened_export_ptr file;
  base::error failure;
  work_time opened = {};
};

/// export thread -> export_download: compressing an export ended, successfully or not.
struct export_compressed {
  model::uuid export_id;
  /// Whether the compressed file exists.
  bool done = false;
};

/// export_download -> export_download, at every tick.
struct downloads_housekeeping {};

} // namespace matchcloud::actors
