// @ts-check
/**
 * A document that is walked through.
 * @typedef {object} Walked
 * @property {string} document
 * @property {string} [leaves] a folder, beside or in the checkout, that it makes: what an earlier walk has left of it is removed first
 * @property {{ url: string, shows: string }[]} [pages] opened in Chromium after the last block; `shows`: a pattern of a line of the page's log
 */

/** In the order in which readers have them: each goes on from what those before it have installed. @type {readonly Walked[]} */
export const DOCUMENTS = [
  { document: 'README.md' },
  {
    document: 'docs/tutorials/embed.md',
    leaves: '../my-page',
    pages: [
      { url: 'http://localhost:8000/', shows: 'segment \\d+: datagrams' },
      { url: 'http://localhost:8000/http.html', shows: 'segment \\d+: http' },
    ],
  },
  { document: 'docs/tutorials/prepare.md' },
  {
    document: 'docs/tutorials/ladder.md',
    leaves: 'ladders',
    pages: ['clear', 'cenc-1', 'keyless'].map((name) => ({
      url: `http://localhost:8080/#${name}`,
      shows: 'segment \\d+: datagrams',
    })),
  },
  { document: 'docs/tutorials/deploy.md' },
  { document: 'docs/tutorials/trial.md', leaves: 'output/my-trial' },
  { document: 'docs/tutorials/rule.md' },
  { document: 'docs/tutorials/lab.md', leaves: '../my-rule' },
  { document: 'docs/DEPLOY.md' },
];
