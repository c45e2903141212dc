import { meanOf, percent, sessionsOf, type Claim, type Measured } from '../claim.js';
import type { Matrix } from '../kept.js';

const CLIPSTREAM = 'clipstream-3-small';
const HOLLYWOOD = 'hollywood-3-9-small';

const TCP = 'dashjs-throughput@http1';
const QUIC = 'dashjs-throughput@http3';
const CS = 'tput@datagrams+clipstream';
const CS_FEC = 'tput@datagrams+clipstream-fec';

/** bufRatio of a system at one loss, with both controls: the paper does not say which it had. */
function stallsAt(system: string, path: string, isAsTheirs: (bufRatio: number) => boolean) {
  return {
    command: CLIPSTREAM,
    matrix: CLIPSTREAM,
    measured: (matrix: Matrix): Measured | undefined => {
      const [cubic, bbr] = (['cubic', 'bbr2'] as const).map((control) => sessionsOf(matrix, { system, path, control }));
      if (!cubic || !bbr) return undefined;
      const [withCubic, withBbr] = [cubic, bbr].map((own) => meanOf(own, ({ bufRatio }) => bufRatio)) as [
        number,
        number,
      ];
      return {
        ours: `${percent(withCubic)} with CUBIC, ${percent(withBbr)} with BBR`,
        verdict: isAsTheirs(withCubic) && isAsTheirs(withBbr) ? 'reproduced' : 'not reproduced',
        sessions: Math.min(cubic.length, bbr.length),
      };
    },
  };
}

/** aSSIM of a system with BBR at one loss. */
function scoreAt(system: string, path: string, lowest: number) {
  return {
    command: CLIPSTREAM,
    matrix: CLIPSTREAM,
    measured: (matrix: Matrix): Measured | undefined => {
      const own = sessionsOf(matrix, { system, path, control: 'bbr2' });
      if (!own) return undefined;
      const score = meanOf(own, ({ aSSIM }) => aSSIM);
      return {
        ours: `${score.toFixed(3)} with BBR`,
        verdict: score >= lowest ? 'reproduced' : 'not reproduced',
        sessions: own.length,
      };
    },
  };
}

/** Seconds of stalls over TCP, Hollywood's way and with VOXEL. */
function hollywoodStalls(path: string, theirs: number) {
  return {
    command: HOLLYWOOD,
    matrix: HOLLYWOOD,
    measured: (matrix: Matrix): Measured | undefined => {
      const systems = ['dashjs-bola@http1', 'bola-e@datagrams+hollywood', 'voxel'];
      const all = systems.map((system) => sessionsOf(matrix, { system, path }));
      if (!all.every((own) => own !== undefined)) return undefined;
      const [tcp, hollywood, voxel] = all.map((own) => meanOf(own, ({ stallSeconds }) => stallSeconds)) as [
        number,
        number,
        number,
      ];
      const isBeaten = hollywood < tcp / theirs && voxel < hollywood;
      return {
        ours: `TCP ${tcp.toFixed(1)}, Hollywood ${hollywood.toFixed(1)}, VOXEL ${voxel.toFixed(1)} s of stalls in 120 s`,
        verdict: isBeaten ? 'beaten' : hollywood <= tcp / theirs ? 'reproduced' : 'not reproduced',
        sessions: Math.min(...all.map((own) => own.length)),
      };
    },
  };
}

function hollywoodMeasure(
  path: string,
  {
    measure,
    unit,
    digits,
    isBetter,
  }: {
    readonly measure: (session: Parameters<Parameters<typeof meanOf>[1]>[0]) => number;
    readonly unit: string;
    readonly digits: number;
    readonly isBetter: (ours: number, theirs: number) => boolean;
  },
) {
  return {
    command: HOLLYWOOD,
    matrix: HOLLYWOOD,
    measured: (matrix: Matrix): Measured | undefined => {
      const [tcp, hollywood] = ['dashjs-bola@http1', 'bola-e@datagrams+hollywood'].map((system) =>
        sessionsOf(matrix, { system, path }),
      );
      if (!tcp || !hollywood) return undefined;
      const [theirs, ours] = [tcp, hollywood].map((own) => meanOf(own, measure)) as [number, number];
      return {
        ours: `TCP ${theirs.toFixed(digits)}, Hollywood ${ours.toFixed(digits)} ${unit}`,
        verdict: isBetter(ours, theirs) ? 'reproduced' : 'not reproduced',
        sessions: Math.min(tcp.length, hollywood.length),
      };
    },
  };
}

const CUBIC = 'CUBIC gets less than the only level’s 5 Mbit/s here; their QUIC of 2018 may have had another control.';

export const TRANSPORTS: readonly Claim[] = [
  {
    figure: 'ClipStream 3a',
    claim: '0.64 % loss: TCP stalls for longer than it plays',
    theirs: '105 %',
    ...stallsAt(TCP, '60 ms, 0.64 % loss', (x) => x >= 1),
    why: CUBIC,
  },
  {
    figure: 'ClipStream 3a',
    claim: '0.64 % loss: QUIC stalls',
    theirs: '30 %',
    ...stallsAt(QUIC, '60 ms, 0.64 % loss', (x) => x >= 0.3),
    why: CUBIC,
  },
  {
    figure: 'ClipStream 3a',
    claim: 'ClipStream hardly stalls, up to 5.12 % loss',
    theirs: 'at most 0.012 % (rateBuf)',
    ...stallsAt(CS, '60 ms, 5.12 % loss', (x) => x <= 0.00012),
    why: CUBIC,
  },
  {
    figure: 'ClipStream 3c',
    claim: 'ClipStream’s aSSIM is fair at 0.64 % loss',
    theirs: '≥ .88',
    ...scoreAt(CS, '60 ms, 0.64 % loss', 0.88),
    why: 'Gaps are filled with zeros in both; the clip differs.',
  },
  {
    figure: 'ClipStream 3c',
    claim: '… and not bad at 5.12 %',
    theirs: '≥ .5',
    ...scoreAt(CS, '60 ms, 5.12 % loss', 0.5),
    why: 'As above.',
  },
  {
    figure: 'ClipStream 3c',
    claim: 'ClipStreamFEC’s aSSIM is good at 1.28 % loss',
    theirs: '≥ .95',
    ...scoreAt(CS_FEC, '60 ms, 1.28 % loss', 0.95),
    why: 'Its parity repairs what is lost at random.',
  },
  {
    figure: 'Hollywood 3',
    claim: '400 ms and 0.2 % loss: stalls are shorter than over TCP',
    theirs: 'seven times (“high delay and loss”)',
    ...hollywoodStalls('400 ms, 0.2 % loss', 7),
    why: 'Nothing waits for repeats, and segments are asked for ahead. VOXEL plays parts of the lowest level, too.',
  },
  {
    figure: 'Hollywood 4',
    claim: '100 ms and 1 % loss: stalls in ten minutes',
    theirs: '5 s against 30: a sixth',
    ...hollywoodStalls('100 ms, 1 % loss', 6),
  },
  {
    figure: 'Hollywood 5',
    claim: '400 ms and 0.2 % loss: playback starts earlier',
    theirs: 'figure without numbers',
    ...hollywoodMeasure('400 ms, 0.2 % loss', {
      measure: ({ startup }) => startup ?? Infinity,
      unit: 's',
      digits: 2,
      isBetter: (ours, theirs) => ours < theirs,
    }),
    why: 'A session is opened beside the HTTP connection that brings the manifest; theirs is one connection.',
  },
  {
    figure: 'Hollywood 7',
    claim: '150 ms and 0.2 % loss: the bitrate is higher',
    theirs: 'figure without numbers',
    ...hollywoodMeasure('150 ms, 0.2 % loss', {
      measure: ({ bitrate }) => bitrate / 1e3,
      unit: 'kbit/s',
      digits: 0,
      isBetter: (ours, theirs) => ours > theirs,
    }),
  },
  {
    figure: 'Hollywood 9',
    claim: '100 ms and 0.2 % loss: the bitrate is higher',
    theirs: 'figure without numbers',
    ...hollywoodMeasure('100 ms, 0.2 % loss', {
      measure: ({ bitrate }) => bitrate / 1e3,
      unit: 'kbit/s',
      digits: 0,
      isBetter: (ours, theirs) => ours > theirs,
    }),
  },
  {
    figure: 'Hollywood 11, 12',
    claim: 'pictures are as good as over TCP: PSNR and SSIM of what is shown',
    theirs: 'SSIM alike',
    ...hollywoodMeasure('400 ms, 0.2 % loss', {
      measure: ({ score }) => score,
      unit: 'SSIM',
      digits: 4,
      isBetter: (ours, theirs) => ours >= theirs - 0.01,
    }),
    why: 'Late bytes are not waited for: what stalls over TCP is a gap here.',
  },
];
