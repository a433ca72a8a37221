#include "evaluation.h"

#include <fmt/format.h>

#include "../../data/loader.h"

namespace speech {

Evaluation evaluate(const Listener& model, const std::vector<Utterance>& some, Index beam) {
  data::Loader batches(some, {.size = 25, .shuffle = false});
  Evaluation out;
  Index in_place = 0;
  for (const std::vector<Utterance>& rows : batches) {
    const Batch batch = data::batch_of(rows);
    const std::vector<Heard> heard = model.listen(batch, beam);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const data::SpokenString& said = rows[i].said;
      for (const auto& [h, r] : out.errors.add(heard[i].digits, said.digits).matches) {
        const data::SpokenString::Place& place = said.places[static_cast<std::size_t>(r)];
        const double sample =
            heard[i].seconds[static_cast<std::size_t>(h)] * static_cast<double>(data::kSpokenRate);
        in_place +=
            sample >= static_cast<double>(place.begin) && sample < static_cast<double>(place.end);
        ++out.right;
      }
    }
  }
  if (out.right > 0) out.in_place = static_cast<double>(in_place) / static_cast<double>(out.right);
  return out;
}

train::Picture picture_of(const Listener& model, const std::vector<Utterance>& some, Index beam) {
  std::vector<train::Picture> rows;
  for (const Utterance& each : some) {
    const Heard heard = model.listen(data::batch_of({each}), beam).front();
    train::HeardWords words{
        .title = fmt::format("heard {}", fmt::join(heard.digits, " ")),
        .spectrum = each.features.slice(1, 0, data::kUtteranceWidth / 2).contiguous(),
        .words = {},
        .weights = heard.weights,
        .frames = model.options.frames()};
    for (const Index digit : heard.digits) words.words.push_back(std::to_string(digit));
    for (std::size_t i = 0; i < each.said.places.size(); ++i) {
      const auto& [begin, end] = each.said.places[i];
      words.places.push_back({static_cast<double>(begin) / 80, static_cast<double>(end) / 80,
                              std::to_string(each.said.digits[i])});
    }
    rows.push_back(train::heard_picture(words));
  }
  return train::stack(rows);
}

}  // namespace speech
