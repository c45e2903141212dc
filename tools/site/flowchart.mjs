// @ts-check
// Mermaid's flowcharts, as far as the documents use them, drawn by Graphviz. (Mermaid itself needs a browser.)

const NODE = String.raw`([\w-]+)(?:\[([^\]]*)\])?`;
const EDGE = new RegExp(`^${NODE}\\s*-->\\s*${NODE}$`);
const ALONE = new RegExp(`^${NODE}$`);

/** Colours are the page's. */
const LOOK = `
  bgcolor="transparent" pad=0.1 nodesep=0.35 ranksep=0.45
  node [shape=box style="rounded,filled" class="node" fontname="sans-serif" fontsize=13 height=0.4 margin="0.25,0.05"]
  edge [arrowsize=0.7]`;

/** @param {string} text */
const quoted = (text) => `"${text.replaceAll('"', '\\"')}"`;

/**
 * In Graphviz' language. Throws for what it cannot draw.
 * @param {string} source of a Mermaid block: `graph TD`, and lines of the form `a[label] --> b[label]`, `a[label]`, `subgraph name` and `end` @returns {string}
 */
export function graphOf(source) {
  const [head = '', ...lines] = source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const direction = /^(?:graph|flowchart) (TD|TB|LR)$/.exec(head)?.[1];
  if (direction === undefined) throw new Error(`a Mermaid block must begin with graph TD or graph LR, got ${head}`);
  /** @type {Map<string, string>} */
  const labels = new Map();
  const drawn = lines.map((line) => {
    const group = /^subgraph ([\w-]+)$/.exec(line)?.[1];
    if (group !== undefined) return `  subgraph ${quoted(`cluster_${group}`)} { label=${quoted(group)} style=rounded`;
    if (line === 'end') return '  }';
    const [, from, fromLabel, to, toLabel] = EDGE.exec(line) ?? ALONE.exec(line) ?? [];
    if (from === undefined) throw new Error(`the site draws lines such as a[A] --> b[B], got ${line}`);
    if (fromLabel !== undefined) labels.set(from, fromLabel);
    if (to === undefined) return `  ${quoted(from)}`;
    if (toLabel !== undefined) labels.set(to, toLabel);
    return `  ${quoted(from)} -> ${quoted(to)}`;
  });
  const nodes = [...labels].map(([name, label]) => `  ${quoted(name)} [label=${quoted(label)}]`);
  return `digraph {\n  rankdir=${direction === 'LR' ? 'LR' : 'TB'}${LOOK}\n${[...drawn, ...nodes].join('\n')}\n}`;
}
