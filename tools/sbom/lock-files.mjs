// @ts-check
// What the lock files of Python and Rust name, as components of a CycloneDX document.

/**
 * @typedef {{ type: 'library', 'bom-ref': string, name: string, version: string, purl: string, scope?: 'excluded',
 *   hashes?: { alg: 'SHA-256', content: string }[] }} Component
 */

/** @param {'pypi' | 'cargo'} kind @param {string} name @param {string} version @param {string[]} hashes SHA-256 of its files @returns {Component} */
function component(kind, name, version, hashes) {
  const purl = `pkg:${kind}/${name}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(hashes.length > 0 && { hashes: hashes.map((content) => ({ alg: 'SHA-256', content })) }),
  };
}

/** @param {string} text a `requirements/*.txt` @returns {Component[]} */
export function pythonComponents(text) {
  return [...text.matchAll(/^([a-z0-9-]+)==([^ ;]+).*((?:\n {4}--hash=.*)*)/gm)].map(([, name, version, hashes]) =>
    component(
      'pypi',
      /** @type {string} */ (name),
      /** @type {string} */ (version),
      [.../** @type {string} */ (hashes).matchAll(/sha256:([0-9a-f]{64})/g)].map(
        ([, hash]) => /** @type {string} */ (hash),
      ),
    ),
  );
}

/** @param {string} text a `Cargo.lock` @returns {Component[]} */
export function rustComponents(text) {
  return text
    .split('[[package]]')
    .slice(1)
    .map((entry) => {
      const field = (/** @type {string} */ name) => RegExp(`^${name} = "(.*)"$`, 'm').exec(entry)?.[1];
      const checksum = field('checksum');
      return component('cargo', field('name') ?? '', field('version') ?? '', checksum ? [checksum] : []);
    });
}

/**
 * @param {string} name of the product @param {string} version @param {readonly Component[]} components
 * @returns {object} a CycloneDX 1.6 document, the same for the same lock file
 */
export function document(name, version, components) {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': name, name, version } },
    components,
  };
}
