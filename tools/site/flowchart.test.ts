import { expect, test } from 'vitest';
import { graphOf } from './flowchart.mjs';

test('a flowchart is drawn with the labels that its nodes have anywhere', () => {
  expect(graphOf('graph LR\n  a[A/] --> b\n  b[B/] --> c\n')).toMatch(
    /rankdir=LR[^]*"a" -> "b"\n {2}"b" -> "c"\n {2}"a" \[label="A\/"\]\n {2}"b" \[label="B\/"\]\n\}$/,
  );
});

test('nodes in a subgraph have a frame', () => {
  expect(graphOf('graph TD\n  subgraph room\n    a[A]\n  end\n  a --> b\n')).toMatch(
    /subgraph "cluster_room" \{ label="room"[^\n]*\n {2}"a"\n {2}\}\n {2}"a" -> "b"\n {2}"a" \[label="A"\]/,
  );
});

test('what it cannot draw fails the build, with the line', () => {
  expect(() => graphOf('graph TD\n  a -.-> b\n')).toThrow('got a -.-> b');
  expect(() => graphOf('sequenceDiagram\n')).toThrow('got sequenceDiagram');
});
