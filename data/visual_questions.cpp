#include "visual_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "../core/error.h"
#include "image.h"

namespace heed::data {
namespace {

void check_image(const VisualQuestions& all, Index image) {
  if (image < 0 || image >= all.count)
    throw IndexError(fmt::format("image {} of {}", image, all.count));
}

bool lies_within(const Box& box, Index height, Index width) {
  return box.left >= 0 && box.top >= 0 && box.width >= 0 && box.height >= 0 && box.left <= width &&
         box.top <= height && box.width <= width - box.left && box.height <= height - box.top;
}

}  // namespace

VisualQuestions about_images(const VisualQuestions& all, Index begin, Index end) {
  if (begin < 0 || begin > end || end > all.count)
    throw IndexError(fmt::format("images {} to {} of {}", begin, end, all.count));
  VisualQuestions out{
      .count = end - begin, .height = all.height, .width = all.width, .path = all.path};
  const Index size = all.height * all.width * 3;
  out.images.assign(all.images.begin() + begin * size, all.images.begin() + end * size);
  for (VisualQuestion each : all.questions) {
    if (each.image < begin || each.image >= end) continue;
    each.image -= begin;
    out.questions.push_back(each);
  }
  if (!all.boxes.empty()) out.boxes.assign(all.boxes.begin() + begin, all.boxes.begin() + end);
  return out;
}

VisualQuestions about_picture(const std::string& path, Index height, Index width) {
  VisualQuestions out{.count = 1, .height = height, .width = width, .path = path};
  const auto dots = fitted(read_image(path), height, width).to_vector<float>();
  const std::size_t plane = dots.size() / 3;
  for (std::size_t i = 0; i < dots.size(); ++i) {
    const float dot = dots[i % 3 * plane + i / 3];
    out.images.push_back(static_cast<std::uint8_t>(std::lround(255 * dot)));
  }
  return out;
}

std::vector<std::vector<Index>> by_image(const VisualQuestions& all) {
  std::map<Index, std::vector<Index>> found;
  for (std::size_t i = 0; i < all.questions.size(); ++i) {
    found[all.questions[i].image].push_back(static_cast<Index>(i));
  }
  std::vector<std::vector<Index>> out;
  out.reserve(found.size());
  for (auto& [image, rows] : found) out.push_back(std::move(rows));
  return out;
}

Array image_batch(const VisualQuestions& all, const std::vector<Index>& images) {
  Array out =
      Array::empty({static_cast<Index>(images.size()), 3, all.height, all.width}, DType::f32);
  float* to = out.mutable_data<float>();
  const Index plane = all.height * all.width;
  for (const Index image : images) {
    check_image(all, image);
    const std::uint8_t* from = all.images.data() + image * plane * 3;
    for (Index channel = 0; channel < 3; ++channel) {
      for (Index dot = 0; dot < plane; ++dot) {
        *to++ = static_cast<float>(from[3 * dot + channel]) / 255.0F;
      }
    }
  }
  return out;
}

Array box_batch(const VisualQuestions& all, const std::vector<Index>& images, Index boxes) {
  Array out =
      Array::zeros({static_cast<Index>(images.size()), boxes, all.height, all.width}, DType::f32);
  for (const Index number : images) check_image(all, number);
  if (all.boxes.empty()) return out;
  float* image = out.mutable_data<float>();
  for (const Index number : images) {
    float* to = image;
    if (number >= std::ssize(all.boxes))
      throw IndexError(fmt::format("image {}: its boxes are missing", number));
    const auto& known = all.boxes[static_cast<std::size_t>(number)];
    for (std::size_t i = 0; i < known.size() && static_cast<Index>(i) < boxes; ++i) {
      if (!lies_within(known[i], all.height, all.width))
        throw IndexError(fmt::format("image {}: a box that is not within it", number));
      for (Index y = known[i].top; y < known[i].top + known[i].height; ++y) {
        std::fill_n(to + y * all.width + known[i].left, known[i].width, 1.0F);
      }
      to += all.height * all.width;
    }
    image += boxes * all.height * all.width;
  }
  return out;
}

}  // namespace heed::data
