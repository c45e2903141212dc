import { expect, it } from 'vitest';
import { readRecording, VERSION } from './format.js';

it('refuses a recording of another format, or none', () => {
  const recording = { version: VERSION, lanes: [] };
  expect(readRecording(recording)).toBe(recording);
  expect(() => readRecording({ ...recording, version: 7 })).toThrow('this page plays format 1, the recording has 7');
  expect(() => readRecording({})).toThrow('the recording has undefined');
});
