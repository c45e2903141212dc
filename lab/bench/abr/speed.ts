import { LOOKAHEAD, segmentOptions, type DecisionState, type Option } from '../../../src/abr-star/index.js';
import { contentOf, runTask, tasksOf, type Experiment } from '../../sim/experiment.js';
import { THESIS_BITRATES, THESIS_SEGMENT_DURATION } from '../../sim/content/ladder.js';
import { ruleOf } from '../../sim/rule.js';
import { median } from '../../sim/report/statistics.js';
import { readTraces } from '../../sim/link/trace-source.js';
import { atMost } from '../../sim/report/bar.js';
import { RULES, SCENARIO, type Section } from './section.js';

const VIRTUAL_LEVELS = 15;
const DECISIONS = 1000;

/** Runs that are measured, after some in which code is compiled. */
const REPETITIONS = 15;
const WARM_UPS = 5;

/** Samples that rules are told of. */
const SAMPLES = 20;

/** Most microseconds of a decision, and milliseconds of a session without and with reviews. */
const DECISION_LIMIT = 50;
const UNREVIEWED_LIMIT = 5;
const REVIEWED_LIMIT = 15;

/** Rules whose downloads run to their end. */
const WITHOUT_REVIEW = ['mpc', 'bola-ssim'];

/**
 * How long a decision over 13 × 15 options and a session of 75 segments take, in one thread. Processor time, compiler and
 * garbage collector included: on a shared machine the clock also counts what others do.
 */
export function speed(): Section {
  const rows = RULES.map((rule) => ({
    rule,
    decisionMicroseconds: decisionMicroseconds(rule),
    sessionMilliseconds: sessionMilliseconds(rule),
  }));
  return {
    title:
      'processor time of a decision over 13 × 15 options, and of a session of 75 segments (QUIC model, 3G-like links)',
    text: rows
      .map((row) => `${row.rule}: ${row.decisionMicroseconds.toFixed(1)} µs, ${row.sessionMilliseconds.toFixed(2)} ms`)
      .join('\n'),
    data: rows,
    bars: rows.flatMap(({ rule, ...row }) => [
      atMost(`${rule}: microseconds a decision`, row.decisionMicroseconds, DECISION_LIMIT),
      atMost(
        `${rule}: milliseconds a session`,
        row.sessionMilliseconds,
        WITHOUT_REVIEW.includes(rule) ? UNREVIEWED_LIMIT : REVIEWED_LIMIT,
      ),
    ]),
  };
}

function decisionMicroseconds(rule: string): number {
  const segments = Array.from({ length: DECISIONS + LOOKAHEAD }, (_, index) => optionsOf(1 + 0.3 * Math.sin(index)));
  const states = Array.from({ length: DECISIONS }, (_, index) =>
    decisionState(index, segments.slice(index, index + LOOKAHEAD)),
  );
  return medianTime(() => {
    const { abr } = ruleOf(rule);
    for (const state of states) abr.choose(state);
  }).perRun(DECISIONS * 1e-3);
}

function sessionMilliseconds(rule: string): number {
  const experiment: Experiment = {
    ...SCENARIO,
    traces: readTraces('3g-like', SCENARIO.seed),
    shifts: 1,
    rules: [rule],
    buffers: [1, 7],
  };
  const content = contentOf(experiment);
  const tasks = tasksOf(experiment);
  return medianTime(() => tasks.forEach((task) => runTask(experiment, content, task))).perRun(2 * tasks.length);
}

/** Milliseconds of a run, in the median. */
function medianTime(run: () => void): { readonly perRun: (parts: number) => number } {
  const times = Array.from({ length: WARM_UPS + REPETITIONS }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  const milliseconds = median(times.slice(WARM_UPS));
  return { perRun: (parts) => milliseconds / parts };
}

/**
 * Buffer and throughput go through their whole ranges, so that no branch is the only one taken. `upcoming`: as in playback, one
 * segment moves out and one in from each decision to the next.
 */
function decisionState(index: number, upcoming: readonly Option[][]): DecisionState {
  const throughput = 0.1e6 * 1.07 ** (index % 80);
  return {
    segmentIndex: index,
    segmentDuration: THESIS_SEGMENT_DURATION,
    bufferLevel: (index * 1.3) % 28,
    bufferCapacity: 32,
    throughput,
    samples: Array.from({ length: SAMPLES }, (_, age) => ({
      bytes: (throughput / 2) * (1 + 0.3 * Math.sin(index + age)),
      seconds: 4,
    })),
    lastChoice: upcoming[0]![(index * 7) % upcoming[0]!.length],
    ladder: THESIS_BITRATES.map((bitrate, level) => ({ bitrate, averageScore: scoreOf(level) })),
    options: upcoming[0]!,
    upcoming,
  };
}

function optionsOf(size: number): Option[] {
  return segmentOptions(
    THESIS_BITRATES.map((bitrate, level) => {
      const bytes = (bitrate / 8) * THESIS_SEGMENT_DURATION * size;
      const steps = Array.from({ length: VIRTUAL_LEVELS }, (_, step) => {
        const share = step / (VIRTUAL_LEVELS - 1);
        return {
          score: scoreOf(level) * (0.8 + 0.2 * Math.sqrt(share)),
          frames: 6 * step,
          bytes: 0.85 * bytes * share,
        };
      });
      return { range: { start: 0, end: 0 }, reliable: [], unreliable: [], reliableBytes: 0.15 * bytes, steps };
    }),
  );
}

/** Concave over the ladder, 1 at its top. */
function scoreOf(level: number): number {
  return 1 - 0.2 * (1 - level / (THESIS_BITRATES.length - 1)) ** 2;
}
