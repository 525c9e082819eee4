#include "store/s3/s3_answers.hpp"

#include "store/s3/xml_element.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/fixtures/xml_law.hpp"

#include <rapidcheck.h>

#include <filesystem>

namespace matchcloud::store {
namespace {

std::string corpus(const std::string& name) {
  return fixtures::read_whole(fixtures::source_path("tests/fuzz/corpus/s3_answer/" + name));
}

TEST_CASE("XML of the part that S3 sends is read") {
  const auto read =
      parse_xml("<?xml version='1.0'?>\n<a b=\"c\" d = '&lt;'> <e/>\n<f g='h' />"
                "<i>x &lt;&gt;&amp;&quot;&apos;&#65;&#xe4;&#x20AC;&#x1F600;</i></a>\n");
  REQUIRE(read.has_value());
  CHECK(read->name == "a");
  CHECK(read->text.empty());
  REQUIRE(read->children.size() == 3);
  CHECK(read->child("e") == &read->children[0]);
  CHECK(read->child("z") == nullptr);
  CHECK(read->text_of("i") == "x <>&\"'A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST_CASE("anything else is refused") {
  for (const auto* const bad : {"",
                                "x",
                                "<",
                                "<a",
                                "<a>",
                                "<a></b>",
                                "<a></a>b",
                                "<a></a><b></b>",
                                "<a>&b;</a>",
                                "<a>&#0;</a>",
                                "<a>&#xD800;</a>",
                                "<a>&#x110000;</a>",
                                "<a>&lt</a>",
                                "<a>b<c/></a>",
                                "<a b></a>",
                                "<a b=c></a>",
                                "<a b='<'></a>",
                                "<a b='c'd='e'></a>",
                                "<1a></1a>",
                                "<a/ >",
                                "<a><!-- b --></a>",
                                "<a><![CDATA[b]]></a>",
                                "<a><?b c?></a>",
                                "<a>\x01</a>",
                                "<!DOCTYPE a><a/>",
                                "</a>"}) {
    CAPTURE(bad);
    CHECK(!parse_xml(bad).has_value());
  }
  CHECK(!parse_xml(corpus("document_type")).has_value());
}

TEST_CASE("a document is bounded in depth, elements and names") {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i)
      text += "<a>";
    for (std::size_t i = 0; i < depth; ++i)
      text += "</a>";
    return text;
  };
  CHECK(parse_xml(nested(xml_depth_limit)).has_value());
  CHECK(parse_xml(nested(xml_depth_limit + 1)).error().detail == "it is nested too deeply");
  std::string wide = "<a>";
  for (std::size_t i = 0; i < xml_element_limit; ++i)
    wide += "<b/>";
  CHECK(parse_xml(wide + "</a>").error().detail == "it has too many elements");
  CHECK(!parse_xml("<" + std::string(xml_name_limit_bytes + 1, 'a') + "/>").has_value());
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

TEST_CASE("a page of objects is read, with encoded names") {
  const auto page = read_s3_page(corpus("objects"));
  REQUIRE(page.has_value());
  CHECK(page->continuation == "a/c");
  REQUIRE(page->objects.size() == 2);
  CHECK(page->objects[0].key == "a/b c");
  CHECK(page->objects[0].size_bytes == 0);
  CHECK(page->objects[0].stored_ts == 1'769'903'999'000);
  CHECK(page->objects[1].size_bytes == 12);
}

TEST_CASE("a page that lacks something is refused as a whole") {
  const auto refused = [](const std::string& content, const std::string& why) {
    const auto page = read_s3_page("<ListBucketResult>" + content + "</ListBucketResult>");
    REQUIRE(!page.has_value());
    CHECK(page.error().detail == why);
  };
  const std::string more = "<IsTruncated>false</IsTruncated>";
  refused("", "it does not say whether there is more");
  refused("<IsTruncated>true</IsTruncated>",
          "there are more pages, but no token to request the next one");
  refused(more + "<Contents/>", "an object has no name");
  refused(more + "<Contents><Key>a</Key></Contents>", "an object has no size");
  refused(more + "<Contents><Key>a</Key><Size>-1</Size></Contents>", "an object has no size");
  refused(more + "<Contents><Key>a</Key><Size>1</Size></Contents>", "LastModified is not a time");
  refused(more + "<EncodingType>url</EncodingType><Contents><Key>%4</Key></Contents>",
          "a name is not in the encoding that the response declares");
  refused(more + "<Contents><Key>" + std::string(1'025, 'a') + "</Key></Contents>",
          "a name is too long");
  CHECK(read_s3_page(corpus("uploads")).error().detail == "it is not a ListBucketResult");
}

TEST_CASE("unfinished uploads, and the id of a new one, are read") {
  const auto page = read_s3_uploads(corpus("uploads"));
  REQUIRE(page.has_value());
  CHECK(page->key_marker == "a");
  CHECK(page->upload_id_marker == "2~x");
  REQUIRE(page->uploads.size() == 1);
  CHECK(page->uploads[0].key == "a");
  CHECK(page->uploads[0].upload_id == "2~x");
  CHECK(page->uploads[0].begun_ts == 1'769'903'999'000);
  CHECK(read_s3_upload_id(corpus("begun")) == "2~abc");
  CHECK(!read_s3_upload_id("<InitiateMultipartUploadResult/>").has_value());
}

TEST_CASE("a completed upload may be an error, behind blanks that kept the connection") {
  const auto done = read_s3_completion(corpus("completed"));
  REQUIRE(done.has_value());
  CHECK(done->entity_tag == "\"d41d8cd98f00b204e9800998ecf8427e-3\"");
  CHECK(!done->error);
  const auto failed = read_s3_completion("\n\n<Error><Code>InternalError</Code></Error>");
  REQUIRE(failed.has_value());
  REQUIRE(failed->error);
  CHECK(failed->error->code == "InternalError");
  CHECK(!read_s3_completion("<Error/>").has_value());
  CHECK(!read_s3_completion("").has_value());
}

TEST_CASE("the law of XML holds for the fuzzer's corpus") {
  const std::filesystem::path folder = fixtures::source_path("tests/fuzz/corpus/s3_answer");
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator{folder}) {
    CAPTURE(each.path().string());
    CHECK(xml_law::check(fixtures::read_whole(each.path().string())).empty());
    ++files;
  }
  CHECK(files >= 6);
}

TEST_CASE("the law of XML holds for documents with bytes changed") {
  const auto whole = corpus("objects");
  CHECK(rc::check([&] {
    auto text = whole;
    const auto changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange(std::size_t{0}, text.size());
      text[at] = *rc::gen::element('<', '>', '/', '&', ';', '"', ' ', 'a', '\0', '\x80');
    }
    const auto why = xml_law::check(text);
    RC_ASSERT(why.empty());
  }));
}

} // namespace
} // namespace matchcloud::store
