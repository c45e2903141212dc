import { expect, test } from 'vitest';
import { changelogProblems } from './changelog.mjs';

const before = '# Changelog\n\n## Unreleased\n\n### Added\n\n- Something.\n\n## 0.1.0 - 2026-01-02\n\n- The first.\n';
const ready =
  '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n- Something.\n\n## 0.1.0 - 2026-01-02\n\n- The first.\n';

test('between releases changes stand under Unreleased', () => {
  expect(changelogProblems(before, '0.1.0', { isFinal: false })).toEqual([]);
  expect(changelogProblems(before, '0.2.0', { isFinal: false })).toEqual([]);
});

test('a version that is about to be published has a section with its date, and nothing is left under Unreleased', () => {
  expect(changelogProblems(ready, '0.2.0', { isFinal: true })).toEqual([]);
  expect(changelogProblems(before, '0.2.0', { isFinal: true })).toEqual([
    'CHANGELOG.md has no section for 0.2.0',
    'CHANGELOG.md: the changes under Unreleased belong under 0.2.0',
  ]);
  expect(changelogProblems(ready.replace(' - 2026-02-03', ' (not published yet)'), '0.2.0', { isFinal: true })).toEqual(
    ['CHANGELOG.md: the section of 0.2.0 has no date'],
  );
});

test.each([
  [
    "CHANGELOG.md: the first section must be Unreleased, got '0.1.0 - 2026-01-02'",
    '## 0.1.0 - 2026-01-02\n\n- The first.\n',
  ],
  [
    "CHANGELOG.md: a section must be named 'VERSION - YYYY-MM-DD', got 'February'",
    before.replace('0.1.0 - 2026-01-02', 'February'),
  ],
  ['CHANGELOG.md: the section of 0.1.0 is empty', before.replace('- The first.', '')],
])('says: %s', (line, text) => {
  expect(changelogProblems(text, '0.1.0', { isFinal: false })).toContain(line);
});
