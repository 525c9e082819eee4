#pragma once

#include "actors/protocol.hpp"
#include "http/wire/request.hpp"
#include "http/wire/response.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// What the query of an export's URL says.
struct export_link {
  /// Seconds since 1970.
  std::uint64_t expires_s = 0;
  std::string_view signature;
};

/// Reads `expires` and `signature`, each once; others do not count. Empty where one is missing,
/// repeated, or cannot be what this service wrote.
std::optional<export_link> read_export_link(std::string_view query) noexcept;

/// Whether a compressed file would be sent, were there one: nobody waits for it to be made for a
/// part, which is of a file that is there.
bool may_be_compressed(const request& request);

/// The answer to a GET or HEAD of an export that is open, compressed where the client takes that
/// and the file is there. Who asks for a part gets the representation whose ETag `If-Range` or
/// `If-Match` names, and the plain one without: bytes of two representations never come together.
/// Any thread.
response export_response(const request& request, const store::opened_export& file);

} // namespace matchcloud::http
