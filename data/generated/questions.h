// Generated scenes (see scenes.h) and questions about them:
//
//   what color is the circle                 red
//   which shape is red                       circle
//   is there a red circle                    yes
//   which shape is left of the red circle    square
//   is the red circle above the blue cross   no
//   how many things are there                three
//
// "the" names what there is once. Where yes or no is asked for, both come equally often, and what
// there is not has the colour of one thing and the shape of another. Things to the left stand in a
// column further left, whatever their rows.
#pragma once

#include "../../core/generator.h"
#include "../visual_questions.h"

namespace heed::data {

inline constexpr Index kQuestionsOfAScene = 4;

/// About the next `scenes` scenes of the generator's stream, with the boxes of their things.
VisualQuestions ask_about_scenes(Index scenes, Generator& generator);

}  // namespace heed::data
