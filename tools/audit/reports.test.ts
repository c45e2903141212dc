import { describe, expect, it } from 'vitest';
import { cargoReport, npmReport, pipReport } from './reports.mjs';

describe('an answer without findings differs from no answer', () => {
  it('of npm', () => {
    expect(npmReport('{"auditReportVersion": 2, "vulnerabilities": {}}', '')).toEqual({ findings: [] });
    const refused = '{"message": "405 Method Not Allowed", "error": {"summary": ""}}';
    expect(npmReport(refused, '')).toEqual({ findings: [], skipped: '405 Method Not Allowed' });
    expect(npmReport('', 'npm error\nno network\n')).toEqual({ findings: [], skipped: 'no network' });
  });

  it('of pip-audit, of each package', () => {
    const h11 = { name: 'h11', version: '0.16.0', vulns: [] };
    expect(pipReport(JSON.stringify({ dependencies: [h11] }), '').skipped).toBeUndefined();
    const dependencies = [h11, { name: 'av', skip_reason: 'Dependency not found on PyPI' }];
    expect(pipReport(JSON.stringify({ dependencies }), '')).toEqual({
      findings: [],
      skipped: '1 of 2 packages: Dependency not found on PyPI',
    });
    expect(pipReport('', 'Traceback\nProxyError: refused\n').skipped).toBe('ProxyError: refused');
  });

  it('of cargo-deny', () => {
    expect(cargoReport('{"type":"summary","fields":{"advisories":{"errors":0}}}\n')).toEqual({ findings: [] });
    const log = '{"type":"log","fields":{"level":"ERROR","message":"failed to fetch advisory database"}}\n';
    expect(cargoReport(log)).toEqual({ findings: [], skipped: 'failed to fetch advisory database' });
    expect(cargoReport('error: no Cargo.toml\n').skipped).toBe('error: no Cargo.toml');
  });
});

describe('findings are one line each', () => {
  it('of npm', () => {
    const report = { vulnerabilities: { ws: { severity: 'high', range: '8.0.0 - 8.17.0' } } };
    expect(npmReport(JSON.stringify(report), '').findings).toEqual(['ws 8.0.0 - 8.17.0: high']);
  });

  it('of pip-audit', () => {
    const vulns = [
      { id: 'PYSEC-1', fix_versions: ['1.1', '2.0'] },
      { id: 'PYSEC-2', fix_versions: [] },
    ];
    expect(pipReport(JSON.stringify({ dependencies: [{ name: 'h11', version: '1.0', vulns }] }), '').findings).toEqual([
      'h11 1.0: PYSEC-1, fixed in 1.1, 2.0',
      'h11 1.0: PYSEC-2, fixed in no version',
    ]);
  });

  it('of cargo-deny, errors only', () => {
    const graphs = [{ Krate: { name: 'bytes', version: '1.0.0' } }];
    const lines = [
      {
        type: 'diagnostic',
        fields: {
          severity: 'error',
          code: 'vulnerability',
          message: 'overflow',
          advisory: { id: 'RUSTSEC-1' },
          graphs,
        },
      },
      { type: 'diagnostic', fields: { severity: 'warning', code: 'yanked', message: 'yanked', graphs } },
      { type: 'summary', fields: { advisories: { errors: 1 } } },
    ];
    expect(cargoReport(lines.map((line) => JSON.stringify(line)).join('\n')).findings).toEqual([
      'bytes: RUSTSEC-1, overflow',
    ]);
  });
});
