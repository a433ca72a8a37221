'use strict';
const at = id => document.getElementById(id);
const made = (tag, kind, text) => {
  const node = document.createElement(tag);
  if (kind) node.className = kind;
  if (text !== undefined) node.textContent = text;
  return node;
};
const shade = (node, part) => node.style.setProperty('--a', Math.max(0, Math.min(1, part)).toFixed(3));
const bits = x => x.toFixed(2) + ' bits';
let about = {}, answer = null, chosen = -1, asked = 0, shownNumber = 0, timer = 0;

function bars(title, entries) {
  const out = made('div'), grid = made('div', 'bars');
  out.append(made('h2', '', title), grid);
  for (const {name, probability} of entries) {
    const bar = made('i');
    bar.style.width = 100 * probability + '%';
    const cell = made('div');
    cell.append(bar);
    grid.append(made('div', '', name), cell, made('span', '', (100 * probability).toFixed(1) + ' %'));
  }
  return out;
}

// Words that may be chosen: pointing at one, or moving to it by keys, calls look(i).
function words(list, look, tip) {
  const line = made('p', 'words');
  const nodes = list.map((text, i) => {
    const node = made(look ? 'button' : 'span', 'w', text);
    if (tip) node.title = tip(i);
    if (look) {
      node.type = 'button';
      node.onpointerenter = node.onfocus = () => look(i);
    }
    line.append(node, ' ');
    return node;
  });
  return {line, nodes};
}

function entropyOf(row) {
  return row.reduce((sum, p) => p > 0 ? sum - p * Math.log2(p) : sum, 0);
}

// Rows look at columns: darker is more.
function matrix(rows) {
  const canvas = made('canvas'), columns = rows[0].length;
  const size = Math.max(4, Math.min(18, Math.floor(600 / Math.max(columns, rows.length))));
  canvas.width = columns * size;
  canvas.height = rows.length * size;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', 'weights: a row for each word that looks');
  const pen = canvas.getContext('2d');
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--bar');
  rows.forEach((row, y) => row.forEach((weight, x) => {
    pen.globalAlpha = Math.max(0, Math.min(1, weight));
    pen.fillRect(x * size, y * size, size, size);
  }));
  const box = made('div', 'scroll');
  box.append(canvas);
  return box;
}

function showClassifier(seen) {
  seen.append(bars('Classes, entropy ' + bits(answer.entropy), answer.classes), made('h2', '', 'Looked at'));
  let most = 1e-9;
  for (const s of answer.sentences) for (const w of s.weights) most = Math.max(most, w * s.weight);
  for (const s of answer.sentences) {
    const row = made('div', 'sentence'), bar = made('i'), cell = made('div');
    bar.style.width = 100 * s.weight + '%';
    cell.title = 'the sentence: ' + (100 * s.weight).toFixed(1) + ' %';
    cell.append(bar);
    const {line, nodes} = words(s.words, null, i => (100 * s.weights[i]).toFixed(1) + ' % of its sentence');
    nodes.forEach((node, i) => shade(node, s.weights[i] * s.weight / most));
    row.append(cell, line);
    seen.append(row);
  }
}

// `rows[i]` shades the nodes when word i looks.
function pointing(nodes, note) {
  return (rows, i, lookers) => {
    lookers.forEach((node, j) => node.classList.toggle('on', j === i));
    const row = rows[i].slice(-nodes.length), most = Math.max(1e-9, ...row);
    nodes.forEach((node, j) => shade(node, (row[j] || 0) / most));
    note.textContent = '“' + lookers[i].textContent + '” looks with an entropy of ' + bits(entropyOf(row));
  };
}

function showTranslator(seen) {
  const looks = [...answer.looks, ...answer.self];
  const look = looks[chosen], own = look && answer.self.includes(look);
  const note = made('p', 'soft', 'Point at a word, or move to one by keys.');
  const source = words(answer.source, look && own ? i => point(look.rows, i, source.nodes) : null);
  const point = pointing(source.nodes, note);
  const target = words(answer.target, look && !own ? i => point(look.rows, i, target.nodes) : null,
                       look && !own ? i => 'entropy ' + bits(entropyOf(look.rows[i])) : null);
  seen.append(made('h2', '', 'Translation'), target.line, made('h2', '', 'Source'), source.line, note);
  if (look && look.rows.length) seen.append(made('h2', '', 'All weights of ' + look.name), matrix(look.rows));
}

function showLanguage(seen) {
  const look = answer.looks[chosen];
  const note = made('p', 'soft', 'Words are shaded by how much they surprised it; point at one to see where it looks.');
  const text = words(answer.words, look ? i => point(look.rows, i, text.nodes) : null,
                     i => (i ? 'surprise ' + bits(answer.surprise[i]) + ', ' : '') + 'then an entropy of ' + bits(answer.entropies[i]));
  const point = pointing(text.nodes, note);
  const plain = () => {
    text.nodes.forEach((node, i) => { shade(node, answer.surprise[i] / 12); node.classList.remove('on'); });
  };
  plain();
  text.line.onpointerleave = plain;
  seen.append(made('h2', '', 'Read'), text.line, note);
  if (answer.next.length) {
    seen.append(bars('Expected next, entropy ' + bits(answer.entropies[answer.entropies.length - 1]), answer.next));
  }
  if (look && look.rows.length) seen.append(made('h2', '', 'All weights of ' + look.name), matrix(look.rows));
}

function show() {
  const seen = made('section');
  if (answer) ({classifier: showClassifier, translator: showTranslator, language: showLanguage})[about.kind](seen);
  at('seen').replaceChildren(...seen.childNodes);
}

function choices() {
  const looks = [...(answer.looks || []), ...(answer.self || [])], list = at('look');
  at('choice').hidden = looks.length < 2;
  if (list.length !== looks.length) {
    list.replaceChildren(...looks.map(look => made('option', '', look.name)));
    chosen = looks.length ? 0 : -1;
  }
  if (looks.length) list.selectedIndex = chosen;
}

async function ask() {
  const number = ++asked, state = at('state');
  try {
    const begin = performance.now();
    const text = at('text').value;
    const reply = await fetch('/answer', {method: 'POST', body: text, headers: {'Content-Type': 'text/plain;charset=utf-8'}});
    const said = reply.status === 413 ? {error: 'the text is too long'} : await reply.json();
    if (number < shownNumber) return;  // a later one was faster
    shownNumber = number;
    state.classList.toggle('wrong', !reply.ok);
    if (!reply.ok) { state.textContent = said.error || 'refused'; return; }
    answer = said;
    state.textContent = Math.round(performance.now() - begin) + ' ms' + (said.left_out ? '; ' + said.left_out + ' more words were left out' : '');
    choices();
    show();
    document.body.dataset.shown = text;
  } catch (error) {
    state.classList.add('wrong');
    state.textContent = 'no answer: is the program still running?';
  }
}

at('text').oninput = () => { clearTimeout(timer); timer = setTimeout(ask, 120); };
at('look').onchange = event => { chosen = event.target.selectedIndex; show(); };
(async () => {
  about = await (await fetch('/about')).json();
  at('title').textContent = document.title = about.title;
  at('facts').textContent = about.facts.join(' · ');
  at('text').value = about.example;
  ask();
})();
