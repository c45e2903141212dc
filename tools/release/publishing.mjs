// @ts-check
// What must be true before anything is published, and the commands that publish it.

/**
 * @param {{ version: string, status: string, tags: readonly string[], manifests: readonly { file: string, repository?: unknown }[] }} state
 *   `status`: what `git status --porcelain` prints; `tags`: those of the commit; `manifests`: the npm packages'
 * @returns {string[]} a line for each reason not to publish
 */
export function publishingProblems({ version, status, tags, manifests }) {
  return [
    ...(status === '' ? [] : ['the checkout has changes that are not committed (git status)']),
    ...(tags.includes(`v${version}`) ? [] : [`the commit has no tag v${version} (git tag v${version})`]),
    // npm signs where a package comes from, and refuses to without it.
    ...manifests
      .filter(({ repository }) => !repository)
      .map(({ file }) => `${file} has no repository, which provenance needs`),
  ];
}

/** @param {string} version @param {string} out folder of the artefacts @returns {string} a shell script: what others depend on comes first */
export function publishingCommands(version, out) {
  return [
    'set -e',
    `npm publish --provenance --access public ${out}/voxel-repair-${version}.tgz`,
    `npm publish --provenance --access public ${out}/voxel-dash-${version}.tgz`,
    `npm publish --provenance --access public ${out}/voxel-lab-${version}.tgz`,
    `.venv/tools/bin/uv publish ${out}/voxel_prepare-${version}* ${out}/voxel_serve-${version}*`,
    '(cd server/quiche && cargo publish --locked -p voxel-protocol && cargo publish --locked -p voxel-quiche)',
    `git push origin v${version}`,
    'npm run sbom   # attach output/sbom/*.cdx.json to the release',
  ].join('\n');
}
