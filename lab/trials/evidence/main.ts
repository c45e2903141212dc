import { choiceOption, parseCommandLine } from '../../../tools/setup/command-line.mjs';
import { say, UserError } from '../../../tools/setup/process.mjs';
import { claimsText, PAPERS, provisional } from './claims.js';
import { differences, textOf, write } from './documents.js';
import { expectedDocuments } from './expected.js';
import { keptMatrices } from './kept.js';
import { missing, missingText } from './missing.js';

const USAGE = `Usage: npm run evidence [-- --check | --missing | --paper NAME]

Computes every table, interval and verdict of docs/EVIDENCE.md, docs/RESULTS.md and docs/results/ from the sessions that are kept in
docs/results/*/sessions.jsonl and docs/results/simulated, and writes them there. No browser, no data, a few seconds.

  --check        write nothing: say where the documents differ from what the sessions give
  --missing      write nothing: for each row that says “so far” the command that brings it to ten sessions, and about how long that takes
  --paper NAME   write nothing: print what that paper claims, its figure, ours, the verdict, why, and the command that shows it; one of
                 ${Object.keys(PAPERS).join(', ')} (goals of our own)
  --help         this text

Exit codes: 0 all is as it should be, or written; 1 a document differs (--check); 2 bad input.`;

/** `npm run evidence`. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseCommandLine({
    args: [...args],
    options: {
      check: { type: 'boolean', default: false },
      missing: { type: 'boolean', default: false },
      paper: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const paper = choiceOption('paper', values.paper, Object.keys(PAPERS));
  if (paper !== undefined) {
    if (values.check || values.missing)
      throw new UserError(`--${values.check ? 'check' : 'missing'} and --paper cannot be used together`);
    console.log(claimsText(PAPERS[paper]!, keptMatrices()));
    return 0;
  }
  if (values.missing) {
    if (values.check) throw new UserError('--check and --missing cannot be used together');
    console.log(missingText(missing(provisional(keptMatrices()))));
    return 0;
  }
  let differing = 0;
  for (const document of await expectedDocuments()) {
    const lines = differences(textOf(document.path), document.text);
    if (lines.length === 0) continue;
    differing++;
    if (values.check) console.log([`${document.path}: found (-), expected (+)`, ...lines].join('\n'));
    else write(document);
    say(values.check ? `${document.path} differs: \`npm run evidence\` writes it` : `wrote ${document.path}`);
  }
  return values.check && differing > 0 ? 1 : 0;
}
