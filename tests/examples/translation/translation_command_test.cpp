// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "../../../data/subwords.h"
#include "../../../data/utf8.h"
#include "../../../examples/translation/corpus.h"
#include "../../data/temporary_file.h"
#include "translation_command.h"

namespace translation {
namespace {

namespace fs = std::filesystem;
using heed::Outcome;
using heed::io::read_file;
using testing::HasSubstr;
using testing::Not;

// What is said of a model at the end, of the same pairs always the same.
std::string findings(const std::string& output) {
  const std::size_t at = output.find("\n  sources of ");
  EXPECT_NE(at, std::string::npos) << output;
  return at == std::string::npos ? output : output.substr(at);
}

// What a model comes to that knows no more than how often each word is.
double loss_of_frequencies(Index sentences) {
  CorpusOptions options;
  options.sentences = sentences;
  const Corpus corpus = load_corpus(options);
  std::vector<const std::string*> lines;
  for (const std::string& line : corpus.train.target) lines.push_back(&line);
  const auto coder = data::learn_coder(lines, {});
  std::vector<double> counts(static_cast<std::size_t>(coder->size()), 1.0);
  const auto each = [&coder](const std::vector<std::string>& texts, auto use) {
    for (const std::string& text : texts) {
      for (const Index id : coder->encode(text)) use(static_cast<std::size_t>(id));
      use(static_cast<std::size_t>(data::kEnd));
    }
  };
  double all = static_cast<double>(counts.size()), loss = 0, words = 0;
  each(corpus.train.target, [&](std::size_t id) { ++counts[id], ++all; });
  each(corpus.test.target, [&](std::size_t id) { loss -= std::log(counts[id] / all), ++words; });
  return loss / words;
}

class QuickTranslation : public TranslationCommand,
                         public testing::WithParamInterface<const char*> {};

TEST_P(QuickTranslation, LearnsMoreThanHowOftenWordsAre) {
  const std::string use = " --sentences 1500 --beam 1 --threads 1 ";
  const std::string output =
      expect_success("train --quick --epochs 5 --batch 200 --lr 0.007 --dropout 0.1 --save " +
                     path("m") + use + GetParam());
  const bool attends = std::string(GetParam()).find("seq2seq") == std::string::npos;
  EXPECT_LT(std::log(number_after("\nperplexity ", output)),
            loss_of_frequencies(1500) - (attends ? 2.5 : 1.5));
  EXPECT_EQ(findings(expect_success("evaluate --model " + path("m") + use)), findings(output));
}

INSTANTIATE_TEST_SUITE_P(
    AllModels, QuickTranslation,
    testing::Values("--model seq2seq --style sutskever", "--model seq2seq --style cho",
                    "--model bahdanau", "--model luong", "--model luong --input-feeding",
                    "--model luong --attention local-m",
                    "--model luong --attention local-m --input-feeding",
                    "--model luong --attention local-p",
                    "--model luong --attention local-p --input-feeding", "--model conv",
                    "--model transformer", "--model transformer --packed"),
    [](const auto& model) {
      std::string name = model.param;
      for (const char* flag : {"--model", "--style", "--attention", "-", " "}) {
        const std::string text = flag;
        for (std::size_t at; (at = name.find(text)) != std::string::npos;)
          name.erase(at, text.size());
      }
      return name;
    });

TEST_F(TranslationCommand, LearnsSubwords) {
  if (!data::has_subwords()) GTEST_SKIP() << "built without sentencepiece";
  trained("--subwords 200 --shared --tied --model transformer");
  EXPECT_THAT(read_file(path("m/source.vocabulary")), testing::StartsWith("subwords\n"));
  EXPECT_EQ(read_file(path("m/source.vocabulary")), read_file(path("m/target.vocabulary")));
  EXPECT_EQ(lines_in(translated("", "a dog saw the queen\nunseenword\n")), 2U);
}

TEST_F(TranslationCommand, EachLineBecomesALine) {
  trained();
  const std::string text = "a dog slept\n\n \t \nthe xyzzy \xff\xfe d\xc3 queen 你好\n" +
                           std::string("the queen slept");  // without an end
  const std::string output = translated("", text);
  EXPECT_EQ(lines_in(output), 5U);
  EXPECT_THAT(output, HasSubstr("\n\n\n"));  // of the empty ones
  EXPECT_TRUE(heed::data::is_valid_utf8(output));
  EXPECT_EQ(translated("--input " + write("text", text)), output);
  EXPECT_EQ(translated("--input " + write("text.gz", heed::data::gzip(text))), output);
  EXPECT_EQ(translated("", text + "\r\n"), output);
  EXPECT_EQ(translated("", ""), "");

  const std::string several = translated("--n-best 2 --scores --beam 3", text);
  EXPECT_THAT(several, testing::MatchesRegex("1\t-[0-9.]+\t.*\n1\t-[0-9.]+\t.*\n2\t0.0000\t\n"
                                             "3\t0.0000\t\n4\t-.*\n4\t-.*\n5\t-.*\n5\t-.*\n"));
  expect_refused("translate --beam 0", "beam");
  expect_refused("translate --beam 2 --n-best 3 --model " + path("m"),
                 "n_best must be in [1, beam 2]", text);
  expect_refused("translate --model " + path("m") + " --input " + path("absent"), "absent");
  const std::string damaged = write("bad.gz", heed::data::gzip(text).substr(0, 30));
  expect_refused("translate --model " + path("m") + " --input " + damaged, damaged);
}

TEST_F(TranslationCommand, AVeryLongLineIsALineToo) {
  std::string text = "the queen slept\n";
  for (int i = 0; i < 5000; ++i) text += "a dog ";
  text += "\na queen slept\n";
  for (const std::string model :
       {"seq2seq", "seq2seq --style cho", "bahdanau", "luong", "luong --attention local-p",
        "luong --score location", "conv", "transformer"}) {
    trained("--model " + model);
    const std::string output = translated("--beam 1", text);
    if (model == "conv" || model == "luong --score location") {
      const std::string note =
          "line 2: its last 9744 words are left out: the model has places for 256\n";
      EXPECT_EQ(lines_in(output), 4U) << model;
      EXPECT_THAT(output, HasSubstr(note)) << model;
    } else {
      EXPECT_EQ(lines_in(output), 3U) << model;
    }
  }
}

TEST_F(TranslationCommand, ShowsWhereItLooks) {
  const std::string model = trained("--model transformer");
  const std::string output =
      expect_success("align 'a dog .' 'uno kano .' --output " + path("p") + " --model " + model);
  for (const char* word : {"kano", "d", "</s>", "all layers and heads"}) {
    EXPECT_THAT(output, HasSubstr(word));
  }
  EXPECT_THAT(read_file(path("p.png")), testing::StartsWith("\x89PNG"));
  EXPECT_THAT(read_file(path("p.svg")), testing::StartsWith("<svg"));
  EXPECT_THAT(read_file(path("p.html")), HasSubstr("layer 1 head 2"));
  EXPECT_THAT(read_file(path("p.encoder.html")), HasSubstr("What the encoder looks at"));
  EXPECT_THAT(read_file(path("p.encoder.png")), testing::StartsWith("\x89PNG"));
  EXPECT_THAT(expect_success("align 'a dog .' --model " + model), HasSubstr("</s>"));
  EXPECT_THAT(expect_success("align '' --model " + model), HasSubstr("</s>"));
  expect_refused("align a b --model " + model + " --output " + path("none/p"), "none/p.png");
  expect_refused("align --model " + model, "source");
  trained("--model seq2seq");
  expect_refused("align 'a dog .' --output " + path("q") + " --model " + model,
                 "a model seq2seq has no attention to look at");
  EXPECT_FALSE(fs::exists(path("q.png")));
  trained("--model bahdanau");
  expect_success("align 'a dog .' --output " + path("r") + " --model " + model);
  EXPECT_FALSE(fs::exists(path("r.encoder.png")));
}

TEST_F(TranslationCommand, HoldsModelsAgainstEachOther) {
  const std::string first = trained("", "first"), second = trained("--model conv", "second");
  const std::string output =
      expect_success("compare " + first + " " + second + kFew + " --output " + path("chart.svg"));
  EXPECT_THAT(output, HasSubstr(first + "\n  sources of "));
  EXPECT_THAT(output, HasSubstr(second + "\n  sources of "));
  EXPECT_THAT(read_file(path("chart.svg")), HasSubstr("BLEU by length"));
  expect_refused("compare --output " + path("chart.svg"), "models");
  expect_refused("compare absent --output " + path("chart.svg"), "absent");
}

// English to Chinese from raw text: pieces instead of words, and a score of characters.
TEST_F(TranslationCommand, WritesAScriptWithoutBlanks) {
  if (!data::has_subwords()) GTEST_SKIP() << "built without sentencepiece";
  using Words = std::vector<std::pair<std::string, std::string>>;
  const Words beings = {{"The dog", "那只狗"},
                        {"My teacher", "我的老师"},
                        {"A cat", "一只猫"},
                        {"Her brother", "她的哥哥"},
                        {"The old king", "那位老国王"}};
  const Words deeds = {{"sees", "看见"}, {"likes", "喜欢"}, {"follows", "跟着"}, {"knows", "认识"}};
  std::string source, target;
  for (const auto& [who, by] : beings) {
    for (const auto& [does, do_it] : deeds) {
      for (const auto& [whom, to] : beings) {
        source += who + " " + does + " " + whom + ".\n";
        target += by + do_it + to + "。\n";
      }
    }
  }
  const std::string folder = data("zh", source, target, ".zh");
  const std::string use = " --to zh --beam 1 --threads 1 --data " + folder;
  const std::string by_characters = expect_success(
      "train --model transformer --subwords 90 --width 32 --hidden 64 --heads 2 --layers 1 "
      "--dropout 0 --batch 60 --lr 0.01 --warm-up 10 --epochs 20 --score-by characters --save " +
      path("m") + use);
  EXPECT_GT(number_after("  BLEU ", findings(by_characters)), 80);
  EXPECT_EQ(number_after("ref_len = ", by_characters), 1060);  // characters
  const std::string by_words = expect_success("evaluate --model " + path("m") + use);
  EXPECT_EQ(number_after("ref_len = ", by_words), 100);  // lines
  EXPECT_EQ(lines_in(translated("--beam 1", "The dog likes a cat.\n")), 1U);
  expect_refused("evaluate --score-by letters --model " + path("m") + use, "--score-by");
  expect_refused(
      "train --model transformer --subwords 90 --resume --epochs 13 --save " + path("m") + use,
      "scored by characters");
}

TEST_F(TranslationCommand, ReadsFilesThatAreAlignedLineByLine) {
  const std::string source = "a b c\n\nd e f\ng h\n", target = "A B C\nX\nD E F\nG H\n";
  const std::string flags = " --epochs 2 --beam 2 --width 6 --hidden 8 --min-count 1 --threads 1 ";
  const std::string output = expect_success("train" + flags + "--data " +
                                            data("plain", source, target) + " --save " + path("a"));
  EXPECT_THAT(output, HasSubstr("pairs: 3 to train on, 4 to validate, 4 to test; "
                                "not trained on: 1 empty\n"));
  const std::string packed = data("packed", source, heed::data::gzip(target), ".de.gz");
  expect_success("train" + flags + "--data " + packed + " --save " + path("b"));
  expect_same_training(path("a"), path("b"), {"steps", "sums", "rounds"});
  EXPECT_EQ(findings(expect_success("evaluate --beam 2 --threads 1 --data " + path("plain") +
                                    " --model " + path("b"))),
            findings(output));
  EXPECT_THAT(expect_success("train --from de --to en" + flags + "--data " + packed + " --save " +
                             path("c")),
              HasSubstr("1 empty"));

  const auto refused = [&](const std::string& more, const std::string& text) {
    expect_refused("train --save " + path("none") + flags + more, text);
  };
  refused("--to xx --data " + path("plain"), path("plain") + ": no file train*.xx");
  refused("--test foo --data " + path("plain"), "no file foo*.");
  refused("--to xx", "--to requires --data");
  refused("--data " + path("absent"), "absent");
  refused("--data " + data("uneven", source, target + "surplus\n"),
          "train.tok.en:5: the file ends after 4 lines, but ");
  refused("--data " + data("empty", "", ""), "empty/train.tok.en:1: the file is empty");
  refused("--data " + data("blank", "\n\n", "\n\n"), "train: no pair of sentences is left");
  write("packed/val.tok.de.gz", heed::data::gzip(target).substr(0, 20));
  refused("--data " + packed, "packed/val.tok.de.gz");
  EXPECT_FALSE(fs::exists(path("none")));
}

// Before the training, not after its first epoch.
TEST_F(TranslationCommand, SaysAtOnceWhatIsTooLongForLearnedPlaces) {
  std::string line;
  for (int i = 0; i < 301; ++i) line += "a ";
  const std::string folder = data("data", "a b\n" + line + "\n", "c d\n" + line + "\n");
  const Outcome outcome =
      run("train --model conv --save " + path("m") + kSmall + "--data " + folder);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("conv: 302 words and marks in a sentence: longest 256 "
                                        "leaves room for 257"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("epoch")));
}

// A test pair, though, costs nobody a training.
TEST_F(TranslationCommand, MeasuresWhatIsNotTooLong) {
  const std::string folder = data("data", "a b\nc d e\n", "c d\nf\n");
  std::string line = "a";
  for (int i = 0; i < 300; ++i) line += " a";
  write("data/test.tok.en", "a b\n" + line + "\n");
  write("data/test.tok.de", "c d\n" + line + "\n");
  const std::string output =
      expect_success("train --model conv --save " + path("m") + kSmall + "--data " + folder);
  EXPECT_THAT(output, HasSubstr("\npairs longer than the model has places for, left out of "
                                "perplexity: 1\nperplexity "));
  EXPECT_EQ(
      findings(expect_success("evaluate --beam 2 --model " + path("m") + " --data " + folder)),
      findings(output));
}

TEST_F(TranslationCommand, RefusesBadFlags) {
  expect_refused("", "subcommand");
  const auto refused = [this](const std::string& flags, const std::string& text) {
    expect_refused("train --save " + path("m") + kSmall + flags, text);
  };
  refused("--model rnn", "--model: rnn not in {seq2seq,bahdanau,luong,conv,transformer}");
  refused("--model seq2seq --style graves", "--style: graves not in");
  refused("--model luong --score sum", "--score: sum not in");
  refused("--model luong --attention near", "--attention: near not in");
  refused("--fall free", "--fall: free not in");
  refused("--optimizer sgd", "optimizer");
  refused("--epochs 0", "epochs");
  refused("--dropout 1", "dropout");
  refused("--own-words 2", "own-words");
  refused("--packed", "packed: a bahdanau model reads padded batches only");
  refused("--model transformer --packed --own-words 0.5", "own-words: packed batches are without");
  refused("--resume", path("m"));
  expect_refused("train --sentences 20 --model transformer --width 6 --heads 4 --save " + path("m"),
                 "heads 4 does not divide width 6");
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(TranslationCommand, RefusesBadModels) {
  const std::string model = trained();
  const auto refused = [&](const std::string& text) {
    expect_refused("translate --model " + model, text, "a dog\n");
    expect_refused("evaluate --model " + model + kFew, text);
    expect_refused("align 'a dog' --model " + model, text);
  };
  for (const std::string file :
       {"model.safetensors", "config.json", "source.vocabulary", "target.vocabulary"}) {
    const std::string content = read_file(model + "/" + file);
    for (const std::size_t size : {std::size_t{0}, std::size_t{5}, content.size() - 3}) {
      write("m/" + file, content.substr(0, size));
      refused(file);
    }
    fs::remove(model + "/" + file);
    refused(file + ": missing");
    write("m/" + file, content);
  }
  const std::string config = read_file(model + "/config.json");
  const auto replaced = [&](const std::string& from, const std::string& to, const char* file) {
    write("m/config.json", changed(config, from, to));
    refused(file);
  };
  replaced("\"translation\"", "\"captioning\"", "config.json: at byte 0: model \"captioning\"");
  replaced("\"bahdanau\"", "\"rnn\"",
           "config.json: at byte 0: the setting \"kind\" \"rnn\" is none of");
  replaced("\"width\": 6", "\"width\": 0", "config.json");
  replaced("\"width\": 6", "\"width\": 7", "model.safetensors");
  write("m/config.json", config);
  // A vocabulary of more sentences.
  expect_success("train --epochs 1 --sentences 50 --width 2 --hidden 2 --save " + path("other"));
  const std::string words = read_file(path("other/target.vocabulary"));
  const std::string own = read_file(model + "/target.vocabulary");
  ASSERT_NE(lines_in(words), lines_in(own));
  write("m/target.vocabulary", words);
  refused("target.vocabulary: at byte 0: ");
  write("m/target.vocabulary", changed(own, "\n</s>\n", "\n</s>\nother"));  // of as many words
  refused("target.vocabulary: at byte 0: it is not the one that was saved with this model");
  fs::remove_all(model);
  refused(model);
}

}  // namespace
}  // namespace translation
