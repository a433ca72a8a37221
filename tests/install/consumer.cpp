// What someone writes who has installed heed and nothing else of this project.
#include <heed/core.h>
#include <heed/heed.h>

int main() {
  heed::Generator generator(7);
  const heed::Array draws = generator.uniform({3, 5}, 0, 1);
  for (const float draw : draws.to_vector<float>()) {
    if (draw < 0 || draw >= 1) return 1;
  }
  return draws.shape() == heed::Shape{3, 5} ? 0 : 1;
}
