import { contentOf, runTask, tasksOf, type Experiment } from '../../sim/experiment.js';
import { ruleOf } from '../../sim/rule.js';
import { median, quantile } from '../../sim/report/statistics.js';
import { readTraces } from '../../sim/link/trace-source.js';
import { atMost } from '../../sim/report/bar.js';
import { decisionStates, PLAIN, SITUATIONS, type Situation } from './decisions.js';
import { RULES, SCENARIO, type Section } from './section.js';

const DECISIONS = 1000;
const SITUATION_DECISIONS = 300;

/** Runs that are measured, after some in which code is compiled. */
const REPETITIONS = 15;
const WARM_UPS = 5;

/** Most microseconds of a decision, and milliseconds of a session without and with reviews. */
const DECISION_LIMIT = 50;
const UNREVIEWED_LIMIT = 5;
const REVIEWED_LIMIT = 15;

/** Rules whose downloads run to their end. */
const WITHOUT_REVIEW = ['mpc', 'bola-ssim'];

/** The rule of which every situation is measured. */
const OURS = 'abr-star';

/**
 * How long a decision over 13 × 15 options and a session of 75 segments take, in one thread, and a decision of our rule over what it is
 * asked about in players. Processor time, compiler and garbage collector included: on a shared machine the clock also counts what others do.
 */
export function speed(): Section {
  const rows = RULES.map((rule) => ({
    rule,
    decisionMicroseconds: decisionMicroseconds(rule),
    sessionMilliseconds: sessionMilliseconds(rule),
  }));
  const decisions = [PLAIN, ...SITUATIONS].map((situation) => ({
    situation: situation.name,
    ...eachDecision(OURS, situation),
  }));
  return {
    title:
      'processor time of a decision over 13 × 15 options, and of a session of 75 segments (QUIC model, 3G-like links)',
    text: [
      ...rows.map(
        (row) => `${row.rule}: ${row.decisionMicroseconds.toFixed(1)} µs, ${row.sessionMilliseconds.toFixed(2)} ms`,
      ),
      ...decisions.map(
        ({ situation, median, p95 }) =>
          `${OURS}, 13 representations, ${situation}: median ${median.toFixed(1)} µs, 95th percentile ${p95.toFixed(1)} µs`,
      ),
    ].join('\n'),
    data: { rows, decisions },
    bars: [
      ...rows.flatMap(({ rule, ...row }) => [
        atMost(`${rule}: microseconds a decision`, row.decisionMicroseconds, DECISION_LIMIT),
        atMost(
          `${rule}: milliseconds a session`,
          row.sessionMilliseconds,
          WITHOUT_REVIEW.includes(rule) ? UNREVIEWED_LIMIT : REVIEWED_LIMIT,
        ),
      ]),
      ...decisions.map(({ situation, median }) =>
        atMost(`${OURS}, ${situation}: microseconds of the median decision`, median, DECISION_LIMIT),
      ),
    ],
  };
}

function decisionMicroseconds(rule: string): number {
  const states = [...decisionStates(DECISIONS, PLAIN)];
  return medianTime(() => {
    const { abr } = ruleOf(rule);
    for (const state of states) abr.choose(state);
  }).perRun(DECISIONS * 1e-3);
}

/** Over the states of a situation: microseconds of each decision, the least of its repetitions, as whatever else runs only adds to it. */
function eachDecision(rule: string, situation: Situation): { readonly median: number; readonly p95: number } {
  const runs = Array.from({ length: WARM_UPS + REPETITIONS }, () => {
    const { abr } = ruleOf(rule);
    return Array.from(decisionStates(SITUATION_DECISIONS, situation), (state) => milliseconds(() => abr.choose(state)));
  }).slice(WARM_UPS);
  const times = runs[0]!.map((_, index) => 1000 * Math.min(...runs.map((run) => run[index]!)));
  return { median: median(times), p95: quantile(times, 0.95) };
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
  const times = Array.from({ length: WARM_UPS + REPETITIONS }, () => milliseconds(run));
  const each = median(times.slice(WARM_UPS));
  return { perRun: (parts) => each / parts };
}

/** Milliseconds of processor time that it takes. */
function milliseconds(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
