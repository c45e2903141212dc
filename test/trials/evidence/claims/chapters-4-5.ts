import type { Claim } from '../claim.js';

const PREPARATION = 'npm run bench -- prepare --full';

/** What frames cost, and in which order they are best dropped: of content, not of sessions. */
export const CHAPTERS_4_AND_5: readonly Claim[] = [
  {
    figure: '4.1a',
    claim: 'at the top level half of the segments stay at SSIM .99 without many of their frames',
    theirs: '10 to 20 % of the frames, in each of six videos',
    command: PREPARATION,
  },
  {
    figure: '§4.2.1',
    claim: 'referenced frames can be dropped, too',
    theirs: '12.6 to 30 % of the dropped frames are referenced: 6 to 24.2 % of all that are',
    command: PREPARATION,
  },
  {
    figure: '4.1b',
    claim: 'a lower level tolerates less: its whole segments score below .99',
    theirs: 'at 4.3 Mbit/s 85 % (BBB) and 96 % (ToS) of the segments',
    command: PREPARATION,
  },
  {
    figure: '4.1c',
    claim: 'a target of .95 makes frames of the lower level droppable again',
    theirs: 'figure without numbers',
    command: PREPARATION,
  },
  {
    figure: '4.1d',
    claim: 'segments of low levels score below .99 anyway',
    theirs: '85 and 96 % of them at 4.3 Mbit/s',
    command: PREPARATION,
  },
  {
    figure: '4.2a',
    claim: 'dropping from the tail alone allows far fewer frames, and more of them are referenced',
    theirs: '51.75 % (BBB) and 46 % (ToS) of those dropped are referenced',
    command: PREPARATION,
    outlook:
      'Orders are compared by bytes in [manifests/README.md](../manifests/README.md), on clips of which there are no kept sessions.',
  },
  {
    figure: '4.2b, c',
    claim: 'the top level at .99 fills the gap to the next lower level',
    theirs: 'all segments get half of the way cheaper',
    command: PREPARATION,
  },
  {
    figure: '4.3',
    claim: 'what can be dropped is spread over the whole segment',
    theirs: 'figure without numbers',
    command: PREPARATION,
  },
  {
    figure: '§4.2.3',
    claim: 'with small buffers BOLA downloads segments twice',
    theirs: 'more than 25 % of the segments nearly whole',
    command: 'thesis-6.9-6.15-small',
  },
  {
    figure: '5.3 to 5.6',
    claim: 'no order is best everywhere: at .95 the summed one drops more of BBB’s segment 11, at .88 the original one',
    theirs: '29 against 22 % of the bytes at .95; 29 against 44 % at .88',
    command: PREPARATION,
  },
  {
    figure: '5.9',
    claim: 'the chained order keeps scene changes, and loses where there are none',
    theirs: 'figure without numbers',
    command: PREPARATION,
  },
];
