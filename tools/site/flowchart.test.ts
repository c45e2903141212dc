import { expect, test } from 'vitest';
import { graphOf } from './flowchart.mjs';

test('a flowchart is drawn with the labels that its nodes have anywhere', () => {
  expect(graphOf('graph LR\n  a[A/] --> b\n  b[B/] --> c\n')).toMatch(
    /rankdir=LR[^]*"a" \[label="A\/"\]\n {2}"b" \[label="B\/"\]\n {2}"a" -> "b"\n {2}"b" -> "c"\n\}$/,
  );
});

test('what it cannot draw fails the build, with the line', () => {
  expect(() => graphOf('graph TD\n  a -.-> b\n')).toThrow('got a -.-> b');
  expect(() => graphOf('sequenceDiagram\n')).toThrow('got sequenceDiagram');
});
