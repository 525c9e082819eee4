#include "store/s3/s3_objects.hpp"

#include "base/characters.hpp"
#include "base/crypto/sha256.hpp"
#include "base/events/about_request.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/hexadecimal.hpp"
#include "store/files/fault_pass.hpp"
#include "store/object_name.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

/// The most that one call of `collect_leftovers` removes; the next one continues.
constexpr std::size_t collected_limit = 10'000;
/// How long the end of an upload may take, also of a process that is stopping.
constexpr std::chrono::milliseconds abort_timeout{10'000};
/// How often aborting an upload is tried before it is left as a leftover. Parts on their way may
/// arrive after the first attempt.
constexpr int aborts_limit = 5;

constexpr std::size_t piece_limit_bytes = 64UL * 1024;
/// No object has bytes beyond this; some services misread larger numbers.
constexpr std::uint64_t end_limit = std::numeric_limits<std::int64_t>::max();

void set_header(s3_request& of, std::string_view name, std::string value) {
  std::erase_if(of.headers, [&](const auto& each) { return each.first == name; });
  if (!value.empty()) of.headers.emplace_back(name, std::move(value));
}

/// Whether a service refuses `If-None-Match` because it does not know it.
bool refuses_condition(const s3_result& result) {
  if (result.is_success()) return false;
  if (result.answer.status == 501) return true;
  auto message = result.error.message;
  std::ranges::transform(message, message.begin(), base::to_lower);
  const auto& code = result.error.code;
  return (code == "NotImplemented" || code == "InvalidArgument") &&
         message.find("if-none-match") != std::string::npos;
}

/// An object as it arrives, in one or several attempts.
class incoming_object {
public:
  incoming_object(const std::optional<object_range>& range, const object_taker& take) noexcept
      : range_{range}, take_{take} {}

  /// The `Range` header for what is missing; empty for the whole object.
  std::string wanted() const {
    if (!range_ && taken_bytes_ == 0) return {};
    return fmt::format("bytes={}-{}", next(), range_ ? std::to_string(last()) : "");
  }

  void begin_attempt() noexcept { is_begun_ = false; }

  /// Takes some bytes of an attempt. False if they are not wanted, or wrong: see `problem`.
  bool take(const s3_answer& answer, std::string_view piece) {
    if (!std::exchange(is_begun_, true) && !begin(answer)) return false;
    if (range_ && piece.size() > last() - next() + 1)
      return refuse("the service sent too many bytes");
    if (check_) check_->append(piece);
    while (!piece.empty()) {
      const auto some = piece.substr(0, piece_limit_bytes);
      piece.remove_prefix(some.size());
      taken_bytes_ += some.size();
      if (!take_(some)) return false;
    }
    return true;
  }

  /// Checks what was received after an attempt that succeeded. Returns whether all is right.
  bool end(const s3_answer& answer) {
    if (!is_begun_ && !begin(answer)) return false;
    const auto last_wanted =
        range_ ? std::min(last() + 1, head_->facts.size_bytes) : head_->facts.size_bytes;
    if (next() != last_wanted) return refuse("the service sent too few bytes");
    if (check_ && !check_->holds())
      return refuse("the bytes differ from those that were stored: their digest does not match");
    return true;
  }

  /// Why bytes were refused; empty if `take` did not want them.
  const std::string& problem() const noexcept { return problem_; }
  const std::optional<s3_head>& head() const noexcept { return head_; }

private:
  /// The first byte that is missing.
  std::uint64_t next() const noexcept { return (range_ ? range_->first : 0) + taken_bytes_; }
  std::uint64_t last() const noexcept {
    const auto most = end_limit - std::min(range_->first, end_limit);
    return range_->first + std::min(range_->length_bytes - 1, most);
  }

  bool refuse(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  bool begin(const s3_answer& answer) {
    auto head = base::attempt([&] { return read_s3_head(answer); });
    if (!head) return refuse(head.error().detail);
    if (head->first != next()) return refuse("the service sent other bytes than were requested");
    if (head_ && head_->entity_tag != head->entity_tag)
      return refuse("the object changed while it was read");
    if (head_) return true;
    if (!range_) check_.emplace(*head);
    head_ = *std::move(head);
    return true;
  }

  const std::optional<object_range>& range_;
  const object_taker& take_;
  std::uint64_t taken_bytes_ = 0;
  bool is_begun_ = false;
  std::string problem_;
  /// From the first attempt that had bytes.
  std::optional<s3_head> head_;
  /// Only for whole objects.
  std::optional<s3_check> check_;
};

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
    text += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1,
                        escaped(tags[i]));
  return text + "</CompleteMultipartUpload>";
}

/// If the body of a response cannot be parsed, the completion may or may not have happened.
s3_error error_of_completion(const s3_answer& answer) {
  if (!answer.is_success()) return read_s3_error(answer.body);
  const auto read = base::attempt([&] { return read_s3_completion(answer.body); });
  return read ? read->error.value_or(s3_error{}) : s3_error{"InternalError", read.error().detail};
}

} // namespace

/// An object that is stored in parts, or in one request if it turns out to fit into one part. Holds
/// at most `parts_in_flight_limit` + 1 parts in memory; each is sent by a thread of its own.
class s3_objects::upload final : public object_upload {
public:
  upload(s3_objects& into, std::string key, std::string content_type)
      : into_{into},
        key_{std::move(key)},
        content_type_{std::move(content_type)},
        write_name_{new_write_name()} {}
  upload(const upload&) = delete;
  upload& operator=(const upload&) = delete;
  /// Aborts the upload unless it was completed, which may wait some seconds for the service.
  ~upload() override { give_up(); }

  base::expected<void> append(std::string_view bytes) override;
  base::expected<object_outcome> complete() override;

private:
  struct sent_part {
    /// As received.
    std::string entity_tag;
    bool is_tag_of_md5;
  };

  const s3_settings& settings() const noexcept { return into_.client_.settings(); }
  s3_request request(std::string_view method, std::string_view operation) const;
  base::failure failed(const std::string& why) const {
    return into_.client_.failed(request("PUT", "store the object"), why);
  }

  void begin();
  /// Sends the content of `filling_`; first waits for room.
  void begin_part();
  sent_part send_part(std::size_t number, const std::string& bytes, const std::string& md5);
  /// Waits until at most `most` parts are being sent.
  void wait_for_parts(std::size_t most);
  object_outcome complete_parts();
  /// Compares the parts that were put together with those that were sent.
  object_outcome check_whole(const s3_result& result);
  void give_up() noexcept;

  s3_objects& into_;
  std::string key_;
  std::string content_type_;
  std::string write_name_;
  /// Held from the first part on.
  s3_client::slot slot_;
  /// Empty before the first part, and after the end.
  std::string upload_id_;
  /// Set during each step, so that it stays set if the step fails.
  bool is_broken_ = false;
  std::atomic<bool> is_given_up_{false};
  std::string filling_;
  std::deque<std::future<sent_part>> in_flight_;
  /// For parts 1 and up: entity tags as received, and raw MD5.
  std::vector<std::string> tags_;
  std::string digests_;
  bool are_tags_of_md5_ = true;
};

s3_request s3_objects::upload::request(std::string_view method, std::string_view operation) const {
  s3_request made;
  made.method = method;
  made.key = key_;
  made.operation = operation;
  if (!upload_id_.empty()) made.query.emplace_back("uploadId", upload_id_);
  return made;
}

base::expected<void> s3_objects::upload::append(std::string_view bytes) {
  return base::attempt([&] {
    if (std::exchange(is_broken_, true)) throw failed("an earlier piece of it was not stored");
    while (!bytes.empty()) {
      if (filling_.size() == settings().part_bytes) begin_part();
      const auto some = bytes.substr(0, settings().part_bytes - filling_.size());
      filling_.append(some);
      bytes.remove_prefix(some.size());
    }
    is_broken_ = false;
  });
}

void s3_objects::upload::begin() {
  slot_ = into_.client_.acquire();
  auto asked = request("POST", "begin to store the object");
  asked.query.emplace_back("uploads", "");
  asked.headers = {{"content-type", content_type_},
                   {std::string{s3_part_bytes_header}, std::to_string(settings().part_bytes)},
                   {std::string{s3_write_header}, write_name_}};
  const auto result = into_.client_.ask(asked);
  if (!result.is_success()) throw into_.client_.refused(asked, result);
  const auto id = base::attempt([&] { return read_s3_upload_id(result.answer.body); });
  if (!id) throw failed(id.error().detail);
  upload_id_ = *id;
}

void s3_objects::upload::begin_part() {
  if (tags_.size() + in_flight_.size() == s3_part_count_limit)
    throw failed(fmt::format("it has more than {} parts of {} bytes", s3_part_count_limit,
                             settings().part_bytes));
  if (upload_id_.empty()) begin();
  wait_for_parts(settings().parts_in_flight_limit - 1);
  base::value_of(
      pass(base::fault_point::bucket_request, into_.client_.shown(key_), "store a part"));
  const auto md5 = md5_of(filling_);
  const auto bytes = std::make_shared<const std::string>(std::exchange(filling_, {}));
  const auto send = [this, number = tags_.size() + in_flight_.size() + 1, bytes, md5,
                     marks = base::kept_marks{base::about_request::current()}] {
    const base::about_request about{marks.get()};
    return send_part(number, *bytes, md5);
  };
  try {
    in_flight_.push_back(std::async(std::launch::async, send));
  } catch (const std::system_error&) { // no more threads: `get` sends it
    in_flight_.push_back(std::async(std::launch::deferred, send));
  }
  digests_ += md5;
}

s3_objects::upload::sent_part s3_objects::upload::send_part(std::size_t number,
                                                            const std::string& bytes,
                                                            const std::string& md5) {
  auto asked = request("PUT", "store a part of the object");
  asked.query.emplace_back("partNumber", std::to_string(number));
  asked.headers = {{"content-md5", to_base64(md5)}};
  asked.body = bytes;
  s3_call_options options;
  options.timeout = settings().long_timeout;
  options.is_stopped = [this] { return is_given_up_.load(); };
  const auto result = into_.client_.send(asked, options);
  if (!result.is_success()) throw into_.client_.refused(asked, result);
  std::string tag{result.answer.header("etag")};
  if (tag.empty() || tag.size() > s3_message_limit_bytes) throw failed("a part has no entity tag");
  const auto digits = md5_tag_of(result.answer);
  if (!digits.empty() && digits != to_hexadecimal(md5))
    throw failed("the service stored a different part than it was sent");
  return {std::move(tag), !digits.empty()};
}

void s3_objects::upload::wait_for_parts(std::size_t most) {
  while (in_flight_.size() > most) {
    auto sent = in_flight_.front().get();
    in_flight_.pop_front();
    are_tags_of_md5_ = are_tags_of_md5_ && sent.is_tag_of_md5;
    tags_.push_back(std::move(sent.entity_tag));
  }
}

base::expected<object_outcome> s3_objects::upload::complete() {
  const auto done = base::attempt([&] {
    if (std::exchange(is_broken_, true)) throw failed("a piece of it was not stored");
    return upload_id_.empty() ? into_.put(key_, filling_, content_type_) : complete_parts();
  });
  give_up();
  return done;
}

object_outcome s3_objects::upload::complete_parts() {
  if (!filling_.empty()) begin_part();
  wait_for_parts(0);
  // Not every service honors the condition of a completion.
  if (into_.has(key_)) return object_outcome::was_there;
  auto asked = request("POST", "put the parts of the object together");
  const auto body = completion_body(tags_);
  asked.headers = {{"content-type", "application/xml"}};
  asked.body = body;
  s3_call_options options;
  // It may take minutes during which little or nothing arrives.
  options.timeout = settings().long_timeout;
  options.may_be_silent = true;
  options.error_of = error_of_completion;
  const auto result = base::attempt([&] { return into_.ask_for_new(asked, options); });
  if (result && result->is_success()) return check_whole(*result);
  // It may have succeeded in an attempt whose response was lost.
  const auto found = base::attempt([&] { return into_.head(key_); });
  if (found && *found && (*found)->write_name == write_name_) {
    upload_id_.clear();
    return object_outcome::stored;
  }
  if (!result) throw base::failure{result.error()};
  if (!found) throw base::failure{found.error()};
  if (*found || result->answer.status == 412) return object_outcome::was_there;
  throw into_.client_.refused(asked, *result);
}

object_outcome s3_objects::upload::check_whole(const s3_result& result) {
  upload_id_.clear();
  auto answered = result.answer;
  answered.headers.emplace_back("etag", read_s3_completion(result.answer.body).entity_tag);
  const auto tag = md5_tag_of(answered);
  const auto expected = tag_of_parts(digests_);
  // The tag of parts encrypted with a service's keys has the form of a tag of MD5 digests.
  if (!are_tags_of_md5_ || tag.size() != expected.size() || tag == expected)
    return object_outcome::stored;
  (void)base::attempt([&] { into_.remove_key(key_); });
  throw failed(
      "the service assembled different parts than it was sent; the object was removed again");
}

void s3_objects::upload::give_up() noexcept {
  // Parts on their way are cut off.
  is_given_up_ = true;
  in_flight_.clear();
  slot_.reset();
  const auto id = std::exchange(upload_id_, {});
  if (id.empty()) return;
  try {
    into_.abort_upload(key_, id);
  } catch (const std::exception& failure) {
    base::log(base::log_event::bucket_upload_left,
              "{}; what is left of it is removed later, with other leftovers", failure.what());
  }
}

s3_objects::s3_objects(s3_settings settings, std::unique_ptr<s3_credential_source> credentials,
                       const base::clock& time)
    : client_{std::move(settings), std::move(credentials), time},
      prefix_{client_.settings().location.prefix} {}

base::expected<void> s3_objects::check_readable() {
  return base::attempt([&] {
    // A refused `head` has no reason.
    const s3_request request{"GET", key_of(images_folder()), {}, {}, {}, "look for the object"};
    const auto result = client_.ask(request);
    // Some services send no code for an object that does not exist.
    const bool is_absent = result.error.code == "NoSuchKey" ||
                           (result.answer.status == 404 && result.error.code.empty());
    if (!result.is_success() && !is_absent) throw client_.refused(request, result);
  });
}

base::expected<void> s3_objects::examine() {
  return check_readable().and_then([&] {
    return base::attempt([&] {
      // The first object or upload of each listing is enough.
      list_keys(prefix_, [](const s3_listed&) { return false; });
      list_uploads([](const s3_listed&) { return false; });
    });
  });
}

base::expected<std::unique_ptr<object_upload>>
s3_objects::begin_upload(const object_name& name, const std::string& content_type) {
  return std::make_unique<upload>(*this, key_of(name), content_type);
}

base::expected<std::optional<object_facts>>
s3_objects::read(const object_name& name, const std::optional<object_range>& range,
                 const object_taker& take) {
  return base::attempt([&] { return get(key_of(name), range, take); });
}

base::expected<std::optional<object_facts>> s3_objects::stat(const object_name& name) {
  return base::attempt([&] {
    const auto found = head(key_of(name));
    return found ? std::optional{found->facts} : std::nullopt;
  });
}

base::expected<void> s3_objects::remove(const object_name& name) {
  return base::attempt([&] { remove_key(key_of(name)); });
}

base::expected<void> s3_objects::list(const std::optional<object_name>& folder,
                                      const listing_taker& take) {
  const auto start = folder ? key_of(*folder) + "/" : prefix_;
  return base::attempt([&] {
    list_keys(start, [&](const s3_listed& each) {
      if (!each.key.starts_with(start)) return true;
      const auto name = object_name::parse(std::string_view{each.key}.substr(prefix_.size()));
      return !name || take(*name, {each.size_bytes, each.at_ts});
    });
  });
}

base::expected<std::optional<std::string>> s3_objects::link(const object_name& name,
                                                            const object_link& what) {
  if (what.lifetime.count() < 1 || what.lifetime > link_lifetime_limit)
    return base::fail(base::errc::config_invalid,
                      fmt::format("a link can be valid for 1 to {} s, not for {}",
                                  link_lifetime_limit.count(), what.lifetime.count()));
  return client_.presign(key_of(name), what);
}

base::expected<std::size_t> s3_objects::collect_leftovers(std::chrono::seconds age) {
  return base::attempt([&] {
    const auto before_ts = client_.unix_ms() - std::chrono::milliseconds{age}.count();
    std::vector<s3_listed> old;
    list_uploads([&](const s3_listed& each) {
      if (each.at_ts <= before_ts && each.key.starts_with(prefix_)) old.push_back(each);
      return old.size() < collected_limit;
    });
    for (const auto& each : old) {
      if (client_.is_stopped())
        throw base::failure{base::errc::cancelled, "the process is stopping"};
      abort_upload(each.key, each.upload_id);
    }
    return old.size();
  });
}

s3_result s3_objects::ask_for_new(const s3_request& request, const s3_call_options& options) {
  // Some services know the condition of only one of the two requests that store objects.
  auto& is_unconditional = is_unconditional_[request.method == "PUT" ? 0 : 1];
  if (!is_unconditional) {
    auto conditional = request;
    conditional.headers.emplace_back("if-none-match", "*");
    auto result = client_.ask(conditional, options);
    if (!refuses_condition(result)) return result;
  }
  if (has(request.key)) {
    s3_result taken;
    taken.answer.status = 412;
    return taken;
  }
  auto result = client_.ask(request, options);
  if (result.is_success()) is_unconditional = true;
  return result;
}

object_outcome s3_objects::put(const std::string& key, std::string_view bytes,
                               const std::string& content_type) {
  const auto md5 = md5_of(bytes);
  const auto write_name = new_write_name();
  const s3_request request{"PUT",
                           key,
                           {},
                           {{"content-type", content_type},
                            {"content-md5", to_base64(md5)},
                            {std::string{s3_sha256_header}, base::hexadecimal(base::sha256(bytes))},
                            {std::string{s3_write_header}, write_name}},
                           bytes,
                           "store the object"};
  const auto result = ask_for_new(request);
  if (result.answer.status == 412) {
    if (!result.was_outcome_unknown) return object_outcome::was_there;
    // The object with this name may come from an attempt whose response was lost.
    const auto found = head(key);
    return found && found->write_name == write_name ? object_outcome::stored
                                                    : object_outcome::was_there;
  }
  if (!result.is_success()) throw client_.refused(request, result);
  const auto tag = md5_tag_of(result.answer);
  if (tag.empty() || tag == to_hexadecimal(md5)) return object_outcome::stored;
  (void)base::attempt([&] { remove_key(key); });
  throw base::failure{
      base::errc::store_failed,
      "{}: the service stored different bytes than it was sent; the object was removed again",
      client_.shown(key)};
}

std::optional<s3_head> s3_objects::head(const std::string& key) {
  const s3_request request{"HEAD", key, {}, {}, {}, "look for the object"};
  const auto result = client_.ask(request);
  if (result.answer.status == 404) {
    // The response has no body, which would say what is missing.
    check_bucket();
    return std::nullopt;
  }
  if (!result.is_success()) throw client_.refused(request, result);
  auto read = base::attempt([&] { return read_s3_head(result.answer); });
  if (!read)
    throw base::failure{base::errc::store_failed, "{}: {}", client_.shown(key),
                        read.error().detail};
  return *std::move(read);
}

void s3_objects::check_bucket() {
  const s3_request request{"HEAD", {}, {}, {}, {}, "find the bucket"};
  auto result = client_.ask(request);
  // Credentials that can read objects may lack the permission to see the bucket.
  if (result.answer.status != 404) return;
  result.error.code = "NoSuchBucket";
  throw client_.refused(request, result);
}

std::optional<object_facts> s3_objects::get(const std::string& key,
                                            const std::optional<object_range>& range,
                                            const object_taker& take) {
  incoming_object incoming{range, take};
  s3_request request{"GET", key, {}, {}, {}, "read the object"};
  set_header(request, "range", incoming.wanted());
  s3_call_options options;
  options.timeout = client_.settings().long_timeout;
  options.taker = [&](const s3_answer& answer, std::string_view piece) {
    return incoming.take(answer, piece);
  };
  options.before_repetition = [&](s3_request& again) {
    incoming.begin_attempt();
    set_header(again, "range", incoming.wanted());
    if (incoming.head()) set_header(again, "if-match", incoming.head()->entity_tag);
  };
  const auto result = base::attempt([&] { return client_.ask(request, options); });
  if (!incoming.problem().empty()) throw client_.failed(request, incoming.problem());
  if (!result) throw base::failure{result.error()};
  if (result->error.code == "NoSuchKey") return std::nullopt;
  if (result->answer.status == 416)
    throw base::failure{base::errc::range_not_satisfiable, "{}: there are no bytes from {} on",
                        client_.shown(key), range ? range->first : 0};
  if (result->answer.status == 412)
    throw client_.failed(request, "the object changed while it was read");
  if (!result->is_success()) throw client_.refused(request, *result);
  if (!incoming.end(result->answer)) throw client_.failed(request, incoming.problem());
  return incoming.head()->facts;
}

void s3_objects::remove_key(const std::string& key) {
  const s3_request request{"DELETE", key, {}, {}, {}, "remove the object"};
  const auto result = client_.ask(request);
  if (!result.is_success() && result.error.code != "NoSuchKey")
    throw client_.refused(request, result);
}

namespace {

/// Passes the entries of all pages to `take`, until it returns false.
void list_pages(s3_client& client, const s3_pairs& query, std::string_view operation,
                s3_page (*read)(std::string_view),
                const std::function<bool(const s3_listed&)>& take) {
  s3_pairs next;
  do {
    s3_request request{"GET", {}, query, {}, {}, operation};
    request.query.insert(request.query.end(), next.begin(), next.end());
    const auto result = client.ask(request);
    if (!result.is_success()) throw client.refused(request, result);
    auto page = base::attempt([&] { return read(result.answer.body); });
    if (!page) throw client.failed(request, page.error().detail);
    if (!next.empty() && page->next == next)
      throw client.failed(request, "it has the page before once more");
    if (!std::ranges::all_of(page->entries, take)) return;
    next = std::move(page->next);
  } while (!next.empty());
}

} // namespace

void s3_objects::list_keys(const std::string& prefix,
                           const std::function<bool(const s3_listed&)>& take) {
  const auto most = std::to_string(client_.settings().page_limit);
  list_pages(client_, {{"list-type", "2"}, {"prefix", prefix}, {"max-keys", most}}, "list objects",
             read_s3_page, take);
}

void s3_objects::list_uploads(const std::function<bool(const s3_listed&)>& take) {
  const auto most = std::to_string(client_.settings().page_limit);
  list_pages(client_, {{"uploads", ""}, {"prefix", prefix_}, {"max-uploads", most}},
             "list unfinished uploads", read_s3_uploads, take);
}

void s3_objects::abort_upload(const std::string& key, const std::string& upload_id) {
  const s3_request request{"DELETE", key, {{"uploadId", upload_id}}, {}, {}, "give up an upload"};
  const auto end_at = base::machine_clock().now() + abort_timeout;
  for (int i = 0; i < aborts_limit; ++i) {
    s3_call_options options;
    options.is_last = true;
    options.timeout =
        std::chrono::ceil<std::chrono::milliseconds>(end_at - base::machine_clock().now());
    if (options.timeout.count() <= 0) return;
    // In no slot: this must work while all of them are taken.
    const auto result = client_.send(request, options);
    if (result.error.code == "NoSuchUpload") return;
    if (!result.is_success()) throw client_.refused(request, result);
  }
}

} // namespace matchcloud::store
