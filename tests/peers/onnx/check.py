"""check.py FOLDER: every .onnx file of the folder through ONNX' own checker, with the types and shapes that it infers.
One line; exit 1 where one fails."""
import pathlib
import sys

sys.path = [place for place in sys.path if place]  # not what lies in the folder one stands in
import onnx

failed = 0
files = sorted(pathlib.Path(sys.argv[1]).glob("*.onnx"))
for file in files:
    try:
        model = onnx.load(str(file))
        onnx.checker.check_model(model, full_check=True)
        names = {each.name for each in model.graph.initializer}
        if len(names) != len(model.graph.initializer):
            raise ValueError("an initialiser's name stands twice")
    except Exception as error:
        failed += 1
        print(f"onnx         {file.stem}: the checker FAILED: {str(error).splitlines()[0]}")
print(f"onnx         {len(files) - failed} of {len(files)} files pass the checker, onnx {onnx.__version__}")
sys.exit(1 if failed else 0)
