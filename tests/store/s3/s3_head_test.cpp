#include "store/s3/s3_answers.hpp"

#include "base/crypto/sha256.hpp"
#include "base/failure.hpp"
#include "base/hexadecimal.hpp"
#include "tests/catch.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

namespace matchcloud::store {
namespace {

const std::string stored_at = "Fri, 24 May 2013 00:00:00 GMT";

s3_answer answer_of(s3_pairs more, int status = 200) {
  s3_answer made{status, {{"last-modified", stored_at}, {"etag", "\"x\""}}, {}};
  // Those before count.
  made.headers.insert(made.headers.begin(), more.begin(), more.end());
  return made;
}

TEST_CASE("digests are those of their standards") {
  CHECK(base::hexadecimal(base::sha256("abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(to_hexadecimal(md5_of("abc")) == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(to_base64("") == "");
  CHECK(to_base64("f") == "Zg==");
  CHECK(to_base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("what headers say of an object is read") {
  const auto whole = read_s3_head(answer_of(
      {{"content-length", "12"}, {"x-amz-meta-write", "w"}, {"x-amz-meta-part-bytes", "8388608"}}));
  CHECK(whole.facts == object_facts{12, 1'369'353'600'000});
  CHECK(whole.first == 0);
  CHECK(whole.entity_tag == "\"x\"");
  CHECK(whole.md5_tag.empty());
  CHECK(whole.write_name == "w");
  CHECK(whole.part_bytes == 8'388'608);
  const auto some =
      read_s3_head(answer_of({{"content-length", "2"}, {"content-range", "bytes 3-4/12"}}, 206));
  CHECK(some.first == 3);
  CHECK(some.facts.size_bytes == 12);
}

TEST_CASE("headers that are missing or broken are refused") {
  CHECK_THROWS_AS(read_s3_head(answer_of({})), base::failure);
  CHECK_THROWS_AS(read_s3_head(answer_of({{"content-length", "-1"}})), base::failure);
  CHECK_THROWS_AS(read_s3_head(answer_of({{"content-length", "1"}, {"etag", ""}})), base::failure);
  CHECK_THROWS_AS(read_s3_head(answer_of({{"content-length", "1"}, {"last-modified", "once"}})),
                  base::failure);
  for (const auto* const bad : {"", "bytes", "bytes 1-2", "bytes 2-1/3", "bytes 1-3/3", "bytes */3",
                                "bytes 1-2/*", "lines 1-2/3", "bytes -1-2/3"})
    CHECK_THROWS_AS(read_s3_head(answer_of({{"content-range", bad}}, 206)), base::failure);
}

TEST_CASE("a tag is taken for one of MD5 digests only where it can be") {
  const std::string digits(32, 'a');
  const auto tag = [](const std::string& text, s3_pairs more = {}) {
    more.emplace_back("etag", text);
    return md5_tag_of({200, more, {}});
  };
  CHECK(tag('"' + digits + '"') == digits);
  CHECK(tag('"' + digits + "-12\"") == digits + "-12");
  CHECK(tag(digits) == digits);
  CHECK(tag(std::string(32, 'A') + "-12") == digits + "-12");
  for (const auto& other : {std::string{}, std::string{"\""}, digits + "-", digits + "-x",
                            digits + "a", std::string(31, 'a'), std::string(32, 'g')})
    CHECK(tag('"' + other + '"').empty());
  CHECK(tag(digits, {{"x-amz-server-side-encryption", "AES256"}}) == digits);
  CHECK(tag(digits, {{"x-amz-server-side-encryption", "aws:kms"}}).empty());
  CHECK(tag(digits, {{"x-amz-server-side-encryption-customer-algorithm", "AES256"}}).empty());
}

/// Whether bytes that come in pieces of `cut` pass the check of a head.
bool passes(const s3_head& head, std::string_view bytes, std::size_t cut) {
  s3_check check{head};
  for (; !bytes.empty(); bytes.remove_prefix(std::min(cut, bytes.size())))
    check.append(bytes.substr(0, cut));
  return check.holds();
}

TEST_CASE("any bytes pass the check of what they were stored with, changed ones do not") {
  CHECK(rc::check([] {
    const auto bytes = *rc::gen::nonEmpty<std::string>();
    const auto part_bytes = *rc::gen::inRange(std::size_t{1}, bytes.size() + 2);
    const auto cut = *rc::gen::inRange(std::size_t{1}, bytes.size() + 2);
    std::string digests;
    for (std::size_t at = 0; at < bytes.size(); at += part_bytes)
      digests += md5_of(std::string_view{bytes}.substr(at, part_bytes));
    s3_head in_parts;
    in_parts.md5_tag = tag_of_parts(digests);
    in_parts.part_bytes = part_bytes;
    s3_head at_once;
    at_once.md5_tag = to_hexadecimal(md5_of(bytes));
    s3_head by_sha256;
    by_sha256.entity_tag = "\"x\"";
    by_sha256.sha256 = base::hexadecimal(base::sha256(bytes));
    auto changed = bytes;
    changed[*rc::gen::inRange(std::size_t{0}, bytes.size())] ^= 4;
    for (const auto& head : {in_parts, at_once, by_sha256}) {
      RC_ASSERT(passes(head, bytes, cut));
      RC_ASSERT(!passes(head, changed, cut));
      RC_ASSERT(!passes(head, bytes + "x", cut));
    }
  }));
}

TEST_CASE("bytes pass where nothing is known to compare them with") {
  s3_head unknown;
  unknown.md5_tag = std::string(32, 'a') + "-2"; // but how long parts are is not known
  CHECK(passes(unknown, "hello", 2));
}

TEST_CASE("names of writes differ") {
  CHECK(new_write_name().size() == 32);
  CHECK(new_write_name() != new_write_name());
}

} // namespace
} // namespace matchcloud::store
