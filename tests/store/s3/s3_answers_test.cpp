#include "store/s3/s3_answers.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/s3_answer_law.hpp"
#include "tests/fixtures/whole_file.hpp"

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

} // namespace
} // namespace matchcloud::store
