#include "model/avatars/avatar.hpp"

#include "model/json/json_text.hpp"
#include "model/text/timestamp.hpp"

#include <utility>

namespace matchcloud::model {

std::string image_path(const uuid& upload_id, const image_name& image) {
  return "/media/avatars/" + to_string(upload_id) + "/" + to_string(image);
}

image_url_maker image_urls_below(std::string public_url) {
  return [base = std::move(public_url)](const uuid& upload_id, const image_name& image) {
    return base + image_path(upload_id, image);
  };
}

avatar_list_writer::avatar_list_writer(image_url_maker url_of)
    : url_of_{std::move(url_of)}, out_{R"({"custom_avatars":[)"} {}

void avatar_list_writer::add(const avatar& each) {
  if (!std::exchange(first_, false)) out_ += ',';
  out_.append(R"({"upload_id":")").append(to_string(each.upload_id));
  out_.append(R"(","display_name":)");
  append_json_string(out_, each.display_name);
  out_.append(R"(,"create_ts":")");
  out_.append(format_timestamp(each.create_ts_ms));
  out_.append(R"(","content_length":)").append(std::to_string(each.content_length));
  out_.append(R"(,"complete":)").append(each.complete ? "true" : "false");
  if (each.complete && each.image) {
    out_.append(R"(,"url":)");
    append_json_string(out_, url_of_(each.upload_id, *each.image));
  }
  out_ += '}';
}

std::string avatar_list_writer::take() {
  out_.append("]}");
  out_.shrink_to_fit();
  return std::move(out_);
}

} // namespace matchcloud::model
