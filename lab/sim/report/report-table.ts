import { escaped } from './line-chart.js';

/** A column of a table for people: `key` finds its definition. */
export interface ReportColumn<Row> {
  readonly key: string;
  readonly title: string;
  readonly format: (row: Row) => string;
}

/** What a table and its definitions look like, on a phone, too: the first two columns, which say what a row is, stay while the others scroll. */
export const TABLE_STYLE = `
.table { overflow-x: auto; margin: 1em 0 } .table:focus-visible { outline: 2px solid }
table { border-collapse: collapse; font-size: 12px }
th, td { padding: 2px 8px; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884 }
td:nth-child(-n + 2), th:nth-child(-n + 2) { position: sticky; left: 0; background: Canvas }
td:first-child, th:first-child { min-width: 4em } td:nth-child(2), th:nth-child(2) { text-align: left; left: calc(4em + 16px) }
dl { display: grid; grid-template-columns: minmax(9em, max-content) minmax(0, 1fr); gap: 4px 1em } dt { font-weight: 600 } dd { margin: 0 }
summary { cursor: pointer; padding: 3px 0 } li, p { overflow-wrap: anywhere }
@media (max-width: 600px) { body { margin: 1em auto } h1 { font-size: 22px } dl { grid-template-columns: minmax(0, 1fr) } dd { margin-bottom: 6px } svg text { font-size: 13px } }
`;

/** A table that scrolls in a frame of its own. `label`: for those who do not see it. */
export function reportTable<Row>(label: string, columns: readonly ReportColumn<Row>[], rows: readonly Row[]): string {
  const head = columns.map(({ title }) => `<th scope="col">${escaped(title)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${columns.map(({ format }) => `<td>${escaped(format(row))}</td>`).join('')}</tr>`,
  );
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
  return `<div class="table" tabindex="0" role="group" aria-label="${escaped(label)}">${table}</div>`;
}

const DIFFERENCE = 'Difference';

/** What a column means. Throws where nobody has said so: `definitions` belongs to the columns. */
export function definitionOf(key: string, definitions: Readonly<Record<string, string>>): string {
  const base = key.endsWith(DIFFERENCE) ? key.slice(0, -DIFFERENCE.length) : key;
  const definition = definitions[base];
  if (definition === undefined) throw new Error(`the column ${key} has no definition`);
  return base === key ? definition : `${definition}: less the baseline’s over the same links and starts`;
}

/** The definitions of columns, to be opened. */
export function definitionList(
  columns: readonly Pick<ReportColumn<never>, 'key' | 'title'>[],
  definitions: Readonly<Record<string, string>>,
): string {
  const entries = columns.map(
    ({ key, title }) => `<dt>${escaped(title)}</dt><dd>${escaped(definitionOf(key, definitions))}</dd>`,
  );
  return `<details><summary>What the columns mean</summary><dl>${entries.join('\n')}</dl></details>`;
}
