// Theme and search; without scripts everything else works.
const theme = document.querySelector('#theme');
theme.addEventListener('click', () => {
  const root = document.documentElement;
  const isDark =
    getComputedStyle(root).colorScheme === 'dark' ||
    (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset.theme);
});

const MOST = 12;
const dialog = document.querySelector('#search');
const input = dialog.querySelector('input');
const status = dialog.querySelector('[role=status]');
const list = dialog.querySelector('ol');

/** The index, loaded when the dialog first opens. */
let index;
const loadIndex = () => (index ??= import(new URL(dialog.dataset.index, location.href).href));

function openSearch() {
  if (dialog.open) return;
  dialog.showModal();
  input.select();
  loadIndex().catch((error) => (status.textContent = `The search index cannot be loaded: ${error.message}`));
}

function itemOf({ url, meta, excerpt, sub_results: parts }) {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  const best = parts[0];
  link.href = best?.url ?? url;
  link.append(meta.title, best && best.title !== meta.title ? ` › ${best.title}` : '');
  // Pagefind escapes the text and marks the words.
  item.appendChild(document.createElement('p')).innerHTML = best?.excerpt ?? excerpt;
  return item;
}

async function search() {
  const words = input.value.trim();
  const { debouncedSearch } = await loadIndex();
  const found = words === '' ? { results: [] } : await debouncedSearch(words, {}, 120);
  if (found === null) return; // a later letter has been typed
  const pages = await Promise.all(found.results.slice(0, MOST).map((result) => result.data()));
  if (input.value.trim() !== words) return;
  list.replaceChildren(...pages.map(itemOf));
  const { length } = found.results;
  status.textContent =
    words === '' ? '' : length === 0 ? `Nothing has “${words}”` : `${length} ${length === 1 ? 'page' : 'pages'}`;
}

document.querySelector('#open-search').addEventListener('click', openSearch);
input.addEventListener('input', search);

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, [contenteditable]');
  if ((event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey))) {
    event.preventDefault();
    openSearch();
  }
});

dialog.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === 'Enter' && event.target === input) {
    event.preventDefault(); // it would close the dialog
    links[0]?.click();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  (links[at + step] ?? (step < 0 ? input : links.at(-1)))?.focus();
});
// A hit on this very page closes the dialog over it.
list.addEventListener('click', (event) => event.target.closest('a') && dialog.close());
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());

// The recording says how high it is: nothing of it is cut off, and nothing in it scrolls.
const recording = document.getElementById('recording');
globalThis.addEventListener('message', ({ source, data }) => {
  const height = data?.voxelCompareHeight;
  if (recording && source === recording.contentWindow && Number.isFinite(height))
    recording.style.blockSize = `${Math.min(height, 4000) + 2}px`;
});
