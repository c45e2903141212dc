import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cargoCounts, pytestCounts, releaseCounts, smokeCounts, vitestCounts } from './counts.mjs';
import { root } from '../setup/paths.mjs';

describe('vitest', () => {
  const report = { numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 };
  const error = '\u001b[31mAssertionError: 1 is not 2\u001b[39m\n    at /test/a.test.ts:3:1\n    at runner.js:1:1';
  const file = (status: string, ...results: string[]) => ({
    name: join(root, 'test/a.test.ts'),
    status,
    message: 'no such module',
    assertionResults: results.map((result) => ({
      status: result,
      fullName: `adds up ${result}`,
      failureMessages: result === 'failed' ? [error] : [],
    })),
  });

  it('counts a file that could not be loaded as a failed test, a file with failed tests as those', () => {
    const testResults = [file('passed', 'passed'), file('failed', 'passed', 'failed'), file('failed')];
    const output = 'stderr | test/a.test.ts\n\u001b[22m\u001b[39mleft out: Firefox is not installed\n\n';
    expect(vitestCounts({ ...report, testResults }, output)).toEqual({
      passed: 5,
      failed: 2,
      skipped: 3,
      leftOut: ['Firefox is not installed'],
      failures: [
        'a.test.ts: no such module',
        'a.test.ts: adds up failed: AssertionError: 1 is not 2\n    at /test/a.test.ts:3:1',
      ],
      files: [
        {
          file: 'test/a.test.ts',
          failed: 2,
          failures: [
            'a.test.ts: no such module',
            'a.test.ts: adds up failed: AssertionError: 1 is not 2\n    at /test/a.test.ts:3:1',
          ],
        },
      ],
    });
  });

  it('knows of no file to run again where something failed outside of tests', () => {
    const testResults = [file('failed', 'failed')];
    const output = '\u001b[31m⎯⎯⎯ Unhandled Errors ⎯⎯⎯\u001b[39m\nError: Worker exited unexpectedly\n';
    expect(vitestCounts({ ...report, testResults }, output)).toMatchObject({ failed: 1, files: [] });
  });
});

describe('pytest', () => {
  it('counts errors of fixtures as failed, and keeps each reason for a skip once', () => {
    const skipped = '<skipped type="pytest.skip" message="no &quot;netns&quot; &amp; no tun">file:1</skipped>';
    const xml =
      '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">' +
      '<testsuite name="pytest" errors="1" failures="2" skipped="2" tests="10" time="1.5">' +
      '<testcase classname="pkg.test_a" name="test_ok" time="0.1" />' +
      '<testcase classname="pkg.test_a" name="test_sum[1]" time="0.1"><failure message="assert 1 == 2&#10;second">' +
      'def test</failure></testcase>' +
      '<testcase classname="pkg.test_a" name="test_b" time="0.1"><error message="failed on setup">x</error></testcase>' +
      `<testcase>${skipped}</testcase><testcase>${skipped}</testcase></testsuite></testsuites>`;
    expect(pytestCounts(xml)).toEqual({
      passed: 5,
      failed: 3,
      skipped: 2,
      leftOut: ['no "netns" & no tun'],
      failures: ['pkg.test_a: test_sum[1]: assert 1 == 2\nsecond', 'pkg.test_a: test_b: failed on setup'],
      files: [
        {
          file: 'pkg/test_a.py',
          failed: 2,
          failures: ['pkg.test_a: test_sum[1]: assert 1 == 2\nsecond', 'pkg.test_a: test_b: failed on setup'],
        },
      ],
    });
  });

  it('knows the file of a test in a class, and none of a test in which a worker died or of a module that was not read', () => {
    const cases = [
      ['tests.test_b.TestSum', 'test_one', 'assert 0'],
      ['tests.test_c', 'test_two', "worker 'gw1' crashed while running 'tests/test_c.py::test_two'"],
      ['', 'tests.test_d', 'collection failure'],
    ];
    const xml = cases
      .map(([place, name, message]) => `<testcase classname="${place}" name="${name}"><failure message="${message}"/>`)
      .join('');
    expect(pytestCounts(`<testsuite failures="3" errors="0" skipped="0" tests="3">${xml}`).files).toEqual([
      { file: 'tests/test_b.py', failed: 1, failures: ['tests.test_b.TestSum: test_one: assert 0'] },
    ]);
  });

  it('has no counts for a report that is not one', () => {
    expect(pytestCounts('').passed).toBeNaN();
  });
});

describe('cargo test', () => {
  it('adds up the programs, and counts a test that left itself out as skipped', () => {
    const output = [
      'running 3 tests',
      'left out: a link needs /dev/net/tun, which this user may not open',
      'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s',
      'failures:',
      '',
      '---- tests::adds stdout ----',
      '',
      "thread 'tests::adds' panicked at src/lib.rs:3:5:",
      'assertion `left == right` failed',
      '',
      '---- tests::subtracts stdout ----',
      'Error: "no"',
      '',
      '',
      'failures:',
      '    tests::adds',
      '    tests::subtracts',
      '',
      'test result: FAILED. 4 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 2.00s',
    ].join('\n');
    expect(cargoCounts(output)).toEqual({
      passed: 6,
      failed: 2,
      skipped: 2,
      leftOut: ['a link needs /dev/net/tun, which this user may not open'],
      failures: [
        "tests::adds: thread 'tests::adds' panicked at src/lib.rs:3:5:\nassertion `left == right` failed",
        'tests::subtracts: Error: "no"',
      ],
      files: [
        {
          file: 'tests',
          failed: 2,
          failures: [
            "tests::adds: thread 'tests::adds' panicked at src/lib.rs:3:5:\nassertion `left == right` failed",
            'tests::subtracts: Error: "no"',
          ],
        },
      ],
    });
    const aborted =
      "Caused by:\n  process didn't exit successfully: `/target/voxel` (signal: 11, SIGSEGV: invalid memory)";
    expect(cargoCounts(`${output}\n${aborted}`).files).toEqual([]);
  });

  it('takes the tests of a module as a file', () => {
    const output = '---- edge::upstream::tests::waits stdout ----\nno\n\n\nfailures:';
    expect(cargoCounts(output).files).toMatchObject([{ file: 'edge::upstream', failed: 1 }]);
  });
});

describe('the trials', () => {
  it('count each short trial as a test', () => {
    const output = 'left out: trials of a server\n29 of 30 trials, about 2 min left\n30 trials, 2 of them failed\n';
    const failed =
      'failed: bola BOLA, quiche with cubic: it stalled\nfailed: voxel VOXEL, aioquic with reno: no report\n';
    expect(smokeCounts(output + failed)).toEqual({
      ...{ passed: 28, failed: 2, skipped: 1, leftOut: ['trials of a server'] },
      failures: ['bola BOLA, quiche with cubic: it stalled', 'voxel VOXEL, aioquic with reno: no report'],
      files: [
        { file: 'bola', failed: 1, failures: ['bola BOLA, quiche with cubic: it stalled'] },
        { file: 'voxel', failed: 1, failures: ['voxel VOXEL, aioquic with reno: no report'] },
      ],
    });
    expect(smokeCounts('error: no such file').passed).toBeNaN();
  });
});

describe('the release', () => {
  it('counts its checks, with what failed and what was left out', () => {
    const output = [
      'left out: voxel-quiche-0.1.0.crate: no Rust',
      'failed: a.whl: metadata: no licence',
      '4 checks passed, 1 failed, 1 left out',
    ];
    expect(releaseCounts(output.join('\n'))).toEqual({
      ...{ passed: 4, failed: 1, skipped: 1 },
      leftOut: ['voxel-quiche-0.1.0.crate: no Rust'],
      failures: ['a.whl: metadata: no licence'],
    });
    expect(releaseCounts('error: no such file').passed).toBeNaN();
  });
});
