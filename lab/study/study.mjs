// @ts-check
// `npm run study`: makes a study of a results folder of `npm run trials`, or analyses one. The work is done by main.py.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { choiceOption, integerOption, numberOption, parseCommandLine } from '../../tools/setup/command-line.mjs';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { run, runCommand, UserError } from '../../tools/setup/process.mjs';
import { ensurePython, ensureStudyPython } from '../../tools/setup/python.mjs';

const USAGE = `Usage: npm run study -- RESULTS [options]      makes a study: clips, sheets, a page to vote on
       npm run study -- STUDY --rehearse      fills it with scripted answers, which are nobody's opinion
       npm run study -- STUDY --analyse       writes report.md and pictures from the files in STUDY/votes

RESULTS is an output folder of npm run trials with --keep. Clips are what its viewers saw, stalls included; sheets are after
ITU-T P.910 (docs/STUDY.md).

  --out DIR      the study (default: RESULTS/study)
  --method M     acr-hr, dcr or both (default both)
  --subjects N   how many sheets (default 24)
  --seconds S    of the video in a clip; stalls come on top (default 10)
  --clips N      spans of each video and link, drawn at random, each a clip of every system (default 2)
  --size WxH     of all clips (default: that of the top representation)
  --spinner      a ring turns over a picture that stands
  --all          also sessions that do not count, for rehearsals
  --seed N       of all that is drawn at random (default 1)
  --help         this text

Exit codes: 0; 1 failed; 2 bad input; 130 interrupted.`;

const MAIN = join(import.meta.dirname, 'main.py');

/** @param {string} name @param {string} text @param {number} most */
function whole(name, text, most) {
  return String(integerOption(name, text, { low: 1, high: most }));
}

/** @param {readonly string[]} args */
function parse(args) {
  return parseCommandLine({
    args: [...args],
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      method: { type: 'string', default: 'both' },
      subjects: { type: 'string', default: '24' },
      seconds: { type: 'string', default: '10' },
      clips: { type: 'string', default: '2' },
      size: { type: 'string' },
      seed: { type: 'string', default: '1' },
      spinner: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      rehearse: { type: 'boolean', default: false },
      analyse: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
}

/** What main.py is given. @param {ReturnType<typeof parse>['values']} values @param {string} folder */
function makeWords({ out, method, subjects, seconds, clips, size, spinner, all, seed }, folder) {
  choiceOption('method', method, ['acr-hr', 'dcr', 'both']);
  numberOption('seconds', seconds, { low: 1, high: 60 });
  return [
    ...['make', folder, '--out', out ?? join(folder, 'study'), '--method', method, '--seconds', seconds],
    ...['--subjects', whole('subjects', subjects, 99), '--clips', whole('clips', clips, 20)],
    ...['--seed', whole('seed', seed, 1e9), ...(size === undefined ? [] : ['--size', size])],
    ...[...(spinner ? ['--spinner'] : []), ...(all ? ['--all'] : [])],
  ];
}

await runCommand(async () => {
  const { values, positionals } = parse(process.argv.slice(2));
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1)
    throw new UserError(`expected one folder, got ${positionals.length} (see --help)`);
  if (values.rehearse && values.analyse) throw new UserError('--rehearse and --analyse cannot be used together');
  if (!existsSync(folder)) throw new UserError(`no such folder: ${folder}`);
  const words = values.rehearse
    ? ['rehearse', folder, '--seed', whole('seed', values.seed, 1e9)]
    : values.analyse
      ? ['analyse', folder]
      : makeWords(values, folder);
  await ensurePython('run');
  const python = values.analyse ? await ensureStudyPython() : venvProgram('python');
  await run(python, [MAIN, ...words], { kind: 'tool' });
  return 0;
});
