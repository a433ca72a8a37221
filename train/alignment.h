// The attention weights between two texts as something to look at: a matrix with the words at its
// sides (Bahdanau et al. 2014, figure 3), as a picture, as SVG, in the terminal, and many matrices
// of many sentences (all layers and heads) as a page to explore.
//
// The largest weight of a matrix is the full shade. Weights that are not finite, or below 0, count
// as 0. Words may hold anything: control characters are dropped, what is not UTF-8 becomes U+FFFD,
// markup is escaped; long words are cut where they label a side. All throw DTypeError for weights
// that are not f32 or f64, and ShapeError where they are not [rows, columns] with one word each, or
// empty.
#pragma once

#include <string>
#include <vector>

#include "../core/array.h"
#include "picture.h"
#include "shade.h"

namespace heed::train {

struct Alignment {
  std::string title;
  std::vector<std::string> columns;  ///< the words looked at: the source's
  std::vector<std::string> rows;     ///< the words that look: the target's
  Array weights;                     ///< [rows, columns]
};

/// "step 1", "step 2" ..: labels of a side whose words are numbers.
std::vector<std::string> numbered(const std::string& word, Index count);

/// Dark squares on white, for write_png(). European letters are drawn with their marks, those of
/// other scripts as boxes: take the SVG for these. Throws ShapeError for more than 2^28 dots.
Picture alignment_picture(const Alignment& alignment);

/// Stands alone as a file and can be put into a page; light or dark as the reader's system asks.
/// Pointing at a square shows its words and weight.
std::string alignment_svg(const Alignment& alignment);

/// For a terminal of 100 columns: a line for each row word. With colours the column words stand in
/// it, shaded; where they do not fit, and without colours, there are blocks below column words
/// that are written downwards.
std::string alignment_text(const Alignment& alignment, ShadeStyle style);

/// What one layer or head looked at.
struct NamedMatrix {
  std::string name;  ///< "layer 2 head 3"
  Array weights;     ///< [target, source]
};

struct AlignedSentence {
  std::vector<std::string> source, target;
  std::vector<NamedMatrix> matrices;
};

/// An HTML page that needs no network, light or dark: for each sentence its words, a chooser of
/// matrices, and the chosen one large. Pointing at a word, or moving to it by keys, shades the
/// words of the other side by their weights; pointing at a square tells its words and weight.
std::string alignment_page(const std::string& title, const std::vector<AlignedSentence>& sentences);

}  // namespace heed::train
