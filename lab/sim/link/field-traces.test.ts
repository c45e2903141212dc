import fc from 'fast-check';
import { expect, it } from 'vitest';
import { UserError } from '../../../tools/setup/process.mjs';
import { parseFieldTraces } from './field-traces.js';

const rows = (count: number, row: (index: number) => string) => Array.from({ length: count }, (_, index) => row(index));

it('reads a log with Timestamp and DL_bitrate: kbit/s, a second without a row holds the one before', () => {
  const log = rows(12, (n) => `2019.12.14_10.16.${30 + n + (n > 5 ? 1 : 0)},-8.4,B,${1000 + n},20`);
  const text = ['Timestamp,Longitude,Operatorname,DL_bitrate,UL_bitrate', ...log, '2019.12.14_10.16.50,-8.4,B,-,20'];
  const { traces, taken } = parseFieldTraces('static', text.join('\n'))!;
  expect(traces).toHaveLength(1);
  expect(traces[0]).toMatchObject({ name: 'static', step: 1 });
  expect([...traces[0]!.rates].slice(4, 8)).toEqual([1_004_000, 1_005_000, 1_005_000, 1_006_000]);
  expect(taken).toMatch(
    /^static: took Timestamp for the time, DL_bitrate for kbit\/s; .*left out 1 rows without a rate/,
  );
});

it('reads two columns, and times in seconds or milliseconds', () => {
  for (const scale of [1, 1000]) {
    const text = rows(10, (n) => `${scale * (1_600_000_000 + n)},${n}`).join('\n');
    expect([...parseFieldTraces('a', `timestamp,DL_bitrate\n${text}`)!.traces[0]!.rates]).toEqual(
      rows(10, String).map((n) => 1000 * Number(n)),
    );
  }
});

it("reads Puffer's video_sent: bytes/s, a trace for each stream, short ones left out", () => {
  const head =
    'time (ns GMT),session_id,index,expt_id,channel,video_ts,format,size,ssim_index,cwnd,in_flight,min_rtt,rtt,delivery_rate';
  const row = (session: string, second: number, rate: number) =>
    `${1_572_865_200 + second}000000000,${session},0,1,cbs,0,1280x720-24,400000,0.98,10,0,20000,21000,${rate}`;
  const text = [head, ...rows(10, (n) => row('abc', 2 * n, 125_000 + n)), ...rows(3, (n) => row('xyz', n, 1))];
  const { traces, taken } = parseFieldTraces('video_sent', text.join('\n'))!;
  expect(traces.map(({ name }) => name)).toEqual(['video_sent/abc-0']);
  expect([...traces[0]!.rates].slice(0, 4)).toEqual([1e6, 1e6, 1_000_008, 1_000_008]);
  expect(taken).toContain('delivery_rate for bytes/s; a trace for each of 1 streams');
  expect(taken).toContain('left out 1 streams of fewer than 10 rows');
});

it('cuts out a pause of the recording', () => {
  const text = rows(12, (n) => `${n < 6 ? n : 1000 + n},${n + 1}`).join('\n');
  const { traces, taken } = parseFieldTraces('a', `timestamp,DL_bitrate\n${text}`)!;
  expect(traces[0]!.rates).toHaveLength(12);
  expect(taken).toContain('cut out 1 pauses of over 60 s');
});

it('leaves other layouts alone, and turns any text into traces or a UserError', () => {
  expect(parseFieldTraces('a', 'second,mbps\n0,1\n')).toBeUndefined();
  const cell = fc.oneof(fc.string(), fc.float().map(String), fc.integer().map(String));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 20 }), (cells) => {
      const text = cells.map((pair) => pair.join(',')).join('\n');
      try {
        expect(parseFieldTraces('x', `timestamp,DL_bitrate\n${text}`)!.traces.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
      }
    }),
  );
  expect(() => parseFieldTraces('x', 'timestamp,DL_bitrate\nnoon,5\n')).toThrow("x:2: not a time: 'noon'");
  expect(() => parseFieldTraces('x', 'timestamp,DL_bitrate\n0,fast\n')).toThrow("x:2: not a rate: 'fast'");
});
