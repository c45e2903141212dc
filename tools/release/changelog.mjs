// @ts-check
// What CHANGELOG.md must say of a version before it is published.

const RELEASED = /^(\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$/;
const NOT_PUBLISHED = /^(\d+\.\d+\.\d+) \(not published yet\)$/;

/**
 * @param {string} text of CHANGELOG.md @param {string} version @param {{ isFinal: boolean }} options `isFinal`: the version is about to be
 *   published; before that, changes may stand under Unreleased and its section may lack a date
 * @returns {string[]} a line for each problem
 */
export function changelogProblems(text, version, { isFinal }) {
  const sections = text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { title: title.trim(), isEmpty: lines.every((line) => line.trim() === '' || line.startsWith('#')) };
    });
  const [first, ...rest] = sections;
  const malformed = rest.filter(({ title }) => !RELEASED.test(title) && !NOT_PUBLISHED.test(title));
  const problems = malformed.map(
    ({ title }) => `CHANGELOG.md: a section must be named 'VERSION - YYYY-MM-DD', got '${title}'`,
  );
  if (first?.title !== 'Unreleased')
    problems.push(`CHANGELOG.md: the first section must be Unreleased, got '${first?.title ?? 'none'}'`);
  const own = rest.find(({ title }) => title.startsWith(`${version} `));
  if (!own && (isFinal || first?.isEmpty !== false)) problems.push(`CHANGELOG.md has no section for ${version}`);
  if (own?.isEmpty) problems.push(`CHANGELOG.md: the section of ${version} is empty`);
  if (!isFinal) return problems;
  if (own && !RELEASED.test(own.title)) problems.push(`CHANGELOG.md: the section of ${version} has no date`);
  if (first?.isEmpty === false) problems.push(`CHANGELOG.md: the changes under Unreleased belong under ${version}`);
  return problems;
}
