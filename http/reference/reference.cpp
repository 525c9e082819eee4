#include "http/reference/reference.hpp"

#include "http/operations/code.hpp"
#include "http/operations/list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::array path_parameters{
    path_parameter_reference{"game_id", uuid, "A game.", "00000000-0000-4000-8000-000000000001"},
    path_parameter_reference{"namespace_id", uuid, "A namespace of a game.",
                             "00000000-0000-4000-8000-000000000011"},
    path_parameter_reference{"region_id",
                             {R"("type":"string","pattern":"^[a-z0-9-]{1,32}$")"},
                             "A datacenter region.",
                             "lon"},
    path_parameter_reference{"tier", some_text, "A size of game servers.", "basic-1d1"},
    path_parameter_reference{"upload_id", uuid, "The upload of an avatar.",
                             "00000000-0000-4000-8000-000000000104"},
    path_parameter_reference{"file_name",
                             {R"("type":"string","pattern":"^[0-9a-f]{32}\\.(png|jpg)$")"},
                             "The image's name: a digest of its bytes.",
                             "cdfa358e19689248cc4b27590f27f5d0.png"},
    path_parameter_reference{"export_id", uuid, "An export.",
                             "6a0f7c52-91d4-4c7e-8a35-000000000001"},
    path_parameter_reference{"lobby_id", uuid, "A lobby.", "98413323-2b6b-4bef-a11a-2dca887531df"},
    path_parameter_reference{"asset", some_text, "A file's name, as in the pages.", "icon.svg"},
    path_parameter_reference{"token_id", uuid, "A token.", "6a0f7c52-91d4-4c7e-8a35-000000000002"},
    path_parameter_reference{"point",
                             {R"("type":"string","pattern":"^[a-z_.]{1,64}$")"},
                             "A fault point, as `GET /faults` names it.",
                             "avatar.receive"},
};

constexpr std::array headers{
    header_reference{"X-Request-Id", "The request's own id if it is valid, else one that the "
                                     "service made. Problems and the service's log have it too."},
    header_reference{"Connection", "`close` if the connection closes."},
    header_reference{"Cache-Control", "How long the answer may be kept, and by whom."},
    header_reference{"X-Accel-Buffering", "`no`: proxies forward each event at once."},
    header_reference{"ETag", "Identifies the content and its coding."},
    header_reference{"Vary", "The headers of the request that the answer depends on."},
    header_reference{"Content-Encoding", "`gzip` if the answer is compressed."},
    header_reference{"Content-Security-Policy", "What the page may load, and from where."},
    header_reference{"Referrer-Policy", "`no-referrer`."},
    header_reference{"Content-Range", "Which bytes of how many these are."},
    header_reference{"Accept-Ranges", "`bytes`: ranges may be requested."},
    header_reference{"Content-Disposition", "The name under which a browser saves the file."},
    header_reference{"Cross-Origin-Resource-Policy",
                     "Which pages may load the content: `same-origin` or `cross-origin`."},
    header_reference{"X-Content-Type-Options", "`nosniff`: the media type is right as stated."},
    header_reference{"Access-Control-Allow-Origin", "The pages that may read the answer."},
    header_reference{"Access-Control-Expose-Headers", "The headers that those pages may read."},
    header_reference{"Timing-Allow-Origin", "The pages that may read exact times."},
    header_reference{"Location", "The file's URL, valid for a minute."},
    header_reference{"WWW-Authenticate", "The scheme, and why a token was refused."},
    header_reference{"Retry-After", "Seconds to wait before retrying.", count},
    header_reference{"RateLimit-Policy", "The limit that the request exceeds."},
    header_reference{"RateLimit", "What is left of that limit, and for how long."},
    header_reference{"Accept-Encoding", "`identity`: bodies must not be compressed."},
};

constexpr std::array data_tags{
    tag_reference{"avatars", "Custom avatars and their images."},
    tag_reference{"exports", "Lobby history as a file."},
    tag_reference{"reference", "This document."},
    tag_reference{"regions", "Where a player plays best."},
    tag_reference{"validation", "Whether a payload may be created."},
};

constexpr std::array ops_tags{
    tag_reference{"access", "Tokens, and who changed what."},
    tag_reference{"catalog", "Games, namespaces, regions and tiers."},
    tag_reference{"faults", "Making the service fail on purpose."},
    tag_reference{"lobbies", "The history of lobbies."},
    tag_reference{"players", "Where players are, which regions they get, and their avatars."},
    tag_reference{"reference", "This document, the data plane's, and the pages."},
    tag_reference{"reports", "The state of the service."},
    tag_reference{"validation", "Whether a payload may be created."},
};

operation_references make_references(plane of) {
  operation_references all;
  for (const auto& row : operations) {
    if (row.plane != of || row.id == operation::unmatched) continue;
    const auto& code = code_of(row.id);
    for (auto& each : code.reference ? operation_references{code.reference()} : code.references()) {
      each.id = row.id;
      all.push_back(std::move(each));
    }
  }
  return all;
}

} // namespace

const operation_references& references_of(plane of) {
  static const std::array all{make_references(plane::data), make_references(plane::ops)};
  return all[static_cast<std::size_t>(of)];
}

std::span<const tag_reference> tags_of(plane of) noexcept {
  return of == plane::data ? std::span<const tag_reference>{data_tags} : ops_tags;
}

const named_schema* find_schema(std::string_view name) {
  for (const auto of : {plane::data, plane::ops})
    for (const auto& operation : references_of(of))
      for (const auto& each : operation.schemas)
        if (each.name == name) return &each;
  return nullptr;
}

const path_parameter_reference& path_parameter(std::string_view name) noexcept {
  const auto* found = std::ranges::find(path_parameters, name, &path_parameter_reference::name);
  return found == path_parameters.end() ? path_parameters.front() : *found;
}

std::span<const header_reference> answer_headers() noexcept {
  return headers;
}

} // namespace matchcloud::http
