#include "load/reply_check.hpp"

#include "model/json/members.hpp"

#include <zlib.h>

#include <array>
#include <functional>
#include <optional>
#include <string_view>

namespace matchcloud::load {

namespace {

using value = rapidjson::Value;

/// Inflates gzip; returns nothing if the input is damaged or inflates to more than
/// `reply_limit_bytes`.
std::optional<std::string> inflated(std::string_view packed) {
  z_stream stream{};
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (::inflateInit2(&stream, gzip_only) != Z_OK) return std::nullopt;
  // zlib does not write to its input, although `next_in` is not a pointer to const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 16 * 1024> block{};
  int result = Z_OK;
  while (result == Z_OK && text.size() <= reply_reader::reply_limit_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = block.size();
    result = ::inflate(&stream, Z_NO_FLUSH);
    text.append(block.data(), block.size() - stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  ::inflateEnd(&stream);
  return whole ? std::optional{std::move(text)} : std::nullopt;
}

bool has_texts(const value& of, std::initializer_list<const char*> names) {
  for (const auto* name : names) {
    const auto* found = model::member_of(of, name);
    if (found == nullptr || !found->IsString()) return false;
  }
  return true;
}

std::string judge_regions(const value& document) {
  const auto* regions = model::member_array(document, "regions");
  if (regions == nullptr) return "has no array `regions`";
  if (regions->Empty()) return "lists no regions";
  double last = 0;
  for (const auto& region : regions->GetArray()) {
    const auto* place = model::member_of(region, "datacenter_coord");
    const auto* distance = model::member_of(region, "datacenter_distance_from_client");
    const auto* kilometers =
        distance == nullptr ? nullptr : model::member_of(*distance, "kilometers");
    if (!has_texts(region, {"region_id", "region_display_name", "provider_display_name"}) ||
        place == nullptr || kilometers == nullptr || !kilometers->IsNumber())
      return "has a region without a required member";
    if (kilometers->GetDouble() < last) return "has regions that are not in order of distance";
    last = kilometers->GetDouble();
  }
  return {};
}

std::string judge_avatars(const value& document) {
  const auto* avatars = model::member_array(document, "custom_avatars");
  if (avatars == nullptr) return "has no array `custom_avatars`";
  for (const auto& avatar : avatars->GetArray()) {
    const auto* complete = model::member_of(avatar, "complete");
    if (!has_texts(avatar, {"upload_id", "display_name", "create_ts"}) || complete == nullptr ||
        !complete->IsBool())
      return "has an avatar without a required member";
    if (complete->GetBool() != has_texts(avatar, {"url"}))
      return "has an avatar whose `url` contradicts `complete`";
  }
  return {};
}

std::string judge_export(const value& document) {
  if (!has_texts(document, {"url"})) return "has no text `url`";
  const auto* url = model::member_of(document, "url");
  const std::string_view text{url->GetString(), url->GetStringLength()};
  const bool good = text.starts_with("http") && text.find("/exports/") != std::string_view::npos;
  return good ? std::string{} : "has a `url` that does not lead to an export";
}

std::string judge_findings(const value& document, std::optional<std::size_t> wanted) {
  const auto* errors = model::member_array(document, "errors");
  if (errors == nullptr) return "has no array `errors`";
  for (const auto& error : errors->GetArray()) {
    const auto* path = model::member_array(error, "path");
    if (path == nullptr) return "has a finding without `path`";
    for (const auto& part : path->GetArray())
      if (!part.IsString()) return "has a finding whose `path` is not a list of strings";
  }
  if (wanted && errors->Size() != *wanted)
    return "has " + std::to_string(errors->Size()) + " findings where " + std::to_string(*wanted) +
           " were expected";
  return {};
}

std::string judge_text(const mix_part& part, std::string_view text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (document.HasParseError())
    return "is not JSON (byte " + std::to_string(document.GetErrorOffset()) + ")";
  switch (part.what) {
  case http::operation::list_regions: return judge_regions(document);
  case http::operation::list_avatars: return judge_avatars(document);
  case http::operation::export_lobby_history: return judge_export(document);
  case http::operation::validate_group:
  case http::operation::validate_game:
  case http::operation::validate_version: return judge_findings(document, part.findings);
  default: return {};
  }
}

} // namespace

std::optional<std::string> reply_check::decoded(const reply& that) {
  return that.gzip ? inflated(that.body) : std::string{that.body};
}

std::string reply_check::judge_body(std::string_view text) const {
  return form_ != nullptr ? form_->expected.judge_body(text) : judge_text(*part_, text);
}

std::string reply_check::judge(const reply& that) {
  if (form_ != nullptr) {
    if (auto wrong = form_->expected.judge_head(that.head); !wrong.empty()) return wrong;
    if (form_->expected.json.empty()) return {};
  } else if (that.status != 200) {
    // Only a 200 has a body to judge. Here the mix expected a refusal, or a success without a body
    // (304).
    return {};
  }
  if (!last_.empty() && that.body == last_) return {};
  const auto hash = std::hash<std::string_view>{}(that.body);
  if (known_.contains(hash)) return {};
  const auto text = decoded(that);
  if (!text) return "is not gzip";
  auto wrong = judge_body(*text);
  if (!wrong.empty()) return wrong;
  last_ = that.body;
  if (known_.size() < known_limit) known_.insert(hash);
  return {};
}

} // namespace matchcloud::load
