#include "../../data/visual_questions.h"

#include <gtest/gtest.h>

#include <fstream>

#include "../../core/error.h"
#include "../../train/picture.h"
#include "../support/places.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

std::string header(std::initializer_list<char> sizes) {
  std::string out = {0, 0, 8, static_cast<char>(sizes.size())};
  for (const char size : sizes) out += {0, 0, 0, size};
  return out;
}
const std::string kImages = header({2, 1, 2, 3}) + "abcdefghijkl";
const std::string kAnswers = "yes\nno\n\nred\n";

class EasyVqa : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.folder() + "/" + name, std::ios::binary) << content;
  }
  VisualQuestions read(const std::string& questions) const {
    put("test-images-idx4-ubyte.gz", gzip(images_));
    put("answers.txt", answers_);
    put("test-questions.tsv", questions);
    return read_easy_vqa(folder_.folder(), "test");
  }
  std::string error_of(const std::string& questions) const {
    const std::string message = message_of<Error>([&] { read(questions); });
    return message.substr(std::min(message.size(), folder_.folder().size() + 1));
  }
  const TemporaryFile folder_{""};
  std::string images_ = kImages, answers_ = kAnswers;
};

TEST_F(EasyVqa, IsRead) {
  const VisualQuestions read = this->read("what?\tred\t1\n\nis it?\tno\t0\n");
  EXPECT_EQ(read.count, 2);
  EXPECT_EQ(read.height, 1);
  EXPECT_EQ(read.width, 2);
  EXPECT_EQ(std::string(read.images.begin(), read.images.end()), "abcdefghijkl");
  ASSERT_EQ(read.questions.size(), 2U);
  EXPECT_EQ(read.questions[0].text, "what?");
  EXPECT_EQ(read.questions[0].answer, "red");
  EXPECT_EQ(read.questions[0].image, 1);
  EXPECT_EQ(read.questions[1].image, 0);
  EXPECT_EQ(read.questions[1].line, 3U);
  EXPECT_TRUE(read.boxes.empty());
  EXPECT_EQ(read.path, folder_.folder() + "/test-questions.tsv");
}

TEST_F(EasyVqa, SaysWhatItRefusesAndWhere) {
  const std::string good = "what?\tred\t1\n";
  EXPECT_EQ(error_of(good + " \tred\t1\n"), "test-questions.tsv:2: no question");
  EXPECT_EQ(error_of("what?\tblue\t1\n"),
            "test-questions.tsv:1: \"blue\" is no answer of answers.txt");
  for (const char* number : {"2", "-1", "1x", "", "99999999999999999999"}) {
    EXPECT_EQ(
        error_of(good + "what?\tred\t" + number + "\n"),
        std::string("test-questions.tsv:2: \"") + number + "\" is no number of an image, 0 to 1");
  }
  EXPECT_NE(error_of("what?\tred\n").find("test-questions.tsv:1: "), std::string::npos);
  EXPECT_EQ(error_of(""), "test-questions.tsv: at byte 0: no questions");
  answers_ = "\n";
  EXPECT_EQ(error_of(good), "answers.txt: at byte 0: no answers");
}

TEST_F(EasyVqa, WantsColourImages) {
  for (const std::string& images :
       {header({2, 1, 2}) + "abcd", header({1, 1, 2, 4}) + "abcdefgh", header({0, 1, 2, 3})}) {
    images_ = images;
    EXPECT_NE(error_of("what?\tred\t0\n").find("test-images-idx4-ubyte.gz: at byte 4: images of"),
              std::string::npos);
  }
  EXPECT_ERROR_WITH(IoError, "train-images-idx4-ubyte", read_easy_vqa(folder_.folder(), "train"));
}

// Three images of two dots above one another, and what is asked about the last two.
VisualQuestions three_images() {
  VisualQuestions all{.count = 3, .height = 2, .width = 1};
  for (int i = 0; i < 18; ++i) all.images.push_back(static_cast<std::uint8_t>(10 * i));
  all.questions = {{.text = "a", .answer = "b", .image = 2},
                   {.text = "c", .answer = "d", .image = 1},
                   {.text = "e", .answer = "f", .image = 2}};
  all.boxes = {{}, {{0, 0, 1, 1}, {0, 1, 1, 1}}, {{0, 0, 1, 2}}};
  return all;
}

TEST(VisualQuestions, ComeInBatchesOfPlanes) {
  const std::vector<float> found = image_batch(three_images(), {2, 0}).to_vector<float>();
  const std::vector<float> dots = {120, 150, 130, 160, 140, 170, 0, 30, 10, 40, 20, 50};
  ASSERT_EQ(found.size(), dots.size());
  for (std::size_t i = 0; i < dots.size(); ++i) EXPECT_FLOAT_EQ(found[i], dots[i] / 255) << i;
  EXPECT_EQ(image_batch(three_images(), {1}).shape(), (Shape{1, 3, 2, 1}));
}

TEST(VisualQuestions, BoxesAreOnesInTheirDots) {
  VisualQuestions all = three_images();
  const Array boxes = box_batch(all, {1, 2, 0}, 2);
  EXPECT_EQ(boxes.shape(), (Shape{3, 2, 2, 1}));
  EXPECT_EQ(boxes.to_vector<float>(), (std::vector<float>{1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(box_batch(all, {1}, 1).to_vector<float>(), (std::vector<float>{1, 0}));
  all.boxes.clear();
  EXPECT_EQ(box_batch(all, {1}, 1).to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(VisualQuestions, ArePartedByTheirImages) {
  const VisualQuestions all = three_images();
  EXPECT_EQ(by_image(all), (std::vector<std::vector<Index>>{{1}, {0, 2}}));
  const VisualQuestions last = about_images(all, 2, 3);
  EXPECT_EQ(last.count, 1);
  EXPECT_EQ(last.height, 2);
  EXPECT_EQ(last.width, 1);
  EXPECT_EQ(last.images, std::vector<std::uint8_t>(all.images.begin() + 12, all.images.end()));
  ASSERT_EQ(last.questions.size(), 2U);
  EXPECT_EQ(last.questions[1].text, "e");
  EXPECT_EQ(last.questions[1].image, 0);
  ASSERT_EQ(last.boxes.size(), 1U);
  EXPECT_EQ(last.boxes[0].at(0).height, 2);
  const VisualQuestions first = about_images(all, 0, 2);
  ASSERT_EQ(first.questions.size(), 1U);
  EXPECT_EQ(first.questions[0].image, 1);
  EXPECT_EQ(first.boxes.at(1).size(), 2U);
  EXPECT_EQ(about_images(all, 1, 1).count, 0);
}

TEST(VisualQuestions, RefuseImagesThatAreNot) {
  VisualQuestions all{.count = 2, .height = 3, .width = 5};
  all.images.resize(90);
  EXPECT_ERROR(IndexError, "image 2 of 2", image_batch(all, {0, 2}));
  EXPECT_ERROR(IndexError, "image -1 of 2", image_batch(all, {-1}));
  EXPECT_ERROR(IndexError, "image 2 of 2", box_batch(all, {2}, 1));
  EXPECT_ERROR(IndexError, "images 1 to 3 of 2", about_images(all, 1, 3));
  EXPECT_THROW(about_images(all, -1, 1), IndexError);
  EXPECT_THROW(about_images(all, 2, 1), IndexError);
  all.boxes = {{{.left = 2, .top = 1, .width = 3, .height = 2}}, {}};
  EXPECT_EQ(box_batch(all, {0, 1}, 1).to_vector<float>()[14], 1);
  const Box outside[] = {{3, 1, 3, 2},  {2, 2, 3, 2},  {-1, 1, 3, 2}, {2, -1, 3, 2},
                         {2, 1, -1, 2}, {2, 1, 3, -1}, {6, 1, 0, 1},  {2, 4, 1, 0}};
  for (const Box& box : outside) {
    all.boxes[0] = {box};
    EXPECT_ERROR(IndexError, "image 0: a box that is not within it", box_batch(all, {0}, 1));
  }
  all.boxes.pop_back();
  EXPECT_ERROR(IndexError, "image 1: its boxes are missing", box_batch(all, {1}, 1));
}

TEST(VisualQuestions, APictureIsOneOfWhichNothingIsAsked) {
  train::Picture picture(6, 4, {200, 10, 0});
  picture.fill(3, 0, 3, 4, {0, 100, 30});
  const TemporaryFile file(encode_png(picture), "a.png");
  const VisualQuestions found = about_picture(file.path(), 2, 3);
  EXPECT_EQ(found.count, 1);
  EXPECT_EQ(found.height, 2);
  EXPECT_EQ(found.width, 3);
  EXPECT_EQ(found.path, file.path());
  EXPECT_TRUE(found.questions.empty() && found.boxes.empty());
  // Dot by dot, the middle one of each row half of each colour.
  const std::vector<std::uint8_t> row = {200, 10, 0, 100, 55, 15, 0, 100, 30};
  std::vector<std::uint8_t> both = row;
  both.insert(both.end(), row.begin(), row.end());
  EXPECT_EQ(found.images, both);
  EXPECT_THROW(about_picture(file.path() + ".none", 2, 3), IoError);
}

TEST(EasyVqaFiles, AreWhatTheirSourceSays) {
  const std::string folder = data_folder() + "/easy_vqa";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no easy-VQA in " << folder;
  const VisualQuestions test = read_easy_vqa(folder, "test");
  EXPECT_EQ(test.count, 1000);
  EXPECT_EQ(test.height, 64);
  EXPECT_EQ(test.questions.size(), 9673U);
}

}  // namespace
}  // namespace heed::data
