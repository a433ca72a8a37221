#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <string_view>
#include <utility>
// It asks for <cstdio> before it.
#include <jpeglib.h>

#include "../core/error.h"
#include "image_decoders.h"
#include "orientation.h"

namespace heed::data::detail {
namespace {

// More passes over one picture than any program writes: a file of few bytes could ask for hours.
constexpr int kMostPasses = 100;

// libjpeg leaves by a jump where it cannot go on; what it warns of is damage, too.
struct Failure {
  jpeg_error_mgr manager;  // first: libjpeg hands it back
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave(j_common_ptr info) {
  auto* failure = reinterpret_cast<Failure*>(info->err);
  info->err->format_message(info, failure->message);
  std::longjmp(failure->back, 1);
}
void warn(j_common_ptr info, int level) {
  if (level < 0) leave(info);
}
void watch(j_common_ptr info) {
  auto* decoder = reinterpret_cast<j_decompress_ptr>(info);
  if (decoder->input_scan_number > kMostPasses) {
    auto* failure = reinterpret_cast<Failure*>(info->err);
    std::snprintf(failure->message, sizeof failure->message, "more than %d passes", kMostPasses);
    std::longjmp(failure->back, 1);
  }
}

// The steps between which libjpeg may jump: nothing here has a destructor.
enum class Step { header, rows };

bool run(Step step, jpeg_decompress_struct& info, Failure& failure, std::FILE* file,
         std::uint8_t* to) {
  if (setjmp(failure.back) != 0) return false;
  if (step == Step::header) {
    jpeg_stdio_src(&info, file);
    jpeg_save_markers(&info, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_RGB;
    info.dct_method = JDCT_ISLOW;
    return true;
  }
  jpeg_start_decompress(&info);
  const std::size_t pitch = std::size_t{3} * info.output_width;
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = to + pitch * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

Image decode_jpeg(std::FILE* file) {
  Failure failure{};
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = leave;
  failure.manager.emit_message = warn;
  jpeg_create_decompress(&info);
  struct Freed {
    jpeg_decompress_struct& info;
    ~Freed() { jpeg_destroy_decompress(&info); }
  } freed{info};
  jpeg_progress_mgr progress{};
  progress.progress_monitor = watch;
  info.progress = &progress;
  const auto step = [&](Step which, std::uint8_t* to) {
    if (!run(which, info, failure, file, to)) {
      throw ValueError(fmt::format("damaged JPEG: {}", failure.message));
    }
  };
  step(Step::header, nullptr);
  int orientation = 1;
  for (const jpeg_marker_struct* notes = info.marker_list; notes != nullptr && orientation == 1;
       notes = notes->next) {  // gone once the rows are read
    orientation =
        exif_orientation({reinterpret_cast<const char*>(notes->data), notes->data_length});
  }
  check_image_size(info.image_width, info.image_height);
  if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK)
    throw ValueError("a JPEG in CMYK is not read");
  Image out{static_cast<Index>(info.image_width), static_cast<Index>(info.image_height), {}};
  out.bytes.resize(std::size_t{3} * info.image_width * info.image_height);
  step(Step::rows, out.bytes.data());
  return upright(std::move(out), orientation);
}

}  // namespace heed::data::detail
