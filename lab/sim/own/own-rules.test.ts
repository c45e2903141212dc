import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { contentOf, PAPER_PATH, runTask, type Experiment, type SessionResult } from '../experiment.js';
import { GENERATORS } from '../link/trace-generators.js';
import { rulesOf } from './rules-of.js';

const folder = mkdtempSync(join(tmpdir(), 'voxel-own-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Plays the rule that a source has. */
async function played(file: string, source: string): Promise<SessionResult[]> {
  writeFileSync(join(folder, file), source);
  const experiment: Experiment = {
    ...{ traces: GENERATORS['lte-like'](1).slice(0, 1), shifts: 1, buffers: [2], segments: 12 },
    ...{ content: 'synthetic', seed: 1, transport: PAPER_PATH, rules: ['mine'] },
    own: { mine: pathToFileURL(join(folder, file)).href },
  };
  const content = contentOf(experiment);
  return runTask(experiment, content, { trace: 0, shift: 0 }, await rulesOf(experiment, content));
}

const LOWEST = 'choose({ options }) { return { option: options[0], delay: 0 }; }';

describe('a rule with choose', () => {
  it.each([
    ['class.mjs', `export default class { ${LOWEST} reset() {} }`],
    ['function.mjs', `export default () => ({ ${LOWEST} });`],
    ['object.mjs', `export default { ${LOWEST} };`],
    ['commonjs.cjs', `module.exports = { ${LOWEST} };`],
    ['constructor.cjs', `function Rule() {} Rule.prototype = { ${LOWEST} }; module.exports = Rule;`],
  ])('may be in a %s', async (file, source) => {
    const [session] = await played(file, source);
    expect([session!.scores.length, session!.switches]).toEqual([12, 0]);
  });

  it('is made anew for each session', async () => {
    const source = `export default class { #asked = 0; choose(state) {
      if (this.#asked++ !== state.segmentIndex) throw new Error('not mine');
      return { option: state.options[0], delay: 0 };
    } }`;
    await expect(played('memory.mjs', source)).resolves.toHaveLength(1);
  });

  it.each([
    ['nothing', '', /must return { option, delay }.*, got undefined$/],
    ['no-delay', 'return { option: options[0] }', /must return .*, got {"option":/],
    ['another', 'return { option: { representation: 99, level: 0 }, delay: 0 }', /one of state\.options/],
    ['null', 'return { option: null, delay: 0 }', /one of state\.options/],
    ['milliseconds', 'return { option: options[0], delay: 4000 }', /seconds from 0 to 3600/],
    ['sorting', 'options.reverse(); return { option: options[0], delay: 0 }', /threw TypeError: .*read only/],
  ])('is refused where it answers %s', async (name, body, message) => {
    const source = `export default { choose({ options }) { ${body} } };`;
    await expect(played(`${name}.mjs`, source)).rejects.toThrow(message);
  });

  it('is refused where it restarts for ever, or reviews with something else', async () => {
    const highest = 'choose({ options }) { return { option: options.at(-1), delay: 0 }; }';
    const restart = `review({ state, option }) { return { action: 'restart', option }; }`;
    await expect(played('restart.mjs', `export default { ${highest}, ${restart} };`)).rejects.toThrow(
      'restart.mjs: review asks for more than 100 restarts of segment 0',
    );
    await expect(played('stop.mjs', `export default { ${highest}, review: () => 'stop' };`)).rejects.toThrow(
      /stop\.mjs: review of segment 0 must return .*, got "stop"/,
    );
  });
});

const SUSTAINED = `
  const kbit = rulesContext.getThroughputController().getSafeAverageThroughput('video');
  if (isNaN(kbit)) return SwitchRequest(context).create();
  const abr = rulesContext.getAbrController();
  const request = SwitchRequest(context).create(abr.getOptimalRepresentationForBitrate(rulesContext.getMediaInfo(), kbit));
  request.priority = SwitchRequest.PRIORITY.STRONG;
  return request;`;

const SCRIPT = `
var Sustained;
function SustainedClass() {
  const context = this.context;
  const factory = dashjs.FactoryMaker;
  const SwitchRequest = factory.getClassFactoryByName('SwitchRequest');
  const DashMetrics = factory.getSingletonFactoryByName('DashMetrics');
  function getSwitchRequest(rulesContext) {
    if (!(DashMetrics(context).getInstance().getCurrentBufferLevel('video') >= 0)) throw new Error('no buffer');
    ${SUSTAINED}
  }
  return { getSwitchRequest };
}
SustainedClass.__dashjs_factory_name = 'Sustained';
Sustained = dashjs.FactoryMaker.getClassFactory(SustainedClass);`;

describe('a rule for dash.js', () => {
  it('may be a script for pages, and decides alone, over whole segments', async () => {
    const [mine] = await played('sustained.js', SCRIPT);
    expect(mine!.switches).toBeGreaterThan(0);
    expect([mine!.partial, mine!.kept]).toEqual([0, 0]);
    const [cautious] = await played('cautious.js', SCRIPT.replace(', kbit)', ', kbit / 3)'));
    expect(cautious!.bitrate).toBeLessThan(0.7 * mine!.bitrate);
  });

  it('may be a class in a module, which stays where it answers nothing', async () => {
    const source = 'export default class { getSwitchRequest() { return { representation: null, priority: 0.5 }; } }';
    const [session] = await played('stays.mjs', source);
    expect(session!.switches).toBe(0);
  });

  it('waits as long as it tells the schedule', async () => {
    const waiting = (ms: number) => `export default class { getSwitchRequest(rules) {
      rules.getScheduleController().setTimeToLoadDelay(${ms});
    } }`;
    const [[soon], [late]] = [await played('soon.mjs', waiting(0)), await played('late.mjs', waiting(6000))];
    expect(late!.waited).toBeGreaterThan(soon!.waited + 10);
  });

  it.each([
    ['quality', 'return { quality: 0, priority: 1 }', /answers with quality, which dash\.js 5 ignores/],
    ['foreign', "return { representation: { id: 'x' } }", /a representation that there is not/],
    [
      'old',
      "return rules.getAbrController().getQualityFor('video')",
      /threw TypeError: .*getQualityFor is not a function/,
    ],
  ])('is refused where its answer is %s', async (name, body, message) => {
    const source = `export default { getSwitchRequest(rules) { ${body} } };`;
    await expect(played(`${name}.mjs`, source)).rejects.toThrow(message);
  });

  it('is refused where it needs what a simulation has not', async () => {
    const source =
      "export default () => dashjs.FactoryMaker.getSingletonFactoryByName('VideoModel')({}).getInstance();";
    await expect(played('video.mjs', source)).rejects.toThrow(
      'video.mjs: no rule can be made: Error: a simulation has no VideoModel of dash.js',
    );
  });
});

describe('a file', () => {
  it.each([
    ['syntax.mjs', 'export default {', /^syntax\.mjs cannot be loaded: /],
    ['throws.mjs', "throw new Error('at once');", /^throws\.mjs cannot be loaded: Error: at once/],
    ['number.mjs', 'export default 7;', /^number\.mjs has no rule: expected .*; got a number$/],
    ['shape.mjs', 'export default { decide() {}, name: 1 };', /got an object with decide, name$/],
  ])('%s has no rule', async (file, source, message) => {
    await expect(played(file, source)).rejects.toThrow(message);
  });
});
