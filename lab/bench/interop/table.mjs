// @ts-check

/** What each client does, in this order. */
export const STEPS = /** @type {const} */ (['session', 'streams', 'datagrams', 'reset', 'close', 'again']);
export const SERVERS = /** @type {const} */ (['voxel-serve', 'voxel-quiche']);

const HEADS = ['session', 'streams', 'datagrams', 'resets', 'close code', '20 sessions'];
const BEGIN = '<!-- interop: npm run bench -- interop --write -->';
const END = '<!-- /interop -->';

/**
 * Why each step failed, empty where it did not; a step that is missing was not reached. `left out`: the client is not here.
 * @typedef {Partial<Record<typeof STEPS[number], string>>} Outcome
 * @typedef {{ client: string, outcomes: Partial<Record<typeof SERVERS[number], Outcome>>, missing?: string }} Row
 * @typedef {{ client: RegExp, server?: typeof SERVERS[number], steps: readonly (typeof STEPS[number])[], reason: string }} Known
 */

/** What is known not to work, and whose it is. @type {readonly Known[]} */
export const KNOWN = [
  {
    client: /^webtransport-go 0\.1[1-9]/,
    server: 'voxel-quiche',
    steps: STEPS,
    reason: 'insists on the transport parameter `reset_stream_at`, which quiche 0.30 lacks',
  },
  {
    client: /^wtransport/,
    steps: ['close'],
    reason: 'closes the QUIC connection with its code: it has none for sessions',
  },
  {
    client: /^pywebtransport/,
    steps: ['streams', 'datagrams', 'reset', 'close', 'again'],
    reason:
      'takes a server without limits on the streams of a session for one that allows none, opens none, and writes capsules outside of DATA frames',
  },
];

/** @param {Row} row @param {typeof SERVERS[number]} server @param {typeof STEPS[number]} step */
export function knownReason({ client }, server, step) {
  return KNOWN.find(
    (known) => known.client.test(client) && (known.server ?? server) === server && known.steps.includes(step),
  )?.reason;
}

/** What failed and has no known reason, as lines. @param {readonly Row[]} rows */
export function surprises(rows) {
  return rows.flatMap((row) =>
    SERVERS.flatMap((server) =>
      STEPS.flatMap((step) => {
        const outcome = row.outcomes[server];
        if (!outcome || outcome[step] === '' || knownReason(row, server, step) !== undefined) return [];
        return [`${row.client}, ${server}, ${step}: ${outcome[step] ?? 'not reached'}`];
      }),
    ),
  );
}

/** The table, `✓` where both servers pass. @param {readonly Row[]} rows @returns Markdown */
export function table(rows) {
  /** @type {string[]} */
  const notes = [];
  const noteOf = (/** @type {string} */ text) => {
    if (!notes.includes(text)) notes.push(text);
    return `${notes.indexOf(text) + 1}`;
  };
  const cell = (/** @type {Row} */ row, /** @type {typeof STEPS[number]} */ step) => {
    if (row.missing !== undefined) return `– (${noteOf(row.missing)})`;
    const failed = SERVERS.filter((server) => row.outcomes[server] && row.outcomes[server][step] !== '');
    const tried = SERVERS.filter((server) => row.outcomes[server]);
    if (failed.length === 0) return tried.length === SERVERS.length ? '✓' : `✓ ${tried.join()}`;
    const server = /** @type {typeof SERVERS[number]} */ (failed[0]);
    const note = noteOf(knownReason(row, server, step) ?? row.outcomes[server]?.[step] ?? 'not reached');
    return failed.length === tried.length ? `– (${note})` : `${failed.join()}: – (${note})`;
  };
  const lines = rows.map((row) => `| ${[row.client, ...STEPS.map((step) => cell(row, step))].join(' | ')} |`);
  return [
    `| client | ${HEADS.join(' | ')} |`,
    `| --- |${HEADS.map(() => ' --- |').join('')}`,
    ...lines,
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}`),
  ].join('\n');
}

/** A document with another table between its marks. @param {string} text @param {string} content */
export function withTable(text, content) {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the document has no ${BEGIN} before ${END}`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${content}\n\n${text.slice(end)}`;
}
