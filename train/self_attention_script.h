// What the page of self-attention adds to the report's style sheet, and the script that draws it. A
// matrix is a canvas of one dot a weight, as in alignment_script.h; arcs are SVG paths whose
// opacity is the share of the matrix's largest weight.
#pragma once

namespace heed::train {

inline constexpr const char* kSelfAttentionStyle = R"css(
:root{--cell:168 67 0}
@media(prefers-color-scheme:dark){:root{--cell:255 180 92}}
.arcs{overflow-x:auto;margin:0 0 6px}
.arcs svg{display:block;font:14px system-ui,sans-serif}
.arcs path{fill:none;stroke:rgb(var(--cell));pointer-events:none}
.arcs text{fill:var(--ink);cursor:default;text-anchor:middle}
.arcs rect{fill:rgb(var(--shade));rx:4}
.arcs g:focus-visible{outline:none}
.arcs .on rect{stroke:var(--bar);stroke-width:2}
.now{height:1.6em;margin:0 0 10px;font-size:.9rem;color:var(--soft);white-space:nowrap;
  overflow:hidden;text-overflow:ellipsis;font-variant-numeric:tabular-nums}
.heads{display:grid;gap:6px;grid-template-columns:auto repeat(var(--heads),max-content);align-items:center;width:max-content}
.heads span{font-size:.75rem;color:var(--soft);text-align:center}
.heads span.layer{text-align:right;padding-right:6px}
.heads button{padding:3px;border:1px solid var(--line);border-radius:6px;background:none;cursor:pointer;line-height:0}
.heads button[aria-pressed=true]{border-color:var(--bar);box-shadow:0 0 0 1px var(--bar)}
.heads button:focus-visible{outline:2px solid var(--bar);outline-offset:1px}
.heads canvas{image-rendering:pixelated;width:var(--size);height:var(--size)}
)css";

inline constexpr const char* kSelfAttentionScript = R"js(
(() => {
"use strict";
const svgns = "http://www.w3.org/2000/svg";
const make = (parent, tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return parent.appendChild(node);
};
const draw = (parent, tag, attributes) => {
  const node = document.createElementNS(svgns, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return parent.appendChild(node);
};
const drawings = [];
const shown = weight => weight < 0.0005 && weight > 0 ? "< 0.001" : weight.toFixed(3);
const hint = "Point at a matrix for its arcs, and at a word for what it looks at. A click keeps a matrix.";

function paint(canvas, head) {
  const style = getComputedStyle(document.documentElement);
  const [red, green, blue] = style.getPropertyValue("--cell").trim().split(/\s+/).map(Number);
  const image = new ImageData(canvas.width, canvas.height);
  head.weights.forEach((weight, i) => {
    image.data.set([red, green, blue, Math.round(255 * weight / head.largest)], 4 * i);
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function text(article, data) {
  const words = data.words, T = words.length;
  const heads = [];
  data.layers.forEach((layer, l) => layer.forEach((weights, h) => heads.push({
    weights, layer: l, head: h, largest: weights.reduce((a, b) => Math.max(a, b)) || 1})));

  // The words along a line, arcs above it.
  const board = make(article, "div", "arcs");
  const svg = draw(board, "svg", {role: "img"});
  const arcs = draw(svg, "g", {});
  const nodes = words.map((word, i) => {
    const node = draw(svg, "g", {tabindex: i ? -1 : 0});
    draw(node, "rect", {});
    draw(node, "text", {}).textContent = word;
    return node;
  });
  let at = 12;
  const middles = nodes.map(node => {
    const width = Math.max(12, node.lastChild.getComputedTextLength());
    const middle = at + width / 2;
    at += width + 12;
    node.dataset.width = width;
    return middle;
  });
  const widest = at, high = Math.min(260, 30 + widest / 4), line = high + 18;
  svg.setAttribute("width", widest);
  svg.setAttribute("height", line + 12);
  nodes.forEach((node, i) => {
    const width = Number(node.dataset.width);
    for (const [name, value] of Object.entries({x: middles[i] - width / 2 - 4, y: line - 16, width: width + 8, height: 22})) {
      node.firstChild.setAttribute(name, value);
    }
    node.firstChild.setAttribute("fill-opacity", 0);
    node.lastChild.setAttribute("x", middles[i]);
    node.lastChild.setAttribute("y", line);
  });

  const now = make(article, "p", "now", hint);
  now.setAttribute("aria-live", "polite");
  let kept = heads[0], seen = kept, word = -1;

  // The arcs of one head, from all words or from one.
  function show(head, row) {
    seen = head;
    word = row;
    arcs.replaceChildren();
    const got = words.map(() => 0);
    for (let t = 0; t < T; ++t) {
      if (row >= 0 && t !== row) continue;
      for (let s = 0; s < T; ++s) {
        const weight = head.weights[t * T + s], share = weight / head.largest;
        got[s] += weight;
        if (share < 0.02) continue;
        const from = middles[t], to = middles[s];
        const tall = Math.min(high - 8, 14 + Math.abs(to - from) / 3);
        const path = from === to
            ? `M${from - 4},${high}c-8,-18 16,-18 8,0`
            : `M${from},${high}C${from},${high - tall * 1.3} ${to},${high - tall * 1.3} ${to},${high}`;
        draw(arcs, "path", {d: path, "stroke-opacity": share.toFixed(3), "stroke-width": (0.5 + 2 * share).toFixed(2)});
      }
    }
    const most = Math.max(...got) || 1;
    nodes.forEach((node, i) => {
      node.firstChild.setAttribute("fill-opacity", (0.85 * got[i] / most).toFixed(3));
      node.classList.toggle("on", i === row);
    });
    const name = `layer ${head.layer + 1} head ${head.head + 1}`;
    if (row < 0) {
      now.textContent = name + ": shades are what each word gets of all. " + hint;
    } else {
      const strongest = got.map((value, i) => [value, i]).sort((a, b) => b[0] - a[0]).slice(0, 4)
          .filter(([value]) => value > 0).map(([value, i]) => words[i] + " " + shown(value)).join(", ");
      now.textContent = `${name}: ${words[row]} looks at ${strongest || "nothing"}`;
    }
    heads.forEach(other => other.button.setAttribute("aria-pressed", other === kept));
  }

  const grid = make(make(article, "div", "scroll"), "div", "heads");
  const most = Math.max(...data.layers.map(layer => layer.length));
  grid.style.setProperty("--heads", most);
  grid.style.setProperty("--size", Math.max(40, Math.min(120, Math.floor(720 / most), T * 12)) + "px");
  make(grid, "span");
  for (let h = 0; h < most; ++h) make(grid, "span", "", "head " + (h + 1));
  heads.forEach(head => {
    if (head.head === 0) make(grid, "span", "layer", "layer " + (head.layer + 1));
    const button = head.button = make(grid, "button");
    button.type = "button";
    button.style.gridColumn = head.head + 2;
    button.setAttribute("aria-label", `layer ${head.layer + 1} head ${head.head + 1}`);
    const canvas = make(button, "canvas");
    canvas.width = canvas.height = T;
    drawings.push(() => paint(canvas, head));
    button.addEventListener("pointerenter", () => show(head, -1));
    button.addEventListener("focus", () => show(head, -1));
    button.addEventListener("click", () => { kept = head; show(head, -1); });
  });
  grid.addEventListener("pointerleave", () => show(kept, -1));
  nodes.forEach((node, i) => {
    node.addEventListener("pointerenter", () => show(seen, i));
    node.addEventListener("pointerleave", () => show(seen, -1));
    node.addEventListener("focus", () => show(seen, i));
    node.addEventListener("blur", () => show(seen, -1));
    node.addEventListener("keydown", event => {
      const move = {ArrowLeft: -1, ArrowRight: 1, Home: -T, End: T}[event.key];
      if (!move) return;
      event.preventDefault();
      const next = nodes[Math.max(0, Math.min(T - 1, i + move))];
      node.setAttribute("tabindex", -1);
      next.setAttribute("tabindex", 0);
      next.focus();
    });
  });
  show(kept, -1);
}

const articles = document.querySelectorAll("article");
JSON.parse(document.getElementById("data").textContent).forEach((data, i) => text(articles[i], data));
const redraw = () => drawings.forEach(drawing => drawing());
redraw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
)js";

}  // namespace heed::train
