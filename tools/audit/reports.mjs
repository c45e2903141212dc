// @ts-check
// What the audit programs report. A database that could not be reached is no finding, and no "nothing found" either.

/** @typedef {{ findings: readonly string[], skipped?: string | undefined }} Report one line each; `skipped`: why there is no answer, or half an answer */

/** @typedef {{ message?: string, vulnerabilities?: Record<string, { range: string, severity: string }> }} NpmAudit */
/** @typedef {{ name: string, version: string, skip_reason?: string, vulns?: { id: string, fix_versions: string[] }[] }} PipPackage */

/**
 * @typedef {{ type: string, fields: { severity?: string, message: string, code?: string, advisory?: { id: string },
 *   graphs?: { Krate?: { name: string } }[] } }} CargoLine
 */

/** @param {string} text @returns {unknown} undefined unless it is JSON */
function parsed(text) {
  try {
    return /** @type {unknown} */ (JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** @param {string} text @returns {string} its last line */
const lastLine = (text) => text.trim().split('\n').at(-1) ?? '';

/** @param {string} stdout of `npm audit --json` @param {string} stderr @returns {Report} */
export function npmReport(stdout, stderr) {
  const report = /** @type {NpmAudit | undefined} */ (parsed(stdout));
  if (!report?.vulnerabilities) return { findings: [], skipped: report?.message ?? lastLine(stderr) };
  const entries = Object.entries(report.vulnerabilities);
  return { findings: entries.map(([name, { range, severity }]) => `${name} ${range}: ${severity}`) };
}

/** @param {string} stdout of `pip-audit -f json` @param {string} stderr @returns {Report} */
export function pipReport(stdout, stderr) {
  const packages = /** @type {{ dependencies?: PipPackage[] } | undefined} */ (parsed(stdout))?.dependencies;
  if (!packages) return { findings: [], skipped: lastLine(stderr) };
  const unknown = packages.filter((each) => each.skip_reason !== undefined);
  return {
    findings: packages.flatMap(({ name, version, vulns = [] }) =>
      vulns.map(
        ({ id, fix_versions: fixes }) => `${name} ${version}: ${id}, fixed in ${fixes.join(', ') || 'no version'}`,
      ),
    ),
    skipped: unknown[0] && `${unknown.length} of ${packages.length} packages: ${unknown[0].skip_reason}`,
  };
}

/** @param {string} stderr of `cargo deny --format json check advisories` @returns {Report} */
export function cargoReport(stderr) {
  const lines = stderr.split('\n').map((line) => /** @type {CargoLine | undefined} */ (parsed(line)));
  const errors = lines.flatMap((line) =>
    line?.type === 'diagnostic' && line.fields.severity === 'error' ? [line.fields] : [],
  );
  const isComplete = lines.some((line) => line?.type === 'summary');
  const logged = lines.findLast((line) => line?.type === 'log')?.fields.message;
  return {
    findings: errors.map(
      ({ graphs, advisory, code, message }) =>
        `${graphs?.[0]?.Krate?.name ?? 'crate'}: ${advisory?.id ?? code}, ${message}`,
    ),
    skipped: isComplete ? undefined : (logged ?? lastLine(stderr)),
  };
}
