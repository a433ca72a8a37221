// What the page of alignments adds to the report's style sheet, and the script that draws it. A
// matrix is a canvas of one dot a weight, whose opacity is the share of the matrix's largest; the
// browser enlarges it.
#pragma once

namespace heed::train {

inline constexpr const char* kAlignmentStyle = R"css(
:root{--cell:168 67 0;--rule:rgb(31 35 40/.09)}
@media(prefers-color-scheme:dark){:root{--cell:255 180 92;--rule:rgb(230 237 243/.1)}}
.line{display:grid;grid-template-columns:64px 1fr;gap:10px;margin:0 0 2px}
.line p{margin:0;overflow-wrap:anywhere}
.word{border-radius:4px;padding:2px 2px;background:rgb(var(--shade)/var(--a,0));cursor:default;unicode-bidi:isolate}
.word.on,.word:focus-visible{outline:2px solid var(--bar);outline-offset:-1px}
.now{height:1.6em;margin:8px 0 10px;font-size:.9rem;color:var(--soft);white-space:nowrap;
  overflow:hidden;text-overflow:ellipsis;font-variant-numeric:tabular-nums}
.look{display:flex;flex-wrap:wrap;gap:20px;align-items:flex-start}
.look .scroll{max-width:100%;padding:2px}
.matrix{display:grid;grid-template-columns:auto auto;width:max-content;font-size:min(13px,var(--size)*.8);line-height:var(--size)}
.top,.side{display:grid}
.top{grid-auto-flow:column;grid-auto-columns:var(--size);align-items:end}
.top span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:11em;padding:4px 0;margin:auto 0 0}
.side span{text-align:right;max-width:13em;padding:0 6px;height:var(--size)}
.top span,.side span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;border-radius:4px;cursor:default}
.top .on,.side .on{color:var(--bar);text-decoration:underline}
.board{position:relative;width:calc(var(--size)*var(--columns));height:calc(var(--size)*var(--rows));overflow:hidden;
  background:repeating-linear-gradient(var(--rule) 0 1px,transparent 1px var(--size)),
  repeating-linear-gradient(90deg,var(--rule) 0 1px,transparent 1px var(--size));box-shadow:1px 1px var(--rule)}
.board canvas{width:100%;height:100%}
canvas{display:block;image-rendering:pixelated}
.board i{position:absolute;pointer-events:none;box-shadow:0 0 0 1.5px var(--bar) inset;display:none}
.board .row{left:0;right:0;height:var(--size);top:calc(var(--size)*var(--t))}
.board .column{top:0;bottom:0;width:var(--size);left:calc(var(--size)*var(--s))}
.has-t .row,.has-s .column{display:block}
.board canvas:focus-visible{outline:2px solid var(--bar);outline-offset:-2px}
.maps{flex:1 1 260px;min-width:0;border:0;margin:0;padding:0;display:grid;gap:8px;
  grid-template-columns:repeat(auto-fill,minmax(104px,1fr))}
.maps label{display:flex;flex-direction:column;align-items:center;justify-content:flex-end;gap:4px;padding:8px 4px 4px;
  position:relative;border:1px solid var(--line);border-radius:8px;font-size:.75rem;line-height:1.3;color:var(--soft);
  cursor:pointer;text-align:center;overflow-wrap:anywhere;min-width:0}
.maps input{position:absolute;opacity:0;inset:0;margin:0;cursor:pointer}
.maps canvas{box-shadow:0 0 0 1px var(--rule)}
.maps label:has(:checked){border-color:var(--bar);box-shadow:0 0 0 1px var(--bar);color:var(--ink)}
.maps label:has(:focus-visible){outline:2px solid var(--bar);outline-offset:2px}
)css";

inline constexpr const char* kAlignmentScript = R"js(
(() => {
"use strict";
const make = (parent, tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return parent.appendChild(node);
};
const drawings = [];

// One dot a weight.
function draw(canvas, map) {
  const style = getComputedStyle(document.documentElement);
  const [red, green, blue] = style.getPropertyValue("--cell").trim().split(/\s+/).map(Number);
  const image = new ImageData(canvas.width, canvas.height);
  map.weights.forEach((weight, i) => {
    image.data.set([red, green, blue, Math.round(255 * weight / map.largest)], 4 * i);
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function canvasFor(parent, columns, rows, map) {
  const canvas = make(parent, "canvas");
  canvas.width = columns;
  canvas.height = rows;
  drawings.push(() => draw(canvas, map()));
  return canvas;
}

const hint = "Point at a word or a square, or tab to them and use the arrow keys.";
const shown = weight => weight < 0.0005 && weight > 0 ? "< 0.001" : weight.toFixed(3);
const clamp = (value, end) => Math.max(0, Math.min(end - 1, value));
// What an arrow key adds, to the right and down; null for other keys.
const step = key => ({ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
                      Home: [-1e9, 0], End: [1e9, 0]})[key];

function sentence(article, data, number) {
  const words = {s: data.source, t: data.target};
  const S = words.s.length, T = words.t.length;
  for (const map of data.matrices) map.largest = map.weights.reduce((a, b) => Math.max(a, b)) || 1;
  let chosen = data.matrices[0];
  const weight = (t, s) => chosen ? chosen.weights[t * S + s] : 0;

  // All that stands for a word, in the text and beside the matrix.
  const places = {s: words.s.map(() => []), t: words.t.map(() => [])};
  const place = (node, side, i) => {
    node.dataset.side = side;
    node.dataset.i = i;
    places[side][i].push(node);
  };

  for (const [side, name] of [["s", "source"], ["t", "target"]]) {
    const line = make(article, "div", "line");
    make(line, "span", "soft", name);
    const text = make(line, "p");
    text.dir = "auto";
    words[side].forEach((word, i) => {
      const node = make(text, "span", "word", word);
      node.tabIndex = i ? -1 : 0;
      place(node, side, i);
      text.append(" ");
    });
    text.addEventListener("keydown", event => {
      const move = step(event.key), i = Number(event.target.dataset.i);
      if (!move || !(i >= 0)) return;
      event.preventDefault();
      const next = places[side][clamp(i + move[0] + move[1], words[side].length)][0];
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
  if (!chosen) return;

  const now = make(article, "p", "now", hint);
  now.setAttribute("aria-live", "polite");
  const look = make(article, "div", "look");
  const matrix = make(make(look, "div", "scroll"), "div", "matrix");
  const most = Math.max(S, T);
  matrix.style.setProperty("--size", (most <= 24 ? 26 : most <= 40 ? 20 : 15) + "px");
  matrix.style.setProperty("--columns", S);
  matrix.style.setProperty("--rows", T);
  make(matrix, "span");
  const top = make(matrix, "div", "top"), side = make(matrix, "div", "side");
  words.s.forEach((word, i) => place(make(top, "span", "", word), "s", i));
  words.t.forEach((word, i) => place(make(side, "span", "", word), "t", i));
  const board = make(matrix, "div", "board");
  const canvas = canvasFor(board, S, T, () => chosen);
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", "Attention of each target word (down) to each source word (across)");
  make(board, "i", "row");
  make(board, "i", "column");

  // Row t, column s, or the square where both are there; -1: none.
  let t = -1, s = -1;
  const strongest = (side, weights) =>
      weights.map((value, i) => [value, i]).sort((a, b) => b[0] - a[0]).slice(0, 4)
          .filter(([value]) => value > 0)
          .map(([value, i]) => words[side][i] + " " + shown(value)).join(", ") || "nothing";
  function show(row, column) {
    t = row;
    s = column;
    matrix.classList.toggle("has-t", t >= 0);
    matrix.classList.toggle("has-s", s >= 0);
    board.style.setProperty("--t", t);
    board.style.setProperty("--s", s);
    const shade = (side, i, on, value) => places[side][i].forEach(node => {
      node.classList.toggle("on", on);
      node.style.setProperty("--a", (value / chosen.largest).toFixed(3));
    });
    words.s.forEach((_, i) => shade("s", i, i === s, t >= 0 ? weight(t, i) : 0));
    words.t.forEach((_, i) => shade("t", i, i === t, s >= 0 ? weight(i, s) : 0));
    if (t >= 0 && s >= 0) {
      now.textContent = `${words.t[t]} → ${words.s[s]}: ${shown(weight(t, s))}`;
    } else if (t >= 0) {
      now.textContent = `${words.t[t]} looks at ` + strongest("s", words.s.map((_, i) => weight(t, i)));
    } else if (s >= 0) {
      now.textContent =
          `${words.s[s]} is looked at by ` + strongest("t", words.t.map((_, i) => weight(i, s)));
    } else {
      now.textContent = hint;
    }
  }

  const at = event => {
    const node = event.target.closest("[data-side]");
    if (node) {
      const i = Number(node.dataset.i);
      if (node.dataset.side === "t") show(i, -1); else show(-1, i);
    } else if (event.target !== canvas) {
      show(-1, -1);
    }
  };
  article.addEventListener("pointerover", at);
  article.addEventListener("focusin", at);
  article.addEventListener("pointerleave", () => show(-1, -1));
  article.addEventListener("focusout", () => show(-1, -1));
  canvas.addEventListener("pointermove", event => {
    const box = canvas.getBoundingClientRect();
    const row = clamp(Math.floor((event.clientY - box.top) / box.height * T), T);
    const column = clamp(Math.floor((event.clientX - box.left) / box.width * S), S);
    if (row !== t || column !== s) show(row, column);
  });
  canvas.addEventListener("focus", () => { if (t < 0 || s < 0) show(0, 0); });
  canvas.addEventListener("keydown", event => {
    const move = step(event.key);
    if (!move) return;
    event.preventDefault();
    show(clamp(t + move[1], T), clamp(s + move[0], S));
  });

  if (data.matrices.length === 1) {
    make(look, "span", "soft", chosen.name);
    return;
  }
  const maps = make(look, "fieldset", "maps");
  maps.setAttribute("aria-label", "matrix");
  data.matrices.forEach((map, i) => {
    const label = make(maps, "label");
    const input = make(label, "input");
    input.type = "radio";
    input.name = "map" + number;
    input.checked = i === 0;
    input.addEventListener("change", () => {
      chosen = map;
      draw(canvas, map);
    });
    const small = canvasFor(label, S, T, () => map);
    small.style.width = Math.max(4, Math.round(88 * S / most)) + "px";
    small.style.height = Math.max(4, Math.round(88 * T / most)) + "px";
    make(label, "span", "", map.name);
  });
}

const articles = document.querySelectorAll("article");
JSON.parse(document.getElementById("data").textContent)
    .forEach((data, i) => sentence(articles[i], data, i));
const redraw = () => drawings.forEach(drawing => drawing());
redraw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
)js";

}  // namespace heed::train
