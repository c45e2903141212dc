import { expect, test } from 'vitest';
import { LossEstimator, ThroughputEstimator, type Option } from '../abr-star/index.js';
import { decisionState, linkState } from './decision-state.js';

const option: Option = { representation: 0, level: 0, score: 1, bytes: 10, reliableBytes: 5 };
const link = { throughput: new ThroughputEstimator(), loss: new LossEstimator() };
const situation = {
  ...{ segmentIndex: 3, segmentDuration: 4, bufferLevel: 5, lastChoice: option, bufferSegments: 2 },
  ladder: [{ bitrate: 1000, averageScore: 1 }],
  upcoming: [[option], [option, option]],
  link,
};

test('a rule is told of the next segment, of those after it, and of the capacity with the segment in flight', () => {
  expect(decisionState(situation)).toEqual({
    ...{ segmentIndex: 3, segmentDuration: 4, bufferLevel: 5, lastChoice: option, bufferCapacity: 12 },
    ...{ ladder: situation.ladder, options: situation.upcoming[0], upcoming: situation.upcoming },
    ...{ throughput: undefined, samples: [], lossRate: undefined, hasGaps: false },
  });
});

test('it is told what the downloads so far say about the link', () => {
  link.throughput.add({ bytes: 1000, seconds: 1 });
  link.loss.add({ bytesSent: 100, bytesLost: 25 });
  expect(linkState(link)).toMatchObject({ samples: [{ bytes: 1000, seconds: 1 }], lossRate: 0.25 });
  expect(linkState(link).throughput).toBeCloseTo(8000);
  expect(decisionState(situation)).toMatchObject(linkState(link));
});
