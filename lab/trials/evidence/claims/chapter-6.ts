import { lessStalls, type Claim, type Measured } from '../claim.js';
import type { TrialResult } from '../../result.js';
import type { Matrix } from '../kept.js';
import * as beside from './beside-others.js';
import * as measured from './measures.js';
import { MANIFEST_SIZE, OTHER_VIDEOS } from './chapters-4-5.js';

const RESULTS = 'results-small';

/** VOXEL beside BOLA on one link. */
function besideBola(trace: string, buffer: number, theirs: number) {
  return {
    command: RESULTS,
    matrix: RESULTS,
    measured: (matrix: Matrix) => lessStalls(matrix, { trace, buffer }, { theirs, ours: 'voxel', than: 'bola' }),
    why: 'The rule plans over parts of segments and keeps what has come.',
  };
}

/** What the sessions of a configuration of its own say. */
function from(matrix: string, measure: (matrix: Matrix) => Measured | undefined) {
  return { command: matrix, matrix, measured: measure };
}

const TMOBILE = 'TMobile-LTE-driving';
const VERIZON = 'Verizon-LTE-driving';
const ATT = 'ATT-LTE-driving';
const FCC = 'FCC-trace_32424_samknows1.lax1.level3.net';
const THREE_G = '3G-report.2010-09-29_1827CEST';

const BOLA_AND_BETA = { BOLA: 'bola', BETA: 'beta@streams' };
const BITRATE = {
  measure: ({ bitrate }: TrialResult) => bitrate,
  shown: (value: number) => `${(value / 1e6).toFixed(2)} Mbit/s`,
};
const SSIM = { measure: ({ score }: TrialResult) => score, shown: (value: number) => value.toFixed(4) };

const MAP = 'datagrams-streams';
const PLAIN_PATH = '30 ms, no loss';

const SIMULATED = 'Only in simulation so far: [the rules in simulation](results/simulated/README.md).';

/** The evaluation of VOXEL. */
export const CHAPTER_6: readonly Claim[] = [
  MANIFEST_SIZE,
  {
    figure: '§6.2',
    claim: 'little remains lost after losses were fetched again in pauses',
    theirs: '0.9, 1.5, 1.8 % at buffers of 2, 3, 7 segments; none with 1',
    ...from('remaining-loss-small', measured.remainsLost({ 2: 0.009, 3: 0.015, 7: 0.018 })),
    why: 'What is lost is asked for again at once, not in pauses alone.',
  },
  OTHER_VIDEOS,
  {
    figure: '6.4',
    claim: 'unmodified rules trade bitrate for stalls over QUIC\\*',
    theirs: 'MPC −24.7 %, BOLA −4.1 % bitrate',
    ...from('thesis-6.4-6.8-small', beside.bitratesOverQuicStar),
    why: 'With seven segments hardly a session stalls on these links, so there is nothing to trade bitrate for.',
  },
  {
    figure: '6.5',
    claim: 'the five links differ in how much they vary',
    theirs: 'standard deviations: T-Mobile and Verizon 9 to 10, AT&T 2.88, FCC 2.35, 3G 1.1 Mbit/s',
    command: 'npm run bench -- variability',
    computed: measured.variability,
  },
  {
    figure: '6.6',
    claim: 'against 20 Mbit/s of other traffic unmodified rules stall less over QUIC\\*',
    theirs: '90th percentile: MPC −82 %, BOLA −63.6 %',
    ...from('thesis-6.6-6.7-small', beside.stallsOverQuicStar([-0.82, -0.636])),
    why: 'With seven segments one of MPC’s sessions stalls over each of the two, and nobody else’s.',
  },
  {
    figure: '6.7',
    claim: '… at slightly lower bitrates',
    theirs: 'figure without numbers',
    ...from('thesis-6.6-6.7-small', beside.bitratesOverQuicStar),
    why: 'With hardly a stall there is nothing to trade bitrate for; what loses packets at a full queue goes on without waiting for them.',
  },
  {
    figure: '6.8',
    claim: 'on recorded links unmodified rules stall less over QUIC\\*',
    theirs: '90th percentile: MPC −71.7 %, BOLA −9.2 %',
    ...from('thesis-6.4-6.8-small', beside.stallsOverQuicStar([-0.717, -0.092])),
    why: 'Both stall less; MPC’s figure is that of one start of Verizon’s log, 32.8 → 24.5 %, as nobody else stalls for more than .4 %.',
  },
  {
    figure: '6.9a, b',
    claim: 'VOXEL stalls less than BOLA and BETA on AT&T and 3G',
    theirs: 'none on AT&T from two segments on',
    ...from('thesis-6.9-6.15-small', beside.leastStalls({ 'AT&T': ATT, '3G': THREE_G }, BOLA_AND_BETA)),
    why: 'Less than BOLA on both, and than BETA on neither: the same start of the 3G log stops all three (6.9, 6.4, 6.5 %), and on AT&T’s VOXEL stalls once, for .2 s.',
  },
  {
    figure: '6.9c',
    claim: 'Verizon: VOXEL stalls less than BOLA with one segment',
    theirs: '−74 %',
    ...besideBola(VERIZON, 1, 0.74),
  },
  { figure: '6.9c', claim: '… and with seven', theirs: '−96.3 %', ...besideBola(VERIZON, 7, 0.963) },
  {
    figure: '6.9d',
    claim: 'T-Mobile: VOXEL stalls less than BOLA with one segment',
    theirs: '−74 %; safety factor lowered for this link',
    ...besideBola(TMOBILE, 1, 0.74),
  },
  { figure: '6.9d', claim: '… and with seven', theirs: '−100 %', ...besideBola(TMOBILE, 7, 1) },
  {
    figure: '6.10a',
    claim: 'Verizon: at no lower SSIM than BOLA',
    theirs: 'little difference in the median',
    command: RESULTS,
    matrix: RESULTS,
    measured: measured.scores(VERIZON),
    why: 'Bytes that BOLA throws away with restarted segments are used.',
  },
  {
    figure: '6.10b, c',
    claim: '… nor lower VMAF and PSNR',
    theirs: 'on par below, better above',
    ...from('thesis-6.10-small', measured.otherMetrics),
    why: 'Higher from the median on. At the low end VOXEL plays parts of the lowest representation where BOLA stops, and VMAF takes more for that than SSIM.',
  },
  {
    figure: '6.11a',
    claim: 'T-Mobile: bitrate on par with BOLA’s or higher',
    theirs: 'figure without numbers',
    command: RESULTS,
    matrix: RESULTS,
    measured: measured.bitrates(TMOBILE),
  },
  {
    figure: '6.11b',
    claim: 'Verizon: bitrate on par with BOLA’s or higher',
    theirs: 'figure without numbers',
    command: RESULTS,
    matrix: RESULTS,
    measured: measured.bitrates(VERIZON),
  },
  {
    figure: '6.12',
    claim: '… against 20 Mbit/s of other traffic, too',
    theirs: 'figure without numbers',
    ...from('thesis-6.12-6.22-small', beside.atLeast({ BOLA: 'bola' }, {}, BITRATE)),
  },
  {
    figure: '6.13',
    claim: 'stalls are as few with VMAF or PSNR as the measure',
    theirs: 'almost none',
    ...from('thesis-6.13-small', measured.stallsByMetric),
    why: 'One start of ten decides, where the link nearly dies: .09 % stalled by SSIM, none by PSNR, 4.9 % by VMAF. None of the other nine stalls for more than .1 %.',
  },
  {
    figure: '6.14',
    claim: 'SSIM above BOLA’s and BETA’s where none stalls',
    theirs: 'figure without numbers',
    ...from('thesis-6.9-6.15-small', beside.atLeast(BOLA_AND_BETA, { trace: ATT }, SSIM)),
  },
  {
    figure: '§6.6.1',
    claim:
      'segments with frames dropped; those of them that lose referenced ones; share of the referenced frames dropped',
    theirs: '9 %; 85 %; 46 %',
    command: RESULTS,
    matrix: RESULTS,
    measured: measured.framesDropped,
    why: 'The measured order takes referenced frames wherever they cost little.',
  },
  {
    figure: '6.15',
    claim: 'the larger the buffer, the less is skipped',
    theirs: 'figure without numbers',
    command: RESULTS,
    matrix: RESULTS,
    measured: measured.skippedByBuffer,
  },
  {
    figure: '6.16',
    claim: '86 3G logs, one segment: BOLA, BOLA-SSIM and VOXEL stall',
    theirs: '7.9, 8.2, 5.1 %; SSIM +.02 for the last two',
    ...from('thesis-6.16-small', beside.lessAtHigherScore('bola@streams', 'bola-ssim@datagrams', { buffer: 1 }, 0.35)),
    why: 'Every ninth of the 86 logs.',
    outlook: SIMULATED,
  },
  {
    figure: '6.16',
    claim: '… with seven segments',
    theirs: '7.1, 7.1, 2.8 %; SSIM .865, .898, .895',
    ...from('thesis-6.16-small', beside.lessAtHigherScore('bola@streams', 'bola-ssim@datagrams', { buffer: 7 }, 0.6)),
    why: 'Every ninth of the 86 logs.',
    outlook: SIMULATED,
  },
  {
    figure: '6.17a, b',
    claim: 'constant 10.5 Mbit/s: VOXEL shows perfect segments, BOLA none',
    theirs: '65 % against none',
    ...from(
      'thesis-6.17-small',
      beside.perfectSegments((trace) => trace.startsWith('constant'), 0.65),
    ),
    why: 'Our top level is 2.35 Mbit/s, the link 5 % above it, as theirs.',
    outlook: SIMULATED,
  },
  {
    figure: '6.17c',
    claim: 'a step from 10.75 to 10.5 Mbit/s',
    theirs: '80 % against 3 %',
    ...from(
      'thesis-6.17-small',
      beside.perfectSegments((trace) => trace.startsWith('step'), 0.8),
    ),
    why: 'From 7.5 to 5 % above the top level, as theirs.',
  },
  {
    figure: '6.18',
    claim: 'a queue of 750 packets: VOXEL is ahead of BOLA, except on Verizon with large buffers',
    theirs: 'figure without numbers',
    ...from(
      'thesis-6.18-small',
      beside.aheadExcept(
        { 'T-Mobile': TMOBILE, Verizon: VERIZON },
        [1, 7],
        (trace, buffer) => trace === VERIZON && buffer > 1,
      ),
    ),
  },
  {
    figure: '6.19',
    claim: 'bitrates on 3G and AT&T are on par or higher; an untuned VOXEL stalls more than BETA on T-Mobile',
    theirs: 'figure without numbers',
    ...from(
      'thesis-6.19-small',
      beside.besideBeta({ '3G': THREE_G, 'AT&T': ATT }, TMOBILE, 'abr-star-2021@datagrams=1'),
    ),
  },
  {
    figure: '6.20',
    claim: 'a fixed line (FCC): as on the others',
    theirs: 'figure without numbers',
    ...from('thesis-6.20-small', beside.leastStalls({ FCC }, BOLA_AND_BETA)),
  },
  {
    figure: '6.21',
    claim: 'without partial reliability bufRatio doubles (Verizon, all buffers)',
    theirs: '2 times',
    command: MAP,
    matrix: MAP,
    measured: (matrix) => measured.withoutPartialReliability(matrix, (path) => path === PLAIN_PATH),
    why: 'Two LTE logs without further losses, one segment. Our rule keeps late segments in part over streams, too; the thesis’ cannot.',
  },
  {
    figure: '6.21',
    claim: '… where packets are lost in bursts as well, which the thesis did not try',
    theirs: '2 times, without',
    command: MAP,
    matrix: MAP,
    measured: (matrix) => measured.withoutPartialReliability(matrix, (path) => path !== PLAIN_PATH),
    why: 'A stream shows nothing behind a gap for a round trip. The [map](results/datagrams-streams/README.md) has every path.',
  },
  {
    figure: '6.22',
    claim: 'against 20 Mbit/s of other traffic VOXEL hardly stalls, at BOLA’s bitrate or more',
    theirs: 'near zero, with one segment, too',
    ...from('thesis-6.12-6.22-small', (matrix) => lessStalls(matrix, {}, { theirs: 0, ours: 'voxel', than: 'bola' })),
  },
];
