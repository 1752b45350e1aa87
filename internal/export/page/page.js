// Sorting, filtering and the points of charts. The page is whole without it.
'use strict';
document.documentElement.classList.add('js');
addEventListener('DOMContentLoaded', () => {
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const make = (tag, props = {}, ...children) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
};
// label is what a heading of a row says, without the words that follow its name.
const label = cell => (cell.firstChild?.nodeType === Node.TEXT_NODE ? cell.firstChild.data.trim() : '');
const lost = new Set(['failed', 'timeout', 'interrupted', 'skipped']);
const fragmentOf = list => {
  const fragment = document.createDocumentFragment();
  for (const e of list) fragment.append(e);
  return fragment;
};
const mostChoices = 40;
const mostText = 200;
const rowsAtOnce = 200; // drawn of a table, until all are asked for

// A sheet is a table that can be sorted and filtered. Of a long one the first
// rows that are wanted are drawn. What rows say is read when it is first asked for.
class Sheet {
  constructor(table, index) {
    this.index = index;
    this.body = table.tBodies[0];
    this.head = table.tHead;
    this.rows = [...table.tBodies].flatMap(b => [...b.rows]);
    this.rest = table.querySelector('.more') ?? table.appendChild(make('tbody', { className: 'more' }));
    this.heads = [...this.head.rows[0].cells];
    this.names = this.heads.map(h => h.textContent);
    this.sorted = '';
    this.order = this.rows;
    this.most = rowsAtOnce;
    this.found = this.rows.length;
    this.drawn = [...this.body.rows];
  }

  // choices gives, for each column that says which cell a row is, its texts.
  choices(into) {
    this.heads.forEach((head, i) => {
      if (!head.classList.contains('s')) return;
      const texts = into.get(this.names[i]) ?? new Set();
      into.set(this.names[i], texts);
      for (const row of this.rows) {
        if (texts.size > mostChoices) break;
        texts.add(label(row.cells[i]));
      }
    });
  }

  // says tells whether a cell of a row has a word in it. That the row has, across
  // its cells or not, is sooner known.
  says(row, word) {
    return this.texts.get(row).includes(word) && [...row.cells].some(c => c.textContent.toLowerCase().includes(word));
  }

  // show draws the first of the rows that are wanted. The others wait in a part of
  // the table that is not laid out, where nothing is done to them.
  show(words, filters) {
    const wanted = filters.map(([name, value]) => [this.names.indexOf(name), value]).filter(([i]) => i >= 0);
    if (words.length) this.texts ??= new Map(this.rows.map(row => [row, row.textContent.toLowerCase()]));
    const found = words.length || wanted.length
      ? this.order.filter(row => wanted.every(([i, value]) => label(row.cells[i]) === value) && words.every(word => this.says(row, word)))
      : this.order;
    this.found = found.length;
    const draw = found.slice(0, this.most);
    if (draw.length === this.drawn.length && draw.every((row, i) => row === this.drawn[i])) return;
    this.rest.className = '';
    this.rest.hidden = true; // on paper, too
    this.rest.append(fragmentOf(this.drawn));
    this.body.append(fragmentOf(draw));
    this.drawn = draw;
  }

  // sort puts the rows in the order of a column, "" in that of the page. Those
  // that failed, and those with nothing there, come last either way. Which are
  // drawn is for show to say.
  sort(how) {
    if (how === this.sorted) return;
    this.sorted = how;
    const down = how.startsWith('-');
    const at = how === '' ? -1 : Number(down ? how.slice(1) : how);
    this.heads.forEach((head, i) => {
      if (i === at) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    this.order = at < 0 ? this.rows : this.ordered(at, down ? -1 : 1);
  }

  ordered(at, way) {
    const numbers = this.heads[at].classList.contains('n');
    const keyed = this.rows.map(row => {
      const cell = row.cells[at];
      const text = cell.textContent.trim();
      const key = numbers ? parseFloat(cell.dataset.v ?? text) : text;
      return { row, key, last: (lost.has(row.className) ? 2 : 0) + (numbers ? !Number.isFinite(key) : key === '') };
    });
    const compare = numbers ? (x, y) => x - y : new Intl.Collator(undefined, { numeric: true }).compare;
    keyed.sort((x, y) => x.last - y.last || (x.last % 2 ? 0 : way * compare(x.key, y.key)));
    return keyed.map(k => k.row);
  }
}

const sheets = all('table.data').map((table, i) => new Sheet(table, i + 1));
const tools = document.getElementById('tools');
const status = make('p');
status.setAttribute('role', 'status');
const drawAll = make('button', { type: 'button', textContent: 'Draw all', hidden: true });
const search = make('input', { type: 'search', maxLength: mostText, autocomplete: 'off', spellcheck: false });
const selects = new Map(); // by the heading of their column

function addTools() {
  const choices = new Map();
  sheets.forEach(s => s.choices(choices));
  tools.append(make('label', {}, 'Find', search));
  for (const [name, texts] of choices) {
    if (texts.size < 2 || texts.size > mostChoices) continue;
    const select = make('select', {}, make('option', { value: '', textContent: 'all' }));
    [...texts].forEach((text, i) => select.append(make('option', { value: String(i + 1), textContent: text || '(nothing)' })));
    selects.set(name, { select, texts: [...texts] });
    tools.append(make('label', {}, name, select));
  }
  const clear = make('button', { type: 'button', textContent: 'Show all' });
  clear.addEventListener('click', () => { set({ q: '', filters: [], sorts: [] }); keep(true); });
  drawAll.addEventListener('click', drawThemAll);
  tools.append(clear, status, drawAll);
  search.addEventListener('input', () => { refresh(); keep(false); });
  tools.addEventListener('change', e => { if (e.target !== search) { refresh(); keep(true); } });
  for (const sheet of sheets) {
    sheet.heads.forEach(head => {
      const button = make('button', { type: 'button', title: head.title }, ...head.childNodes);
      head.append(button);
      head.removeAttribute('title');
    });
    sheet.head.addEventListener('click', e => {
      const at = sheet.heads.indexOf(e.target.closest('button')?.parentNode);
      if (at < 0) return;
      const turn = { [at]: `-${at}`, [`-${at}`]: '' };
      sheet.sort(turn[sheet.sorted] ?? String(at));
      refresh();
      keep(true);
    });
  }
}

// The view is what is chosen; it is kept in the fragment of the page's address.
const view = () => ({
  q: search.value,
  filters: [...selects].filter(([, s]) => s.select.selectedIndex > 0).map(([name, s]) => [name, s.texts[s.select.selectedIndex - 1]]),
  sorts: sheets.filter(s => s.sorted !== '').map(s => [s.index, s.sorted]),
});

function refresh() {
  const { q, filters } = view();
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const sum = { found: 0, drawn: 0, rows: 0 };
  for (const sheet of sheets) {
    sheet.show(words, filters);
    sum.found += sheet.found;
    sum.drawn += sheet.drawn.length;
    sum.rows += sheet.rows.length;
  }
  status.textContent = `${sum.found} of ${sum.rows} rows ` + (sum.drawn < sum.found ? `match, ${sum.drawn} of them are drawn.` : 'shown.');
  drawAll.hidden = sum.drawn === sum.found;
}

function drawThemAll() {
  for (const sheet of sheets) sheet.most = Infinity;
  refresh();
}

function keep(step) {
  const { q, filters, sorts } = view();
  const p = new URLSearchParams();
  for (const [name, value] of filters) p.append('filter', `${name}=${value}`);
  if (q) p.append('q', q);
  for (const [index, how] of sorts) p.append('sort', `${index}:${how}`);
  const address = location.href.split('#')[0] + '#' + p;
  try {
    history[step ? 'pushState' : 'replaceState'](null, '', address);
  } catch { /* where a page may not, its view has no link */ }
}

// set takes a view; what the page does not have of it is left.
function set({ q, filters, sorts }) {
  search.value = q;
  for (const [name, s] of selects) {
    const asked = filters.find(f => f[0] === name);
    s.select.selectedIndex = asked ? s.texts.indexOf(asked[1]) + 1 : 0;
  }
  for (const sheet of sheets) sheet.sort(sorts.find(s => s[0] === sheet.index)?.[1] ?? '');
  refresh();
}

function follow() {
  const text = location.hash.slice(1);
  if (text !== '' && !text.includes('=')) return; // a place in the page
  const p = new URLSearchParams(text.slice(0, 8000));
  set({
    q: (p.get('q') ?? '').slice(0, mostText),
    filters: p.getAll('filter').flatMap(f => [...selects.keys()].filter(name => f.startsWith(name + '=')).map(name => [name, f.slice(name.length + 1)])),
    sorts: p.getAll('sort').flatMap(s => {
      const [, index, how] = /^(\d{1,4}):(-?\d{1,4})$/.exec(s) ?? [];
      return index && Number(how.replace('-', '')) < (sheets[index - 1]?.heads.length ?? 0) ? [[Number(index), how]] : [];
    }),
  });
}

if (sheets.some(s => s.rows.length > 1)) {
  addTools();
  addEventListener('hashchange', follow);
  follow();
}

// The points of a chart tell what they are: under the pointer, or one after the
// other with the arrow keys.
const tip = make('div', { className: 'tip', hidden: true });
tip.setAttribute('role', 'status');
document.body.append(tip);
let lit = null;

function tell(point) {
  lit?.classList.remove('on');
  lit = point;
  tip.hidden = !point;
  if (!point) return;
  point.classList.add('on');
  const title = point.querySelector('title');
  if (title) { // or else the browser would tell it, too
    point.dataset.t = title.textContent;
    title.remove();
  }
  tip.textContent = point.dataset.t;
  const box = point.getBoundingClientRect();
  const left = Math.min(box.right + 4, document.documentElement.clientWidth - tip.offsetWidth - 4);
  tip.style.left = `${Math.max(4, left) + scrollX}px`;
  tip.style.top = `${box.top + scrollY - tip.offsetHeight - 2}px`;
}

for (const svg of all('figure svg')) {
  const title = svg.querySelector(':scope > title');
  if (title) { // which the browser would tell over every point
    svg.setAttribute('aria-label', title.textContent);
    title.remove();
  }
  const points = svg.getElementsByClassName('hit');
  if (!points.length) continue;
  svg.setAttribute('tabindex', '0');
  svg.addEventListener('pointerover', e => tell(e.target.closest('.hit')));
  svg.addEventListener('pointerleave', () => tell(null));
  svg.addEventListener('blur', () => tell(null));
  svg.addEventListener('keydown', e => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (e.key === 'Escape') tell(null);
    if (!step) return;
    e.preventDefault();
    const at = [...points].indexOf(lit);
    tell(points[at < 0 ? (step > 0 ? 0 : points.length - 1) : (at + step + points.length) % points.length]);
  });
}

for (const pre of all('pre')) {
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch { // from disk some browsers offer only this
      getSelection().selectAllChildren(pre);
      document.execCommand('copy');
    }
    button.textContent = 'Copied';
  });
  pre.before(button);
}

addEventListener('beforeprint', () => {
  drawThemAll();
  all('details').forEach(d => { d.open = true; });
});
});
