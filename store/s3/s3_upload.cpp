#include "store/s3/s3_upload.hpp"

#include "base/crypto/sha256.hpp"
#include "base/events/log.hpp"
#include "base/hexadecimal.hpp"
#include "store/files/fault_pass.hpp"
#include "store/s3/md5.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace matchcloud::store {

namespace {

/// A tag is put into XML as it was received, with its quotes.
std::string escaped(std::string_view tag) {
  std::string text;
  for (const char c : tag) {
    switch (c) {
    case '"': text += "&quot;"; break;
    case '&': text += "&amp;"; break;
    case '<': text += "&lt;"; break;
    case '>': text += "&gt;"; break;
    default: text += c;
    }
  }
  return text;
}

std::string completion_body(const std::vector<std::string>& tags) {
  std::string text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::size_t i = 0; i < tags.size(); ++i)
    text.append("<Part><PartNumber>")
        .append(std::to_string(i + 1))
        .append("</PartNumber><ETag>")
        .append(escaped(tags[i]))
        .append("</ETag></Part>");
  return text.append("</CompleteMultipartUpload>");
}

/// If the body of a response cannot be parsed, the completion may or may not have happened.
s3_error error_of_completion(const s3_answer& answer) {
  if (!answer.is_success()) return read_s3_error(answer.body);
  auto read = read_s3_completion(answer.body);
  if (!read) return {"InternalError", read.error().detail};
  return read->error.value_or(s3_error{});
}

} // namespace

s3_upload::s3_upload(s3_client& client, std::string key, std::string content_type)
    : client_{client},
      key_{std::move(key)},
      content_type_{std::move(content_type)},
      write_name_{new_write_name()} {}

s3_upload::~s3_upload() {
  give_up();
}

s3_request s3_upload::request(std::string_view method, std::string_view operation) const {
  s3_request made;
  made.method = method;
  made.key = key_;
  made.operation = operation;
  if (!upload_id_.empty()) made.query.emplace_back("uploadId", upload_id_);
  return made;
}

tl::unexpected<base::error> s3_upload::failed(const std::string& why) const {
  return base::fail(base::errc::store_failed,
                    client_.endpoint().shown(key_) + ": cannot store the object: " + why);
}

base::expected<void> s3_upload::append(std::string_view bytes) {
  if (is_broken_) return failed("an earlier piece of it was not stored");
  while (!bytes.empty()) {
    if (filling_.size() == settings().part_bytes)
      if (auto sent = send_part(); !sent) return sent;
    const auto some = bytes.substr(0, settings().part_bytes - filling_.size());
    filling_.append(some);
    bytes.remove_prefix(some.size());
  }
  if (!lane_) return {};
  lane_->run(std::chrono::milliseconds{0});
  return wait_for_parts(settings().parts_in_flight_limit);
}

base::expected<void> s3_upload::begin() {
  auto lane = client_.lanes().acquire();
  if (!lane) return tl::unexpected(lane.error());
  lane_ = *std::move(lane);
  auto asked = request("POST", "begin to store the object");
  asked.query.emplace_back("uploads", "");
  asked.headers = {{"content-type", content_type_},
                   {std::string{s3_part_bytes_header}, std::to_string(settings().part_bytes)},
                   {std::string{s3_write_header}, write_name_}};
  const auto result = client_.ask(asked);
  if (!result) return tl::unexpected(result.error());
  if (!result->is_success()) return client_.refused(asked, *result);
  auto id = read_s3_upload_id(result->answer.body);
  if (!id) return failed(id.error().detail);
  upload_id_ = *std::move(id);
  return {};
}

base::expected<void> s3_upload::send_part() {
  is_broken_ = true; // until it has begun
  if (tags_.size() == s3_part_count_limit)
    return failed("it has more than " + std::to_string(s3_part_count_limit) + " parts of " +
                  std::to_string(settings().part_bytes) + " bytes");
  if (upload_id_.empty())
    if (auto begun = begin(); !begun) return begun;
  if (auto room = wait_for_parts(settings().parts_in_flight_limit - 1); !room) return room;
  if (const auto passed =
          pass(base::fault_point::bucket_request, client_.endpoint().shown(key_), "store a part");
      !passed)
    return tl::unexpected(passed.error());
  auto made = std::make_unique<part>();
  made->number = tags_.size() + 1;
  made->bytes = std::exchange(filling_, std::exchange(spare_, {}));
  made->md5 = md5_of(made->bytes);
  auto asked = request("PUT", "store a part of the object");
  asked.query.emplace_back("partNumber", std::to_string(made->number));
  asked.headers = {{"content-md5", to_base64(made->md5)}};
  asked.body = made->bytes;
  asked.body_sha256 = base::hexadecimal(base::sha256(made->bytes));
  s3_call_options options;
  // Nothing moves while the caller produces more bytes, which may take minutes.
  options.timeout = settings().long_timeout;
  made->call.emplace(client_.endpoint(), *lane_, client_.stopped(), std::move(asked),
                     std::move(options));
  made->call->advance();
  digests_ += made->md5;
  tags_.emplace_back();
  in_flight_.push_back(std::move(made));
  is_broken_ = false;
  return {};
}

base::expected<void> s3_upload::wait_for_parts(std::size_t most) {
  for (;;) {
    for (auto& each : in_flight_) {
      if (!each->call->advance()) continue;
      if (auto finished = finish_part(*each); !finished) {
        is_broken_ = true;
        return finished;
      }
      spare_ = std::move(each->bytes);
      spare_.clear();
      each.reset();
    }
    std::erase(in_flight_, nullptr);
    if (in_flight_.size() <= most) return {};
    auto wait = s3_longest_wait;
    for (const auto& each : in_flight_)
      wait = std::min(wait, each->call->idle_for());
    lane_->run(wait);
  }
}

base::expected<void> s3_upload::finish_part(part& done) {
  const auto& result = done.call->result();
  if (!result) return tl::unexpected(result.error());
  if (!result->is_success())
    return client_.refused(request("PUT", "store a part of the object"), *result);
  const auto tag = result->answer.header("etag");
  if (tag.empty() || tag.size() > s3_message_limit_bytes) return failed("a part has no entity tag");
  const auto md5 = md5_tag_of(result->answer);
  are_tags_of_md5_ = are_tags_of_md5_ && !md5.empty();
  if (!md5.empty() && md5 != to_hexadecimal(done.md5))
    return failed("the service stored a different part than it was sent");
  tags_[done.number - 1] = tag;
  return {};
}

base::expected<object_outcome> s3_upload::complete() {
  if (is_broken_) return failed("a piece of it was not stored");
  if (upload_id_.empty()) {
    is_broken_ = true; // the last call
    return client_.put(key_, filling_, content_type_);
  }
  auto done = complete_parts();
  is_broken_ = true;
  if (!done || *done == object_outcome::was_there) give_up();
  return done;
}

base::expected<object_outcome> s3_upload::complete_parts() {
  if (!filling_.empty())
    if (auto sent = send_part(); !sent) return tl::unexpected(sent.error());
  if (auto sent = wait_for_parts(0); !sent) return tl::unexpected(sent.error());
  // Not every service honors the condition of a completion.
  const auto before = client_.head(key_);
  if (!before) return tl::unexpected(before.error());
  if (*before) return object_outcome::was_there;
  auto asked = request("POST", "put the parts of the object together");
  const auto body = completion_body(tags_);
  asked.headers = {{"content-type", "application/xml"}, {"if-none-match", "*"}};
  asked.body = body;
  s3_call_options options;
  // It may take minutes during which little or nothing arrives.
  options.timeout = settings().long_timeout;
  options.may_be_silent = true;
  options.error_of = error_of_completion;
  const auto result = client_.ask(asked, std::move(options));
  if (result) return judge_completion(asked, *result);
  // It may have succeeded all the same.
  const auto found = is_own();
  if (!found || !*found || !**found) return tl::unexpected(result.error());
  upload_id_.clear();
  return object_outcome::stored;
}

base::expected<object_outcome> s3_upload::judge_completion(const s3_request& request,
                                                           const s3_result& result) {
  if (result.is_success()) {
    upload_id_.clear();
    const auto completion = read_s3_completion(result.answer.body);
    const auto expected = tag_of_parts(digests_);
    auto tag = completion ? completion->entity_tag : std::string{};
    std::erase(tag, '"');
    // The tag of parts encrypted with a service's keys has the form of a tag of MD5 digests.
    if (!are_tags_of_md5_ || tag.size() != expected.size() || tag == expected)
      return object_outcome::stored;
    (void)client_.remove(key_);
    return failed(
        "the service assembled different parts than it was sent; the object was removed again");
  }
  const bool is_taken = result.answer.status == 412;
  const bool is_gone = result.error.code == "NoSuchUpload" && result.was_outcome_unknown;
  if (!is_taken && !is_gone) return client_.refused(request, result);
  const auto found = is_own();
  if (!found) return tl::unexpected(found.error());
  if (*found && **found) {
    upload_id_.clear();
    return object_outcome::stored;
  }
  if (is_taken || *found) return object_outcome::was_there;
  return client_.refused(request, result);
}

base::expected<std::optional<bool>> s3_upload::is_own() {
  const auto found = client_.head(key_);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::nullopt;
  return (*found)->write_name == write_name_;
}

void s3_upload::give_up() noexcept {
  // Parts on their way are cut off.
  in_flight_.clear();
  const auto id = std::exchange(upload_id_, {});
  lane_.reset();
  if (id.empty()) return;
  try {
    if (const auto given_up = client_.abort_upload(key_, id); !given_up)
      base::log(base::log_event::bucket_upload_left,
                "{}; what is left of it is removed later, with other leftovers",
                given_up.error().detail);
  } catch (const std::exception& failure) {
    base::log(base::log_event::bucket_upload_left, "an upload to S3 cannot be aborted: {}",
              failure.what());
  }
}

} // namespace matchcloud::store
