#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"
#include "../io/file.h"
#include "markup.h"
#include "percent.h"
#include "report_style.h"

namespace heed::train {
namespace {

constexpr double kFaintest =
    0.02;  // a shade below this is not seen: plain text keeps the page small

double fraction_of(double part, double whole) {
  return std::isfinite(part) && whole > 0.0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
}

std::string fact_html(const std::string& name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_markup(name),
                     escape_markup(value));
}

std::string chart_html(const std::string& svg) {
  return fmt::format("<div class=\"card\">{}</div>\n", svg);
}

std::string sentence_html(const AttendedSentence& sentence, double largest_word,
                          double largest_sentence) {
  std::string words;
  std::string_view previous;
  for (const AttendedWord& word : sentence.words) {
    if (space_between(previous, word.text)) words += ' ';
    previous = word.text;
    const double shade = shade_of(sentence, word, largest_word);
    const std::string text = escape_markup(word.text);
    if (shade < kFaintest) {
      words += text;
    } else {
      words +=
          fmt::format(R"(<span class="w" style="--a:{:.2f}" title=)"
                      R"("word {:.3f} × sentence {:.3f} = {:.3f}">{}</span>)",
                      shade, word.weight, sentence.weight, word.weight * sentence.weight, text);
    }
  }
  return fmt::format(R"(<div class="s{}"><div class="bar" title="sentence {:.3f}"><span>{}%</span>)"
                     R"(<i style="--a:{:.2f}"></i></div><p dir="auto">{}</p></div>)"
                     "\n",
                     sentence.evidence ? " proof" : "", sentence.weight,
                     percent(sentence.weight, 0), fraction_of(sentence.weight, largest_sentence),
                     words);
}

}  // namespace

void Report::set(std::vector<Named>& list, const std::string& name, std::string html) {
  for (Named& known : list) {
    if (known.name != name) continue;
    known.html = std::move(html);
    return;
  }
  list.push_back({name, std::move(html)});
}

void Report::add_fact(const std::string& name, const std::string& value) {
  facts_.push_back({name, fact_html(name, value)});
}

void Report::set_fact(const std::string& name, const std::string& value) {
  set(facts_, name, fact_html(name, value));
}

void Report::add_chart(const std::string& svg) { charts_.push_back({"", chart_html(svg)}); }

void Report::set_chart(const std::string& name, const std::string& svg) {
  set(charts_, "set " + name, chart_html(svg));
}

void Report::refresh(int seconds) {
  if (seconds < 0) throw ValueError(fmt::format("report: refresh every {} seconds", seconds));
  refresh_ = seconds;
}

void Report::add_confusion(const Confusion& confusion, const std::vector<std::string>& classes) {
  const Index count = confusion.classes();
  if (static_cast<Index>(classes.size()) != count) {
    throw ValueError(
        fmt::format("report: {} class names for a confusion matrix of {}", classes.size(), count));
  }
  std::string head;
  std::string body;
  for (Index truth = 0; truth < count; ++truth) {
    const std::string name = escape_markup(classes[static_cast<std::size_t>(truth)]);
    head += fmt::format("<th>{}</th>", name);
    Index present = 0;
    for (Index cls = 0; cls < count; ++cls) present += confusion.count(truth, cls);
    body += fmt::format("<tr><th>{}</th>", name);
    for (Index cls = 0; cls < count; ++cls) {
      const Index cell = confusion.count(truth, cls);
      const double part = fraction_of(static_cast<double>(cell), static_cast<double>(present));
      // Never the full colour: the figure on it must stay readable.
      body += fmt::format(R"(<td class="cell {}" style="--a:{:.2f}" title="{:.1f}% of {}">{}</td>)",
                          cls == truth ? "hit" : "miss", 0.6 * part, 100.0 * part, name, cell);
    }
    body += fmt::format(
        "<td class=\"score\">{:.3f}</td><td class=\"score\">{:.3f}</td><td "
        "class=\"score\">{:.3f}</td></tr>\n",
        confusion.precision(truth), confusion.recall(truth), confusion.f1(truth));
  }
  confusions_ += fmt::format(
      R"(<h2>Confusion matrix</h2><p class="note">{} documents; accuracy {:.3f}, macro F1 {:.3f}</p>)"
      R"(<div class="card scroll"><table><thead><tr><th></th><th class="span" colspan="{}">predicted</th></tr>)"
      R"(<tr><th>true</th>{}<th>precision</th><th>recall</th><th>F1</th></tr></thead><tbody>)"
      "\n{}</tbody></table></div>\n",
      confusion.total(), confusion.accuracy(), confusion.macro_f1(), count, head, body);
}

void Report::add_document(const ReportDocument& document) {
  const bool known = !document.truth.empty();
  const bool right = document.truth == document.prediction;
  any_wrong_ = any_wrong_ || (known && !right);
  const double largest_word = largest_share(document.text);
  double largest_sentence = 0.0;
  for (const AttendedSentence& sentence : document.text) {
    any_evidence_ = any_evidence_ || sentence.evidence;
    if (std::isfinite(sentence.weight))
      largest_sentence = std::max(largest_sentence, sentence.weight);
  }
  documents_ += fmt::format(R"(<article class="card{}"><header>)", !known  ? ""
                                                                   : right ? " right"
                                                                           : " wrong");
  if (known) documents_ += fmt::format(R"(<span class="mark">{}</span>)", right ? "✓" : "✗");
  documents_ += fmt::format(R"(<b>{}</b><span class="soft">{}%</span>)",
                            escape_markup(document.prediction), percent(document.probability));
  if (known && !right) {
    documents_ += fmt::format(R"(<span>true label: <strong>{}</strong></span>)",
                              escape_markup(document.truth));
  }
  documents_ += "</header>\n";
  for (const AttendedSentence& sentence : document.text) {
    documents_ += sentence_html(sentence, largest_word, largest_sentence);
  }
  documents_ += "</article>\n";
}

std::string Report::html() const {
  const std::string title = escape_markup(title_);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "{}<title>{}</title><style>{}</style></head><body><main>\n<h1>{}</h1>\n",
      refresh_ > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">", refresh_) : "",
      title, kReportStyle, title);
  const auto add_all = [&](const char* begin, const std::vector<Named>& list, const char* end) {
    if (list.empty()) return;
    out += begin;
    for (const Named& each : list) out += each.html;
    out += end;
  };
  add_all("<dl class=\"facts\">\n", facts_, "</dl>\n");
  add_all("<div class=\"charts\">\n", charts_, "</div>\n");
  out += confusions_;
  if (!documents_.empty()) {
    out +=
        "<section><h2>What the model looked at</h2>\n<p class=\"note\">"
        "Bar: attention to the sentence. Shade: attention to the word × to its sentence, up to the "
        "largest of the document<span class=\"key\"></span>";
    if (any_evidence_)
      out += "<span class=\"keys\"><span class=\"key proof\"></span>known evidence</span>";
    out += "</p>\n";
    if (any_wrong_) {
      out +=
          "<input type=\"checkbox\" id=\"wrong\">"
          "<label class=\"filter\" for=\"wrong\">only where the model is wrong</label>\n";
    }
    out += documents_ + "</section>\n";
  }
  return out + "</main></body></html>\n";
}

void Report::save(const std::string& path) const { io::write_file_atomically(path, html()); }

}  // namespace heed::train
