#include "store/s3/s3_answers.hpp"

#include "base/crypto/sha256.hpp"
#include "base/failure.hpp"
#include "base/hexadecimal.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/s3_answer_law.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

#include <filesystem>

namespace matchcloud::store {
namespace {

std::string corpus(const std::string& name) {
  return fixtures::read_whole(fixtures::source_path("tests/fuzz/corpus/s3_answer/" + name));
}

template <class Answer>
std::string why_not(const std::string& body, Answer (*read)(std::string_view)) {
  const auto answer = base::attempt([&] { return read(body); });
  return answer ? std::string{} : answer.error().detail;
}

TEST_CASE("a document that is not well-formed, or too long, has no root") {
  const auto root_of = [](const std::string& text) {
    pugi::xml_document document;
    return std::string{parse_xml(document, text).name()};
  };
  CHECK(root_of("<?xml version='1.0'?>\n<a b=\"c\"> <e/>\n</a>\n") == "a");
  for (const auto* const bad :
       {"", "x", "<", "<a", "<a>", "<a></b>", "<a b></a>", "<a b=c></a>", "<1a></1a>", "</a>"}) {
    CAPTURE(bad);
    CHECK(root_of(bad).empty());
  }
  std::string wide = "<a>";
  for (std::size_t i = 0; i < xml_element_limit; ++i)
    wide += "<b></b>";
  CHECK(root_of(wide + "</a>").empty());
  std::string deep;
  for (std::size_t i = 0; i < xml_element_limit; ++i)
    deep.insert(0, "<a>").append("</a>");
  CHECK(root_of(deep) == "a");
}

TEST_CASE("entities of a document type are not expanded") {
  const std::string text = "<!DOCTYPE a [<!ENTITY b \"secret\"><!ENTITY c SYSTEM "
                           "\"file:///etc/passwd\">]><Error><Code>A</Code>"
                           "<Message>&b;&c;</Message></Error>";
  CHECK(read_s3_error(text).message == "&b;&c;");
  CHECK(read_s3_error(corpus("document_type")).code.empty());
}

TEST_CASE("the code and the message of an error are read") {
  const auto error = read_s3_error(corpus("error"));
  CHECK(error.code == "NoSuchKey");
  CHECK(error.message == "The \"key\" is gone & over");
  CHECK(read_s3_error("<html><h1>503</h1></html>").code.empty());
  CHECK(read_s3_error("<Error><Code>No Such</Code></Error>").code.empty());
  CHECK(read_s3_error("<Error><Code>A</Code><Message>a\nb\xc3\xa4</Message></Error>").message ==
        "a?b??");
  CHECK(
      read_s3_error("<Error><Code>A</Code><Message>" + std::string(400, 'b') + "</Message></Error>")
          .message.size() == s3_message_limit_bytes);
}

TEST_CASE("a page of objects is read") {
  const auto page = read_s3_page(corpus("objects"));
  CHECK(page.next == s3_pairs{{"continuation-token", "a/c"}});
  REQUIRE(page.entries.size() == 2);
  CHECK(page.entries[0].key == "a/b c");
  CHECK(page.entries[0].size_bytes == 0);
  CHECK(page.entries[0].at_ts == 1'769'903'999'000);
  CHECK(page.entries[1].size_bytes == 12);
}

TEST_CASE("a page that lacks something is refused as a whole") {
  const auto refused = [](const std::string& content, const std::string& why) {
    CHECK(why_not("<ListBucketResult>" + content + "</ListBucketResult>", read_s3_page) == why);
  };
  const std::string more = "<IsTruncated>false</IsTruncated>";
  refused("", "it does not say whether there is more");
  refused("<IsTruncated>true</IsTruncated>",
          "there are more pages, but no NextContinuationToken to request the next one");
  refused(more + "<Contents/>", "an entry has no name");
  const std::string time = "<LastModified>2026-01-31T23:59:59.000Z</LastModified>";
  refused(more + "<Contents><Key>a</Key>" + time + "</Contents>", "an object has no size");
  refused(more + "<Contents><Key>a</Key>" + time + "<Size>-1</Size></Contents>",
          "an object has no size");
  refused(more + "<Contents><Key>a</Key><Size>1</Size></Contents>", "LastModified is not a time");
  refused(more + "<Contents><Key>" + std::string(1'025, 'a') + "</Key></Contents>",
          "a name is too long");
  CHECK(why_not(corpus("uploads"), read_s3_page) == "it is not a ListBucketResult");
}

TEST_CASE("unfinished uploads, and the id of a new one, are read") {
  const auto page = read_s3_uploads(corpus("uploads"));
  CHECK(page.next == s3_pairs{{"key-marker", "a"}, {"upload-id-marker", "2~x"}});
  REQUIRE(page.entries.size() == 1);
  CHECK(page.entries[0].key == "a");
  CHECK(page.entries[0].upload_id == "2~x");
  CHECK(page.entries[0].at_ts == 1'769'903'999'000);
  CHECK(read_s3_upload_id(corpus("begun")) == "2~abc");
  CHECK(why_not("<InitiateMultipartUploadResult/>", read_s3_upload_id) == "an upload has no id");
}

TEST_CASE("a completed upload may be an error, behind blanks that kept the connection") {
  const auto done = read_s3_completion(corpus("completed"));
  CHECK(done.entity_tag == "\"d41d8cd98f00b204e9800998ecf8427e-3\"");
  CHECK(!done.error);
  const auto failed = read_s3_completion("\n\n<Error><Code>InternalError</Code></Error>");
  REQUIRE(failed.error);
  CHECK(failed.error->code == "InternalError");
  CHECK_FALSE(why_not("<Error/>", read_s3_completion).empty());
  CHECK_FALSE(why_not("", read_s3_completion).empty());
}

TEST_CASE("the law of answers holds for the fuzzer's corpus") {
  const std::filesystem::path folder = fixtures::source_path("tests/fuzz/corpus/s3_answer");
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator{folder}) {
    CAPTURE(each.path().string());
    CHECK(s3_answer_law::check(fixtures::read_whole(each.path().string())).empty());
    ++files;
  }
  CHECK(files >= 6);
}

TEST_CASE("the law of answers holds for documents with bytes changed") {
  const auto whole = corpus("objects");
  CHECK(rc::check([&] {
    auto text = whole;
    const auto changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange(std::size_t{0}, text.size());
      text[at] = *rc::gen::element('<', '>', '/', '&', ';', '"', ' ', 'a', '\0', '\x80');
    }
    const auto why = s3_answer_law::check(text);
    RC_ASSERT(why.empty());
  }));
}

// -- heads and digests

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
